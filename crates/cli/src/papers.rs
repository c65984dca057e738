//! `bayplan papers`: the papers' experiments, ours beside what was published.

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use bayplan_papers::experiments::{
    self, Experiment, Extent, Journal, Progress, Results, Setting, SummaryRow,
};
use bayplan_solve::StopFlag;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Verdict;

/// Which experiments, how much of them, and where to.
#[derive(Args)]
pub struct Papers {
    /// The questions: provision, colocate, overcommit, divide, admit; all unless given.
    #[arg(value_name = "VERB")]
    verbs: Vec<String>,
    /// Every figure on small instances, the same on every machine (the default).
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Every size, density, graph and seed of the papers: hours. Interrupted, it goes on where it was.
    #[arg(long)]
    full: bool,
    /// The folder of public data sets and published results.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Where Markdown, CSV, SVG and the journal of cells go.
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Begin no new cell after so many minutes; the pages say what has been run.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    minutes: Option<f64>,
    /// Forget the cells of an earlier full run.
    #[arg(long)]
    fresh: bool,
    /// Run only cells whose "study, x, series" contains this, such as "methods, M3".
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Cells that run at the same time, each on one thread [default: one per
    /// core in a quick run, where steps are counted; 1 in a full run, where
    /// seconds are].
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Threads of each run where one runs at a time; 0 means all cores.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// A page's part of the summary.
type Part = (&'static str, Vec<SummaryRow>, String);

impl Papers {
    /// Runs what is missing and writes the pages.
    pub fn run(self) -> Result<Verdict> {
        let all = experiments::all();
        let known: Vec<&str> = all.iter().map(|experiment| experiment.verb()).collect();
        if let Some(other) = self
            .verbs
            .iter()
            .find(|verb| !known.contains(&verb.as_str()))
        {
            bail!("no paper asks {other:?}; there are {}", known.join(", "));
        }
        if let Some(data) = self.data.as_ref().filter(|data| !data.is_dir()) {
            bail!("--data: {} is no folder", data.display());
        }
        if self.jobs.is_some_and(|jobs| jobs.get() > 1) && self.threads > 1 {
            bail!("--jobs and --threads: cells side by side run on one thread each");
        }
        let until = match self.minutes {
            None => None,
            Some(minutes) => match Duration::try_from_secs_f64(60.0 * minutes) {
                Ok(time) => Instant::now().checked_add(time),
                Err(_) => bail!("--minutes: minutes, 0 or more, not {minutes}"),
            },
        };
        let setting = self.setting();
        let mut summary: Vec<Part> = Vec::new();
        for experiment in all {
            let asked = self.verbs.is_empty() || self.verbs.iter().any(|v| v == experiment.verb());
            let path = self.journal(experiment.verb());
            // What was not asked for is in the summary if it has been run before.
            if !asked && !path.exists() {
                continue;
            }
            let fresh = asked && (self.fresh || !self.full);
            let mut journal = Journal::open(&path, fresh)?;
            let until = if asked { until } else { Some(Instant::now()) };
            let results = run(&*experiment, &setting, &mut journal, until)?;
            let page = experiment.page(&results, &setting)?;
            if asked {
                experiments::write(&self.out, &page, &results, &setting)?;
                println!("{}", experiments::terminal(&page));
                say_where(&self.out, experiment.verb(), &results);
            }
            let made = experiments::made(&page, &results, &setting);
            summary.push((page.verb, page.summary, made));
        }
        let path = self.out.join("summary.md");
        std::fs::write(&path, experiments::summary(&summary))?;
        println!("summary: {}", path.display());
        let stopped = setting.stop.load(Ordering::Relaxed);
        Ok(if stopped {
            Verdict::Fails
        } else {
            Verdict::Holds
        })
    }

    fn setting(&self) -> Setting {
        let side_by_side = self.side_by_side();
        let stop = StopFlag::default();
        let flag = stop.clone();
        // Without a handler Ctrl-C ends the program at once: the journal is complete even so.
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            eprintln!("writing the pages of what has been run (Ctrl-C again ends at once)");
        });
        Setting {
            extent: if self.full {
                Extent::Full
            } else {
                Extent::Quick
            },
            data: self.data.clone(),
            threads: if side_by_side > 1 { 1 } else { self.threads },
            side_by_side,
            only: self.only.clone(),
            stop,
        }
    }

    /// Cells that count steps come out the same beside others; seconds would
    /// be taken from each other.
    fn side_by_side(&self) -> usize {
        match self.jobs {
            Some(jobs) => jobs.get(),
            None if self.full || self.threads != 0 => 1,
            None => available_parallelism().map_or(1, NonZeroUsize::get),
        }
    }

    /// Cells on other data or of another extent are other cells.
    fn journal(&self, verb: &str) -> PathBuf {
        let extent = if self.full { "full" } else { "quick" };
        let data = if self.data.is_some() { "-public" } else { "" };
        let name = format!("{verb}-{extent}{data}.jsonl");
        self.out.join("cells").join(name)
    }
}

fn run(
    experiment: &dyn Experiment,
    setting: &Setting,
    journal: &mut Journal,
    until: Option<Instant>,
) -> Result<Results> {
    let bar = std::io::stderr().is_terminal().then(|| {
        let style = "{prefix} {bar:24} {pos}/{len} {elapsed} {msg}";
        let style = ProgressStyle::with_template(style).expect("a fixed template");
        let bar = ProgressBar::new(1).with_style(style);
        bar.with_prefix(experiment.verb())
    });
    let mut listen = |progress: &Progress| {
        let Some(bar) = &bar else { return };
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
        let (cell, left) = (progress.cell, time(progress.seconds_left));
        bar.set_message(format!(
            "{left} left, {}, {}, {}",
            cell.study, cell.x, cell.series
        ));
    };
    let results = experiments::run(experiment, setting, journal, until, &mut listen);
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    Ok(results?)
}

fn time(seconds: f64) -> String {
    match seconds.round() as u64 {
        seconds if seconds < 120 => format!("{seconds} s"),
        seconds if seconds < 7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

fn say_where(out: &Path, verb: &str, results: &Results) {
    println!(
        "{verb}: {} of {} cells; page {}, figures beside it\n",
        results.measured().len(),
        results.wanted(),
        out.join(format!("{verb}.md")).display()
    );
}
