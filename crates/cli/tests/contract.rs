//! The command line's contract, on the built program.

mod common;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use common::Scratch;

const SHOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/web-shop.yaml");

fn bayplan(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bayplan"))
        .args(arguments)
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A small input of each verb, with the flags its plain table needs.
fn cases(scratch: &Scratch) -> Vec<(&'static str, Vec<String>)> {
    let generated = |verb: &str, options: &[&str], flags: &[&str]| {
        let file = scratch.path(&format!("{verb}.input"));
        let mut words = vec!["generate", verb, "--seed", "5", "--out", &file];
        words.extend(options);
        let output = bayplan(&words);
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        std::iter::once(file)
            .chain(flags.iter().map(ToString::to_string))
            .collect::<Vec<_>>()
    };
    vec![
        (
            "provision",
            generated(
                "provision",
                &["--services", "200"],
                &["--node", "cpu=64,memory=128"],
            ),
        ),
        ("colocate", vec![SHOP.to_string()]),
        ("overcommit", {
            // A few dozen containers: the generated cluster is far larger.
            let file = scratch.path("overcommit.input");
            std::fs::write(
                &file,
                "service,mean,std,containers\na,6.18,1.73,12\nb,2.47,0.47,20\nc,1.07,0.43,30\n",
            )
            .unwrap();
            let flags = ["--capacity", "31.58", "--confidence", "0.99"].map(String::from);
            std::iter::once(file).chain(flags).collect()
        }),
        (
            "divide",
            generated(
                "divide",
                &["--applications", "30"],
                &["--cpu", "32", "--memory", "64"],
            ),
        ),
        (
            "admit",
            generated(
                "admit",
                &["--requests", "500", "--machines", "5", "--load", "2"],
                &["--machines", "5"],
            ),
        ),
    ]
}

fn ask(verb: &str, input: &[String], more: &[&str]) -> Output {
    let words: Vec<&str> = std::iter::once(verb)
        .chain(input.iter().map(String::as_str))
        .chain(more.iter().copied())
        .collect();
    bayplan(&words)
}

#[test]
fn every_verb_answers_with_the_promised_object_and_a_plan_that_holds() {
    let scratch = Scratch::new("contract");
    for (verb, input) in cases(&scratch) {
        for extension in ["csv", "json"] {
            let plan = scratch.path(&format!("{verb}.{extension}"));
            let output = ask(
                verb,
                &input,
                &["--steps", "20", "-o", "json", "--plan", &plan],
            );
            assert!(output.status.success(), "{verb}: {}", stderr(&output));
            assert!(
                output.stderr.is_empty() || stderr(&output).starts_with("note:"),
                "{}",
                stderr(&output)
            );
            let object: Value = serde_json::from_str(&stdout(&output)).unwrap();
            for field in [
                "verb",
                "algorithm",
                "objective",
                "bound",
                "gap",
                "proven",
                "feasible",
                "seconds",
                "cpu_seconds",
                "stopped_by",
                "seed",
                "unplaced",
                "violations",
            ] {
                assert!(object.get(field).is_some(), "{verb} has no {field}");
            }
            assert_eq!(object["verb"], verb);
            assert_eq!(object["feasible"], true, "{verb}");
            assert!(object["gap"].is_number(), "{verb} knows no gap: {object}");
            let mut words = vec!["check"];
            words.extend(input.iter().map(String::as_str));
            words.insert(2, &plan);
            let checked = bayplan(&words);
            assert!(
                checked.status.success(),
                "{verb}: {}{}",
                stdout(&checked),
                stderr(&checked)
            );
        }
    }
}

#[test]
fn the_same_seed_and_steps_give_the_same_bytes_on_any_number_of_threads() {
    let scratch = Scratch::new("threads");
    for (verb, input) in cases(&scratch) {
        let run = |threads: &str| {
            let plan = scratch.path(&format!("{verb}-{threads}.json"));
            let words = [
                "--steps",
                "300",
                "--seed",
                "9",
                "--threads",
                threads,
                "-o",
                "json",
                "--plan",
                &plan,
            ];
            let output = ask(verb, &input, &words);
            assert!(output.status.success(), "{verb}: {}", stderr(&output));
            let text = stdout(&output);
            let timeless: Vec<&str> = text
                .lines()
                .filter(|line| !line.contains("seconds\""))
                .collect();
            (timeless.join("\n"), std::fs::read_to_string(plan).unwrap())
        };
        assert_eq!(run("1"), run("3"), "{verb}");
    }
}

#[test]
fn text_csv_and_html_are_written_where_asked() {
    let scratch = Scratch::new("outputs");
    for (verb, input) in cases(&scratch) {
        let text = stdout(&ask(verb, &input, &["--steps", "1"]));
        assert!(text.contains("checked"), "{text}");
        let csv = stdout(&ask(verb, &input, &["--steps", "1", "-o", "csv"]));
        assert!(
            csv.lines()
                .next()
                .is_some_and(|header| header.contains("node")),
            "{csv}"
        );
        let page = scratch.path("page.html");
        ask(
            verb,
            &input,
            &["--steps", "1", "-o", "html", "--out", &page],
        );
        let page = std::fs::read_to_string(page).unwrap();
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
        assert!(
            !page.contains("<script") && !page.contains("http"),
            "{verb}"
        );
        let list = bayplan(&[verb, "--algorithm", "list"]);
        assert!(stdout(&list).contains("auto"), "{verb}");
        let unknown = ask(verb, &input, &["--algorithm", "no-such-thing"]);
        assert_eq!(unknown.status.code(), Some(2));
        assert!(stderr(&unknown).contains("S003"), "{}", stderr(&unknown));
    }
}

#[test]
fn what_runs_now_is_checked_and_a_broken_plan_is_named() {
    let scratch = Scratch::new("check");
    let now = bayplan(&["check", SHOP, "-o", "json"]);
    assert!(now.status.success(), "{}", stdout(&now));
    let object: Value = serde_json::from_str(&stdout(&now)).unwrap();
    assert_eq!(object["violations"], serde_json::json!([]));
    // All replicas of all services on one node: far too much.
    let converted = stdout(&bayplan(&["convert", SHOP, "--to", "json"]));
    let problem: Value = serde_json::from_str(&converted).unwrap();
    let mut plan = String::from("service,node,count\n");
    for service in problem["services"].as_array().unwrap() {
        plan.push_str(&format!(
            "{},small-a1,{}\n",
            service["name"].as_str().unwrap(),
            service["replicas"]
        ));
    }
    let path = scratch.path("plan.csv");
    std::fs::write(&path, plan).unwrap();
    let checked = bayplan(&["check", SHOP, &path]);
    assert_eq!(checked.status.code(), Some(1));
    let text = stdout(&checked);
    for word in ["does not hold", "V001", "small-a1", "cpu"] {
        assert!(text.contains(word), "{word} is missing in {text}");
    }
    let same = bayplan(&["diff", &path, &path]);
    assert!(same.status.success() && stdout(&same).contains("same"));
}

#[test]
fn wrong_input_is_told_with_code_place_and_fix_and_nothing_is_written() {
    let scratch = Scratch::new("wrong");
    let wrong = "s,f,a,b\n0,10,0.5,NaN\n5,3,0.1,0.1\n0,1,-2,0\n";
    let input = scratch.write("wrong.csv", wrong);
    let plan = scratch.path("plan.csv");
    let output = bayplan(&["admit", &input, "--machines", "2", "--plan", &plan]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    for place in ["2", "3", "4"] {
        assert!(
            text.contains(&format!("line {place}")),
            "line {place} is not named in {text}"
        );
    }
    assert!(!Path::new(&plan).exists());
    let gone = bayplan(&["check", &scratch.path("nowhere.yaml")]);
    assert_eq!(gone.status.code(), Some(2));
    assert_eq!(bayplan(&["explain", "V999"]).status.code(), Some(2));
    assert!(stdout(&bayplan(&["explain", "v001"])).contains("V001"));
}

#[test]
fn a_plan_can_be_undone() {
    let scratch = Scratch::new("undo");
    let (plan, undo) = (scratch.path("plan.json"), scratch.path("undo.json"));
    let output = bayplan(&[
        "colocate", SHOP, "--steps", "100", "--plan", &plan, "--undo", &undo,
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    let back = bayplan(&["check", SHOP, &undo, "--from", &plan]);
    assert!(back.status.success(), "{}{}", stdout(&back), stderr(&back));
}

#[test]
fn why_names_the_rule() {
    let service = stdout(&bayplan(&["why", "orders-db", SHOP]));
    assert!(
        service.contains("orders-db: 2 of 2 replicas placed"),
        "{service}"
    );
    assert!(service.contains("compatibility"), "{service}");
    let place = stdout(&bayplan(&["why", "orders-db@small-a1", SHOP]));
    assert!(place.contains("cannot go to small-a1"), "{place}");
    let stranger = bayplan(&["why", "order-db", SHOP]);
    assert_eq!(stranger.status.code(), Some(2));
    assert!(
        stderr(&stranger).contains("orders-db"),
        "{}",
        stderr(&stranger)
    );
}

#[test]
fn every_shell_gets_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = bayplan(&["completions", shell]);
        assert!(
            output.status.success() && stdout(&output).contains("bayplan"),
            "{shell}"
        );
    }
}
