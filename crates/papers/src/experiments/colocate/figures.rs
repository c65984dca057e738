//! The figures and tables of the colocation page.

use bayplan_report::{Axis, Chart, Mark, Series};

use super::{METHODS, OURS, PARTITIONS, SELECTORS};
use crate::experiments::page::{beside, fixed};
use crate::experiments::{Extent, Facts, Page, Results, Section, Setting, SummaryRow, Table};

pub(super) fn page(results: &Results, setting: &Setting) -> Page {
    let facts = Facts::from_table(include_str!("../published/colocate.csv"));
    let seconds = |full: &str| match setting.extent {
        Extent::Full => full.to_string(),
        _ => "a fixed number of steps (RASA with column generation only)".into(),
    };
    let partitions: Vec<&str> = PARTITIONS.iter().map(|(name, _)| *name).collect();
    let selectors: Vec<&str> = SELECTORS.iter().map(|(name, ..)| *name).collect();
    let sections = vec![
        methods(results, &facts, &seconds("one minute")),
        moves(results, &facts),
        skew(results),
        members(
            results,
            &facts,
            "partition",
            &partitions,
            "Fig. 6: partitioners",
            &format!(
                "RASA with each partitioner, {}. Published, means over four clusters: MULTI-STAGE gains \
             52.25 points more than RANDOM-PARTITION and 12.69 more than KaHIP; NO-PARTITION ends \
             within the minute on M3 only.",
                seconds("15 seconds")
            ),
        ),
        masters(results),
        members(
            results,
            &facts,
            "selector",
            &selectors,
            "Fig. 8: who solves the parts",
            &format!(
                "RASA with each member of its pool, {}.",
                seconds("15 seconds")
            ),
        ),
        time(results),
    ];
    Page {
        verb: "colocate",
        title: "colocate: which services should share nodes?".into(),
        paper: "*Resource Allocation with Service Affinity in Large-Scale Cloud Environments* (ICDE 2024), Fig. 5 to 10.",
        public: results.xs("methods").iter().any(|x| x == "M3"),
        intro: vec![
            "M3 is the one cluster the authors published (547 services, 3,485 containers, 96 machines \
             of ten types); *-like* clusters are generated to the sizes of Table II and the shape of \
             M3, with seeds. The figure is gained affinity: the share of all traffic that stays on a \
             machine. Fig. 11 to 13 are measurements of a production system and cannot be repeated."
                .into(),
            "The paper's Fig. 6 to 10 carry no numbers; published values in brackets are the authors' \
             outputs for M3, recounted by our verifier, or runs of their program. All algorithms here \
             are our own, without a commercial solver; moves count replicas that stand where none of \
             their service stood."
                .into(),
        ],
        sections: sections.into_iter().filter(|s| !s.tables.is_empty() || !s.charts.is_empty()).collect(),
        summary: summary(results, &facts),
    }
}

/// The least upper bound any method proved.
fn bound(results: &Results, x: &str) -> Option<f64> {
    let means = METHODS
        .iter()
        .filter_map(|s| results.mean("methods", x, s, "bound"));
    means.reduce(f64::min)
}

fn name(series: &str) -> String {
    if series == OURS {
        "**auto (ours)**".into()
    } else {
        series.into()
    }
}

fn bars(results: &Results, study: &str, series: &[&str], title: String) -> Chart {
    let xs = results.xs(study);
    let of = |name: &&str| Series {
        name: (*name).into(),
        mark: Mark::Bars,
        points: xs
            .iter()
            .enumerate()
            .filter_map(|(at, x)| Some((at as f64, results.mean(study, x, name, "gain")?)))
            .collect(),
        labels: Vec::new(),
    };
    Chart {
        title,
        x: Axis {
            label: "cluster".into(),
            categories: xs.clone(),
            ..Axis::default()
        },
        y: Axis {
            label: "gained affinity, share of traffic".into(),
            ..Axis::default()
        },
        // A series nobody has run would take room and a line of the legend.
        series: (series.iter().map(of))
            .filter(|series| !series.points.is_empty())
            .collect(),
    }
}

