//! Runs an algorithm and wraps its answer.

use super::application_centric::{self, NodeRule};
use super::auto::{self, Task};
use super::goal::Goal;
use super::measure::Measure;
use super::open::Opener;
use super::registry::Algorithm;
use super::search::Search;
use super::state::State;
use super::view::View;
use super::{
    Params, bounds, candidates, finish, ilp, lrasched, matching, node_centric, order, published,
    registry, search, spread, survive,
};
use crate::{Context, Figure, Progress, Solution, SolveError, StoppedBy};

/// Runs an algorithm.
pub(super) fn solve(
    view: &View,
    algorithm: Algorithm,
    params: &Params,
    ctx: &Context,
) -> Result<Solution, SolveError> {
    let goal = Goal::of(view.problem);
    let run = Run {
        view,
        params,
        goal,
        ctx,
    };
    let bound = run.bound();
    ctx.report(Progress {
        incumbent: None,
        bound: Some(goal.shown(bound)),
        phase: "bound",
    });
    if params.as_published {
        run.refuse_unpublished(algorithm)?;
    }
    let (mut state, bound) = run.state(algorithm, bound)?;
    let spares = match &params.survive {
        None => 0,
        Some(label) => survive::add_spares(&mut state, label.as_deref(), params.nodes)?,
    };
    Ok(run.wrap(&state, bound, spares))
}

struct Run<'v> {
    view: &'v View<'v>,
    params: &'v Params,
    goal: Goal,
    ctx: &'v Context,
}

impl<'v> Run<'v> {
    fn bound(&self) -> u128 {
        bounds::of(self.view, self.goal)
    }

    /// The algorithm's state, and the bound, which the ILP may raise.
    fn state(&self, algorithm: Algorithm, bound: u128) -> Result<(State<'v>, u128), SolveError> {
        let params = self.params;
        let state = match algorithm {
            Algorithm::Auto => return self.auto(bound),
            Algorithm::Centric { by_size, rule } => {
                let order = match by_size {
                    None => order::by_number(self.view),
                    Some(measure) => self.decreasing(measure),
                };
                self.centric(&order, rule)
            }
            Algorithm::TagPopularity => {
                let order = order::decreasing(&order::degrees(self.view));
                self.centric(&order, NodeRule::First)
            }
            Algorithm::NodeCandidates => {
                let mut state = State::new(self.view);
                let mut opener = Opener::new(self.view, params.nodes);
                candidates::run(&mut state, &mut opener, self.ctx);
                state
            }
            Algorithm::NodeCentric(score) => {
                let mut state = State::new(self.view);
                let mut opener = Opener::new(self.view, params.nodes);
                node_centric::run(&mut state, score, &mut opener, self.ctx);
                state
            }
            Algorithm::Spread {
                decreasing,
                measure,
                search,
            } => self.spread(decreasing, measure, search),
            Algorithm::Match { score, search } => {
                let trial = |state: &mut State, _| matching::run(state, score, self.ctx);
                self.multi_node(search, trial)
            }
            Algorithm::LraSched => {
                let mut state = State::new(self.view);
                let mut opener = Opener::new(self.view, params.nodes);
                lrasched::run(&mut state, params.epsilon, &mut opener, self.ctx);
                state
            }
            Algorithm::Ilp => return self.ilp(bound),
        };
        Ok((state, bound))
    }

    fn ilp(&self, bound: u128) -> Result<(State<'v>, u128), SolveError> {
        if self.params.nodes.is_some() {
            return Err(SolveError::Parameter {
                name: "--at-most",
                problem: "the ILP places everything; use auto or a multi-node algorithm".into(),
            });
        }
        let start = self.centric(&self.decreasing(Measure::Average), NodeRule::First);
        if start.left.iter().any(|left| *left > 0) {
            // The pools allow no complete first answer: nothing to start from.
            return Ok((start, bound));
        }
        let (state, proven) = ilp::run(start, self.goal, self.ctx)?;
        Ok((state, bound.max(proven)))
    }

    /// The default solver; on small inputs the integer program has the last word.
    fn auto(&self, bound: u128) -> Result<(State<'v>, u128), SolveError> {
        let task = Task::new(self.view, self.goal, bound, self.params.nodes);
        let state = if self.view.kinds.len() > 1 {
            auto::run_pools(&task, self.ctx)
        } else {
            let kept = finish::used(&State::new(self.view)).0;
            let nodes = u32::try_from(bound)
                .unwrap_or(u32::MAX)
                .saturating_sub(kept as u32);
            let nodes = self.params.nodes.map_or(nodes, |most| nodes.min(most));
            auto::run(&task, &[nodes], self.ctx)
        };
        let whole = state.left.iter().all(|left| *left == 0);
        let done = !whole || self.goal.rank(&state).0 <= bound || self.ctx.must_stop();
        if done || self.params.nodes.is_some() || !ilp::is_small(&state, self.goal) {
            return Ok((state, bound));
        }
        let before = state.clone();
        let (state, proven) = ilp::run(state, self.goal, self.ctx)?;
        let better = self.goal.rank(&state) < self.goal.rank(&before);
        Ok((if better { state } else { before }, bound.max(proven)))
    }

