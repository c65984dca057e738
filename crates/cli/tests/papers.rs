//! `bayplan papers`: what it writes, and that an interrupted run goes on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn papers(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bayplan"))
        .arg("papers")
        .args(words)
        .arg("--out")
        .arg(folder)
        .output()
        .unwrap()
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("bayplan-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

#[test]
fn a_quick_run_writes_page_figures_table_and_summary() {
    let folder = scratch("papers-quick");
    let output = papers(&folder, &["divide"]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("MEM-ORIENTED+WORST-FIT") && text.contains("840 of 840 cells"));
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let page = read("divide.md");
    assert!(page.contains("![Fig. 5(a)") && page.contains("All 840 cells have been run"));
    for part in ['a', 'b', 'c', 'd', 'e', 'f'] {
        let svg = read(&format!("divide-fig5{part}.svg"));
        assert!(svg.starts_with("<svg ") && svg.contains("prefers-color-scheme:dark"));
    }
    assert!(read("divide.csv").starts_with("study,x,series,metric,count,mean"));
    assert!(read("summary.md").contains("| [divide](divide.md) |"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_full_run_goes_on_where_it_was() {
    let folder = scratch("papers-full");
    let cells = || {
        let path = folder.join("cells/divide-full.jsonl");
        let text = std::fs::read_to_string(path).unwrap();
        // The first line says which solver made the others.
        let mut lines = text.lines().map(String::from);
        let solver = lines.next();
        assert!(solver.is_none_or(|line| line.starts_with("{\"solver\":")));
        lines.collect::<Vec<_>>()
    };
    assert!(
        papers(&folder, &["divide", "--full", "--minutes", "0.01"])
            .status
            .success()
    );
    let first = cells();
    assert!(!first.is_empty() && first.len() < 8400);
    assert!(
        papers(&folder, &["divide", "--full", "--minutes", "0.01"])
            .status
            .success()
    );
    let second = cells();
    assert!(second.len() > first.len() && second.starts_with(&first));
    let place = |line: &String| {
        let cell: serde_json::Value = serde_json::from_str(line).unwrap();
        [&cell[1], &cell[2], &cell[3]].map(ToString::to_string)
    };
    let places: BTreeSet<[String; 3]> = second.iter().map(place).collect();
    assert_eq!(places.len(), second.len(), "no cell is run twice");
    let page = std::fs::read_to_string(folder.join("divide.md")).unwrap();
    assert!(page.contains("of 8400 cells have been run"));
    assert!(
        papers(&folder, &["divide", "--full", "--minutes", "0", "--fresh"])
            .status
            .success()
    );
    assert!(cells().is_empty());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn pages_can_be_made_of_nothing_and_wrong_words_are_named() {
    let folder = scratch("papers-none");
    let output = papers(&folder, &["--full", "--minutes", "0"]);
    assert!(output.status.success(), "{output:?}");
    for verb in ["provision", "colocate", "overcommit", "divide", "admit"] {
        let page = std::fs::read_to_string(folder.join(format!("{verb}.md"))).unwrap();
        assert!(page.contains("**0 of "), "{page}");
    }
    let wrong = |words: &[&str]| {
        let output = papers(&folder, words);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(wrong(&["fly"]).contains("provision, colocate"));
    assert!(wrong(&["divide", "--data", "/no/such/folder"]).contains("--data"));
    assert!(wrong(&["divide", "--minutes", "-1"]).contains("--minutes"));
    assert!(wrong(&["divide", "--jobs", "2", "--threads", "2"]).contains("--jobs"));
    assert!(wrong(&["divide", "--jobs", "0"]).contains("--jobs"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn cells_of_an_earlier_solver_are_named_and_run_again() {
    let folder = scratch("papers-stale");
    let path = folder.join("cells/divide-full.jsonl");
    let run = |words: &[&str]| {
        let only = ["divide", "--full", "--only", "MEM-ORIENTED+WORST-FIT"];
        let output = papers(&folder, &[&only[..], words].concat());
        assert!(output.status.success(), "{output:?}");
        std::fs::read_to_string(folder.join("divide.md")).unwrap()
    };
    assert!(!run(&[]).contains("earlier solver"));
    let cells = std::fs::read_to_string(&path).unwrap();
    assert!(
        cells
            .lines()
            .skip(1)
            .all(|line| line.contains("MEM-ORIENTED+WORST-FIT"))
    );
    let (solver, rest) = cells.split_once('\n').unwrap();
    std::fs::write(&path, format!("{{\"solver\":\"old\"}}\n{rest}")).unwrap();
    assert!(run(&["--minutes", "0"]).contains("300 of them were made by an earlier solver"));
    assert!(!run(&[]).contains("earlier solver"));
    let again = std::fs::read_to_string(&path).unwrap();
    assert!(again.starts_with(solver));
    assert_eq!(again.lines().count(), 301);
    std::fs::remove_dir_all(folder).unwrap();
}
