//! The quality figures that the tests hold against a committed table.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::results::number;
use super::{Experiment, Results};

/// Which way a figure gets better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// Fewer nodes, less capacity, a lower upper bound.
    Lower,
    /// More gain, more requests, a higher lower bound.
    Higher,
}

/// A figure that must not get worse.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Held {
    /// Its name.
    pub metric: &'static str,
    /// Which way it gets better.
    pub better: Better,
}

/// The mean of a figure over the cells of one study and series.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Verb, study, series, metric.
    pub place: [String; 4],
    /// The mean.
    pub value: f64,
}

/// The paper's algorithms are fixed: their figures may not move at all beyond
/// rounding. A search of ours may trade one cell for another.
fn tolerance(series: &str) -> f64 {
    if series == "auto" || series.starts_with("rasa") {
        0.002
    } else {
        1e-6
    }
}

/// The lines of one experiment.
pub fn baseline(experiment: &dyn Experiment, results: &Results) -> Vec<Line> {
    let mut means: BTreeMap<[String; 4], (f64, usize)> = BTreeMap::new();
    for measured in results.measured() {
        for held in experiment.held() {
            let Some(value) = number(measured, held.metric) else {
                continue;
            };
            let cell = &measured.cell;
            let place = [experiment.verb(), &cell.study, &cell.series, held.metric];
            let (sum, count) = means.entry(place.map(String::from)).or_default();
            (*sum, *count) = (*sum + value, *count + 1);
        }
    }
    means
        .into_iter()
        .map(|(place, (sum, count))| Line {
            place,
            value: sum / count as f64,
        })
        .collect()
}

/// The committed table.
pub fn table(lines: &[Line]) -> String {
    let mut text = String::from("verb,study,series,metric,mean\n");
    for line in lines {
        let _ = writeln!(text, "{},{:.9}", line.place.join(","), line.value);
    }
    text
}

/// What got worse than the committed table, and what is missing from either.
pub fn compare(committed: &str, lines: &[Line], held: &[Held]) -> Vec<String> {
    let mut left: BTreeMap<String, f64> = BTreeMap::new();
    for line in committed.lines().skip(1) {
        if let Some((place, value)) = line.rsplit_once(',') {
            left.insert(place.into(), value.parse().unwrap_or(f64::NAN));
        }
    }
    let mut worse = Vec::new();
    for line in lines {
        let place = line.place.join(",");
        let Some(before) = left.remove(&place) else {
            worse.push(format!("{place}: not in the committed table"));
            continue;
        };
        let better = held.iter().find(|held| held.metric == line.place[3]);
        let loss = match better.map(|held| held.better) {
            Some(Better::Higher) => before - line.value,
            _ => line.value - before,
        };
        // Not a number is never good enough.
        let allowed = tolerance(&line.place[2]) * before.abs().max(1e-9);
        if loss.is_nan() || loss > allowed {
            worse.push(format!("{place}: {} was {before}", line.value));
        }
    }
    worse.extend(
        left.into_keys()
            .map(|place| format!("{place}: no longer measured")),
    );
    worse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worse_missing_and_new_lines_are_named_and_better_ones_are_not() {
        let line = |series: &str, metric: &str, value| Line {
            place: ["admit", "load", series, metric].map(String::from),
            value,
        };
        let held = [
            Held {
                metric: "served",
                better: Better::Higher,
            },
            Held {
                metric: "bound",
                better: Better::Lower,
            },
        ];
        let committed = table(&[
            line("auto", "served", 50.0),
            line("auto", "bound", 60.0),
            line("Cradle", "served", 40.0),
        ]);
        let now = [line("auto", "served", 51.0), line("auto", "bound", 59.0)];
        let found = compare(&committed, &now, &held);
        assert_eq!(found, ["admit,load,Cradle,served: no longer measured"]);
        let now = [
            line("auto", "served", 49.0),
            line("auto", "bound", 60.05),
            line("Cradle", "served", 39.999),
            line("Spread", "served", 1.0),
        ];
        let found = compare(&committed, &now, &held);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("auto,served: 49 was 50"));
        assert!(found[1].contains("Cradle") && found[2].contains("not in the committed"));
    }
}
