//! The figures and tables of the provisioning page.

use bayplan_report::{Axis, Chart, Mark, Series};

use super::instances::comparable;
use super::{DRAWN, OURS, evidence};
use crate::experiments::page::beside;
use crate::experiments::{Extent, Facts, Page, Results, Section, Setting, Stat, SummaryRow, Table};

/// A study, its figure, and what its x axis shows.
const STUDIES: [(&str, u32, &str, &str); 4] = [
    ("density", 4, "by density", "graph and density"),
    (
        "large",
        5,
        "by number of services, density 0.5 %",
        "graph and services",
    ),
    (
        "density-ts",
        6,
        "by density, demand varying over 98 epochs",
        "graph and density",
    ),
    (
        "large-ts",
        7,
        "by number of services, demand varying over 98 epochs",
        "graph and services",
    ),
];

pub(super) fn page(results: &Results, facts: &Facts, setting: &Setting) -> Page {
    let public = setting.data_file("tclab").is_some();
    // Published figures stand beside instances of their size only.
    let none = Facts::default();
    let beside = |study: &str| {
        if comparable(setting, study) {
            facts
        } else {
            &none
        }
    };
    let mut sections = vec![overview(results, facts)];
    for (study, figure, words, axis) in STUDIES {
        if !results.xs(study).is_empty() {
            sections.push(of_study(results, beside(study), study, figure, words, axis));
        }
    }
    sections.push(evidence::section(
        results,
        facts,
        comparable(setting, "density"),
    ));
    let base = if public {
        "The services are those of TClab (Alibaba Tianchi): 9,338 services, 68,224 replicas. Graphs \
         of limits are drawn anew, since the authors' generator is unseeded; the larger instances \
         resample sizes and replicas, as theirs do."
    } else {
        "The services are generated after the published distributions (TClab's 9,338 services are \
         used with `--data`)."
    };
    let size = match (setting.extent, public) {
        (Extent::Full, _) => "",
        (_, true) => {
            " This quick run leaves out 10 % density and the largest instances, and makes \
                      those with time-varying demand of 300 and 400 services."
        }
        (_, false) => {
            " **This quick run uses 1,500 services instead of 9,338, and 300 or 400 where \
                       demand varies**, so published figures stand beside smaller instances."
        }
    };
    Page {
        verb: "provision",
        title: "provision: how many nodes do I need?".into(),
        paper: "*Affinity-Aware Resource Provisioning for Long-Running Applications in Shared Clusters* (JPDC 2023), Fig. 3 to 7.",
        public,
        intro: vec![
            format!(
                "Nodes of 64 cores and 128 GB. {base}{size} The deviation is nodes over the lower \
                 bound of Eq. 5, minus one, in percent. In brackets: published, means of the \
                 authors' ten instances."
            ),
            "Published times are the authors' wall seconds on a Xeon Gold 6138; ours are CPU seconds \
             of the solver alone, on a different machine. A factor between them says something only \
             where it is large."
                .into(),
        ],
        sections,
        summary: summary(results, facts, setting),
    }
}

/// Fig. 3: quality against time, all algorithms, all instances of the study.
fn overview(results: &Results, facts: &Facts) -> Section {
    let xs = results.xs("density");
    let over = |values: Vec<f64>| Stat::of(&values).map(|stat| stat.mean);
    let ours = |series: &str, metric: &str| {
        over(
            xs.iter()
                .flat_map(|x| results.values("density", x, series, metric))
                .collect(),
        )
    };
    let published = |series: &str, metric: &str| {
        over(
            xs.iter()
                .filter_map(|x| facts.value("density", x, series, metric))
                .collect(),
        )
    };
    let names = results.series("density");
    let mut theirs = Series {
        name: "published".into(),
        mark: Mark::Points,
        points: Vec::new(),
        labels: Vec::new(),
    };
    let mut text = Series {
        name: "ours, as in the text".into(),
        ..theirs.clone()
    };
    let mut best = Series {
        name: "ours: auto".into(),
        ..theirs.clone()
    };
    for name in &names {
        if let (Some(s), Some(d)) = (published(name, "seconds"), published(name, "deviation")) {
            theirs.points.push((s, d));
            theirs.labels.push(name.clone());
        }
        if let (Some(s), Some(d)) = (ours(name, "cpu_seconds"), ours(name, "deviation")) {
            let series = if name == OURS { &mut best } else { &mut text };
            series.points.push((s.max(0.001), d));
            series.labels.push(name.clone());
        }
    }
    let chart = Chart {
        title: "Fig. 3: % over the lower bound against seconds, mean over all densities".into(),
        x: Axis {
            label: "seconds (published: wall, ours: CPU)".into(),
            log: true,
            ..Axis::default()
        },
        y: Axis {
            label: "% over the lower bound".into(),
            ..Axis::default()
        },
        series: vec![theirs, text, best],
    };
    Section {
        heading: "Fig. 3: all algorithms, constant demand".into(),
        text: vec![
            "Labels that would cover each other are left out; the table at the end of the page has \
             all."
                .into(),
        ],
        charts: vec![("provision-fig3".into(), chart)],
        ..Section::default()
    }
}

