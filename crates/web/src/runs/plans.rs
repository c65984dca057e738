//! What a finished run leaves: placement, waves, plans and the report.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use bayplan::{reason_word, undo};
use bayplan_formats::{read_plan, write_plan_csv, write_plan_json};
use bayplan_model::{Plan, Problem, WaveKind};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Run;
use crate::app::{App, clip};
use crate::fault::{Answer, ErrorBody, Fault};
use crate::guard::REPORT_POLICY;
use crate::inputs::{NodesView, PlacementView, new_nodes, placement_of_plan};

/// Which answer, where a run has several.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PointQuery {
    /// The place in `points`, from 0; the run's own choice unless given.
    point: Option<usize>,
}

/// What has no place.
#[derive(Serialize, ToSchema)]
pub struct UnplacedView {
    /// The service.
    pub name: String,
    /// Replicas.
    pub count: u32,
    /// `too_large`, `no_compatible_node`, `no_room` or `rules`.
    pub reason: &'static str,
}

/// A plan's placement.
#[derive(Serialize, ToSchema)]
pub struct PlanView {
    /// The nodes the plan opens; their numbers follow the existing ones.
    pub nodes: NodesView,
    /// What runs where.
    pub placement: PlacementView,
    /// What has no place.
    pub unplaced: Vec<UnplacedView>,
}

/// Stops or starts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WaveKindView {
    /// Replicas are stopped.
    Delete,
    /// Replicas are started.
    Create,
}

/// Moves that may run at the same time, as columns.
#[derive(Serialize, ToSchema)]
pub struct WaveView {
    /// Stops or starts.
    pub kind: WaveKindView,
    /// Places in the list of services.
    pub service: Vec<u32>,
    /// Places in the list of nodes.
    pub node: Vec<u32>,
    /// Replicas.
    pub count: Vec<u32>,
}

/// How many replicas stay alive, for the services that move.
#[derive(Serialize, ToSchema)]
pub struct AliveView {
    /// Places in the list of services.
    pub service: Vec<u32>,
    /// The fewest replicas alive after any wave.
    pub least: Vec<u64>,
}

/// The way to a plan.
#[derive(Serialize, ToSchema)]
pub struct WavesView {
    /// In order.
    pub waves: Vec<WaveView>,
    /// What stays alive.
    pub alive: AliveView,
}

/// The point a query asks for.
fn point(uri: &Uri) -> Answer<Option<usize>> {
    let query = Query::<PointQuery>::try_from_uri(uri);
    let unreadable = |e: axum::extract::rejection::QueryRejection| {
        Fault::unreadable("query", clip(&e.to_string()), "point is a number from 0")
    };
    Ok(query.map_err(unreadable)?.0.point)
}

/// A text of a run's answer.
fn text(app: &App, run: &Run, point: Option<usize>, name: &str) -> Answer<Vec<u8>> {
    let (is_final, has_answer, chosen) = {
        let live = run.live();
        (live.state.is_final(), live.outcome.is_some(), live.chosen)
    };
    if !is_final {
        return Err(Fault::conflict(
            "run",
            "it has no answer yet",
            "wait for it, or stop it",
        ));
    }
    if !has_answer {
        return Err(Fault::missing(
            "run",
            "it ended without an answer",
            "see its errors",
        ));
    }
    let at = point.unwrap_or(chosen);
    let found = app.store.text(&run.id, &format!("{at}/{name}"));
    let found = found.map_err(|error| Fault::internal(error.to_string()))?;
    found.ok_or_else(|| Fault::missing("point", format!("no point {at}"), "see the run's points"))
}

/// The problem and the plan of a run's answer.
fn plan(app: &App, run: &Run, point: Option<usize>) -> Answer<(Arc<Problem>, Plan)> {
    let bytes = text(app, run, point, "plan")?;
    let problem = app.problem(&*app.input(&run.asked.input)?)?;
    let plan = read_plan(&bytes, &problem)
        .map_err(|errors| Fault::internal(format!("a stored plan cannot be read: {errors}")))?;
    Ok((problem, plan))
}

