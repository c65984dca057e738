//! The outcome as one JSON object, as the command line's contract names it.

use bayplan_model::{Plan, Problem, Reason};
use bayplan_solve::Figure;
use bayplan_verify::{Figures, Objective};
use serde_json::{Map, Value, json};

use crate::Outcome;

/// The version of this object's shape.
const SCHEMA: &str = "bayplan/outcome/v1";

/// One object with everything but the plan itself. Same bytes for the same
/// plan, apart from the two times.
pub fn to_json(problem: &Problem, outcome: &Outcome) -> Value {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| {
        object.insert(name.to_string(), value);
    };
    put("schema", json!(SCHEMA));
    put("verb", json!(outcome.verb));
    put("algorithm", json!(outcome.algorithm));
    put("objective", json!(outcome.objective));
    put("objective_name", json!(objective_name(outcome.kind)));
    put("bound", json!(outcome.bound));
    put("gap", json!(outcome.gap));
    put("proven", json!(outcome.proven));
    put("feasible", json!(outcome.feasible));
    put("seconds", json!(outcome.seconds));
    put("cpu_seconds", json!(outcome.cpu_seconds));
    put("stopped_by", json!(outcome.stopped_by.word()));
    put("seed", json!(outcome.seed));
    put("notes", json!(outcome.notes));
    let unplaced = outcome.unplaced.iter();
    put(
        "unplaced",
        unplaced
            .map(|(service, count, reason)| {
                json!({"service": service, "count": count, "reason": reason_word(*reason)})
            })
            .collect(),
    );
    let violations = outcome.report.violations.iter();
    put("violations", violations.map(violation_json).collect());
    for (name, value) in figures_json(problem, &outcome.report.figures) {
        put(&name, value);
    }
    if let Plan::Placement(plan) = &outcome.plan
        && !plan.waves.is_empty()
    {
        put("waves", json!(plan.waves.len()));
    }
    for (name, figure) in &outcome.figures {
        put(
            name,
            match figure {
                Figure::Count(count) => json!(count),
                Figure::Number(number) => json!(number),
                Figure::Text(text) => json!(text),
            },
        );
    }
    Value::Object(object)
}

/// The name of an objective in JSON.
pub fn objective_name(kind: Objective) -> &'static str {
    match kind {
        Objective::Nodes => "nodes",
        Objective::Cost => "cost",
        Objective::GainedAffinity => "gained_affinity",
        Objective::Ucac => "ucac",
        Objective::MaxLoad => "max_load",
        Objective::Weight => "weight",
    }
}

/// A violation as JSON.
pub fn violation_json(violation: &bayplan_verify::Violation) -> Value {
    let objects = violation.objects.iter();
    json!({
        "code": violation.rule.code(),
        "rule": format!("{:?}", violation.rule),
        "objects": objects.map(|(kind, name)| json!({"kind": kind, "name": name})).collect::<Value>(),
        "found": violation.found,
        "allowed": violation.allowed,
        "unit": violation.unit,
        "on_arrival": violation.on_arrival,
        "text": violation.to_string(),
    })
}

/// The word for a reason in JSON.
pub fn reason_word(reason: Reason) -> &'static str {
    match reason {
        Reason::TooLarge => "too_large",
        Reason::NoCompatibleNode => "no_compatible_node",
        Reason::NoRoom => "no_room",
        Reason::Rules => "rules",
    }
}

/// What the verifier counted, under the contract's names.
pub fn figures_json(problem: &Problem, figures: &Figures) -> Map<String, Value> {
    let scale = problem
        .cluster()
        .resources
        .first()
        .map_or(1.0, |resource| resource.scale as f64);
    let named = [
        ("nodes", Some(json!(figures.nodes))),
        ("machines", Some(json!(figures.nodes))),
        ("cost", Some(json!(figures.cost as f64 / 1e6))),
        ("placed", figures.placed.map(|count| json!(count))),
        ("moves", figures.moves.map(|count| json!(count))),
        (
            "gained_affinity",
            figures.gained_affinity.map(|gain| json!(gain)),
        ),
        ("ucac", figures.ucac.map(|units| json!(units / scale))),
        (
            "max_load",
            figures.max_load.map(|units| json!(units as f64 / scale)),
        ),
        ("instances", figures.instances.map(|count| json!(count))),
        ("admitted", figures.admitted.map(|count| json!(count))),
        (
            "weight",
            figures.weight.map(|weight| json!(weight as f64 / 1e6)),
        ),
    ];
    named
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_string(), value?)))
        .collect()
}