    fn decreasing(&self, measure: Measure) -> Vec<u32> {
        let (epsilon, alpha) = (self.params.epsilon, self.params.alpha);
        order::decreasing(&order::hybrid_sizes(self.view, measure, epsilon, alpha))
    }

    fn centric(&self, order: &[u32], rule: NodeRule) -> State<'v> {
        let mut state = State::new(self.view);
        let mut opener = Opener::new(self.view, self.params.nodes);
        let epsilon = self.params.epsilon;
        application_centric::run(&mut state, order, rule, epsilon, &mut opener, self.ctx);
        state
    }

    fn spread(&self, decreasing: bool, measure: Measure, search: Search) -> State<'v> {
        if self.params.as_published {
            let order = order::decreasing(&published::whole_sizes(self.view));
            let trial = |state: &mut State, _| published::spread(state, &order, self.ctx);
            return self.multi_node(search, trial);
        }
        let order = if decreasing {
            self.decreasing(measure)
        } else {
            order::by_number(self.view)
        };
        let epsilon = self.params.epsilon;
        self.multi_node(search, |state, all_or_nothing| {
            spread::run(state, &order, measure, epsilon, all_or_nothing, self.ctx)
        })
    }

    /// Searches for the fewest nodes, or fills the number asked for.
    fn multi_node(
        &self,
        search: Search,
        mut run: impl FnMut(&mut State<'v>, bool) -> bool,
    ) -> State<'v> {
        let open = |nodes: u64| {
            let mut state = State::new(self.view);
            let mut opener = Opener::new(self.view, None);
            for _ in 0..nodes {
                if opener.open_best(&mut state).is_none() {
                    break;
                }
            }
            state
        };
        if let Some(nodes) = self.params.nodes {
            let mut state = open(u64::from(nodes));
            run(&mut state, false);
            return state;
        }
        let first = self.centric(&order::by_number(self.view), NodeRule::First);
        let used = finish::used(&first).0;
        let kept = finish::used(&State::new(self.view)).0;
        let low = match self.view.kinds.len() {
            1 => bounds::nodes(self.view)
                .saturating_sub(kept)
                .min(used - kept),
            _ => 0,
        };
        search::run(search, low, (used - kept, first), |nodes| {
            let mut state = open(nodes);
            (run(&mut state, true) && !self.ctx.must_stop()).then_some(state)
        })
    }

    fn refuse_unpublished(&self, algorithm: Algorithm) -> Result<(), SolveError> {
        let known = matches!(
            algorithm,
            Algorithm::Centric {
                by_size: None,
                rule: NodeRule::First
            } | Algorithm::TagPopularity
                | Algorithm::Spread {
                    decreasing: true,
                    measure: Measure::Average,
                    search: Search::Binary
                }
        );
        if !known {
            return Err(SolveError::Parameter {
                name: "--as-published",
                problem: "only for FF, Medea-TP and SpreadWFD-Avg-BinSearch".into(),
            });
        }
        if !self.view.is_uniform() {
            return Err(SolveError::Parameter {
                name: "--as-published",
                problem: "only for one pool and no existing node, as in the paper".into(),
            });
        }
        Ok(())
    }

    fn wrap(&self, state: &State, bound: u128, spares: u64) -> Solution {
        // A spare node costs as much as one in use.
        let (value, _) = match self.params.survive {
            Some(_) => self.goal.rank_with_spares(state),
            None => self.goal.rank(state),
        };
        let whole = state.left.iter().all(|left| *left == 0);
        let proven = whole && self.view.hopeless.is_empty() && value <= bound;
        let stopped_by = if proven {
            StoppedBy::Proof
        } else if self.ctx.interrupted() {
            StoppedBy::Interrupt
        } else if self.ctx.must_stop() {
            StoppedBy::Time
        } else if self.ctx.steps().is_some() && self.params.algorithm.eq_ignore_ascii_case("auto") {
            StoppedBy::Steps
        } else {
            StoppedBy::End
        };
        Solution {
            plan: finish::wrap(finish::plan(state, spares > 0)),
            objective: self.goal.shown(value),
            bound: Some(self.goal.shown(bound)),
            proven,
            stopped_by,
            algorithm: registry::canonical(&self.params.algorithm),
            figures: match self.params.survive {
                Some(_) => vec![("spare_nodes", Figure::Count(spares))],
                None => Vec::new(),
            },
            notes: match spares {
                0 => Vec::new(),
                spares => vec![format!(
                    "{spares} of the new nodes are kept empty to take over after a loss; \
                     existing nodes that hold nothing are spares too: keep them"
                )],
            },
        }
    }
}