fn methods(results: &Results, facts: &Facts, time: &str) -> Section {
    let mut rows = Vec::new();
    for x in results.xs("methods") {
        for series in METHODS {
            let stat = results.stat("methods", &x, series, "gain");
            let fact = |metric| facts.value("methods", &x, series, metric);
            let mean = |metric| results.mean("methods", &x, series, metric);
            rows.push(vec![
                x.clone(),
                name(series),
                beside(stat.map(|s| s.mean), fact("gain"), 4),
                fixed(stat.map(|s| s.most), 4),
                beside(mean("moves"), fact("moves"), 0),
                fixed(mean("cpu_seconds"), 1),
                stat.map_or(String::new(), |s| s.count.to_string()),
            ]);
        }
        let mut last = vec![x.clone(), "bound".into(), fixed(bound(results, &x), 4)];
        last.resize(7, String::new());
        rows.push(last);
    }
    Section {
        heading: "Fig. 9: all methods".into(),
        text: vec![format!(
            "Each method has {time}. Published, means over four clusters: RASA gains 54.91 points more \
             than POP, 54.69 more than K8S+ and 17.66 more than APPLSCI19, and 13.83 times ORIGINAL. \
             Our peers are the same algorithms without the authors' solver, so POP and RASA depend on \
             what an open solver reaches in the time."
        )],
        charts: vec![(
            "colocate-fig9".into(),
            bars(
                results,
                "methods",
                &METHODS,
                "Fig. 9: gained affinity of all methods".into(),
            ),
        )],
        tables: vec![Table {
            header: [
                "cluster",
                "method",
                "gained affinity",
                "best seed",
                "moves",
                "CPU s",
                "runs",
            ]
            .map(String::from)
            .to_vec(),
            rows,
            ..Table::default()
        }],
    }
}

fn moves(results: &Results, facts: &Facts) -> Section {
    let mut series = Vec::new();
    let mut rows = Vec::new();
    for x in results.xs("moves") {
        let Some(cell) = results.at("moves", &x, OURS).next() else {
            continue;
        };
        let replicas = results
            .mean("methods", &x, OURS, "replicas")
            .unwrap_or(f64::NAN);
        series.push(Series {
            name: format!("{x}: ours"),
            mark: Mark::Line,
            points: cell
                .values
                .curve
                .iter()
                .map(|(m, g)| (100.0 * m / replicas, *g))
                .collect(),
            labels: Vec::new(),
        });
        rows.extend(cell.values.curve.iter().map(|(m, g)| {
            vec![
                x.clone(),
                format!("{m:.0}"),
                format!("{:.1} %", 100.0 * m / replicas),
                format!("{g:.4}"),
            ]
        }));
    }
    let replicas = results.mean("methods", "M3", OURS, "replicas");
    let published = METHODS.iter().filter_map(|series| {
        let fact = |metric| facts.value("methods", "M3", series, metric);
        Some((
            (100.0 * fact("moves")? / replicas?, fact("gain")?),
            (*series).to_string(),
        ))
    });
    let (points, labels): (Vec<(f64, f64)>, Vec<String>) = published.unzip();
    if !points.is_empty() {
        series.push(Series {
            name: "M3: published".into(),
            mark: Mark::Points,
            points,
            labels,
        });
    }
    let chart = Chart {
        title: "Gained affinity against containers moved".into(),
        x: Axis {
            label: "containers moved, %".into(),
            ..Axis::default()
        },
        y: Axis {
            label: "gained affinity, share of traffic".into(),
            ..Axis::default()
        },
        series,
    };
    Section {
        heading: "Gain against moves (not in the paper)".into(),
        text: vec![
            "RASA rebuilds the cluster from empty and moves 96 % of M3's containers. An operator asks \
             what the first moves bring: each point is a plan of its own, checked."
                .into(),
        ],
        charts: if rows.is_empty() { Vec::new() } else { vec![("colocate-moves".into(), chart)] },
        tables: vec![Table {
            header: ["cluster", "moves", "of all containers", "gained affinity"].map(String::from).to_vec(),
            rows,
            ..Table::default()
        }],
    }
}

