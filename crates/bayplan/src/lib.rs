//! The library a user depends on: choose, run within a budget, verify, and
//! assemble an [`Outcome`].
//!
//! ```no_run
//! # use bayplan::{answer, formats, solve::{Budget, Context}};
//! # use bayplan::{Question, Outcome};
//! # fn ask(question: &dyn Question) -> Result<Outcome, Box<dyn std::error::Error>> {
//! let input = formats::read_file("cluster.yaml", &formats::ReadOptions::default())?;
//! let context = Context::new(1, Budget::Seconds(10.0), 0);
//! let outcome = answer(&input.problem, question, &context)?;
//! # Ok(outcome) }
//! ```

mod clock;
mod codes;
mod error;
pub mod flags;
mod json;
mod outcome;
mod question;
mod questions;
mod undo;
mod why;

pub use bayplan_formats as formats;
pub use bayplan_model as model;
pub use bayplan_solve as solve;
pub use bayplan_verify as verify;

pub use clock::cpu_seconds;
pub use codes::{Code, codes};
pub use error::Error;
pub use json::{figures_json, objective_name, reason_word, to_json, violation_json};
pub use outcome::{Outcome, answer, answer_with, shown_scale};
pub use question::Question;
pub use undo::undo;
pub use why::{why, why_pod};
