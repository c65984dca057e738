//! `bayplan explain CODE`.

use anyhow::{Result, bail};
use clap::Args;

use crate::failure::Verdict;
use crate::files;

/// A code to explain.
#[derive(Args)]
pub struct Explain {
    /// A code such as V001; without one, all codes are listed.
    code: Option<String>,
    /// Write all codes as a Markdown page.
    #[arg(long, conflicts_with = "code")]
    markdown: bool,
}

impl Explain {
    /// Prints what the code means, or the list.
    pub fn run(self) -> Result<Verdict> {
        let codes = codes();
        let text = match self.code {
            Some(wanted) => {
                let known = codes
                    .iter()
                    .find(|code| code.code.eq_ignore_ascii_case(wanted.trim()));
                let Some(code) = known else {
                    bail!("no code is called {wanted:?}; `bayplan explain` lists all");
                };
                format!("{}: {}\n\n{}\n", code.code, code.title, code.explanation)
            }
            None if self.markdown => bayplan_report::codes_page(&codes),
            None => codes
                .iter()
                .map(|code| format!("{}  {}\n", code.code, code.title))
                .collect(),
        };
        files::write_text("-", &text)?;
        Ok(Verdict::Holds)
    }
}

/// The codes of the library and of Kubernetes, sorted.
fn codes() -> Vec<bayplan::Code> {
    let mut all = bayplan::codes();
    all.extend(bayplan_kube::codes());
    all.sort_by_key(|code| code.code);
    all
}
