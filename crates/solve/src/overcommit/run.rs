//! Which algorithm runs, and what comes out of it.

use bayplan_model::{Plan, Problem};

use super::best_fit::{best_fit_n_sigma, best_fit_ucac};
use super::biheu::{bi_level, complete, first_fit};
use super::bounds::quick_bound;
use super::csp::{self, CspResult};
use super::deletion::stop_surplus;
use super::fleet::Fleet;
use super::kinds::Kinds;
use super::view::View;
use super::{Objective, Params, Patterns, algorithms};
use crate::shared::registry::find;
use crate::{Context, Figure, Progress, Solution, SolveError, StoppedBy};

/// Steps between the values of n that `tune` tries.
const TUNE_STEP: f64 = 0.01;

/// Rows of the cutting stock's LP beyond which it would not end in time:
/// machines are then taken in blocks.
const MOST_ROWS: usize = 6_000;

/// Answers the question with the algorithm asked for.
///
/// # Errors
/// A rule this verb does not honour, a parameter outside its range, or a
/// failure of the LP solver.
pub fn solve(problem: &Problem, params: &Params, ctx: &Context) -> Result<Solution, SolveError> {
    solve_with_patterns(problem, params, ctx, &mut Patterns::default())
}

/// As [`solve`]; the cutting stock starts from these patterns and leaves there
/// all it knew at its end.
///
/// # Errors
/// As [`solve`].
pub fn solve_with_patterns(
    problem: &Problem,
    params: &Params,
    ctx: &Context,
    patterns: &mut Patterns,
) -> Result<Solution, SolveError> {
    let registry = algorithms();
    let algorithm = find(&params.algorithm, &registry)?.name.clone();
    let view = View::new(problem, params.d()?)?;
    let current = Fleet::current(&view);
    let mut run = Run {
        view: &view,
        current: &current,
        params,
        ctx,
        figures: Vec::new(),
        notes: Vec::new(),
        bound: None,
        csp: None,
    };
    let answer = match algorithm.as_str() {
        "BF-n-sigma" => run.n_sigma()?,
        "BF-UCaC" => run.after_stopping(best_fit_ucac),
        "BiHeu" => run.after_stopping(bi_level),
        "CSP-Mac" => {
            let start = run.after_stopping(first_fit);
            run.cutting_stock(Objective::Machines, vec![start], patterns)?
        }
        "CSP-UCaC" => run.cutting_stock(Objective::Ucac, Vec::new(), patterns)?,
        _ => run.cutting_stock(params.goal(), Vec::new(), patterns)?,
    };
    Ok(run.finish(answer, algorithm))
}

/// An answer: the machines, and what has no place.
struct Answer {
    fleet: Fleet,
    missing: Vec<u32>,
}

struct Run<'a> {
    view: &'a View<'a>,
    current: &'a Fleet,
    params: &'a Params,
    ctx: &'a Context,
    figures: Vec<(&'static str, Figure)>,
    notes: Vec<String>,
    bound: Option<f64>,
    csp: Option<bool>,
}

