//! Plans for each of the three workloads, and layouts.
#![no_main]

use bayplan_formats::{ReadOptions, read, read_plan, write_plan_csv, write_plan_json};
use libfuzzer_sys::fuzz_target;

const PROBLEMS: [&str; 3] = [
    "version: 1\npools: [{name: p, capacity: {cpu: 4}, count: 2}, {name: q, capacity: {cpu: 1}}]\n\
     services: [{name: a, replicas: 3, demand: {cpu: 1}}, {name: b, demand: {cpu: 1}}]\n",
    "version: 1\npools: [{name: p, capacity: {cpu: 4, memory: 4}, count: 2}]\n\
     applications: [{name: a, load: 3, memory: 1}]\n",
    "version: 1\npools: [{name: p, capacity: {cpu: 4}, count: 2}]\n\
     requests: [{start: 0, finish: 1, demand: {cpu: 1}}, {start: 0, finish: 2, demand: {cpu: 1}}]\n",
];

fuzz_target!(|bytes: &[u8]| {
    for text in PROBLEMS {
        let problem = read(text.as_bytes(), &ReadOptions::default()).expect("it is valid").problem;
        if let Ok(plan) = read_plan(bytes, &problem) {
            let text = write_plan_json(&problem, &plan);
            assert_eq!(read_plan(text.as_bytes(), &problem).expect("it was written"), plan);
            read_plan(write_plan_csv(&problem, &plan).as_bytes(), &problem).expect("it was written");
        }
        let options = ReadOptions { layout: Some(bytes.to_vec()), ..bayplan_fuzz::bounded() };
        bayplan_fuzz::readable(read(text.as_bytes(), &options));
    }
});
