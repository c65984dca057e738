//! Several runs on one input, side by side.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::Uri;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::Run;
use crate::app::{App, clip};
use crate::fault::{Answer, ErrorBody, Fault};

/// Runs compared at once.
const MOST: usize = 50;

/// Which runs.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CompareQuery {
    /// Ids with commas between.
    runs: String,
}

/// One answer.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Row {
    /// The run.
    pub run: String,
    /// The algorithm that answered.
    pub algorithm: String,
    /// What was asked: rows with the same aim are held against one bound.
    pub aim: String,
    /// The name of the objective.
    pub objective_name: String,
    /// The value of the plan.
    pub objective: Option<f64>,
    /// The best bound any row with this aim proved.
    pub bound: Option<f64>,
    /// Distance between the two as a share of the bound.
    pub gap: Option<f64>,
    /// Wall seconds.
    pub seconds: Option<f64>,
    /// Replicas moved.
    pub moves: Option<u64>,
    /// Whether no plan with this aim can be better.
    pub proven: bool,
}

/// Answers side by side.
#[derive(Serialize, ToSchema)]
pub struct CompareView {
    /// One for each run, in the order asked.
    pub rows: Vec<Row>,
}

/// Compares finished runs on one input.
#[utoipa::path(get, path = "/api/v1/compare", tag = "runs", params(CompareQuery),
    responses(
        (status = 200, description = "side by side", body = CompareView),
        (status = 400, description = "the query cannot be read", body = ErrorBody),
        (status = 404, description = "no such run, or forgotten", body = ErrorBody),
        (status = 409, description = "a run has no answer yet", body = ErrorBody),
        (status = 422, description = "runs on different inputs", body = ErrorBody)))]
pub async fn compare(State(app): State<Arc<App>>, uri: Uri) -> Answer<Json<CompareView>> {
    let Query(query) = Query::<CompareQuery>::try_from_uri(&uri).map_err(|error| {
        Fault::unreadable(
            "query",
            clip(&error.to_string()),
            "runs=r1,r2 with commas between",
        )
    })?;
    let ids: Vec<&str> = query.runs.split(',').filter(|id| !id.is_empty()).collect();
    if ids.is_empty() || ids.len() > MOST {
        return Err(Fault::unreadable(
            "runs",
            "no run, or too many",
            "1 to 50 runs",
        ));
    }
    let runs: Vec<Arc<Run>> = ids.iter().map(|id| app.run(id)).collect::<Answer<_>>()?;
    if runs
        .iter()
        .any(|run| run.input_number != runs[0].input_number)
    {
        return Err(Fault::wrong(
            "runs",
            "runs on different inputs",
            "compare runs on one input",
        ));
    }
    let mut rows: Vec<Row> = runs.iter().map(|run| row(run)).collect::<Answer<_>>()?;
    share_bounds(&mut rows);
    Ok(Json(CompareView { rows }))
}

fn row(run: &Run) -> Answer<Row> {
    let live = run.live();
    let Some(outcome) = &live.outcome else {
        let what = format!("{} has no answer", run.id);
        return Err(Fault::conflict(
            "runs",
            what,
            "wait for it, or leave it out",
        ));
    };
    let text = |name: &str| outcome[name].as_str().unwrap_or("").to_string();
    let number = |name: &str| outcome[name].as_f64();
    let objective_name = text("objective_name");
    // The options are part of what was asked: a bound without a limit on moves
    // says nothing about one with it, nor the other way round.
    let mut options = run.asked.options.clone();
    options.retain(|_, value| !value.is_null() && *value != Value::Bool(false));
    // Of several answers, the one compared is the one to the question without them.
    for several in ["frontier", "curve"] {
        options.remove(several);
    }
    let options = Value::Object(options);
    Ok(Row {
        run: run.id.clone(),
        algorithm: text("algorithm"),
        aim: format!("{} {objective_name} {options}", run.asked.verb.word()),
        objective: number("objective"),
        bound: number("bound"),
        gap: number("gap"),
        seconds: number("seconds"),
        moves: outcome["moves"].as_u64(),
        proven: outcome["proven"] == Value::Bool(true),
        objective_name,
    })
}

/// A bound does not depend on who found it, only on what was asked.
fn share_bounds(rows: &mut [Row]) {
    let all = rows.to_vec();
    for row in rows {
        let maximises = matches!(row.objective_name.as_str(), "gained_affinity" | "weight");
        let same = all.iter().filter(|other| other.aim == row.aim);
        let bounds = same.filter_map(|other| other.bound);
        row.bound = bounds.reduce(|a, b| if maximises { a.min(b) } else { a.max(b) });
        if let (Some(objective), Some(bound)) = (row.objective, row.bound) {
            row.gap = match bound {
                _ if objective == bound => Some(0.0),
                0.0 => None,
                _ => Some((objective - bound).abs() / bound.abs()),
            };
            row.proven |= objective == bound;
        }
    }
}
