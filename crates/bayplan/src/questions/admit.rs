//! `admit`: the most valuable set of requests.

use bayplan_model::Problem;
use bayplan_solve::{AlgorithmInfo, Context, Solution, SolveError, admit};
use bayplan_verify::{Objective, Rules};

use crate::{Outcome, Question};

impl Question for admit::Params {
    fn verb(&self) -> &'static str {
        "admit"
    }

    fn objective(&self, _problem: &Problem) -> Objective {
        Objective::Weight
    }

    fn rules(&self, _problem: &Problem) -> Rules {
        Rules {
            complete: false,
            ..Rules::default()
        }
    }

    fn algorithms(&self) -> Vec<AlgorithmInfo> {
        admit::algorithms()
    }

    fn solve(&self, problem: &Problem, context: &Context) -> Result<Solution, SolveError> {
        admit::solve(problem, self, context)
    }
}

impl admit::curve::Valued for Outcome {
    fn value(&self) -> f64 {
        self.objective
    }

    fn bound(&self) -> Option<f64> {
        self.bound
    }
}