fn skew(results: &Results) -> Section {
    let xs = results.xs("skew");
    let mut rows = Vec::new();
    let mut charts = Vec::new();
    for (at, x) in xs.iter().enumerate() {
        let Some(cell) = results.at("skew", x, "total affinity").next() else {
            continue;
        };
        let value = |metric: &str| cell.values.numbers.get(metric).copied();
        rows.push(vec![
            x.clone(),
            fixed(value("power law exponent"), 2),
            fixed(value("power law R2"), 3),
            fixed(value("exponential rate"), 3),
            fixed(value("exponential R2"), 3),
        ]);
        let curve = &cell.values.curve;
        let line = |name: &str, mark, points| Series {
            name: name.into(),
            mark,
            points,
            labels: Vec::new(),
        };
        let law =
            |of: &dyn Fn(f64) -> f64| curve.iter().map(|(rank, _)| (*rank, of(*rank))).collect();
        let (scale, power) = (value("power law scale"), value("power law exponent"));
        let (start, rate) = (value("exponential scale"), value("exponential rate"));
        let mut series = vec![line("services", Mark::Points, curve.clone())];
        if let (Some(scale), Some(power)) = (scale, power) {
            series.push(line(
                "power law",
                Mark::Line,
                law(&|rank| scale * rank.powf(-power)),
            ));
        }
        if let (Some(start), Some(rate)) = (start, rate) {
            series.push(line(
                "exponential",
                Mark::Line,
                law(&|rank| start * (-rate * rank).exp()),
            ));
        }
        let chart = Chart {
            title: format!("Fig. 5: total affinity of the first 40 services, {x}"),
            x: Axis {
                label: "rank".into(),
                ..Axis::default()
            },
            y: Axis {
                label: "total affinity, share of traffic".into(),
                log: true,
                ..Axis::default()
            },
            series,
        };
        charts.push((format!("colocate-fig5-{}", at + 1), chart));
    }
    Section {
        heading: "Fig. 5: skew".into(),
        text: vec![
            "T(s), the traffic of a service with all others, by rank, and the two laws the paper fits; \
             R² is the share of the variance of ln T(s) explained. The paper finds the power law the \
             better fit on its cluster; the table says which is better here."
                .into(),
        ],
        charts,
        tables: vec![Table {
            header: ["cluster", "power law exponent", "R²", "exponential rate", "R²"].map(String::from).to_vec(),
            rows,
            ..Table::default()
        }],
    }
}

fn members(
    results: &Results,
    facts: &Facts,
    study: &str,
    series: &[&str],
    heading: &str,
    text: &str,
) -> Section {
    let mut rows = Vec::new();
    for x in results.xs(study) {
        for name in series {
            let mean = |metric| results.mean(study, &x, name, metric);
            rows.push(vec![
                x.clone(),
                (*name).into(),
                beside(mean("gain"), facts.value(study, &x, name, "gain"), 4),
                fixed(mean("moves"), 0),
                fixed(mean("cpu_seconds"), 1),
            ]);
        }
    }
    let number = if study == "partition" { 6 } else { 8 };
    let chart = bars(results, study, series, heading.to_string());
    Section {
        heading: heading.into(),
        text: vec![text.into()],
        charts: if rows.is_empty() {
            Vec::new()
        } else {
            vec![(format!("colocate-fig{number}"), chart)]
        },
        tables: vec![Table {
            header: ["cluster", "member", "gained affinity", "moves", "CPU s"]
                .map(String::from)
                .to_vec(),
            rows,
            ..Table::default()
        }],
    }
}

fn masters(results: &Results) -> Section {
    let mut rows = Vec::new();
    let mut series = Vec::new();
    for x in results.xs("masters") {
        let mut gained = Vec::new();
        let mut carried = Vec::new();
        for share in results.series("masters") {
            let mean = |metric| results.mean("masters", &x, &share, metric);
            let (Some(ratio), Some(gain), Some(total)) =
                (mean("master ratio"), mean("gain"), mean("total affinity"))
            else {
                continue;
            };
            gained.push((ratio, gain));
            carried.push((ratio, total));
            rows.push(vec![
                x.clone(),
                format!("{ratio:.4}"),
                format!("{total:.4}"),
                format!("{gain:.4}"),
            ]);
        }
        for (words, points) in [("gained", gained), ("total affinity", carried)] {
            series.push(Series {
                name: format!("{x}: {words}"),
                mark: Mark::Line,
                points,
                labels: Vec::new(),
            });
        }
    }
    let chart = Chart {
        title: "Fig. 7: gained affinity by master ratio".into(),
        x: Axis {
            label: "master services, share of all".into(),
            ..Axis::default()
        },
        y: Axis {
            label: "share of traffic".into(),
            ..Axis::default()
        },
        series,
    };
    Section {
        heading: "Fig. 7: master ratio".into(),
        text: vec![
            "The services with most traffic are masters and solved in parts, all others are not; from 5 \
             to 400 percent of the paper's number, 45 ln^0.66 N, as far as so many services have traffic. \
             15 seconds each. Published, with a minute: the gain grows up to about that number, then stays or falls for want of time."
                .into(),
        ],
        charts: if rows.is_empty() { Vec::new() } else { vec![("colocate-fig7".into(), chart)] },
        tables: vec![Table {
            header: ["cluster", "master ratio", "total affinity of masters", "gained affinity"].map(String::from).to_vec(),
            rows,
            ..Table::default()
        }],
    }
}

