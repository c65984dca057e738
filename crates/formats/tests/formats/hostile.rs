//! Inputs made to break the program end in an error, soon and in little memory.

use std::io::Write;
use std::time::{Duration, Instant};

use bayplan_formats::{Errors, Format, ReadOptions, read, read_plan};
use flate2::Compression;
use flate2::write::GzEncoder;

const HEADER: &str = "app_id\tnb_instances\tcore\tmemory\tinter_degree\tinter_aff\n";

fn rejected(what: &str, bytes: &[u8], options: &ReadOptions) -> Errors {
    let start = Instant::now();
    let Err(errors) = read(bytes, options) else { panic!("{what} was accepted") };
    assert!(start.elapsed() < Duration::from_secs(20), "{what} took {:?}", start.elapsed());
    assert!(!errors.errors.is_empty() && errors.errors.len() <= 100, "{what}");
    assert!(errors.to_string().len() < 100_000, "{what}: a message without bound");
    errors
}

/// The most memory this process ever held, in MiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) / 1024
}

fn zipped(size: usize, byte: u8) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let piece = vec![byte; 1 << 20];
    for _ in 0..size >> 20 {
        encoder.write_all(&piece).unwrap();
    }
    encoder.finish().unwrap()
}

#[test]
fn hostile_inputs_end_in_an_error_within_bounds() {
    let none = ReadOptions::default();
    // A bomb: 512 MiB in half a megabyte.
    for byte in [0, b' ', b'\n', b'{', b'['] {
        let bomb = zipped(512 << 20, byte);
        let errors = rejected("a gzip bomb", &bomb, &none);
        assert_eq!(errors.errors[0].code, "F002", "{errors}");
    }
    let small = ReadOptions { max_bytes: Some(1000), ..Default::default() };
    rejected("a bound on the size", &zipped(1 << 20, b'x'), &small);
    rejected("a bound on the size", &[b'x'; 2000], &small);
    let cut = &zipped(1 << 20, b'x')[..50];
    assert_eq!(rejected("cut gzip", cut, &none).errors[0].code, "F003");
    // Counts that claim to be huge.
    let claim = format!("{HEADER}1\t4000000000\t1\t8\t4000000000\t[]\n");
    rejected("4e9 instances", claim.as_bytes(), &none);
    let native = |rest: &str| {
        format!("version: 1\npools: [{{name: p, capacity: {{cpu: 1}}, count: 4000000000}}]\n{rest}")
    };
    rejected("4e9 nodes", native("services: [{name: a, demand: {cpu: 1}}]\n").as_bytes(), &none);
    // A million unknown names.
    let mut strangers = String::from(HEADER);
    for service in 0..20_000 {
        strangers.push_str(&format!("s{service}\t1\t1\t1\t50\t["));
        for other in 0..50 {
            strangers.push_str(&format!("{}(t{}, 1)", if other > 0 { ", " } else { "" }, service * 50 + other));
        }
        strangers.push_str("]\n");
    }
    let errors = rejected("a million unknown names", strangers.as_bytes(), &none);
    assert!(errors.more > 900_000, "{}", errors.more);
    // Nesting, in JSON and YAML, objects and lists.
    for text in [
        format!("{{\"version\": 1, \"pools\": {}", "[".repeat(1_000_000)),
        format!("{{\"version\": 1, \"pools\": {}", "{\"a\":".repeat(1_000_000)),
        format!("version: 1\npools: {}", "[".repeat(1_000_000)),
        format!("version: 1\npools: {}", "{a: ".repeat(300_000)),
        format!("version: 1\n{}", (0..2000).map(|d| format!("{}a:\n", " ".repeat(d))).collect::<String>()),
    ] {
        rejected("deep nesting", text.as_bytes(), &none);
    }
    rejected(
        "deep Kubernetes",
        format!("{{\"kind\": \"List\", \"items\": {}", "[".repeat(1_000_000)).as_bytes(),
        &none,
    );
    // The same key a million times, after a million strange ones.
    let mut keys = String::from("{\"version\": 1");
    (0..300_000).for_each(|at| keys.push_str(&format!(", \"x{at}\": 1")));
    (0..300_000).for_each(|_| keys.push_str(", \"pools\": 1"));
    rejected("a million keys", format!("{keys}}}").as_bytes(), &none);
    // Sums that overflow.
    let sums: String = (0..5000).map(|at| format!("{at}\t2000\t1000000000\t1\t0\t[]\n")).collect();
    let errors = rejected("overflowing sums", format!("{HEADER}{sums}").as_bytes(), &none);
    assert_eq!(errors.errors[0].code, "F031");
    assert!(peak_memory() < 3000, "{} MiB", peak_memory());
}

