//! The authors' results: every instance, algorithm, nodes and seconds in the
//! public files, their means in a table of the project.

use std::collections::BTreeMap;
use std::path::Path;

use crate::experiments::{ExperimentError, Facts, Setting, Stat};

/// The public files and the study each belongs to.
const FILES: [(&str, &str); 4] = [
    ("density2D_64_128.csv", "density"),
    ("large2D_64_128.csv", "large"),
    ("densityTS_64_128.csv", "density-ts"),
    ("largeTS_64_128.csv", "large-ts"),
];

/// Their names in the published tables and in the paper.
const NAMES: [(&str, &str); 10] = [
    ("FFD-Degree", "Medea-TP"),
    ("NodeCount", "Medea-NC"),
    ("NCD-Fitness", "LRASched-Fitness"),
    ("NCD-DotDivision", "NCD-TightFill"),
    ("SpreadWFD-Avg", "SpreadWFD-Avg-BinSearch"),
    ("SpreadWFD-Max", "SpreadWFD-Max-BinSearch"),
    ("SpreadWFD-Surrogate", "SpreadWFD-Surrogate-BinSearch"),
    ("RefineWFD-Avg-2", "SpreadWFD-Avg-Decr2"),
    ("RefineWFD-Avg-3", "SpreadWFD-Avg-Decr3"),
    ("RefineWFD-Avg-5", "SpreadWFD-Avg-Decr5"),
];

/// From the authors' files where they are, from the table of means else.
pub(super) fn facts(setting: &Setting) -> Result<Facts, ExperimentError> {
    let mut facts = Facts::from_table(include_str!("../published/provision.csv"));
    for (file, study) in FILES {
        if let Some(path) = setting.data_file(&format!("published/{file}")) {
            let text = std::fs::read_to_string(&path).map_err(ExperimentError::file(&path))?;
            read(&mut facts, study, file, &text, &path)?;
        }
    }
    Ok(facts)
}

/// Deviations and seconds, one of each per instance.
type Rows = (Vec<f64>, Vec<f64>);

fn read(
    facts: &mut Facts,
    study: &str,
    file: &str,
    text: &str,
    path: &Path,
) -> Result<(), ExperimentError> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    let column = |name: &str| header.iter().position(|known| *known == name);
    let Some(bound) = column("LB") else {
        return Err(ExperimentError::data(path, "no column LB"));
    };
    let timed = header
        .iter()
        .enumerate()
        .filter_map(|(at, name)| Some((*name, at, column(&format!("{name}_time"))?)));
    let timed: Vec<(&str, usize, usize)> = timed.collect();
    let mut found: BTreeMap<(String, &str), Rows> = BTreeMap::new();
    for (number, line) in lines.enumerate() {
        let row: Vec<&str> = line.split('\t').collect();
        let wrong = || ExperimentError::data(path, format!("line {}: not understood", number + 2));
        let value = |at: usize| row.get(at).and_then(|cell| cell.parse::<f64>().ok());
        let (x, lb) = (
            x_of(row[0]).ok_or_else(wrong)?,
            value(bound).ok_or_else(wrong)?,
        );
        for (name, at, time) in &timed {
            // An algorithm that was not run on an instance has no value.
            if let (Some(nodes), Some(seconds)) = (value(*at), value(*time)) {
                let (deviations, times) = found.entry((x.clone(), *name)).or_default();
                deviations.push(100.0 * (nodes - lb) / lb);
                times.push(seconds);
            }
        }
    }
    for ((x, name), (deviations, times)) in found {
        let known = NAMES.iter().find(|(old, _)| *old == name);
        let series = known.map_or(name.replace("AvgExpo", "AvgExp"), |(_, new)| (*new).into());
        let (Some(deviation), Some(seconds)) = (Stat::of(&deviations), Stat::of(&times)) else {
            continue;
        };
        let source = format!("mean of {} rows of {file}", deviation.count);
        let mut set = |metric, value| facts.set([study, &x, &series, metric], value, &source);
        set("deviation", deviation.mean);
        set("deviation_sd", deviation.deviation);
        set("seconds", seconds.mean);
    }
    Ok(())
}

/// `arbitrary_d1_0` is `arbitrary 1 %`; `large_scale_10000_arbitrary_d005_0`
/// is `arbitrary 10000`.
fn x_of(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('_').collect();
    match parts[..] {
        ["large", "scale", services, graph, _, _] => Some(format!("{graph} {services}")),
        [graph, density, _] => Some(format!("{graph} {} %", density.strip_prefix('d')?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_means_and_replace_the_table() {
        let mut facts = Facts::from_table(include_str!("../published/provision.csv"));
        let known = facts.value("density", "arbitrary 1 %", "FF", "deviation");
        assert!((known.unwrap() - 12.2174).abs() < 1e-4);
        let text = "instance_name\tLB\tFF\tFFD-Degree\tFF_time\tFFD-Degree_time\n\
                    arbitrary_d1_0\t100\t110\t105\t3.0\t4\n\
                    arbitrary_d1_1\t100\t114\t\t5.0\t\n\
                    large_scale_500_normal_d005_0\t50\t51\t52\t1\t1\n";
        read(&mut facts, "density", "f", text, Path::new("f")).unwrap();
        let value = |x, series, metric| facts.value("density", x, series, metric);
        assert_eq!(value("arbitrary 1 %", "FF", "deviation"), Some(12.0));
        assert_eq!(value("arbitrary 1 %", "FF", "seconds"), Some(4.0));
        assert_eq!(value("arbitrary 1 %", "Medea-TP", "deviation"), Some(5.0));
        assert_eq!(value("normal 500", "FF", "deviation"), Some(2.0));
        assert!(read(&mut facts, "density", "f", "a\tb\n", Path::new("f")).is_err());
    }
}