fn of_study(
    results: &Results,
    facts: &Facts,
    study: &str,
    figure: u32,
    words: &str,
    axis: &str,
) -> Section {
    let xs = results.xs(study);
    let known = results.series(study);
    let drawn: Vec<&str> = DRAWN
        .into_iter()
        .filter(|name| known.iter().any(|k| k == name))
        .collect();
    let chart = |metric: &str, log: bool, label: &str, title: String| Chart {
        title,
        x: Axis {
            label: axis.into(),
            categories: xs.clone(),
            ..Axis::default()
        },
        y: Axis {
            label: label.into(),
            log,
            ..Axis::default()
        },
        series: drawn
            .iter()
            .map(|name| Series {
                name: (*name).into(),
                mark: Mark::Scatter,
                points: xs
                    .iter()
                    .enumerate()
                    .flat_map(|(at, x)| {
                        let values = results.values(study, x, name, metric);
                        values
                            .into_iter()
                            .map(move |v| (at as f64, if log { v.max(0.001) } else { v }))
                    })
                    .collect(),
                labels: Vec::new(),
            })
            .collect(),
    };
    let deviation = chart(
        "deviation",
        false,
        "% over the lower bound",
        format!("Fig. {figure}(a): nodes over the lower bound, {words}"),
    );
    let time = chart(
        "cpu_seconds",
        true,
        "CPU seconds",
        format!("Fig. {figure}(b): time, {words}"),
    );
    let rows = |ours: &str, theirs: &str, decimals: usize| -> Vec<Vec<String>> {
        let row = |name: &String| {
            let mut row = vec![if name == OURS {
                "**auto (ours)**".into()
            } else {
                name.clone()
            }];
            row.extend(xs.iter().map(|x| {
                let published = facts.value(study, x, name, theirs);
                beside(results.mean(study, x, name, ours), published, decimals)
            }));
            row
        };
        known.iter().map(row).collect()
    };
    let header = |first: &str| {
        let mut header = vec![first.to_string()];
        header.extend(xs.iter().cloned());
        header
    };
    let counts = xs
        .iter()
        .map(|x| results.values(study, x, OURS, "nodes").len().to_string());
    let mut deviations = rows("deviation", "deviation", 2);
    let mut last = vec!["instances run".to_string()];
    last.extend(counts);
    deviations.push(last);
    Section {
        heading: format!("Fig. {figure}: {words}"),
        charts: vec![
            (format!("provision-fig{figure}a"), deviation),
            (format!("provision-fig{figure}b"), time),
        ],
        tables: vec![
            Table {
                caption: "Nodes over the lower bound, %:".into(),
                header: header("% over the bound"),
                rows: deviations,
            },
            Table {
                caption: "Seconds, ours CPU (published: wall):".into(),
                header: header("seconds"),
                rows: rows("cpu_seconds", "seconds", 2),
            },
        ],
        ..Section::default()
    }
}

fn summary(results: &Results, facts: &Facts, setting: &Setting) -> Vec<SummaryRow> {
    let wanted = [
        ("density", "arbitrary 1 %", "9,338 services, arbitrary 1 %"),
        (
            "density",
            "arbitrary 10 %",
            "9,338 services, arbitrary 10 %",
        ),
        (
            "density",
            "threshold 10 %",
            "9,338 services, threshold 10 %",
        ),
        (
            "large",
            "arbitrary 100000",
            "100,000 services, arbitrary 0.5 %",
        ),
        ("density-ts", "arbitrary 1 %", "98 epochs, arbitrary 1 %"),
        ("density-ts", "threshold 10 %", "98 epochs, threshold 10 %"),
    ];
    let row = |(study, x, what): (&str, &str, &str)| {
        let comparable = comparable(setting, study);
        let series = if comparable {
            results.series(study)
        } else {
            Vec::new()
        };
        let what = if comparable {
            what.into()
        } else {
            format!("{study}, {x} (small)")
        };
        let values = series
            .iter()
            .filter_map(|name| Some((name, facts.value(study, x, name, "deviation")?)));
        let best = values.min_by(|a, b| a.1.total_cmp(&b.1));
        let ours = results.stat(study, x, OURS, "deviation")?;
        let bound = results.mean(study, x, OURS, "bound")?;
        let area = results.mean(study, x, OURS, "area_bound")?;
        Some(SummaryRow {
            what: format!("{what}: % over Eq. 5"),
            published: best.map_or(String::new(), |(name, value)| {
                format!("+{value:.2} ({name})")
            }),
            ours: format!("+{:.2}", ours.mean),
            bound: format!("+{:.2}", 100.0 * (bound - area) / area),
            published_seconds: best.and_then(|(name, _)| facts.value(study, x, name, "seconds")),
            seconds: results.mean(study, x, OURS, "cpu_seconds"),
        })
    };
    wanted.into_iter().filter_map(row).collect()
}