impl Run<'_> {
    /// Stops what is to be stopped, then lets a heuristic place the rest.
    fn after_stopping(&self, heuristic: impl Fn(&View, &mut Fleet) -> Vec<u32>) -> Answer {
        let mut fleet = self.current.clone();
        stop_surplus(self.view, &mut fleet, self.params.goal());
        let missing = heuristic(self.view, &mut fleet);
        Answer { fleet, missing }
    }

    /// Whether an answer leaves fewer out, or is better by the objective, the
    /// other figure deciding among equals.
    fn is_better(&self, a: &Answer, b: &Answer) -> bool {
        let rank = |answer: &Answer| {
            let out: u64 = answer.missing.iter().map(|m| u64::from(*m)).sum();
            let (ucac, machines) = (
                answer.fleet.ucac(self.view.d),
                answer.fleet.machines() as f64,
            );
            match self.params.goal() {
                Objective::Ucac => (out, ucac, machines),
                Objective::Machines => (out, machines, ucac),
            }
        };
        rank(a) < rank(b)
    }

    fn n_sigma(&mut self) -> Result<Answer, SolveError> {
        let given = self.params.n_sigma.unwrap_or(self.view.d);
        if !given.is_finite() || given < 0.0 {
            return Err(SolveError::Parameter {
                name: "n-sigma",
                problem: format!("{given} is not a number of standard deviations from 0 on"),
            });
        }
        let place = |n: f64, held: bool| {
            self.after_stopping(|view, fleet| best_fit_n_sigma(view, fleet, n, held))
        };
        let (mut answer, mut n) = (place(given, false), given);
        if self.params.tune {
            // Sizes of D deviations always hold, so there is a first answer.
            (answer, n) = (place(self.view.d, false), self.view.d);
            let steps = (self.view.d / TUNE_STEP).ceil() as u32;
            for candidate in (0..steps).map(|step| f64::from(step) * TUNE_STEP) {
                if self.ctx.must_stop() {
                    break;
                }
                let next = place(candidate, false);
                if !self.over_capacity(&next.fleet) && self.is_better(&next, &answer) {
                    (answer, n) = (next, candidate);
                }
            }
        }
        if self.over_capacity(&answer.fleet) {
            answer = place(n, true);
            self.notes.push(format!(
                "sizes of mean + {n} deviations alone would break the confidence; machines were held to it as well"
            ));
        }
        self.figures.push(("n_sigma", Figure::Number(n)));
        Ok(answer)
    }

    /// Whether a machine that was feasible on arrival, or got more, is not.
    fn over_capacity(&self, fleet: &Fleet) -> bool {
        (0..fleet.len()).any(|m| {
            let grown = self
                .current
                .held
                .get(m)
                .is_none_or(|before| *before != fleet.held[m]);
            grown
                && !self
                    .view
                    .fits(fleet.pool[m], fleet.mean_of(m), fleet.variance_of(m))
        })
    }

    /// The cutting stock, from the better heuristics; never worse than them.
    fn cutting_stock(
        &mut self,
        objective: Objective,
        mut starts: Vec<Answer>,
        patterns: &mut Patterns,
    ) -> Result<Answer, SolveError> {
        if starts.is_empty() {
            starts.push(self.after_stopping(bi_level));
            self.tell(&starts[0], "BiHeu");
            // The other heuristic only where it is quick beside the time there is.
            if self.ctx.seconds_left() > 20.0 * self.ctx.elapsed() {
                starts.push(self.after_stopping(best_fit_ucac));
            }
        }
        let kinds = Kinds::new(self.view, self.current);
        if kinds.rows.len() > MOST_ROWS {
            return self.in_blocks(objective, starts, &kinds);
        }
        let known = patterns.columns(self.view, &kinds);
        let fleets: Vec<&Fleet> = starts.iter().map(|answer| &answer.fleet).collect();
        let result: CspResult = csp::run(
            self.view,
            self.current,
            &kinds,
            objective,
            &fleets,
            known,
            self.ctx,
        )?;
        *patterns = Patterns::of(self.view, &kinds, &result.columns);
        self.csp = Some(result.steps_used_up);
        self.figures
            .push(("pricing_rounds", Figure::Count(result.rounds)));
        self.figures
            .push(("patterns", Figure::Count(result.columns.len() as u64)));
        if self.params.goal() == objective {
            self.bound = result.bound;
            if result.bound.is_some() {
                let unit = match objective {
                    Objective::Ucac => self.view.cluster.resources[0].scale as f64,
                    Objective::Machines => 1.0,
                };
                self.figures
                    .push(("lp_bound", Figure::Number(result.relaxed / unit)));
            }
        }
        if let Some(mut fleet) = result.fleet {
            let mut missing = self.missing(&fleet);
            // A dive cut short leaves a rest. A service that is to lose
            // replicas can be put back only where it ran.
            let mut rest = missing.clone();
            (0..rest.len())
                .filter(|s| self.view.to_stop(*s) > 0)
                .for_each(|s| rest[s] = 0);
            complete(self.view, &mut fleet, &mut rest);
            (0..rest.len())
                .filter(|s| self.view.to_stop(*s) == 0)
                .for_each(|s| missing[s] = rest[s]);
            starts.push(Answer { missing, fleet });
        } else {
            self.notes.push(
                "the time was too short for the cutting stock; this is the heuristic's answer"
                    .into(),
            );
        }
        if !result.converged {
            self.notes.push(
                "column generation was stopped early: the bound holds but could be closer".into(),
            );
        }
        let best = starts
            .into_iter()
            .reduce(|a, b| if self.is_better(&b, &a) { b } else { a });
        Ok(best.expect("there is a heuristic's answer"))
    }

    /// Too many kinds of machines for one LP: the better heuristic's answer,
    /// improved in blocks.
    fn in_blocks(
        &mut self,
        objective: Objective,
        starts: Vec<Answer>,
        kinds: &Kinds,
    ) -> Result<Answer, SolveError> {
        let best = starts
            .into_iter()
            .reduce(|a, b| if self.is_better(&b, &a) { b } else { a });
        let mut best = best.expect("there is a heuristic's answer");
        let all = csp::improve_in_blocks(self.view, kinds, objective, &mut best.fleet, self.ctx)?;
        self.csp = Some(self.ctx.steps().is_some() && !all);
        self.notes.push(format!(
            "{} different kinds of machines are too many for one linear program; the cutting stock went over blocks of machines{}, and the bound is the one without it",
            kinds.rows.len(),
            if all { "" } else { " as far as the budget allowed" }
        ));
        Ok(best)
    }

    /// Replicas without a place, per service.
    fn missing(&self, fleet: &Fleet) -> Vec<u32> {
        let mut missing = self.view.services.replicas.clone();
        for (service, count) in fleet.held.iter().flatten() {
            missing[*service as usize] -= count;
        }
        missing
    }

    fn tell(&self, answer: &Answer, phase: &'static str) {
        let incumbent = Some(self.value(&answer.fleet));
        self.ctx.report(Progress {
            incumbent,
            bound: self.bound,
            phase,
        });
    }

    fn value(&self, fleet: &Fleet) -> f64 {
        match self.params.goal() {
            Objective::Ucac => fleet.ucac(self.view.d),
            Objective::Machines => fleet.machines() as f64,
        }
    }

    fn finish(mut self, answer: Answer, algorithm: String) -> Solution {
        let objective = self.value(&answer.fleet);
        let complete = answer.missing.iter().all(|m| *m == 0);
        // An incomplete answer may be cheaper than any complete one.
        let quick = complete.then(|| quick_bound(self.view, self.current, self.params.goal()));
        let bound = match (self.bound, quick) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (_, quick) => quick,
        };
        let proven = match (self.params.goal(), bound) {
            (_, None) => false,
            (Objective::Machines, Some(bound)) => objective <= bound + 0.5,
            (Objective::Ucac, Some(bound)) => objective <= bound * (1.0 + 1e-9),
        };
        // Sums are rounded; a bound above the answer would only be confusing.
        let bound = bound.map(|bound| bound.min(objective));
        if self
            .view
            .cluster
            .pools
            .iter()
            .any(|pool| pool.price != self.view.cluster.pools[0].price)
        {
            self.notes.push(
                "prices differ between pools; this verb counts capacity or machines, not cost"
                    .into(),
            );
        }
        self.figures.push(("d_alpha", Figure::Number(self.view.d)));
        let stopped_by = if proven {
            StoppedBy::Proof
        } else if self.ctx.interrupted() {
            StoppedBy::Interrupt
        } else if self.csp.is_some() && self.ctx.must_stop() {
            StoppedBy::Time
        } else if self.csp == Some(true) {
            StoppedBy::Steps
        } else {
            StoppedBy::End
        };
        let plan = answer.fleet.plan(self.view, &answer.missing);
        Solution {
            plan: Plan::Placement(plan),
            objective,
            bound,
            proven,
            stopped_by,
            algorithm,
            figures: self.figures,
            notes: self.notes,
        }
    }
}