/// Hands out something made from a run's plan.
async fn made<T: Send + 'static>(
    app: &Arc<App>,
    id: &str,
    uri: &Uri,
    make: impl FnOnce(&Problem, &Plan) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let (run, point) = (app.run(id)?, point(uri)?);
    app.heavy(move |app| {
        let (problem, plan) = plan(app, &run, point)?;
        make(&problem, &plan)
    })
    .await
}

/// Where everything runs in the plan.
#[utoipa::path(get, path = "/api/v1/runs/{id}/placement", tag = "answers",
    params(("id" = String, Path, description = "the run"), PointQuery),
    responses(
        (status = 200, description = "the placement, as columns", body = PlanView),
        (status = 400, description = "the query cannot be read", body = ErrorBody),
        (status = 404, description = "no such run or point, or no answer", body = ErrorBody),
        (status = 409, description = "no answer yet", body = ErrorBody)))]
pub async fn placement(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    uri: Uri,
) -> Answer<Json<PlanView>> {
    let view = made(&app, &id, &uri, |problem, plan| {
        let unplaced = match (plan, problem.services()) {
            (Plan::Placement(plan), Some(services)) => {
                let left = plan.unplaced.iter().map(|left| UnplacedView {
                    name: services.names.get(left.service.index()).to_string(),
                    count: left.count,
                    reason: reason_word(left.reason),
                });
                left.collect()
            }
            _ => Vec::new(),
        };
        Ok(PlanView {
            nodes: new_nodes(problem, plan),
            placement: placement_of_plan(problem, plan),
            unplaced,
        })
    });
    Ok(Json(view.await?))
}

/// The way to the plan, wave by wave.
#[utoipa::path(get, path = "/api/v1/runs/{id}/waves", tag = "answers",
    params(("id" = String, Path, description = "the run"), PointQuery),
    responses(
        (status = 200, description = "the waves, as columns; none where nothing moves", body = WavesView),
        (status = 400, description = "the query cannot be read", body = ErrorBody),
        (status = 404, description = "no such run or point, or no answer", body = ErrorBody),
        (status = 409, description = "no answer yet", body = ErrorBody)))]
pub async fn waves(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    uri: Uri,
) -> Answer<Json<WavesView>> {
    let view = made(&app, &id, &uri, |problem, plan| {
        Ok(waves_view(problem, plan))
    });
    Ok(Json(view.await?))
}

fn waves_view(problem: &Problem, plan: &Plan) -> WavesView {
    let (Plan::Placement(plan), Some(services)) = (plan, problem.services()) else {
        let alive = AliveView {
            service: Vec::new(),
            least: Vec::new(),
        };
        return WavesView {
            waves: Vec::new(),
            alive,
        };
    };
    let mut now = vec![0u64; services.len()];
    for entry in services.placement.counts() {
        now[entry.service.index()] += u64::from(entry.count);
    }
    let mut least = now.clone();
    let mut moved = vec![false; services.len()];
    for wave in &plan.waves {
        for step in &wave.moves {
            let (service, count) = (step.service.index(), u64::from(step.count));
            moved[service] = true;
            now[service] = match wave.kind {
                WaveKind::Delete => now[service].saturating_sub(count),
                WaveKind::Create => now[service] + count,
            };
            least[service] = least[service].min(now[service]);
        }
    }
    let waves = plan.waves.iter().map(|wave| WaveView {
        kind: match wave.kind {
            WaveKind::Delete => WaveKindView::Delete,
            WaveKind::Create => WaveKindView::Create,
        },
        service: wave.moves.iter().map(|step| step.service.0).collect(),
        node: wave.moves.iter().map(|step| step.node.0).collect(),
        count: wave.moves.iter().map(|step| step.count).collect(),
    });
    let touched: Vec<u32> = (0..services.len() as u32)
        .filter(|s| moved[*s as usize])
        .collect();
    WavesView {
        waves: waves.collect(),
        alive: AliveView {
            least: touched.iter().map(|s| least[*s as usize]).collect(),
            service: touched,
        },
    }
}

