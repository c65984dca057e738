//! The flags of `overcommit`, on the built program.

mod common;

use std::process::{Command, Output};

use serde_json::Value;

use common::Scratch;

fn bayplan(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bayplan"))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

const SERVICES: &str =
    "service,mean,std,containers\na,4.12,2.69,20\nb,1.06,0.85,40\nc,2.42,0.97,30\n";

fn ask(input: &str, more: &[&str]) -> Output {
    let mut words = vec!["overcommit", input, "--capacity", "31.58", "--steps", "15"];
    words.extend(more);
    bayplan(&words)
}

fn json(input: &str, more: &[&str]) -> Value {
    let output = ask(input, &[more, &["-o", "json"]].concat());
    serde_json::from_str(&text(&output)).unwrap()
}

#[test]
fn every_algorithm_keeps_the_confidence_and_truncation_is_reported() {
    let scratch = Scratch::new("truncate");
    let input = scratch.write("services.csv", SERVICES);
    for algorithm in [
        "auto",
        "BF-n-sigma",
        "BF-UCaC",
        "BiHeu",
        "CSP-Mac",
        "CSP-UCaC",
    ] {
        let flags = [
            "--algorithm",
            algorithm,
            "--confidence",
            "0.99",
            "--samples",
            "4000",
        ];
        let answer = json(&input, &flags);
        let [low, rate] =
            ["violation_rate_low", "violation_rate"].map(|name| answer[name].as_f64().unwrap());
        assert!(low <= 0.01 && rate <= 0.0115, "{algorithm}: {rate}");
    }
    let rate = |truncate: &str| {
        let flags = ["--truncate", truncate, "--limit", "3", "--samples", "4000"];
        let more = ["--algorithm", "BiHeu", "--confidence", "0.99"];
        let answer = json(&input, &[&flags[..], &more].concat());
        answer["violation_rate"].as_f64().unwrap()
    };
    // Drawing again what is below zero raises the mean; so does clipping, less.
    let (plain, clipped, resampled) = (rate("none"), rate("clip"), rate("resample"));
    assert!(
        resampled > clipped && clipped > plain / 2.0,
        "{plain} {clipped} {resampled}"
    );
}

#[test]
fn weaker_assumptions_on_tails_need_more_nodes() {
    let scratch = Scratch::new("tail");
    let input = scratch.write("services.csv", SERVICES);
    let nodes = ["gaussian", "hoeffding", "cantelli"].map(|tail| {
        let flags = [
            "--tail",
            tail,
            "--algorithm",
            "BiHeu",
            "--confidence",
            "0.95",
        ];
        json(&input, &flags)["machines"].as_u64().unwrap()
    });
    assert!(nodes[0] < nodes[1] && nodes[1] < nodes[2], "{nodes:?}");
}

#[test]
fn the_curve_says_what_a_nine_costs() {
    let scratch = Scratch::new("curve");
    let input = scratch.write("services.csv", SERVICES);
    let flags = [
        "--algorithm",
        "BiHeu",
        "--curve",
        "0.9,0.99,0.999",
        "--confidence",
        "0.99",
    ];
    let table = text(&ask(&input, &flags));
    let line = table
        .lines()
        .find(|line| line.starts_with("one more nine, from 0.99 to 0.999"));
    assert!(line.is_some_and(|line| line.contains("nodes (")), "{table}");
    let svg = text(&ask(&input, &[&flags[..], &["-o", "html"]].concat()));
    assert!(svg.trim_start().starts_with("<svg") && svg.contains("What confidence costs"));
    let rows = text(&ask(&input, &[&flags[..], &["-o", "csv"]].concat()));
    let ucac: Vec<f64> = rows
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(3).unwrap().parse().unwrap())
        .collect();
    assert!(ucac.len() == 3 && ucac.is_sorted(), "{rows}");
}

#[test]
fn patterns_are_written_and_used_again() {
    let scratch = Scratch::new("patterns");
    let input = scratch.write("services.csv", SERVICES);
    let file = scratch.path("patterns.json");
    let flags = [
        "--algorithm",
        "CSP-UCaC",
        "--patterns",
        &file,
        "--samples",
        "0",
    ];
    let first = json(&input, &flags);
    let kept: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(kept["schema"], "bayplan/patterns/v1");
    assert!(!kept["patterns"].as_array().unwrap().is_empty());
    let second = json(&input, &flags);
    let rounds = |answer: &Value| answer["pricing_rounds"].as_u64().unwrap();
    assert!(rounds(&second) < rounds(&first), "{first} {second}");
    assert!(second["objective"].as_f64() <= first["objective"].as_f64());
    let broken = scratch.write("broken.json", "{\"schema\": \"bayplan/patterns/v1\"}");
    assert_eq!(ask(&input, &["--patterns", &broken]).status.code(), Some(2));
}

#[test]
fn days_carry_over_and_shrink_as_well() {
    let scratch = Scratch::new("replay");
    let input = scratch.write("services.csv", SERVICES);
    let days = "day,service,containers\nmon,a,20\nmon,b,40\nmon,c,30\n\
                tue,a,5\ntue,b,60\nwed,a,25\nwed,b,10\nwed,c,0\n";
    let days = scratch.write("days.csv", days);
    let flags = ["--replay", &days, "--confidence", "0.99"];
    let answer: Value =
        serde_json::from_str(&text(&ask(&input, &[&flags[..], &["-o", "json"]].concat()))).unwrap();
    let rows = answer["replay"].as_array().unwrap();
    assert_eq!(rows.len(), 15, "five algorithms on three days");
    for row in rows {
        assert_eq!(
            (&row["unplaced"], &row["feasible"]),
            (&0.into(), &true.into()),
            "{row}"
        );
        assert!(row["violation_rate"].as_f64().unwrap() <= 0.013, "{row}");
        assert!(row["ucac"].as_f64().unwrap() > 0.0 && row["machines"].as_u64().unwrap() > 0);
    }
    let of = |name: &str, day: &str| {
        let row = rows
            .iter()
            .find(|r| r["algorithm"] == name && r["day"] == day);
        row.unwrap()["ucac"].as_f64().unwrap()
    };
    // On the first day all start from nothing, so the cutting stock is best.
    assert!(of("CSP-UCaC", "mon") <= of("BiHeu", "mon"));
    assert!(
        of("BiHeu", "wed") < of("BiHeu", "mon"),
        "fewer containers use less"
    );
    let table = text(&ask(&input, &flags));
    assert!(
        table.contains("violation rate") && table.contains("mean ucac"),
        "{table}"
    );
}

#[test]
fn answers_with_another_aim_are_held_against_another_bound() {
    let scratch = Scratch::new("aims");
    let input = scratch.write("services.csv", SERVICES);
    let compare = |kind: &str| {
        let words = ["compare", &input, "--capacity", "31.58", "--steps", "15"];
        text(&bayplan(&[&words[..], &["-o", kind]].concat()))
    };
    let rows: Value = serde_json::from_str(&compare("json")).unwrap();
    let bound = |name: &str| {
        let rows = rows["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["algorithm"] == name).unwrap();
        assert!(row["gap"].as_f64().unwrap() < 0.2, "{row}");
        row["bound"].as_f64().unwrap()
    };
    // Cores beside machines of 31.58 cores.
    assert_eq!(bound("auto"), bound("BF-n-sigma"));
    assert!(bound("CSP-Mac") < bound("auto") / 10.0);
    let table = compare("text");
    assert_eq!(
        table.matches("is nearest to the bound").count(),
        2,
        "{table}"
    );
    assert!(compare("csv").contains("CSP-Mac,nodes,"));
}
