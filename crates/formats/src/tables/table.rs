//! Rows of a table with a header.

use bayplan_model::Names;
use csv::{ByteRecord, ReaderBuilder};

use super::header::{Columns, column_name, separator};
use crate::MAX_ROWS;
use crate::error::{Place, Sink, clip};

/// A table whose header was read.
pub(crate) struct Table<'a> {
    reader: csv::Reader<&'a [u8]>,
    /// Names of the columns, in file order.
    pub header: Vec<String>,
}

/// One line of a table.
pub(crate) struct Row<'r> {
    record: &'r ByteRecord,
    /// Its line in the file.
    pub line: u64,
}

impl Row<'_> {
    /// A field's text, trimmed.
    pub fn text(&self, column: usize) -> &str {
        // Rows with bytes that are not UTF-8 are rejected before they get here.
        std::str::from_utf8(&self.record[column])
            .unwrap_or("")
            .trim()
    }

    /// Its place.
    pub fn place(&self) -> Place {
        Place::line(self.line)
    }
}

impl<'a> Table<'a> {
    /// Reads the header. `None` when there is none.
    pub fn open(bytes: &'a [u8], sink: &mut Sink) -> Option<Self> {
        let end = bytes
            .iter()
            .position(|byte| *byte == b'\n')
            .unwrap_or(bytes.len());
        let mut reader = ReaderBuilder::new()
            .delimiter(separator(&bytes[..end]))
            .flexible(true)
            .has_headers(false)
            .comment(Some(b'#'))
            .from_reader(bytes);
        let mut record = ByteRecord::new();
        let read = reader.read_byte_record(&mut record);
        if !matches!(read, Ok(true)) {
            sink.push("F007", Place::File, || {
                ("the table has no header", "name the columns")
            });
            return None;
        }
        let names = record
            .iter()
            .map(|field| column_name(&String::from_utf8_lossy(field)));
        Some(Self {
            reader,
            header: names.collect(),
        })
    }

    /// Whether the header has the columns of a table; see [`check_columns`].
    pub fn check(&self, columns: &Columns, extra: bool, sink: &mut Sink) -> bool {
        check_columns(&self.header, columns, extra, 1, sink)
    }

    /// The position of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }

    /// The position of a column that [`Table::check`] found.
    pub fn required(&self, name: &str) -> usize {
        self.column(name).expect("the header was checked")
    }

    /// Visits every row that has as many fields as the header.
    pub fn rows(&mut self, sink: &mut Sink, visit: impl FnMut(Row<'_>, &mut Sink)) {
        rows(&mut self.reader, self.header.len(), sink, visit);
    }
}

/// Whether a header has the columns of a table. Missing, repeated and (unless
/// `extra`) unknown ones are errors.
pub(crate) fn check_columns(
    header: &[String],
    columns: &Columns,
    extra: bool,
    line: u64,
    sink: &mut Sink,
) -> bool {
    let place = || Place::line(line);
    let mut known = Names::default();
    for name in columns.required.iter().chain(columns.optional) {
        let _ = known.add(name);
    }
    let mut complete = true;
    for name in columns
        .required
        .iter()
        .filter(|name| !header.iter().any(|h| h == *name))
    {
        complete = false;
        sink.push("F010", place(), || {
            let header = clip(&header.join(","));
            (
                format!("no column `{name}` in `{header}`"),
                format!("add the column `{name}`"),
            )
        });
    }
    let mut seen = Names::default();
    for name in header {
        if seen.add(name).is_err() {
            complete = false;
            sink.push("F021", place(), || {
                (
                    format!("column `{}` appears twice", clip(name)),
                    "remove one",
                )
            });
        } else if name.is_empty() {
            complete = false;
            sink.push("F010", place(), || ("a column without a name", "name it or remove it"));
        } else if known.find(name).is_none() && (!extra || known.nearest(name).is_some()) {
            complete = false;
            sink.push("F011", place(), || {
                let fix = match known.nearest(name) {
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None => "remove it: what it says would be ignored".into(),
                };
                (format!("unknown column `{}`", clip(name)), fix)
            });
        }
    }
    complete
}

/// Visits every row with `width` fields; others are errors.
pub(crate) fn rows(
    reader: &mut csv::Reader<&[u8]>,
    width: usize,
    sink: &mut Sink,
    mut visit: impl FnMut(Row<'_>, &mut Sink),
) {
    let mut record = ByteRecord::new();
    let mut count = 0;
    while reader.read_byte_record(&mut record).unwrap_or(false) {
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() == 1 && record[0].trim_ascii().is_empty() {
            continue;
        }
        count += 1;
        if count > MAX_ROWS {
            sink.push("F014", Place::line(line), || {
                (format!("more than {MAX_ROWS} rows"), "split the input")
            });
            return;
        }
        if record.len() != width {
            sink.push("F033", Place::line(line), || {
                let found = format!("{} fields where the header has {width}", record.len());
                (found, "check separators and quotes")
            });
        } else if record
            .iter()
            .any(|field| std::str::from_utf8(field).is_err())
        {
            sink.push("F004", Place::line(line), || {
                ("bytes that are not UTF-8 text", "save it as UTF-8")
            });
        } else {
            visit(
                Row {
                    record: &record,
                    line,
                },
                sink,
            );
        }
    }
}

/// Adds the name of a row's object: not empty, not used before.
pub(crate) fn add_name(names: &mut Names, name: &str, row: &Row<'_>, sink: &mut Sink) -> bool {
    if name.is_empty() {
        sink.push("F010", row.place(), || ("the name is empty", "name it"));
        return false;
    }
    let added = names.add(name).is_ok();
    if !added {
        sink.push("F021", row.place(), || {
            (
                format!("`{}` is defined twice", clip(name)),
                "rename or merge them",
            )
        });
    }
    added
}
