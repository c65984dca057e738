//! The figures and tables of the admission page.

use bayplan_report::{Axis, Chart, Mark, Series};

use super::instances::LOADS;
use super::{OURS, SERIES};
use crate::experiments::page::{beside, fixed};
use crate::experiments::{Facts, Page, Results, Section, Setting, SummaryRow, Table};

/// The online heuristics Cradle+ is held against.
const PEERS: [&str; 2] = ["Bin-Packing", "Spread"];

/// What is drawn as Cradle+ in the paper, and what we add.
const RATIOS: [&str; 2] = ["Cradle+", OURS];

pub(super) fn page(results: &Results, _setting: &Setting) -> Page {
    let facts = Facts::from_table(include_str!("../published/admit.csv"));
    let mut sections = vec![
        ratio_by_load(results, &facts),
        served(
            results,
            &facts,
            "Fig. 4: requests served",
            &LOADS,
            "admit-fig4",
        ),
        served(
            results,
            &facts,
            "Fig. 5: requests served, loads 1 to 3.75",
            &LOADS[..3],
            "admit-fig5",
        ),
        effectiveness(results, &facts),
    ];
    if !results.xs("machines").is_empty() {
        sections.insert(0, ratio_by_machines(results));
    }
    if !results.xs("azure").is_empty() {
        sections.push(azure(results));
    }
    sections.push(times(results));
    Page {
        verb: "admit",
        title: "admit: whom do I admit when it does not all fit?".into(),
        paper: "*Containers Resource Allocation in Dynamic Cloud Environments* (IFIP Networking 2021), Fig. 2 to 6.",
        public: !results.xs("azure").is_empty(),
        intro: vec![
            "The paper samples Google's cluster trace of 2011 (29 days); its samples are not \
             published, and its figures carry no numbers but those in the text, which stand in \
             brackets below. Here requests are generated: sizes and durations are log-normal, fitted \
             so that first fit serves about what it serves in the paper; ten machines unless said. \
             The load factor is the paper's Eq. 5."
                .into(),
            "Bin-Packing is online first fit, Spread is round robin with probing (both serve more \
             than the moving-pointer and strict readings of the paper's text). Cradle+ is the \
             paper's algorithm with its best-effort phase in order of start; Cradle+Density and \
             auto are ours, Online decides at arrival. The bound is the best any run proved for the \
             instance."
                .into(),
        ],
        sections,
        summary: summary(results),
    }
}

/// The least upper bound of all series, mean over seeds.
fn bound(results: &Results, study: &str, x: &str) -> Option<f64> {
    let means = SERIES
        .iter()
        .filter_map(|s| results.mean(study, x, s, "bound"));
    means.reduce(f64::min)
}

fn load_x(load: f64) -> String {
    format!("load {load}")
}

fn ratio(results: &Results, study: &str, x: &str, of: &str, to: &str, metric: &str) -> Option<f64> {
    Some(results.mean(study, x, of, metric)? / results.mean(study, x, to, metric)?)
}

fn number_axis(label: &str) -> Axis {
    Axis {
        label: label.into(),
        ..Axis::default()
    }
}

fn categories(label: &str, names: Vec<String>) -> Axis {
    Axis {
        label: label.into(),
        categories: names,
        ..Axis::default()
    }
}

fn ratio_by_machines(results: &Results) -> Section {
    let xs = results.xs("machines");
    let mut series = Vec::new();
    for of in RATIOS {
        for to in PEERS {
            let points = xs.iter().enumerate().filter_map(|(at, x)| {
                Some((at as f64, ratio(results, "machines", x, of, to, "served")?))
            });
            series.push(Series {
                name: format!("{of} / {to}"),
                mark: Mark::Scatter,
                points: points.collect(),
                labels: Vec::new(),
            });
        }
    }
    let chart = Chart {
        title: "Fig. 2: requests served, as a multiple of the online heuristics".into(),
        x: categories(
            "machines and load factor",
            xs.iter().map(|x| short(x)).collect(),
        ),
        y: number_axis("served / served"),
        series,
    };
    let rows = xs.iter().map(|x| {
        let mean = |series: &str, metric: &str| results.mean("machines", x, series, metric);
        let mut row = vec![x.clone(), fixed(mean(OURS, "requests"), 0)];
        row.extend(SERIES.iter().map(|series| fixed(mean(series, "served"), 1)));
        row.push(fixed(bound(results, "machines", x), 1));
        row.push(results.at("machines", x, OURS).count().to_string());
        row
    });
    let mut header = vec!["instance".to_string(), "requests".into()];
    header.extend(SERIES.map(String::from));
    header.extend(["bound", "seeds"].map(String::from));
    Section {
        heading: "Fig. 2: by number of machines".into(),
        text: vec![
            "Published: the advantage of Cradle+ stays when machines become many, and is largest at \
             load 12. The table shows % of requests served."
                .into(),
        ],
        charts: vec![("admit-fig2".into(), chart)],
        tables: vec![Table {
            header,
            rows: rows.collect(),
            ..Table::default()
        }],
    }
}

