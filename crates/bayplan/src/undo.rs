//! The way back.

use bayplan_model::{PlacementPlan, Plan, Problem, Wave, WaveKind};

/// The plan back to the current placement: the waves in reverse order, stops
/// turned into starts. `None` when nothing runs now, or not services.
pub fn undo(problem: &Problem, plan: &Plan) -> Option<PlacementPlan> {
    let (Plan::Placement(plan), Some(services)) = (plan, problem.services()) else {
        return None;
    };
    let waves = plan.waves.iter().rev().map(|wave| Wave {
        kind: match wave.kind {
            WaveKind::Delete => WaveKind::Create,
            WaveKind::Create => WaveKind::Delete,
        },
        moves: wave.moves.clone(),
    });
    (!services.placement.is_empty()).then(|| PlacementPlan {
        opened: plan.opened.clone(),
        placement: services.placement.clone(),
        unplaced: Vec::new(),
        waves: waves.collect(),
    })
}
