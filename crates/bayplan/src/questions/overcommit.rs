//! `overcommit`: least used capacity at a stated confidence.

use bayplan_model::Problem;
use bayplan_solve::{AlgorithmInfo, Context, Solution, SolveError, overcommit};
use bayplan_verify::{Objective, Rules};

use crate::Question;

impl Question for overcommit::Params {
    fn verb(&self) -> &'static str {
        "overcommit"
    }

    fn objective(&self, _problem: &Problem) -> Objective {
        match self.goal() {
            overcommit::Objective::Ucac => Objective::Ucac,
            overcommit::Objective::Machines => Objective::Nodes,
        }
    }

    fn rules(&self, _problem: &Problem) -> Rules {
        Rules {
            // A confidence out of range is refused by the solver, before any check.
            d_alpha: self.d().unwrap_or(0.0),
            ..Rules::default()
        }
    }

    fn algorithms(&self) -> Vec<AlgorithmInfo> {
        overcommit::algorithms()
    }

    fn solve(&self, problem: &Problem, context: &Context) -> Result<Solution, SolveError> {
        overcommit::solve(problem, self, context)
    }

    fn assess(&self, problem: &Problem, solution: &mut Solution, context: &Context) {
        overcommit::risk::assess(problem, self, solution, context);
    }
}
