//! A page as Markdown, its tables for a terminal, all averages as CSV.

use std::fmt::Write;
use std::path::Path;

use bayplan_report::table;

use super::results::{Stat, number};
use super::{ExperimentError, Extent, Page, Results, Setting, SummaryRow, Table, machine};

/// Writes Markdown, CSV and SVG into a folder.
pub fn write(
    folder: &Path,
    page: &Page,
    results: &Results,
    setting: &Setting,
) -> Result<(), ExperimentError> {
    std::fs::create_dir_all(folder).map_err(ExperimentError::file(folder))?;
    let put = |name: String, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(ExperimentError::file(&path))
    };
    put(
        format!("{}.md", page.verb),
        &markdown(page, results, setting),
    )?;
    put(format!("{}.csv", page.verb), &csv(results))?;
    for (name, chart) in page.sections.iter().flat_map(|section| &section.charts) {
        put(format!("{name}.svg"), &chart.svg())?;
    }
    Ok(())
}

/// The page.
pub fn markdown(page: &Page, results: &Results, setting: &Setting) -> String {
    let mut text = format!("# {}\n\n{}\n\n", page.title, page.paper);
    let _ = writeln!(text, "{}\n", provenance(page, results, setting));
    for paragraph in &page.intro {
        let _ = writeln!(text, "{paragraph}\n");
    }
    for section in &page.sections {
        let _ = writeln!(text, "## {}\n", section.heading);
        for paragraph in &section.text {
            let _ = writeln!(text, "{paragraph}\n");
        }
        for (name, chart) in &section.charts {
            let _ = writeln!(text, "![{}]({name}.svg)\n", chart.title);
        }
        for table in &section.tables {
            if !table.caption.is_empty() {
                let _ = writeln!(text, "{}\n", table.caption);
            }
            text.push_str(&markdown_table(table));
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// How the figures were made: command, version, machine, date, and how much of
/// the experiment has been run.
fn provenance(page: &Page, results: &Results, setting: &Setting) -> String {
    let extent = match setting.extent {
        Extent::Full => "--full",
        Extent::Quick => "--quick",
        Extent::Check => "(the cells that the tests compare)",
    };
    let data = if page.public {
        " with public data (`--data`)"
    } else {
        " on generated data"
    };
    let (run, wanted) = (results.measured().len(), results.wanted());
    let mut text = format!(
        "Made by `bayplan papers {} {extent}`{data}, bayplan {}, on {}, {}. ",
        page.verb,
        env!("CARGO_PKG_VERSION"),
        machine::describe(),
        machine::today(),
    );
    if run == wanted {
        let _ = write!(text, "All {wanted} cells have been run. ");
    } else {
        let _ = write!(
            text,
            "**{run} of {wanted} cells have been run**, seeds in turn, so that averages are over \
             fewer seeds than the paper's where cells are missing; the tables say over how many. "
        );
    }
    if results.stale() > 0 {
        let _ = write!(
            text,
            "**{} of them were made by an earlier solver** and will be run again. ",
            results.stale()
        );
    }
    text.push_str("Seeds count from 1. Times are CPU seconds of all threads together.");
    text
}

fn markdown_table(table: &Table) -> String {
    let safe = |cell: &String| cell.replace('|', "\\|");
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(table.header.iter().map(safe).collect());
    text.push_str(&line(vec!["---".into(); table.header.len()]));
    for row in &table.rows {
        text.push_str(&line(row.iter().map(safe).collect()));
    }
    text
}

/// The tables of a page for a terminal.
pub fn terminal(page: &Page) -> String {
    let mut text = format!("{}\n", page.title);
    for section in &page.sections {
        for shown in &section.tables {
            let header: Vec<&str> = shown.header.iter().map(String::as_str).collect();
            let _ = writeln!(
                text,
                "\n{}\n{}",
                section.heading,
                table(&header, &shown.rows)
            );
        }
    }
    text
}

/// Every average: one line per study, x, series and metric.
pub fn csv(results: &Results) -> String {
    let mut text = String::from("study,x,series,metric,count,mean,deviation,least,most\n");
    let quoted = |word: &str| {
        if word.contains(',') {
            format!("\"{word}\"")
        } else {
            word.to_string()
        }
    };
    for study in results.studies() {
        for x in results.xs(&study) {
            for series in results.series(&study) {
                let cells: Vec<_> = results.at(&study, &x, &series).collect();
                let mut metrics: Vec<&str> = cells
                    .iter()
                    .flat_map(|m| m.values.numbers.keys().map(String::as_str))
                    .collect();
                metrics.push("cpu_seconds");
                metrics.sort_unstable();
                metrics.dedup();
                for metric in metrics {
                    let values: Vec<f64> = cells.iter().filter_map(|m| number(m, metric)).collect();
                    let Some(s) = Stat::of(&values) else { continue };
                    let _ = writeln!(
                        text,
                        "{},{},{},{metric},{},{:.6},{:.6},{:.6},{:.6}",
                        quoted(&study),
                        quoted(&x),
                        quoted(&series),
                        s.count,
                        s.mean,
                        s.deviation,
                        s.least,
                        s.most
                    );
                }
            }
        }
    }
    text
}

/// The summary of all papers.
pub fn summary(pages: &[(&'static str, Vec<SummaryRow>, String)]) -> String {
    let mut text = String::from(
        "# Against the papers\n\n\
         One line per question and instance. *Published* is the best result of the paper (or of its \
         authors' files), *ours* is `auto`, *bound* is what no plan can beat; all means over the \
         seeds run. Each page says how it was made and where figures differ and why.\n\n\
         Times: the paper's are wall seconds on its authors' machine, ours are CPU seconds on the \
         machine named below. The ratio compares different machines, languages and years, and for \
         generated instances not even the same numbers: read its order of magnitude, not its \
         digits.\n\n",
    );
    let seconds = |value: Option<f64>| match value {
        None => String::new(),
        Some(value) if value < 0.995 => format!("{value:.2}"),
        Some(value) if value < 99.5 => format!("{value:.1}"),
        Some(value) => format!("{value:.0}"),
    };
    let header = [
        "question",
        "instance",
        "published best",
        "ours",
        "bound",
        "published s",
        "ours s",
        "ratio",
    ];
    let mut table = Table {
        header: header.map(String::from).to_vec(),
        ..Table::default()
    };
    for (verb, rows, _) in pages {
        for row in rows {
            let ratio = match (row.published_seconds, row.seconds) {
                (Some(theirs), Some(ours)) if ours > 0.0 => seconds(Some(theirs / ours)),
                _ => String::new(),
            };
            table.rows.push(vec![
                format!("[{verb}]({verb}.md)"),
                row.what.clone(),
                row.published.clone(),
                row.ours.clone(),
                row.bound.clone(),
                seconds(row.published_seconds),
                seconds(row.seconds),
                ratio,
            ]);
        }
    }
    text.push_str(&markdown_table(&table));
    text.push('\n');
    for (verb, _, made) in pages {
        let _ = writeln!(text, "- {verb}: {made}");
    }
    text
}

/// In one line, how much of an experiment has been run and on what.
pub fn made(page: &Page, results: &Results, setting: &Setting) -> String {
    let extent = match setting.extent {
        Extent::Full => "full",
        Extent::Quick => "quick",
        Extent::Check => "check",
    };
    let stale = match results.stale() {
        0 => String::new(),
        some => format!(" ({some} by an earlier solver)"),
    };
    format!(
        "{extent} run{}, {} of {} cells{stale}, bayplan {}, {}, {}",
        if page.public { " with public data" } else { "" },
        results.measured().len(),
        results.wanted(),
        env!("CARGO_PKG_VERSION"),
        machine::describe(),
        machine::today()
    )
}
