//! The page of an experiment: sections of words, figures and tables.

use bayplan_report::Chart;

/// One page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The verb.
    pub verb: &'static str,
    /// The question and what it was measured on.
    pub title: String,
    /// The paper.
    pub paper: &'static str,
    /// Whether public data were used.
    pub public: bool,
    /// Paragraphs before the first section.
    pub intro: Vec<String>,
    /// One section per figure or table of the paper.
    pub sections: Vec<Section>,
    /// Rows for the summary of all papers.
    pub summary: Vec<SummaryRow>,
}

/// A figure or table of the paper, ours beside it.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// Paragraphs: what was published, what is ours, why they differ.
    pub text: Vec<String>,
    /// Pictures with the name of their file.
    pub charts: Vec<(String, Chart)>,
    /// Tables.
    pub tables: Vec<Table>,
}

/// A table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// What it shows; empty: the heading says it.
    pub caption: String,
    /// Names of columns.
    pub header: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}

/// One line of the summary.
#[derive(Clone, PartialEq, Debug)]
pub struct SummaryRow {
    /// What is measured, on what.
    pub what: String,
    /// The best that was published.
    pub published: String,
    /// Ours.
    pub ours: String,
    /// What nobody can beat.
    pub bound: String,
    /// Seconds published, on their machine.
    pub published_seconds: Option<f64>,
    /// Our CPU seconds.
    pub seconds: Option<f64>,
}

impl Section {
    /// A section with words only.
    pub fn new(heading: impl Into<String>, text: &[&str]) -> Self {
        Self {
            heading: heading.into(),
            text: text.iter().map(|t| (*t).to_string()).collect(),
            ..Self::default()
        }
    }
}

/// A number with a fixed number of decimals; empty when unknown.
pub fn fixed(value: Option<f64>, decimals: usize) -> String {
    value.map_or(String::new(), |value| format!("{value:.decimals$}"))
}

/// Ours, with the published value in brackets where there is one.
pub fn beside(ours: Option<f64>, published: Option<f64>, decimals: usize) -> String {
    match (ours, published) {
        (None, None) => String::new(),
        (None, Some(p)) => format!("– ({p:.decimals$})"),
        (Some(o), None) => format!("{o:.decimals$}"),
        (Some(o), Some(p)) => format!("{o:.decimals$} ({p:.decimals$})"),
    }
}
