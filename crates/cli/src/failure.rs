//! Exit codes: 0 done, 1 something asked for does not hold, 2 wrong input or usage.

use std::io::ErrorKind;
use std::process::ExitCode;

/// How a command ended when nothing went wrong with the input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Everything asked for holds.
    Holds,
    /// There is an answer, but something asked for does not hold.
    Fails,
}

/// Prints an error and turns the result into the process's exit code.
pub fn exit_code(result: anyhow::Result<Verdict>) -> ExitCode {
    match result {
        Ok(Verdict::Holds) => ExitCode::SUCCESS,
        Ok(Verdict::Fails) => ExitCode::from(1),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", describe(&error));
            ExitCode::from(2)
        }
    }
}

/// The error with its code, causes and what to do next.
fn describe(error: &anyhow::Error) -> String {
    if let Some(known) = error.downcast_ref::<bayplan_kube::Error>() {
        let code = known.code();
        return format!("{known} [{code}]\n`bayplan explain {code}` says more.");
    }
    if let Some(known) = error.downcast_ref::<bayplan_kube::apply::ApplyError>() {
        let code = known.code();
        return format!("{known} [{code}]\n`bayplan explain {code}` says more.");
    }
    let Some(known) = error.downcast_ref::<bayplan::Error>() else {
        return format!("{error:#}");
    };
    let code = known.code();
    let mut text = format!("{known} [{code}]");
    if known.is_internal() {
        text.push_str("\nThis is a mistake in bayplan, not in your input: no plan was written. ");
        text.push_str("Please report it with the input and the command line.");
    } else {
        text.push_str(&format!("\n`bayplan explain {code}` says more."));
    }
    text
}

/// `bayplan ... | head` is not a failure.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<std::io::Error>());
    io.is_some_and(|io| io.kind() == ErrorKind::BrokenPipe)
}
