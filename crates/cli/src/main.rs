//! The `bayplan` command: thin. Each subcommand is one line here and one file.

mod args;
mod check;
mod completions;
mod diff;
mod explain;
mod failure;
mod files;
mod progress;
mod verbs;
mod why;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::verbs::Ask;

// Many small allocations on several threads: a third faster than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Where should containers run? Five questions, one model, a proof with every answer.
#[derive(Parser)]
#[command(name = "bayplan", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check a placement or a plan, from this or any other program.
    Check(check::Check),
    /// Show what differs between two plans.
    Diff(diff::Diff),
    /// Explain a code of an error, note or violation.
    Explain(explain::Explain),
    /// Say why something is where it is, or cannot be placed.
    Why(why::Why),
    /// Print completions for a shell.
    Completions(completions::Completions),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Check(check) => check.run(),
        Command::Diff(diff) => diff.run(),
        Command::Explain(explain) => explain.run(),
        Command::Why(why) => why.run(),
        Command::Completions(completions) => completions.run::<Cli>(),
    };
    failure::exit_code(result)
}