/// `30 machines, load 12` as `30, 12`.
fn short(x: &str) -> String {
    x.replace(" machines", "").replace(" load", "")
}

fn ratio_by_load(results: &Results, facts: &Facts) -> Section {
    let loads: Vec<f64> = present(results, &LOADS);
    let mut series = Vec::new();
    let mut rows = Vec::new();
    for of in RATIOS {
        for to in PEERS {
            let at = |load: f64| ratio(results, "load", &load_x(load), of, to, "served");
            series.push(Series {
                name: format!("{of} / {to}"),
                mark: Mark::Line,
                points: loads
                    .iter()
                    .filter_map(|load| Some((*load, at(*load)?)))
                    .collect(),
                labels: Vec::new(),
            });
            let mut row = vec![format!("{of} / {to}")];
            row.extend(loads.iter().map(|load| {
                let known = facts.value("load", &load_x(*load), of, &format!("ratio to {to}"));
                beside(at(*load), known, 2)
            }));
            rows.push(row);
        }
    }
    let chart = Chart {
        title: "Fig. 3: requests served, as a multiple of the online heuristics".into(),
        x: number_axis("load factor"),
        y: number_axis("served / served"),
        series,
    };
    Section {
        heading: "Fig. 3: against the online heuristics, by load".into(),
        text: vec![
            "In brackets: published. The factor at load 12 is above the paper's 2. The samples of the \
             paper are not public, so the reason can only be guessed: the more requests differ in \
             size and length, the more it helps to choose among them, and the generated ones differ \
             by construction."
                .into(),
        ],
        charts: vec![("admit-fig3".into(), chart)],
        tables: vec![Table {
            header: load_header("ratio", &loads),
            rows,
            ..Table::default()
        }],
    }
}

fn present(results: &Results, loads: &[f64]) -> Vec<f64> {
    let xs = results.xs("load");
    loads
        .iter()
        .copied()
        .filter(|load| xs.contains(&load_x(*load)))
        .collect()
}

fn load_header(first: &str, loads: &[f64]) -> Vec<String> {
    let mut header = vec![first.to_string()];
    header.extend(loads.iter().map(|load| load_x(*load)));
    header
}

fn served(results: &Results, facts: &Facts, heading: &str, loads: &[f64], file: &str) -> Section {
    let loads = present(results, loads);
    let line = |name: &str| Series {
        name: name.into(),
        mark: Mark::Scatter,
        points: loads
            .iter()
            .flat_map(|load| {
                let values = results.values("load", &load_x(*load), name, "served");
                values.into_iter().map(move |value| (*load, value))
            })
            .collect(),
        labels: Vec::new(),
    };
    // Seven colours: Online is in the table.
    let drawn = SERIES.iter().filter(|name| **name != "Online");
    let mut series: Vec<Series> = drawn.map(|name| line(name)).collect();
    series.push(Series {
        name: "bound".into(),
        mark: Mark::Line,
        points: loads
            .iter()
            .filter_map(|load| Some((*load, bound(results, "load", &load_x(*load))?)))
            .collect(),
        labels: Vec::new(),
    });
    let chart = Chart {
        title: format!("{heading}, %"),
        x: number_axis("load factor"),
        y: number_axis("% of requests served"),
        series,
    };
    let row = |name: &str| {
        let mut row = vec![name.to_string()];
        row.extend(loads.iter().map(|load| {
            let x = load_x(*load);
            let ours = results.mean("load", &x, name, "served");
            beside(ours, facts.value("load", &x, name, "served"), 1)
        }));
        row
    };
    let mut rows: Vec<Vec<String>> = SERIES.iter().map(|name| row(name)).collect();
    let mut last = vec!["bound".to_string()];
    last.extend(
        loads
            .iter()
            .map(|load| fixed(bound(results, "load", &load_x(*load)), 1)),
    );
    rows.push(last);
    let mut last = vec!["seeds run".to_string()];
    let counts = loads
        .iter()
        .map(|load| results.at("load", &load_x(*load), OURS).count().to_string());
    last.extend(counts);
    rows.push(last);
    Section {
        heading: heading.into(),
        text: vec![
            "Points: mean over seeds, bars: one standard deviation. In brackets: published.".into(),
        ],
        charts: vec![(file.into(), chart)],
        tables: vec![Table {
            header: load_header("% served", &loads),
            rows,
            ..Table::default()
        }],
    }
}

