//! The one thread that asks: runs are not slowed by each other, and a panic
//! in one is its failure, not the server's end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use bayplan::{Outcome, answer, answer_with, cpu_seconds, shown_scale, to_json};
use bayplan_formats::write_plan_json;
use bayplan_model::{Plan, Problem};
use bayplan_report::{html, verdict};
use bayplan_solve::colocate::frontier::frontier;
use bayplan_solve::overcommit::curve::{CONFIDENCES, curve};
use bayplan_solve::{Context, Progress};
use serde_json::{Value, json};

use super::Run;
use super::live::State;
use crate::app::App;
use crate::fault::ErrorItem;
use crate::store::{Kind, pack};
use crate::verbs::Asked;

/// Entries of a list in an outcome; the total is told beside it.
const LISTED: usize = 1000;

/// Asks one question after the other until the queue is closed.
pub fn work(app: &Arc<App>) {
    while let Some(run) = app.queue.next() {
        run.change(|live| {
            live.state = State::Running;
            live.started = Some(Instant::now());
        });
        let asked = catch_unwind(AssertUnwindSafe(|| ask(app, &run)));
        let found = asked.unwrap_or_else(|panic| Err(vec![panicked(&*panic)]));
        finish(app, &run, found);
    }
}

/// Answers, the one that counts, and what sets them apart.
struct Found {
    outcomes: Vec<Outcome>,
    points: Vec<Value>,
    chosen: usize,
    problem: Arc<Problem>,
}

fn ask(app: &App, run: &Arc<Run>) -> Result<Found, Vec<ErrorItem>> {
    let input = app
        .input(&run.asked.input)
        .map_err(|fault| fault.into_errors())?;
    let problem = app.problem(&input).map_err(|fault| fault.into_errors())?;
    let asked = run
        .asked
        .verb
        .asked(run.asked.algorithm(), &run.asked.options, &problem);
    let asked = asked.map_err(|fault| fault.into_errors())?;
    let kind = asked.question().objective(&problem);
    let (scale, maximises) = (shown_scale(&problem, kind), kind.maximises());
    let heard = run.clone();
    let context = Context::new(run.asked.seed(), run.asked.budget(), app.config.threads)
        .with_stop(run.stop.clone())
        .with_listener(move |progress| {
            heard.change(|live| live.hear(progress, scale, maximises));
        });
    let found = match &asked {
        Asked::Plain(question) => {
            answer(&problem, &**question, &context).map(|one| (vec![one], Vec::new(), 0))
        }
        Asked::Frontier(params) => gain_against_moves(&problem, params, &context),
        Asked::Curve(params) => price_of_confidence(&problem, params, &context),
    };
    let (outcomes, points, chosen) = found.map_err(|error| vec![(&error).into()])?;
    Ok(Found {
        outcomes,
        points,
        chosen,
        problem,
    })
}

type Several = (Vec<Outcome>, Vec<Value>, usize);

fn gain_against_moves(
    problem: &Problem,
    params: &bayplan_solve::colocate::Params,
    context: &Context,
) -> Result<Several, bayplan::Error> {
    let cpu_before = cpu_seconds(context);
    let solutions = frontier(problem, params, context)?.into_iter();
    let outcomes = solutions.map(|solution| answer_with(problem, params, context, solution));
    let mut outcomes: Vec<Outcome> = outcomes.collect::<Result<_, _>>()?;
    // The runs before this one were other people's questions.
    for outcome in &mut outcomes {
        outcome.cpu_seconds -= cpu_before;
    }
    keep_rising(&mut outcomes);
    let point = |outcome: &Outcome| {
        json!({
            "moves": outcome.report.figures.moves,
            "waves": waves(&outcome.plan),
            "nodes": outcome.report.figures.nodes,
            "gained_affinity": outcome.objective,
            "bound": outcome.bound,
            "verdict": verdict(problem, outcome),
            "notes": outcome.notes,
        })
    };
    let points: Vec<Value> = outcomes.iter().map(point).collect();
    let last = outcomes.len().saturating_sub(1);
    Ok((outcomes, points, last))
}

/// A placement that cannot be reached ends in one that can, so two points may
/// have become one, or changed places: gain and moves rise from point to point.
fn keep_rising(outcomes: &mut Vec<Outcome>) {
    let moves = |outcome: &Outcome| outcome.report.figures.moves;
    outcomes.sort_by(|a, b| {
        let better_first = b.objective.total_cmp(&a.objective);
        moves(a).cmp(&moves(b)).then(better_first)
    });
    let mut best = f64::NEG_INFINITY;
    outcomes.retain(|outcome| {
        let better = outcome.objective > best;
        best = best.max(outcome.objective);
        better
    });
}