#[test]
fn numbers_that_are_none_are_rejected_everywhere() {
    let bad = ["NaN", "-1", "inf", "-inf", "1e400", "0x1", "", "1,5", "--2", "1e", "١"];
    let capacity = ReadOptions { capacity: Some("1".into()), ..Default::default() };
    let node = ReadOptions { cpu: Some("1".into()), memory: Some("1".into()), ..Default::default() };
    for bad in bad {
        let quoted = format!("\"{bad}\"");
        for (text, options) in [
            (format!("service,mean,std,containers\na,{quoted},1,1\n"), &capacity),
            (format!("service,mean,std,containers\na,1,{quoted},1\n"), &capacity),
            (format!("service,mean,std,containers\na,1,1,{quoted}\n"), &capacity),
            (format!("application,cpu,memory\na,{quoted},1\n"), &node),
            (format!("s,f,a,b\n0,1,{quoted},1\n"), &ReadOptions::default()),
            (format!("s,f,a,b\n0,{quoted},1,1\n"), &ReadOptions::default()),
            (format!("app_id\tnb_instances\tcore\tmemory\na\t1\t{bad}\t1\n"), &ReadOptions::default()),
            (
                format!("app_id\tnb_instances\tcore\tmemory\na\t1\t[1, {bad}]\t[1, 1]\n"),
                &ReadOptions::default(),
            ),
            (
                format!("{{\"version\": 1, \"pools\": [{{\"name\": \"p\", \"capacity\": {{\"cpu\": {quoted}}}}}],
                    \"services\": [{{\"name\": \"a\", \"demand\": {{\"cpu\": 1}}}}]}}"),
                &ReadOptions::default(),
            ),
        ] {
            rejected(&format!("{bad} in {text}"), text.as_bytes(), options);
        }
    }
}

#[test]
fn hostile_plans_end_in_an_error() {
    let text = "version: 1\npools: [{name: p, capacity: {cpu: 4}, count: 2}]\n\
                services: [{name: web, replicas: 3, demand: {cpu: 1}}]\n";
    let problem = read(text.as_bytes(), &ReadOptions::default()).unwrap().problem;
    for plan in [
        "service,node,count\nweb,p/4000000000,1\n".to_string(),
        "service,node,count\nweb,p/18446744073709551616,1\n".into(),
        "service,node,count\nweb,p-0,4000000000\n".into(),
        format!("{{\"version\": 1, \"placement\": {}", "[".repeat(1_000_000)),
        format!("service,node,count\n{}", "x,y,z\n".repeat(300_000)),
    ] {
        let start = Instant::now();
        assert!(read_plan(plan.as_bytes(), &problem).is_err());
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn a_wrong_format_named_is_an_error_not_a_crash() {
    for named in Format::ALL {
        for format in Format::ALL {
            for file in crate::corpus::files(format, "accepted") {
                let bytes = std::fs::read(file).unwrap();
                let options = ReadOptions { format: Some(named), ..crate::corpus::options(named) };
                let outcome = read(&bytes, &options);
                assert!(outcome.is_err() || named == format);
            }
        }
    }
}
