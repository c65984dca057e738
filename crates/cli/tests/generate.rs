//! What `generate` writes, the readers read.

use std::path::{Path, PathBuf};
use std::process::Command;

fn bayplan(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_bayplan"))
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.code().unwrap(), text)
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn every_table_is_read_again() {
    let layout = file("layout.csv");
    let layout = layout.to_str().unwrap();
    let cases: [(&str, &str, &[&str], &[&str]); 6] = [
        (
            "provision",
            "tclab.csv.gz",
            &["--services", "40", "--density", "0.1"],
            &["--node", "cpu=64,memory=128"],
        ),
        (
            "provision",
            "epochs.csv",
            &["--services", "9", "--epochs", "98", "--graph", "threshold"],
            &["--node", "cpu=64,memory=128"],
        ),
        ("colocate", "cluster.json", &["--shape", "m3"], &[]),
        (
            "overcommit",
            "services.csv",
            &["--scale", "1.3", "--layout", layout],
            &["--capacity", "31.58", "--layout", layout],
        ),
        (
            "divide",
            "applications.csv",
            &["--equal", "3,2"],
            &["--cpu", "32", "--memory", "64"],
        ),
        (
            "admit",
            "requests.csv",
            &[
                "--requests",
                "50",
                "--machines",
                "1",
                "--load",
                "1",
                "--weights",
            ],
            &["--machines", "10"],
        ),
    ];
    for (verb, name, options, reading) in cases {
        let path = file(name);
        let path = path.to_str().unwrap();
        let generated = [&["generate", verb, "--seed", "7", "--out", path], options].concat();
        assert_eq!(bayplan(&generated).0, 0, "{generated:?}");
        // Placements are legal where there is one; elsewhere replicas are missing.
        let (code, text) = bayplan(&[&["check", path], reading].concat());
        let missing = text.contains("V006") || text.contains("V011");
        assert!(code == 0 || (code == 1 && missing), "{verb}: {code} {text}");
        assert_eq!(
            code == 0,
            verb == "colocate" || verb == "admit",
            "{verb}: {text}"
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_file() {
    for verb in ["provision", "colocate", "overcommit", "divide", "admit"] {
        let seeded = |seed| bayplan(&["generate", verb, "--seed", seed]);
        let (code, text) = seeded("5");
        assert_eq!(code, 0, "{verb}");
        assert_eq!(text, seeded("5").1, "{verb}");
        assert_ne!(text, seeded("6").1, "{verb}");
    }
}

#[test]
fn what_a_table_cannot_hold_is_refused() {
    let refused = [
        &["generate", "overcommit", "--scale", "1.3"][..],
        &["generate", "colocate", "--anti-affinity", "0.5"],
        &["generate", "admit", "--load", "-1"],
        &["generate", "divide", "--equal", "3"],
        &["generate", "provision", "--format", "poem"],
    ];
    for arguments in refused {
        assert_eq!(bayplan(arguments).0, 2, "{arguments:?}");
    }
}