fn time(results: &Results) -> Section {
    let mut rows = Vec::new();
    let mut lines: Vec<Series> = Vec::new();
    let by_steps = results.xs("time").iter().any(|x| x.ends_with("steps"));
    for x in results.xs("time") {
        // `M3 after 5 s`, or `M3 after 1000 steps`.
        let (cluster, after) = x.split_once(" after ").unwrap_or((&x, ""));
        let given: f64 = after
            .split(' ')
            .next()
            .and_then(|number| number.parse().ok())
            .unwrap_or(f64::NAN);
        for series in results.series("time") {
            let mean = |metric| results.mean("time", &x, &series, metric);
            let (Some(gain), Some(cpu)) = (mean("gain"), mean("cpu_seconds")) else {
                continue;
            };
            rows.push(vec![
                x.clone(),
                name(&series),
                format!("{gain:.4}"),
                format!("{cpu:.2}"),
            ]);
            let title = format!("{cluster}: {series}");
            match lines.iter_mut().find(|line| line.name == title) {
                Some(line) => line.points.push((given, gain)),
                None => lines.push(Series {
                    name: title,
                    mark: Mark::Line,
                    points: vec![(given, gain)],
                    labels: Vec::new(),
                }),
            }
        }
    }
    let chart = Chart {
        title: "Fig. 10: gained affinity against the time given".into(),
        x: Axis {
            label: if by_steps { "steps" } else { "seconds given" }.into(),
            log: true,
            ..Axis::default()
        },
        y: Axis {
            label: "gained affinity, share of traffic".into(),
            ..Axis::default()
        },
        series: lines,
    };
    Section {
        heading: "Fig. 10: quality against time".into(),
        text: vec![
            "The algorithm is stopped at the time given and returns its best so far.".into(),
        ],
        charts: if rows.is_empty() {
            Vec::new()
        } else {
            vec![("colocate-fig10".into(), chart)]
        },
        tables: vec![Table {
            header: ["run", "algorithm", "gained affinity", "CPU s"]
                .map(String::from)
                .to_vec(),
            rows,
            ..Table::default()
        }],
    }
}

fn summary(results: &Results, facts: &Facts) -> Vec<SummaryRow> {
    let row = |x: &String| {
        let ours = results.stat("methods", x, OURS, "gain")?;
        let published = facts.value("methods", x, "rasa", "gain");
        let moves = |series: &str| facts.value("methods", x, series, "moves");
        let here = results.mean("methods", x, "rasa", "gain");
        let published = match (published, moves("rasa")) {
            (Some(gain), Some(moves)) => format!("{gain:.4} with {moves:.0} moves (RASA)"),
            _ => format!("{} (RASA as built here)", fixed(here, 4)),
        };
        let own = results
            .mean("methods", x, OURS, "moves")
            .unwrap_or(f64::NAN);
        Some(SummaryRow {
            what: format!("{x}: gained affinity"),
            published,
            ours: format!("{:.4} with {own:.0} moves", ours.mean),
            bound: fixed(bound(results, x), 4),
            published_seconds: facts.value("methods", x, "rasa", "gain").map(|_| 60.0),
            seconds: results.mean("methods", x, OURS, "cpu_seconds"),
        })
    };
    results.xs("methods").iter().filter_map(row).collect()
}
