//! Progress on a terminal, and Ctrl-C as "give me what you have".

use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bayplan_solve::{Context, Progress, StopFlag};
use indicatif::{ProgressBar, ProgressStyle};

/// A run's context that shows progress on stderr when that is a terminal, and
/// stops at the first Ctrl-C with the best answer so far; the second one ends
/// the program.
pub fn listening(context: Context) -> (Context, Option<ProgressBar>) {
    let stop = StopFlag::default();
    let flag = stop.clone();
    // Without a handler Ctrl-C ends the program at once, which loses only the answer.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("stopping with the best answer so far (Ctrl-C again ends at once)");
    });
    let context = context.with_stop(stop);
    if !std::io::stderr().is_terminal() {
        return (context, None);
    }
    let style = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}");
    let bar = ProgressBar::new_spinner().with_style(style.expect("a fixed template"));
    bar.enable_steady_tick(Duration::from_millis(100));
    let shown = bar.clone();
    (
        context.with_listener(move |progress| shown.set_message(line(progress))),
        Some(bar),
    )
}

fn line(progress: Progress) -> String {
    let number = |value: Option<f64>| value.map_or("-".to_string(), |value| format!("{value:.6}"));
    let gap = match (progress.incumbent, progress.bound) {
        (Some(incumbent), Some(bound)) if bound != 0.0 => {
            format!("{:.2} %", 100.0 * ((incumbent - bound) / bound).abs())
        }
        _ => "-".into(),
    };
    let (incumbent, bound) = (number(progress.incumbent), number(progress.bound));
    format!(
        "{}: best {incumbent}, bound {bound}, gap {gap}",
        progress.phase
    )
}
