//! The five questions as the API describes and understands them: the same
//! options, names and defaults as the command line's flags.

mod admit;
mod colocate;
mod divide;
mod options;
mod overcommit;
mod provision;

use axum::Json;
use bayplan::Question;
use bayplan_model::Problem;
use bayplan_solve::shared::registry::find;
use bayplan_solve::{AlgorithmInfo, SolveError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

pub use options::OptionView;

use crate::fault::{Answer, ErrorItem, Fault};
use options::Chosen;

/// A question.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// How many nodes do I need, of which kind?
    Provision,
    /// Which services should share nodes?
    Colocate,
    /// How far may I overcommit?
    Overcommit,
    /// How should load be split over instances?
    Divide,
    /// Whom do I admit when it does not all fit?
    Admit,
}

/// A question with all its parameters, ready to be asked.
pub enum Asked {
    /// One answer.
    Plain(Box<dyn Question>),
    /// Several plans: gain against moves.
    Frontier(bayplan_solve::colocate::Params),
    /// Several plans: machines against confidence.
    Curve(bayplan_solve::overcommit::Params),
}

impl Asked {
    /// The question behind one answer or many.
    pub fn question(&self) -> &dyn Question {
        match self {
            Self::Plain(question) => &**question,
            Self::Frontier(params) => params,
            Self::Curve(params) => params,
        }
    }
}

/// A question as the API describes it.
#[derive(Serialize, ToSchema)]
pub struct VerbView {
    /// The verb.
    pub verb: Verb,
    /// What it answers.
    pub question: &'static str,
    /// Its options.
    pub options: Vec<OptionView>,
    /// Its algorithms.
    pub algorithms: Vec<AlgorithmView>,
}

/// An algorithm.
#[derive(Serialize, ToSchema)]
pub struct AlgorithmView {
    /// The name to ask for.
    pub name: String,
    /// What it does.
    pub summary: String,
    /// Where it comes from.
    pub paper: &'static str,
}

/// The five questions with their options and algorithms.
#[utoipa::path(get, path = "/api/v1/verbs", tag = "runs", responses(
    (status = 200, description = "the five questions", body = Vec<VerbView>)))]
pub async fn list() -> Json<Vec<VerbView>> {
    Json(Verb::ALL.into_iter().map(Verb::view).collect())
}

impl Verb {
    /// All five.
    pub const ALL: [Self; 5] = [
        Self::Provision,
        Self::Colocate,
        Self::Overcommit,
        Self::Divide,
        Self::Admit,
    ];

    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Provision => "provision",
            Self::Colocate => "colocate",
            Self::Overcommit => "overcommit",
            Self::Divide => "divide",
            Self::Admit => "admit",
        }
    }

    fn view(self) -> VerbView {
        let question = match self {
            Self::Provision => "How many nodes do I need, of which kind?",
            Self::Colocate => {
                "Which services should share nodes, and how do I get there without an outage?"
            }
            Self::Overcommit => "How far may I overcommit?",
            Self::Divide => "How should load be split over instances?",
            Self::Admit => "Whom do I admit when it does not all fit?",
        };
        let algorithms = self.algorithms().into_iter().map(|info| AlgorithmView {
            name: info.name,
            summary: info.summary,
            paper: info.source,
        });
        VerbView {
            verb: self,
            question,
            options: self.options(),
            algorithms: algorithms.collect(),
        }
    }

    /// The options, as described and as checked.
    pub fn options(self) -> Vec<OptionView> {
        match self {
            Self::Provision => provision::options(),
            Self::Colocate => colocate::options(),
            Self::Overcommit => overcommit::options(),
            Self::Divide => divide::options(),
            Self::Admit => admit::options(),
        }
    }

    fn algorithms(self) -> Vec<AlgorithmInfo> {
        match self {
            Self::Provision => bayplan_solve::provision::algorithms(),
            Self::Colocate => bayplan_solve::colocate::algorithms(),
            Self::Overcommit => bayplan_solve::overcommit::algorithms(),
            Self::Divide => bayplan_solve::divide::algorithms(),
            Self::Admit => bayplan_solve::admit::algorithms(),
        }
    }

    /// The question with its parameters; every wrong option is named.
    pub fn asked(
        self,
        algorithm: &str,
        given: &Map<String, Value>,
        problem: &Problem,
    ) -> Answer<Asked> {
        let chosen = Chosen::check(&self.options(), given)?;
        let algorithm = find(algorithm, &self.algorithms())?.name.clone();
        self.params(algorithm, &chosen, problem)
            .map_err(Fault::from)
    }

    fn params(
        self,
        algorithm: String,
        chosen: &Chosen,
        problem: &Problem,
    ) -> Result<Asked, SolveError> {
        match self {
            Self::Provision => provision::asked(algorithm, chosen, problem),
            Self::Colocate => colocate::asked(algorithm, chosen, problem),
            Self::Overcommit => overcommit::asked(algorithm, chosen, problem),
            Self::Divide => divide::asked(algorithm, chosen),
            Self::Admit => admit::asked(algorithm, chosen),
        }
    }

    /// The options as words of the command line.
    pub fn words(self, given: &Map<String, Value>) -> Vec<String> {
        match Chosen::check(&self.options(), given) {
            Ok(chosen) => chosen.words(),
            Err(_) => Vec::new(),
        }
    }
}

/// An option that is wrong.
fn wrong_option(name: &str, what: String, fix: String) -> ErrorItem {
    ErrorItem::new("W003", format!("options.{name}"), what, fix)
}
