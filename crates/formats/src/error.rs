//! Errors of an input: all at once, each with code, place, finding and fix.

use std::fmt;

use bayplan_model::Names;

/// At most this many errors are kept; the rest is counted.
const KEPT: usize = 100;

/// Looking for the nearest name scans a table, so only so many errors get it.
const HINTS: usize = 10;

/// Which of the files an error is in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Source {
    /// The input itself.
    #[default]
    Input,
    /// The file with limits beside it.
    Limits,
    /// The list of nodes beside it.
    Nodes,
    /// The current layout beside it.
    Layout,
    /// The traffic beside it.
    Traffic,
    /// The kinds of nodes that can be had.
    NodeTypes,
    /// A plan.
    Plan,
}

/// Where in a file (or on the command line) an error is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, and a column where known, both from 1.
    Line {
        /// The line.
        line: u64,
        /// The column, in bytes.
        column: Option<u64>,
    },
    /// A path such as `services[3].replicas`.
    Path(String),
    /// An option of the command line.
    Option(&'static str),
}

impl Place {
    /// A line without a column.
    pub fn line(line: u64) -> Self {
        Self::Line { line, column: None }
    }
}

/// One error of an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputError {
    /// The code that `bayplan explain` knows.
    pub code: &'static str,
    /// Which file.
    pub source: Source,
    /// Where.
    pub place: Place,
    /// What was found.
    pub found: String,
    /// The likely fix.
    pub fix: String,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code)?;
        match self.source {
            Source::Input => {}
            Source::Limits => write!(f, " limits file")?,
            Source::Nodes => write!(f, " node list")?,
            Source::Layout => write!(f, " layout")?,
            Source::Traffic => write!(f, " traffic file")?,
            Source::NodeTypes => write!(f, " node types")?,
            Source::Plan => write!(f, " plan")?,
        }
        match &self.place {
            Place::File => {}
            Place::Line { line, column: None } => write!(f, " line {line}")?,
            Place::Line {
                line,
                column: Some(column),
            } => write!(f, " line {line}, column {column}")?,
            Place::Path(path) => write!(f, " {path}")?,
            Place::Option(name) => write!(f, " {name}")?,
        }
        write!(f, ": {}", self.found)?;
        if !self.fix.is_empty() {
            write!(f, "; {}", self.fix)?;
        }
        Ok(())
    }
}

/// Every error of an input; beyond a hundred they are only counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Errors {
    /// The first ones, in the order of the file.
    pub errors: Vec<InputError>,
    /// How many more there are.
    pub more: usize,
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.errors.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        if self.more > 0 {
            write!(f, "\n... and {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

/// Collects errors while reading goes on.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    source: Source,
    errors: Errors,
    hints: usize,
}

impl Sink {
    /// For one of the files.
    pub fn new(source: Source) -> Self {
        Self {
            source,
            ..Self::default()
        }
    }

    /// Adds an error; texts are made only for those that are kept.
    pub fn push<F: Into<String>, X: Into<String>>(
        &mut self,
        code: &'static str,
        place: Place,
        texts: impl FnOnce() -> (F, X),
    ) {
        if self.errors.errors.len() >= KEPT {
            self.errors.more += 1;
            return;
        }
        let (found, fix) = texts();
        self.errors.errors.push(InputError {
            code,
            source: self.source,
            place,
            found: found.into(),
            fix: fix.into(),
        });
    }

    /// Adds "there is no such name", with the nearest one as the fix.
    pub fn unknown(&mut self, place: Place, kind: &str, name: &str, known: &Names) {
        let hint = self.hints < HINTS && self.errors.errors.len() < KEPT;
        self.hints += usize::from(hint);
        self.push("F020", place, || {
            let nearest = if hint { known.nearest(name) } else { None };
            let fix = match nearest {
                Some(nearest) => format!("did you mean `{}`?", clip(nearest)),
                None => format!("name a {kind} the input defines"),
            };
            (format!("no {kind} is called `{}`", clip(name)), fix)
        });
    }

    /// Whether nothing went wrong so far.
    pub fn is_empty(&self) -> bool {
        self.errors.errors.is_empty()
    }

    /// Takes over the errors of another sink.
    pub fn absorb(&mut self, other: Sink) {
        self.errors.more += other.errors.more;
        for error in other.errors.errors {
            if self.errors.errors.len() < KEPT {
                self.errors.errors.push(error);
            } else {
                self.errors.more += 1;
            }
        }
    }

    /// Takes over errors that were already finished.
    pub fn take(&mut self, errors: Errors) {
        self.absorb(Sink {
            errors,
            ..Sink::default()
        });
    }

    /// Errors of which only the number is known.
    pub fn count_more(&mut self, more: usize) {
        self.errors.more += more;
    }

    /// The one error of a document that is no tree.
    pub fn syntax(&mut self, error: crate::tree::SyntaxError) {
        let place = Place::Line {
            line: error.line,
            column: Some(error.column),
        };
        self.push(error.code, place, || (error.found, error.fix));
    }

    /// `Ok` when nothing went wrong.
    pub fn finish(self) -> Result<(), Errors> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(self.errors)
        }
    }

    /// The errors, at least one of which was pushed.
    pub fn into_errors(self) -> Errors {
        self.errors
    }
}

/// One error as a result.
pub(crate) fn fail<T>(
    source: Source,
    code: &'static str,
    place: Place,
    found: impl Into<String>,
    fix: impl Into<String>,
) -> Result<T, Errors> {
    let mut sink = Sink::new(source);
    sink.push(code, place, || (found, fix));
    Err(sink.into_errors())
}

/// A text short enough to print: what a file holds may be long or binary.
pub(crate) fn clip(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut short: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}
