//! The published schema and the parser agree.

use bayplan_formats::{
    Format, PLAN_SCHEMA, ReadOptions, SCHEMA, read, write_plan_json, write_problem_json,
};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::corpus::files;
use crate::random::{self, Random};

fn validator(schema: &str) -> Validator {
    jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap()
}

/// Codes for what a schema cannot know: names that refer to others, sizes,
/// and values that contradict each other.
const BEYOND: [&str; 8] = ["F014", "F016", "F020", "F021", "F022", "F024", "F031", "F032"];

/// `Some` when the two disagree.
fn disagreement(validator: &Validator, document: &Value) -> Option<String> {
    let valid = validator.is_valid(document);
    let text = document.to_string();
    let options = ReadOptions { format: Some(Format::Native), ..Default::default() };
    match read(text.as_bytes(), &options) {
        Ok(_) if valid => None,
        Ok(_) => Some(format!("accepted but not valid: {text}")),
        Err(errors) if valid => {
            let known = errors.errors.iter().all(|error| BEYOND.contains(&error.code));
            (!known).then(|| format!("valid but rejected: {errors}\n{text}"))
        }
        Err(errors) => {
            let beyond = errors.errors.iter().all(|error| BEYOND.contains(&error.code));
            beyond.then(|| format!("not valid, but rejected only for {errors}\n{text}"))
        }
    }
}

fn documents() -> Vec<Value> {
    let mut documents = Vec::new();
    for kind in ["accepted", "rejected"] {
        for file in files(Format::Native, kind) {
            let bytes = std::fs::read(&file).unwrap();
            match serde_json::from_slice(&bytes) {
                Ok(document) => documents.push(document),
                // YAML that was accepted, as JSON.
                Err(_) => documents.extend(
                    read(&bytes, &ReadOptions::default())
                        .ok()
                        .map(|input| write_problem_json(&input.problem))
                        .map(|text| serde_json::from_str::<Value>(&text).unwrap()),
                ),
            }
        }
    }
    documents
}

#[test]
fn the_corpus_is_judged_alike() {
    let validator = validator(SCHEMA);
    for document in documents() {
        if let Some(disagreement) = disagreement(&validator, &document) {
            panic!("{disagreement}");
        }
    }
}

#[test]
fn changed_documents_are_judged_alike() {
    let validator = validator(SCHEMA);
    let documents: Vec<Value> =
        documents().into_iter().filter(|document| validator.is_valid(document)).collect();
    let random = &mut Random(1);
    let mut rejected = 0;
    for round in 0..4000 {
        let mut document = documents[round % documents.len()].clone();
        for _ in 0..1 + random.below(2) {
            change(&mut document, random, 0);
        }
        rejected += usize::from(!validator.is_valid(&document));
        if let Some(disagreement) = disagreement(&validator, &document) {
            panic!("{disagreement}");
        }
    }
    assert!((500..3900).contains(&rejected), "{rejected}");
}

/// Changes one value somewhere below.
fn change(value: &mut Value, random: &mut Random, depth: usize) {
    let deeper = random.below(4) > 0 || depth == 0;
    match value {
        Value::Object(map) if deeper && !map.is_empty() => {
            let key = map.keys().nth(random.below(map.len())).unwrap().clone();
            match random.below(12) {
                0 if key != "version" => {
                    map.remove(&key);
                }
                1 => {
                    map.insert("extra".into(), json!(1));
                }
                _ => change(map.get_mut(&key).unwrap(), random, depth + 1),
            }
        }
        Value::Array(list) if deeper && !list.is_empty() => {
            let at = random.below(list.len());
            change(&mut list[at], random, depth + 1);
        }
        other => {
            let values = [
                json!(null), json!(true), json!(0), json!(-1), json!(1.5), json!("2"), json!("x"),
                json!("500m"), json!("1 Gi"), json!([]), json!([1]), json!({}), json!({"cpu": 1}),
                json!({"mean": 1, "deviation": 2}), json!("-3"), json!(""), json!("1e3"),
            ];
            *other = values[random.below(values.len())].clone();
        }
    }
}

#[test]
fn what_is_written_is_valid() {
    let (problems, plans) = (validator(SCHEMA), validator(PLAN_SCHEMA));
    for seed in 0..500 {
        let problem = random::problem(seed);
        let text = write_problem_json(&problem);
        let document = serde_json::from_str(&text).unwrap();
        if let Some(error) = problems.iter_errors(&document).next() {
            panic!("{error}\n{text}");
        }
        let text = write_plan_json(&problem, &random::plan(&mut Random(seed), &problem));
        let document = serde_json::from_str(&text).unwrap();
        if let Some(error) = plans.iter_errors(&document).next() {
            panic!("{error}\n{text}");
        }
    }
}
