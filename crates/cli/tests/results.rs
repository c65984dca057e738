//! The quality figures of a few small cells of every paper's experiment,
//! against the committed table: worse fails. `BAYPLAN_BLESS=1` rewrites it.
//!
//! The table is made with HiGHS; another LP solver takes other ways.
#![cfg(feature = "highs")]

use std::path::Path;

use bayplan_papers::experiments::{self, Extent, Held, Journal, Line, Setting};
use bayplan_solve::StopFlag;

const TABLE: &str = "docs/results/baseline.csv";

#[test]
fn quality_figures_do_not_get_worse() {
    let setting = Setting {
        extent: Extent::Check,
        data: None,
        threads: 1,
        side_by_side: std::thread::available_parallelism().map_or(1, |cores| cores.get()),
        only: None,
        stop: StopFlag::default(),
    };
    let (mut lines, mut held): (Vec<Line>, Vec<Held>) = Default::default();
    for experiment in experiments::all() {
        let mut journal = Journal::in_memory();
        let results = experiments::run(&*experiment, &setting, &mut journal, None, &mut |_| ());
        let results = results.unwrap_or_else(|error| panic!("{}: {error}", experiment.verb()));
        assert_eq!(results.measured().len(), results.wanted());
        lines.extend(experiments::baseline(&*experiment, &results));
        held.extend(experiment.held());
        // The page can be made of few cells too.
        let page = experiment.page(&results, &setting).expect("a page");
        assert!(experiments::markdown(&page, &results, &setting).contains("## "));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(TABLE);
    if std::env::var_os("BAYPLAN_BLESS").is_some() {
        std::fs::write(&path, experiments::baseline_table(&lines)).expect("written");
        return;
    }
    let committed = std::fs::read_to_string(&path).expect("the committed table");
    let worse = experiments::compare(&committed, &lines, &held);
    assert!(
        worse.is_empty(),
        "quality figures differ from {TABLE}; if that is wanted, BAYPLAN_BLESS=1 rewrites it:\n{}",
        worse.join("\n")
    );
}
