//! "Can I shrink, and to what?": which existing nodes are kept, which can be
//! drained, and the way there.

use bayplan::Outcome;
use bayplan_formats::Input;
use bayplan_model::{PlacementPlan, Plan, Problem};
use bayplan_solve::colocate::migrate::{Safety, plan};
use bayplan_solve::colocate::view::{Spot, View};
use bayplan_verify::{Rules, check};
use serde_json::json;

use crate::verbs::Extra;

/// How many names a line of text shows.
const SHOWN: usize = 40;

/// The share of a service that stays alive on the way, in millionths.
const ALIVE: u32 = 750_000;

/// Kept, emptied and idle nodes by name; nothing when no node exists yet.
pub fn report(input: &Input, outcome: &mut Outcome, repack: bool) -> Extra {
    let problem = &input.problem;
    let mut extra = Extra::default();
    let (Some(services), Plan::Placement(placed)) = (problem.services(), &outcome.plan) else {
        return extra;
    };
    let nodes = &problem.cluster().nodes;
    if nodes.is_empty() {
        return extra;
    }
    let used = |placement: &bayplan_model::Placement| {
        let mut used = vec![false; nodes.len() + placed.opened.len()];
        for entry in placement.counts() {
            used[entry.node.index()] = true;
        }
        used
    };
    let (before, after) = (used(&services.placement), used(&placed.placement));
    let named = |fits: &dyn Fn(bool, bool) -> bool| -> Vec<&str> {
        let all = nodes.iter().enumerate();
        all.filter(|(at, _)| fits(before[*at], after[*at]))
            .map(|(_, node)| node.name.as_str())
            .collect()
    };
    let kept = named(&|_, after| after);
    let emptied = named(&|before, after| before && !after);
    let idle = named(&|before, after| !before && !after);
    extra.text = format!(
        "\n{} of {} existing nodes suffice{}\n",
        kept.len(),
        nodes.len(),
        match placed.opened.len() {
            0 => String::new(),
            new => format!(", with {new} new ones"),
        }
    );
    for (what, names) in [
        ("can be drained", &emptied),
        ("hold nothing already", &idle),
        ("are kept", &kept),
    ] {
        if !names.is_empty() {
            extra.text += &format!("{} {what}: {}\n", names.len(), listed(names));
        }
    }
    extra
        .json
        .insert("nodes_existing".into(), json!(nodes.len()));
    extra.json.insert("nodes_kept".into(), json!(kept));
    extra.json.insert("nodes_drained".into(), json!(emptied));
    extra.json.insert("nodes_idle".into(), json!(idle));
    if repack {
        order(problem, outcome);
    }
    extra
}

/// Names, the first of them at least.
pub fn listed(names: &[&str]) -> String {
    let mut text = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more (-o json has all)", names.len() - SHOWN);
    }
    text
}

/// Adds the order of moves to the plan where one exists: a plan that opens
/// nodes waits for them, so it has none.
fn order(problem: &Problem, outcome: &mut Outcome) {
    let (Some(services), Plan::Placement(found)) = (problem.services(), &outcome.plan) else {
        return;
    };
    if !found.opened.is_empty() || !found.unplaced.is_empty() || services.placement.is_empty() {
        return;
    }
    let view = match View::new(problem, None, &[]) {
        Ok(view) => view,
        Err(why) => {
            outcome
                .notes
                .push(format!("the moves have no order: {why}"));
            return;
        }
    };
    let spots: Vec<Spot> = found
        .placement
        .counts()
        .iter()
        .map(|entry| Spot {
            service: entry.service.0,
            node: entry.node.0,
            count: entry.count,
        })
        .collect();
    let safety = Safety {
        alive: ALIVE,
        own: &services.alive,
        outage: false,
    };
    let migration = plan(&view, &spots, safety);
    if !migration.stuck.is_empty() {
        let names = migration.stuck.iter().take(SHOWN);
        let names: Vec<&str> = names
            .map(|(service, _)| services.names.get(*service as usize))
            .collect();
        outcome.notes.push(format!(
            "no order of moves leads there without an outage; these services wait for room: {}",
            names.join(", ")
        ));
        return;
    }
    let ordered = Plan::Placement(PlacementPlan {
        waves: migration.waves,
        ..found.clone()
    });
    let rules = Rules {
        alive: ALIVE,
        ..outcome.rules.clone()
    };
    let report = check(problem, &ordered, &rules);
    if report.holds() {
        outcome.plan = ordered;
        outcome.report = report;
    } else {
        let note = "the moves have no order that keeps every rule on the way";
        outcome.notes.push(note.into());
    }
}
