//! `provision`: fewest nodes, or least cost.

use bayplan_model::Problem;
use bayplan_solve::provision::{self, Goal};
use bayplan_solve::{AlgorithmInfo, Context, Solution, SolveError};
use bayplan_verify::{Objective, Rules};

use crate::Question;

impl Question for provision::Params {
    fn verb(&self) -> &'static str {
        "provision"
    }

    fn objective(&self, problem: &Problem) -> Objective {
        match Goal::of(problem) {
            Goal::Nodes => Objective::Nodes,
            Goal::Cost => Objective::Cost,
        }
    }

    fn rules(&self, _problem: &Problem) -> Rules {
        Rules {
            headroom: self.headroom.clone(),
            survive: self.survive.clone(),
            ..Rules::default()
        }
    }

    fn algorithms(&self) -> Vec<AlgorithmInfo> {
        provision::algorithms()
    }

    fn solve(&self, problem: &Problem, context: &Context) -> Result<Solution, SolveError> {
        provision::solve(problem, self, context)
    }
}
