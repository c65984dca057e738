//! `bayplan why OBJECT INPUT`.

use anyhow::Result;
use clap::Args;

use crate::args::InputArgs;
use crate::check::plan;
use crate::failure::Verdict;
use crate::files;

/// What to ask about.
#[derive(Args)]
pub struct Why {
    /// A service, application, request or node; `service@node` asks about one place.
    #[arg(value_name = "OBJECT")]
    object: String,
    #[command(flatten)]
    input: InputArgs,
    /// Ask about this plan instead of what runs now.
    #[arg(long, value_name = "PLAN")]
    plan: Option<String>,
}

impl Why {
    /// Prints the reasons.
    pub fn run(self) -> Result<Verdict> {
        let problem = self.input.read()?.problem;
        let plan = self
            .plan
            .as_deref()
            .map(|path| plan(path, &problem))
            .transpose()?;
        let answer =
            bayplan::why(&problem, plan.as_ref(), &self.object).map_err(anyhow::Error::msg)?;
        files::write_text("-", &answer)?;
        Ok(Verdict::Holds)
    }
}
