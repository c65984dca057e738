//! Every `$ bayplan ...` line of the README and of the pages under `docs/`
//! that are written by hand runs, from the root of the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Commands in fenced `console` blocks.
fn commands(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside && let Some(command) = line.strip_prefix("$ bayplan ") {
            found.push(command.to_string());
        }
    }
    found
}

#[test]
fn commands_of_the_pages_run() {
    let root = root();
    let mut pages = vec![root.join("README.md")];
    let docs = std::fs::read_dir(root.join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    pages.extend(docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    pages.sort();
    let scratch = std::env::temp_dir().join(format!("bayplan-readme-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).unwrap();
    for link in ["examples", "docs"] {
        let to = scratch.join(link);
        if !to.exists() {
            std::os::unix::fs::symlink(root.join(link), to).unwrap();
        }
    }
    let mut ran = 0;
    for page in pages {
        for command in commands(&page) {
            let line = format!("{} {command}", env!("CARGO_BIN_EXE_bayplan"));
            let output = Command::new("sh")
                .args(["-c", &line])
                .current_dir(&scratch)
                .output()
                .unwrap();
            let code = output.status.code();
            let error = String::from_utf8_lossy(&output.stderr);
            // 1 is an answer too: "does not hold".
            assert!(
                matches!(code, Some(0 | 1)),
                "{}: `bayplan {command}` ended with {code:?}: {error}",
                page.display()
            );
            ran += 1;
        }
    }
    std::fs::remove_dir_all(&scratch).unwrap();
    assert!(ran > 0, "the README shows no command");
}

/// The README quotes figures of the generated summary, and no others.
#[test]
fn figures_of_the_readme_are_those_of_the_summary() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let readme = read("README.md");
    let (_, section) = readme
        .split_once("## Against the papers")
        .expect("the README compares with the papers");
    let section = section.split("\n## ").next().unwrap_or("");
    let summary = read("docs/results/summary.md");
    let rows = section.lines().filter(|line| line.starts_with("| ["));
    let mut quoted = 0;
    for row in rows {
        let there = row.replace("(docs/results/", "(");
        assert!(
            summary.lines().any(|line| line == there),
            "not in the summary: {row}"
        );
        quoted += 1;
    }
    assert!(quoted > 0, "the README quotes nothing");
}
