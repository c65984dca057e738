//! An input as it is kept: a name, what it is about, and the problem itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use bayplan_formats::{Input, write_problem_json};
use bayplan_model::{Level, Problem, Workload};
use bayplan_solve::colocate::view::View;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::fault::{Answer, Fault};
use crate::store::pack;

/// An input that was read, with how to name it on the command line.
pub struct Given {
    /// The file's name, or whatever `bayplan VERB NAME` would read.
    pub name: String,
    /// Further words of the command line that reading needs, such as `--cpu 32`.
    pub words: Vec<String>,
    /// What was read.
    pub input: Input,
}

/// Something the input says that a problem cannot.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct NoteView {
    /// The code that `bayplan explain` knows.
    pub code: String,
    /// What, and how it was treated.
    pub text: String,
}

/// An input as the API shows it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct InputView {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The format it came in.
    pub format: String,
    /// `services`, `applications` or `requests`.
    pub workload: String,
    /// The questions that can be asked, the likeliest first.
    pub verbs: Vec<String>,
    /// Counts: nodes, services, replicas, traffic_edges, ...
    pub figures: BTreeMap<String, u64>,
    /// What could not be expressed.
    pub notes: Vec<NoteView>,
}

/// An input as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InputRecord {
    pub id: String,
    pub number: u64,
    pub words: Vec<String>,
    /// Compressed bytes of the problem.
    pub bytes: u64,
    pub view: InputView,
}

impl InputRecord {
    /// As the API shows it.
    pub fn view(&self) -> InputView {
        self.view.clone()
    }
}

/// Stores an input and says what it is.
pub fn take_in(app: &App, given: Given) -> Answer<InputView> {
    let Given { name, words, input } = given;
    let packed = pack(write_problem_json(&input.problem).as_bytes());
    let next = app.store.next_id('i');
    let (number, id) = next.map_err(|error| Fault::internal(error.to_string()))?;
    let notes = input.notes.iter().map(|note| NoteView {
        code: note.code.to_string(),
        text: note.to_string(),
    });
    let view = InputView {
        id: id.clone(),
        name,
        format: input.format.name().to_string(),
        workload: workload(&input.problem).to_string(),
        verbs: verbs(&input.problem).into_iter().map(Into::into).collect(),
        figures: figures(&input.problem),
        notes: notes.collect(),
    };
    let record = InputRecord {
        id,
        number,
        words,
        bytes: packed.len() as u64,
        view: view.clone(),
    };
    app.add_input(record, Arc::new(input.problem), packed)?;
    Ok(view)
}

fn workload(problem: &Problem) -> &'static str {
    match problem.workload() {
        Workload::Services(_) => "services",
        Workload::Applications(_) => "applications",
        Workload::Requests(_) => "requests",
    }
}

/// The questions whose rules the input keeps, the likeliest first.
fn verbs(problem: &Problem) -> Vec<&'static str> {
    let likely = bayplan::flags::likely_verb(problem);
    let Some(services) = problem.services() else {
        return vec![likely];
    };
    let by_label = |level: &Level| !matches!(level, Level::Node);
    let random = !services.variance.is_empty();
    let can = |verb: &str| match verb {
        "provision" => !random,
        "colocate" => !services.traffic.is_empty() && View::new(problem, None, &[]).is_ok(),
        _ => random && !services.spread.iter().any(|set| by_label(&set.level)),
    };
    let mut verbs: Vec<&str> = ["provision", "colocate", "overcommit"]
        .into_iter()
        .filter(|verb| can(verb))
        .collect();
    verbs.sort_by_key(|verb| *verb != likely);
    verbs
}

fn figures(problem: &Problem) -> BTreeMap<String, u64> {
    let cluster = problem.cluster();
    let mut figures = BTreeMap::from([
        ("resources", cluster.resources.len() as u64),
        ("pools", cluster.pools.len() as u64),
        ("nodes", cluster.nodes.len() as u64),
    ]);
    match problem.workload() {
        Workload::Services(services) => {
            figures.extend([
                ("services", services.len() as u64),
                (
                    "replicas",
                    services.replicas.iter().map(|r| u64::from(*r)).sum(),
                ),
                ("placed", services.placement.replicas()),
                ("traffic_edges", services.traffic.len() as u64),
                ("spread_sets", services.spread.len() as u64),
                ("epochs", services.epochs as u64),
            ]);
        }
        Workload::Applications(applications) => {
            figures.extend([
                ("applications", applications.all.len() as u64),
                ("instances", applications.layout.len() as u64),
            ]);
        }
        Workload::Requests(requests) => {
            figures.insert("requests", requests.len() as u64);
        }
    }
    figures
        .into_iter()
        .map(|(name, count)| (name.to_string(), count))
        .collect()
}
