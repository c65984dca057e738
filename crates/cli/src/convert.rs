//! `bayplan convert INPUT --to FORMAT`.

use anyhow::{Result, bail};
use bayplan_formats::{Format, write_problem_json, write_problem_yaml, write_table};
use clap::Args;

use crate::args::InputArgs;
use crate::failure::Verdict;
use crate::files;

/// What to convert, and into what.
#[derive(Args)]
pub struct Convert {
    #[command(flatten)]
    input: InputArgs,
    /// `yaml` or `json` (the native format), or the name of a table.
    #[arg(long, value_name = "FORMAT", default_value = "yaml")]
    to: String,
    /// Where to write; `.gz` is compressed.
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: String,
}

impl Convert {
    /// Reads and writes.
    pub fn run(self) -> Result<Verdict> {
        let problem = self.input.read()?.problem;
        match self.to.as_str() {
            "yaml" => files::write_text(&self.out, &write_problem_yaml(&problem))?,
            "json" => files::write_text(&self.out, &write_problem_json(&problem))?,
            name => {
                let Some(format) = Format::parse(name) else {
                    bail!("--to: no format is called {name:?}");
                };
                let mut text = Vec::new();
                write_table(&problem, format, &mut text)?;
                files::write(&self.out, |out| out.write_all(&text))?;
            }
        }
        Ok(Verdict::Holds)
    }
}