fn waves(plan: &Plan) -> Option<usize> {
    match plan {
        Plan::Placement(plan) => Some(plan.waves.len()),
        _ => None,
    }
}

fn price_of_confidence(
    problem: &Problem,
    params: &bayplan_solve::overcommit::Params,
    context: &Context,
) -> Result<Several, bayplan::Error> {
    let ask = |problem: &Problem, params: &bayplan_solve::overcommit::Params, part: &Context| {
        // The parts of a curve have no listener of their own.
        context.report(Progress {
            incumbent: None,
            bound: None,
            phase: "the next confidence",
        });
        answer(problem, params, part)
    };
    let found = curve(problem, params, &CONFIDENCES, context, ask)?;
    let mut points = Vec::new();
    let mut chosen = found.len().saturating_sub(1);
    for (at, point) in found.iter().enumerate() {
        let figures = &point.answer.report.figures;
        let scale = shown_scale(problem, bayplan_verify::Objective::Ucac);
        points.push(json!({
            "confidence": point.confidence,
            "d_alpha": point.d_alpha,
            "machines": figures.nodes,
            "ucac": figures.ucac.map(|units| units / scale),
            "bound": point.answer.bound,
            "verdict": verdict(problem, &point.answer),
            "notes": point.answer.notes,
        }));
        if (point.confidence - params.confidence).abs() < 1e-12 {
            chosen = at;
        }
    }
    Ok((
        found.into_iter().map(|point| point.answer).collect(),
        points,
        chosen,
    ))
}

/// Writes the answers down, then says that the run has ended.
fn finish(app: &App, run: &Arc<Run>, found: Result<Found, Vec<ErrorItem>>) {
    let stopped = run.stop.load(Ordering::Relaxed);
    let (texts, mut errors) = match &found {
        Ok(found) => (texts(run, found), Vec::new()),
        Err(errors) => (Vec::new(), errors.clone()),
    };
    // A curve cut short before its first point is no answer.
    let answer = found.ok().filter(|found| !found.outcomes.is_empty());
    let state = match (&answer, stopped) {
        (_, true) if errors.is_empty() => State::Stopped,
        (Some(_), _) => State::Done,
        _ => State::Failed,
    };
    let shown = answer.map(|found| {
        let outcome = &found.outcomes[found.chosen];
        let told = bounded(to_json(&found.problem, outcome));
        (
            told,
            verdict(&found.problem, outcome),
            found.points,
            found.chosen,
        )
    });
    {
        // Not told yet: who sees the end must find the texts.
        let mut live = run.live();
        live.bytes = texts.iter().map(|(_, packed)| packed.len() as u64).sum();
        if let Some((outcome, verdict, points, chosen)) = shown {
            live.outcome = Some(outcome);
            live.verdict = Some(verdict);
            live.points = points;
            live.chosen = chosen;
        }
        live.errors = errors.clone();
    }
    let mut record = run.record();
    record.ended(state);
    let stored = serde_json::to_vec(&record)
        .map_err(|error| error.to_string())
        .and_then(|record| {
            let stored = app.store.put(Kind::Run, &run.id, &record, &texts);
            stored.map_err(|error| error.to_string())
        });
    if let Err(what) = stored {
        let fix = "the answer is here, but a restart will lose it: look at the disk of --store";
        errors.push(ErrorItem::new("W010", "store", what, fix));
    }
    run.change(|live| {
        live.errors = errors;
        live.state = state;
    });
    if let Err(error) = app.forget_oldest_runs() {
        eprintln!("{error}");
    }
}

/// Plan and report of every answer.
fn texts(run: &Run, found: &Found) -> Vec<(String, Vec<u8>)> {
    let mut texts = Vec::new();
    for (at, outcome) in found.outcomes.iter().enumerate() {
        let plan = write_plan_json(&found.problem, &outcome.plan);
        texts.push((format!("{at}/plan"), pack(plan.as_bytes())));
        let report = html(&found.problem, outcome, &run.command);
        texts.push((format!("{at}/report"), pack(report.as_bytes())));
    }
    texts
}

/// Lists of a size that a page can show; `unplaced_total` and
/// `violations_total` tell what was cut.
fn bounded(mut outcome: Value) -> Value {
    for list in ["unplaced", "violations"] {
        if let Some(Value::Array(entries)) = outcome.get_mut(list)
            && entries.len() > LISTED
        {
            let total = entries.len();
            entries.truncate(LISTED);
            outcome[format!("{list}_total")] = json!(total);
        }
    }
    outcome
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> ErrorItem {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    let what = format!(
        "the run panicked: {}",
        text.unwrap_or_else(|| "no message".into())
    );
    let fix = "this is a mistake in bayplan: please report it with the input and the command";
    ErrorItem::new("W010", "", what, fix)
}
