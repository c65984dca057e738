//! Pages of `docs/` that are generated: the test compares them with what the
//! program says; with `BAYPLAN_BLESS=1` (`./task docs`) it rewrites them.

use std::path::Path;
use std::process::Command;

fn bayplan(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_bayplan"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn compare(page: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(page);
    if std::env::var_os("BAYPLAN_BLESS").is_some() {
        std::fs::write(&path, wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/{page} is stale: run ./task docs");
}

#[test]
fn generated_page_of_codes() {
    compare("codes.md", &bayplan(&["explain", "--markdown"]));
}

#[test]
fn generated_page_of_algorithms() {
    let mut page = String::from("# Algorithms\n\nWhat `bayplan VERB --algorithm list` shows.\n");
    for verb in ["provision", "colocate", "overcommit", "divide", "admit"] {
        page.push_str(&format!(
            "\n{}",
            bayplan(&[verb, "--algorithm", "list-markdown"])
        ));
    }
    compare("algorithms.md", &page);
}