/// A file to keep.
fn file(text: impl IntoResponse, kind: &'static str, name: &str) -> Response {
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    // Ids and names are letters and digits only.
    let disposition = format!("attachment; filename=\"{name}\"");
    if let Ok(value) = HeaderValue::from_str(&disposition) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    response
}

/// The plan as `--plan FILE.json` writes it.
#[utoipa::path(get, path = "/api/v1/runs/{id}/plan.json", tag = "answers",
    params(("id" = String, Path, description = "the run"), PointQuery),
    responses(
        (status = 200, description = "the plan", body = Object),
        (status = 400, description = "the query cannot be read", body = ErrorBody),
        (status = 404, description = "no such run or point, or no answer", body = ErrorBody),
        (status = 409, description = "no answer yet", body = ErrorBody)))]
pub async fn plan_json(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    uri: Uri,
) -> Answer<Response> {
    let (run, point) = (app.run(&id)?, point(&uri)?);
    app.heavy(move |app| {
        let bytes = text(app, &run, point, "plan")?;
        Ok(file(
            bytes,
            "application/json",
            &format!("{}-plan.json", run.id),
        ))
    })
    .await
}

/// The plan as a table.
#[utoipa::path(get, path = "/api/v1/runs/{id}/plan.csv", tag = "answers",
    params(("id" = String, Path, description = "the run"), PointQuery),
    responses(
        (status = 200, description = "the plan", content_type = "text/csv", body = String),
        (status = 400, description = "the query cannot be read", body = ErrorBody),
        (status = 404, description = "no such run or point, or no answer", body = ErrorBody),
        (status = 409, description = "no answer yet", body = ErrorBody)))]
pub async fn plan_csv(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    uri: Uri,
) -> Answer<Response> {
    let text = made(&app, &id, &uri, |problem, plan| {
        Ok(write_plan_csv(problem, plan))
    })
    .await?;
    Ok(file(
        text,
        "text/csv; charset=utf-8",
        &format!("{id}-plan.csv"),
    ))
}

/// The plan that leads back.
#[utoipa::path(get, path = "/api/v1/runs/{id}/undo.json", tag = "answers",
    params(("id" = String, Path, description = "the run"), PointQuery),
    responses(
        (status = 200, description = "the plan that leads back", body = Object),
        (status = 400, description = "the query cannot be read", body = ErrorBody),
        (status = 404, description = "no such run or point, or nothing to go back to", body = ErrorBody),
        (status = 409, description = "no answer yet", body = ErrorBody)))]
pub async fn undo_json(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    uri: Uri,
) -> Answer<Response> {
    let text = made(&app, &id, &uri, |problem, plan| {
        let back = undo(problem, plan).ok_or_else(|| {
            let fix = "only a plan for services that run now can be undone";
            Fault::missing("run", "nothing to go back to", fix)
        })?;
        Ok(write_plan_json(problem, &Plan::Placement(back)))
    });
    Ok(file(
        text.await?,
        "application/json",
        &format!("{id}-undo.json"),
    ))
}

/// The report as one self-contained page.
#[utoipa::path(get, path = "/api/v1/runs/{id}/report.html", tag = "answers",
    params(("id" = String, Path, description = "the run"), PointQuery),
    responses(
        (status = 200, description = "the report", content_type = "text/html", body = String),
        (status = 400, description = "the query cannot be read", body = ErrorBody),
        (status = 404, description = "no such run or point, or no answer", body = ErrorBody),
        (status = 409, description = "no answer yet", body = ErrorBody)))]
pub async fn report(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    uri: Uri,
) -> Answer<Response> {
    let (run, point) = (app.run(&id)?, point(&uri)?);
    app.heavy(move |app| {
        let bytes = text(app, &run, point, "report")?;
        let kind = HeaderValue::from_static("text/html; charset=utf-8");
        let policy = HeaderValue::from_static(REPORT_POLICY);
        let headers = [
            (header::CONTENT_TYPE, kind),
            (header::CONTENT_SECURITY_POLICY, policy),
        ];
        Ok((headers, bytes).into_response())
    })
    .await
}