fn effectiveness(results: &Results, facts: &Facts) -> Section {
    let loads = present(results, &LOADS);
    let shown = ["Bin-Packing", "Spread", "Cradle+", OURS];
    let line = |name: &str| Series {
        name: name.into(),
        mark: Mark::Line,
        points: loads
            .iter()
            .filter_map(|load| {
                let mean = results.mean("load", &load_x(*load), name, "effectiveness");
                Some((*load, mean?))
            })
            .collect(),
        labels: Vec::new(),
    };
    let chart = Chart {
        title: "Fig. 6: requests served for the room used".into(),
        x: number_axis("load factor"),
        y: number_axis("% served / % of room used"),
        series: shown.iter().map(|name| line(name)).collect(),
    };
    let mut rows = Vec::new();
    for name in shown {
        for (metric, words) in [
            ("used", "% of room used"),
            ("effectiveness", "% served / % used"),
        ] {
            let mut row = vec![format!("{name}: {words}")];
            row.extend(
                loads
                    .iter()
                    .map(|load| fixed(results.mean("load", &load_x(*load), name, metric), 2)),
            );
            rows.push(row);
        }
    }
    let mut row = vec!["Cradle+ / Bin-Packing, effectiveness".to_string()];
    row.extend(loads.iter().map(|load| {
        let x = load_x(*load);
        let ours = ratio(
            results,
            "load",
            &x,
            "Cradle+",
            "Bin-Packing",
            "effectiveness",
        );
        beside(
            ours,
            facts.value("load", &x, "Cradle+", "effectiveness to Bin-Packing"),
            2,
        )
    }));
    rows.push(row);
    Section {
        heading: "Fig. 6: what it takes to serve them".into(),
        text: vec![
            "Room is machines times the whole span, mean of CPU and memory, as in the load factor. \
             The paper reports that Cradle+ uses half of the room at load 12 and serves twice as \
             many. Here Cradle+ leaves less room free: its best-effort phase goes on while anything \
             fits. auto chooses among all requests by what they cost, so it serves more and uses less."
                .into(),
        ],
        charts: vec![("admit-fig6".into(), chart)],
        tables: vec![Table {
            header: load_header("", &loads),
            rows,
            ..Table::default()
        }],
    }
}

fn azure(results: &Results) -> Section {
    let xs = results.xs("azure");
    let mut header = vec!["load".to_string(), "machines".into(), "requests".into()];
    header.extend(SERIES.map(String::from));
    header.extend(["bound", "seeds"].map(String::from));
    let rows = xs.iter().map(|x| {
        let mean = |series: &str, metric: &str| results.mean("azure", x, series, metric);
        let mut row = vec![
            fixed(mean(OURS, "load_factor"), 2),
            fixed(mean(OURS, "machines"), 0),
            fixed(mean(OURS, "requests"), 0),
        ];
        row.extend(SERIES.iter().map(|series| fixed(mean(series, "served"), 1)));
        row.push(fixed(bound(results, "azure", x), 1));
        row.push(results.at("azure", x, OURS).count().to_string());
        row
    });
    Section {
        heading: "The same on a real trace".into(),
        text: vec![
            "Requests sampled uniformly from the Azure trace (V1, 2017; CPU and memory as shares of \
             a node), on as many machines as the load factor says: how the paper samples its own \
             trace. % of requests served, means over samples. Many of these requests run for weeks, \
             so that first fit, which takes what comes first, does badly."
                .into(),
        ],
        tables: vec![Table {
            header,
            rows: rows.collect(),
            ..Table::default()
        }],
        ..Section::default()
    }
}

fn times(results: &Results) -> Section {
    let mut rows = Vec::new();
    for study in results.studies() {
        for x in results.xs(&study) {
            let mut row = vec![format!("{study}, {x}")];
            row.extend(
                SERIES
                    .iter()
                    .map(|series| fixed(results.mean(&study, &x, series, "cpu_seconds"), 2)),
            );
            rows.push(row);
        }
    }
    let mut header = vec!["CPU s".to_string()];
    header.extend(SERIES.map(String::from));
    Section {
        heading: "Times".into(),
        text: vec!["CPU seconds, a bound included. The paper reports no times.".into()],
        tables: vec![Table {
            header,
            rows,
            ..Table::default()
        }],
        ..Section::default()
    }
}

fn summary(results: &Results) -> Vec<SummaryRow> {
    let percent = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:.1} %"));
    let row = |study: &str, x: &str, what: String| {
        let mean = |series: &str, metric: &str| results.mean(study, x, series, metric);
        Some(SummaryRow {
            what,
            published: format!(
                "{} (Cradle+ here; first fit {})",
                percent(mean("Cradle+", "served")),
                percent(mean("Bin-Packing", "served"))
            ),
            ours: percent(Some(mean(OURS, "served")?)),
            bound: percent(bound(results, study, x)),
            published_seconds: None,
            seconds: mean(OURS, "cpu_seconds"),
        })
    };
    let mut rows = vec![
        row(
            "load",
            "load 3.75",
            "load 3.75, 10 machines: requests served".into(),
        ),
        row(
            "load",
            "load 12",
            "load 12, 10 machines: requests served".into(),
        ),
    ];
    rows.push(row(
        "azure",
        "load 3.75",
        "Azure trace, load 3.75: requests served".into(),
    ));
    rows.into_iter().flatten().collect()
}
