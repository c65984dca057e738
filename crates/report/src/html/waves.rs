//! The moves, wave by wave.

use std::fmt::Write;

use bayplan_model::{PlacementPlan, Problem, WaveKind};

use crate::numbers::grouped;
use crate::plot::escape;

/// Moves of a wave named one by one, and waves shown; the plan's file has all.
const NAMED: usize = 12;
const SHOWN: usize = 200;

pub(super) fn table(page: &mut String, problem: &Problem, plan: &PlacementPlan) {
    let Some(services) = problem.services().filter(|_| !plan.waves.is_empty()) else {
        return;
    };
    let nodes = problem.cluster().node_names(&plan.opened);
    page.push_str(
        "<h2>Moves by wave</h2><p class=\"note\">Moves of a wave may run at the same time, in any \
         order; the next wave begins when all are done.</p><table><tr><th class=\"n\">wave</th>\
         <th>what</th><th class=\"n\">replicas</th><th>where</th></tr>",
    );
    for (at, wave) in plan.waves.iter().take(SHOWN).enumerate() {
        let replicas: u64 = wave.moves.iter().map(|step| u64::from(step.count)).sum();
        let what = match wave.kind {
            WaveKind::Delete => "stop",
            WaveKind::Create => "start",
        };
        let mut words: Vec<String> = wave
            .moves
            .iter()
            .take(NAMED)
            .map(|step| {
                let times = match step.count {
                    1 => String::new(),
                    // A number at the end of a line says nothing.
                    count => format!("{count}\u{a0}×\u{a0}"),
                };
                let service = services.names.get(step.service.index());
                format!("{times}{service} on {}", nodes[step.node.index()])
            })
            .collect();
        if let Some(more) = wave.moves.len().checked_sub(NAMED).filter(|more| *more > 0) {
            words.push(format!("and {} more", grouped(more as u64)));
        }
        let _ = write!(
            page,
            "<tr><td class=\"n\">{}</td><td>{what}</td><td class=\"n\">{}</td><td>{}</td></tr>",
            at + 1,
            grouped(replicas),
            escape(&words.join(", "))
        );
    }
    page.push_str("</table>\n");
    if let Some(more) = plan.waves.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = write!(
            page,
            "<p class=\"note\">{} more waves are in the plan.</p>",
            grouped(more as u64)
        );
    }
}
