//! `divide`: how many instances, where, and how much load each serves.

use bayplan_model::Problem;
use bayplan_solve::{AlgorithmInfo, Context, Solution, SolveError, divide};
use bayplan_verify::{Objective, Rules};

use crate::Question;

impl Question for divide::Params {
    fn verb(&self) -> &'static str {
        "divide"
    }

    fn objective(&self, problem: &Problem) -> Objective {
        let pools = &problem.cluster().pools;
        match self.objective {
            divide::Objective::Balance => Objective::MaxLoad,
            divide::Objective::Pack if pools.iter().any(|p| p.price != pools[0].price) => {
                Objective::Cost
            }
            divide::Objective::Pack => Objective::Nodes,
        }
    }

    fn rules(&self, _problem: &Problem) -> Rules {
        let kept_free = |threshold: u32| 1_000_000u32.saturating_sub(threshold);
        Rules {
            headroom: vec![
                kept_free(self.cpu_threshold),
                kept_free(self.memory_threshold),
            ],
            ..Rules::default()
        }
    }

    fn algorithms(&self) -> Vec<AlgorithmInfo> {
        divide::algorithms()
    }

    fn solve(&self, problem: &Problem, context: &Context) -> Result<Solution, SolveError> {
        divide::solve(problem, self, context)
    }
}
