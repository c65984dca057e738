//! `colocate`: the most local traffic per move.

use bayplan_model::Problem;
use bayplan_solve::{AlgorithmInfo, Context, Solution, SolveError, colocate};
use bayplan_verify::{Objective, Rules};

use crate::Question;

impl Question for colocate::Params {
    fn verb(&self) -> &'static str {
        "colocate"
    }

    fn objective(&self, _problem: &Problem) -> Objective {
        Objective::GainedAffinity
    }

    fn rules(&self, _problem: &Problem) -> Rules {
        Rules {
            alive: self.alive,
            outage: self.allow_outage,
            gain_level: self.gain_label.clone(),
            ..Rules::default()
        }
    }

    fn algorithms(&self) -> Vec<AlgorithmInfo> {
        colocate::algorithms()
    }

    fn solve(&self, problem: &Problem, context: &Context) -> Result<Solution, SolveError> {
        colocate::solve(problem, self, context)
    }
}
