//! The fields of a row but for its list of limits, which needs all names.

use bayplan_model::{Resource, Rounding};

use super::chunks::Chunk;
use crate::error::{Place, Sink, clip};
use crate::tables::header::{column_name, columns};
use crate::text::{amount, bad_number, short_decimal, whole};
use crate::{Format, MAX_REPLICAS};

/// Where the columns are.
pub(crate) struct Header {
    id: usize,
    instances: usize,
    demand: [usize; 2],
    degree: Option<usize>,
    list: Option<usize>,
    width: usize,
    /// Lines up to and with the header.
    pub lines: u64,
}

/// Rows, a vector per field.
#[derive(Default)]
pub(crate) struct Rows<'a> {
    pub ids: Vec<&'a str>,
    pub lines: Vec<u64>,
    pub replicas: Vec<u32>,
    /// Epochs of core and of memory.
    pub epochs: Vec<[u32; 2]>,
    /// All values of core, then all of memory, row after row.
    pub demand: Vec<u64>,
    pub degrees: Vec<Option<u64>>,
    pub lists: Vec<&'a [u8]>,
}

impl Header {
    /// Reads the header and returns what follows it.
    pub fn read<'a>(bytes: &'a [u8], sink: &mut Sink) -> Option<(Self, &'a [u8])> {
        let (mut rest, mut lines) = (bytes, 0);
        let line = loop {
            if rest.is_empty() {
                sink.push("F007", Place::File, || {
                    ("the table has no header", "name the columns")
                });
                return None;
            }
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let line = &rest[..end];
            rest = &rest[end..];
            lines += 1;
            if !line.trim_ascii().is_empty() {
                break String::from_utf8_lossy(line);
            }
        };
        let names: Vec<String> = line.split('\t').map(column_name).collect();
        let known = columns(Format::TClab);
        let complete = crate::tables::table::check_columns(&names, known, false, lines, sink);
        let at = |name: &str| names.iter().position(|column| column == name);
        if !complete {
            return None;
        }
        let header = Self {
            id: at("app_id")?,
            instances: at("nb_instances")?,
            demand: [at("core")?, at("memory")?],
            degree: at("inter_degree"),
            list: at("inter_aff"),
            width: names.len(),
            lines,
        };
        Some((header, rest))
    }
}

impl Rows<'_> {
    /// Adds rows that follow.
    pub fn append(&mut self, other: Self) {
        if self.ids.is_empty() {
            *self = other;
            return;
        }
        self.ids.extend(other.ids);
        self.lines.extend(other.lines);
        self.replicas.extend(other.replicas);
        self.epochs.extend(other.epochs);
        self.demand.extend(other.demand);
        self.degrees.extend(other.degrees);
        self.lists.extend(other.lists);
    }
}

/// Parses the rows of a chunk.
pub(crate) fn parse<'a>(
    chunk: &Chunk<'a>,
    header: &Header,
    resources: &[Resource],
) -> (Rows<'a>, Sink) {
    let (mut rows, mut sink) = (Rows::default(), Sink::default());
    let mut fields: Vec<&'a [u8]> = Vec::with_capacity(header.width);
    for (at, line) in chunk.bytes.split(|byte| *byte == b'\n').enumerate() {
        let number = chunk.line + at as u64;
        if line.trim_ascii().is_empty() {
            continue;
        }
        fields.clear();
        let mut rest = line;
        while let Some(at) = memchr::memchr(b'\t', rest).filter(|_| fields.len() <= header.width) {
            fields.push(unquoted(&rest[..at]));
            rest = &rest[at + 1..];
        }
        fields.push(unquoted(rest));
        if fields.len() != header.width {
            sink.push("F033", Place::line(number), || {
                let found = format!(
                    "{} fields where the header has {}",
                    fields.len(),
                    header.width
                );
                (found, "fields are separated by tabs")
            });
            continue;
        }
        row(&fields, number, header, resources, &mut rows, &mut sink);
    }
    (rows, sink)
}

fn row<'a>(
    fields: &[&'a [u8]],
    line: u64,
    header: &Header,
    resources: &[Resource],
    rows: &mut Rows<'a>,
    sink: &mut Sink,
) {
    let place = || Place::line(line);
    let text = |column: usize| std::str::from_utf8(fields[column]);
    let ids = [
        header.id,
        header.instances,
        header.demand[0],
        header.demand[1],
    ]
    .map(text);
    let [Ok(id), Ok(instances), Ok(core), Ok(memory)] = ids else {
        sink.push("F004", place(), || {
            ("bytes that are not UTF-8 text", "save it as UTF-8")
        });
        return;
    };
    if id.is_empty() {
        sink.push("F010", place(), || ("the app_id is empty", "name it"));
    }
    let replicas = whole(sink, place, "nb_instances", instances, 0, MAX_REPLICAS);
    let mut epochs = [0; 2];
    for ((count, text), resource) in epochs.iter_mut().zip([core, memory]).zip(resources) {
        *count = demand(text, line, resource, &mut rows.demand, sink);
    }
    let degree = header.degree.and_then(|column| {
        let text = text(column).unwrap_or("?");
        whole(sink, place, "inter_degree", text, 0, u64::from(u32::MAX))
    });
    rows.ids.push(id);
    rows.lines.push(line);
    rows.replicas.push(replicas.unwrap_or(0) as u32);
    rows.epochs.push(epochs);
    rows.degrees.push(degree);
    rows.lists
        .push(header.list.map_or(b"[]", |column| fields[column]));
}

/// A number, or a list of one per epoch; returns how many.
fn demand(text: &str, line: u64, resource: &Resource, into: &mut Vec<u64>, sink: &mut Sink) -> u32 {
    let place = || Place::line(line);
    let Some(list) = text.strip_prefix('[') else {
        into.push(amount(sink, place, text, resource, Rounding::Up).unwrap_or(0));
        return 1;
    };
    let Some(list) = list
        .strip_suffix(']')
        .filter(|list| !list.trim().is_empty())
    else {
        sink.push("F012", place(), || {
            let found = format!(
                "{} `{}` is not a list of numbers",
                resource.name,
                clip(text)
            );
            (found, "write it as [0.5, 0.7, ...]")
        });
        return 0;
    };
    let before = into.len();
    for number in list.split(',').map(str::trim) {
        let units = short_decimal(number.as_bytes(), resource.scale, Rounding::Up);
        let units = units.map_or_else(
            || bayplan_model::parse_units(number, resource.scale, Rounding::Up),
            Ok,
        );
        match units {
            Ok(units) => into.push(units),
            Err(why) => {
                bad_number(sink, place(), &resource.name, number, why);
                into.push(0);
            }
        }
    }
    u32::try_from(into.len() - before).unwrap_or(u32::MAX)
}

fn unquoted(field: &[u8]) -> &[u8] {
    let field = field.trim_ascii();
    match field {
        [b'"', inner @ .., b'"'] => inner.trim_ascii(),
        _ => field,
    }
}
