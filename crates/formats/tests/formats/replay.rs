//! The fuzz corpus replayed, and a fixed number of seeded changes to it: what
//! the coverage-guided run does for hours, in seconds and on stable Rust.

use std::path::Path;

use bayplan_formats::{
    Format, ReadOptions, read, read_plan, write_plan_csv, write_problem_json, write_problem_yaml,
};

use crate::corpus::{files, options};
use crate::random::Random;

const CHANGES: u64 = 1500;

/// Files of the fuzz corpus of a target.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// One or more bytes changed, cut, repeated or taken from another seed.
fn changed(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len().max(1)).min(bytes.len());
        let end = (at + random.below(20)).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            3 if !other.is_empty() => {
                let from = random.below(other.len());
                let to = (from + random.below(30)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            4 => {
                let words = ["-1", "NaN", "1e99", "\n", "\t", ",", "\"", "{", "[]", "9999999999", "null"];
                bytes.splice(at..end, words[random.below(words.len())].bytes());
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.next() as u8;
                }
            }
        }
    }
    bytes
}

/// What must hold for every input: an error with a message, or a problem that
/// is written and read back.
fn holds(bytes: &[u8], options: &ReadOptions) {
    match read(bytes, options) {
        Err(errors) => assert!(!errors.to_string().is_empty()),
        Ok(input) => {
            for text in [write_problem_json(&input.problem), write_problem_yaml(&input.problem)] {
                let again = read(text.as_bytes(), &ReadOptions::default())
                    .unwrap_or_else(|errors| panic!("{errors}\n{text}"));
                assert_eq!(again.problem, input.problem, "{text}");
            }
        }
    }
}

#[test]
fn changed_inputs_never_crash_and_what_is_accepted_is_read_back() {
    for format in Format::ALL {
        let mut seeds = seeds(format.name());
        for kind in ["accepted", "rejected"] {
            seeds.extend(files(format, kind).iter().map(|file| std::fs::read(file).unwrap()));
        }
        seeds.retain(|seed| seed.len() < 20_000);
        let options = ReadOptions { format: Some(format), ..options(format) };
        for seed in &seeds {
            holds(seed, &options);
        }
        let random = &mut Random(7);
        for _ in 0..CHANGES {
            let (seed, other) = (random.below(seeds.len()), random.below(seeds.len()));
            let bytes = changed(&seeds[seed], &seeds[other], random);
            holds(&bytes, &options);
        }
    }
}

#[test]
fn changed_plans_never_crash() {
    let text = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/web-shop.yaml"));
    let problem = read(&text.unwrap(), &ReadOptions::default()).unwrap().problem;
    let mut seeds = seeds("plan");
    seeds.retain(|seed| read_plan(seed, &problem).is_ok());
    assert!(seeds.len() >= 2);
    let random = &mut Random(8);
    let mut accepted = 0;
    for _ in 0..CHANGES * 4 {
        let (seed, other) = (random.below(seeds.len()), random.below(seeds.len()));
        let bytes = changed(&seeds[seed], &seeds[other], random);
        if let Ok(plan) = read_plan(&bytes, &problem) {
            accepted += 1;
            let text = write_plan_csv(&problem, &plan);
            assert!(read_plan(text.as_bytes(), &problem).is_ok(), "{text}");
        }
    }
    assert!(accepted > 30, "{accepted}");
}
