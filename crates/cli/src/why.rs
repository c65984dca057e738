//! `bayplan why OBJECT INPUT`.

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::args::InputArgs;
use crate::check::plan;
use crate::failure::Verdict;
use crate::files;

/// What to ask about.
#[derive(Args)]
pub struct Why {
    /// A service, application, request or node; `service@node` asks about one place;
    /// `pod/NAME` or `pod/NAMESPACE/NAME[@NODE]` about a pod of a Kubernetes cluster.
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
        let input = self.input.read()?;
        let problem = input.problem;
        if let Some(pod) = self.object.strip_prefix("pod/") {
            let objects = input
                .objects
                .context("only a Kubernetes listing has pods")?;
            ensure!(
                self.plan.is_none(),
                "a plan places services, not pods: ask about the service with --plan"
            );
            let answer = bayplan::why_pod(&problem, &objects, pod).map_err(anyhow::Error::msg)?;
            files::write_text("-", &answer)?;
            return Ok(Verdict::Holds);
        }
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
