//! The `bayplan` command: thin. Each subcommand is one line here and one file.

mod apply;
mod args;
mod check;
mod compare;
mod completions;
mod controller;
mod convert;
mod diff;
mod explain;
mod failure;
mod files;
mod generate;
mod live;
mod measured;
mod papers;
mod profile;
mod progress;
mod serve;
mod snapshot;
mod train;
mod verbs;
mod why;

use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

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
    /// How many nodes do I need, of which kind?
    Provision(Ask<verbs::Provision>),
    /// Which services should share nodes, and how do I get there without an outage?
    Colocate(Ask<verbs::Colocate>),
    /// How far may I overcommit?
    Overcommit(Ask<verbs::Overcommit>),
    /// How should load be split over instances?
    Divide(Ask<verbs::Divide>),
    /// Whom do I admit when it does not all fit?
    Admit(Ask<verbs::Admit>),
    /// Run several algorithms on one input: quality against time.
    Compare(compare::Compare),
    /// Check a placement or a plan, from this or any other program.
    Check(check::Check),
    /// Say why something is where it is, or cannot be placed.
    Why(why::Why),
    /// Show what differs between two plans.
    Diff(diff::Diff),
    /// Explain a code of an error, note or violation.
    Explain(explain::Explain),
    /// Generate an instance of one of the five questions.
    Generate(generate::Generate),
    /// Repeat the papers' experiments: ours beside what was published.
    Papers(papers::Papers),
    /// Read a live Kubernetes cluster into a file that every verb takes.
    Snapshot(snapshot::SnapshotArgs),
    /// Carry a plan out on the live cluster, wave by wave; a dry run unless told otherwise.
    Apply(apply::Apply),
    /// Put in order what an apply left whose machine died.
    Cleanup(apply::Cleanup),
    /// Watch over a cluster: plan now and then, and carry out what is worth it.
    Controller(controller::ControllerArgs),
    /// Convert a problem between formats.
    Convert(convert::Convert),
    /// Turn usage samples into mean, deviation and a profile per service.
    Profile(profile::Profile),
    /// Serve the page: see the cluster, the plan and the proof.
    Serve(serve::Serve),
    /// Train the networks that choose between the solvers of colocate's RASA.
    Train(train::Train),
    /// Print completions for a shell.
    Completions(completions::Completions),
}

/// The arguments; under the name of a plugin, help says it as kubectl's users type it.
fn parse() -> Cli {
    let name = std::env::args_os().next().unwrap_or_default();
    let mut command = Cli::command();
    if Path::new(&name)
        .file_stem()
        .is_some_and(|name| name == "kubectl-bayplan")
    {
        command = command.bin_name("kubectl bayplan");
    }
    Cli::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit())
}

fn main() -> ExitCode {
    let cli = parse();
    let result = match cli.command {
        Command::Provision(ask) => ask.run(),
        Command::Colocate(ask) => ask.run(),
        Command::Overcommit(ask) => ask.run(),
        Command::Divide(ask) => ask.run(),
        Command::Admit(ask) => ask.run(),
        Command::Compare(compare) => compare.run(),
        Command::Check(check) => check.run(),
        Command::Why(why) => why.run(),
        Command::Diff(diff) => diff.run(),
        Command::Explain(explain) => explain.run(),
        Command::Generate(generate) => generate.run(),
        Command::Papers(papers) => papers.run(),
        Command::Snapshot(snapshot) => snapshot.run(),
        Command::Apply(apply) => apply.run(),
        Command::Cleanup(cleanup) => cleanup.run(),
        Command::Controller(controller) => controller.run(),
        Command::Convert(convert) => convert.run(),
        Command::Profile(profile) => profile.run(),
        Command::Serve(serve) => serve.run(),
        Command::Train(train) => train.run(),
        Command::Completions(completions) => completions.run::<Cli>(),
    };
    failure::exit_code(result)
}
