//! `bayplan completions SHELL`.

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::failure::Verdict;
use crate::files;

/// The shell to complete for.
#[derive(Args)]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub fn run<C: CommandFactory>(self) -> Result<Verdict> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut C::command(), "bayplan", &mut script);
        files::write("-", |out| out.write_all(&script))?;
        Ok(Verdict::Holds)
    }
}
