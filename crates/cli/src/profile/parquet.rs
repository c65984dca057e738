//! Samples from Parquet, batch by batch: of a row group only the pages at hand
//! are in memory, so a file larger than memory can be read.

use std::fs::File;

use anyhow::Result;
use bayplan_solve::overcommit::estimate::Sample;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::samples::{NEEDED, missing, no_time, seconds, wrong};

/// Rows decoded at a time.
const BATCH: usize = 8192;

/// Goes through the samples of a Parquet file.
pub fn each_sample(
    path: &str,
    file: File,
    mut with: impl FnMut(&Sample, u64) -> Result<()>,
) -> Result<()> {
    let broken = |error: ParquetError| unreadable(path, &error);
    let reader = SerializedFileReader::new(file).map_err(broken)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let find = |name: &str| {
        (0..schema.num_columns()).find(|at| schema.column(*at).path().string() == name)
    };
    let mut columns = [0; 4];
    for (place, name) in columns.iter_mut().zip(NEEDED) {
        *place = find(name).ok_or_else(|| missing(path, name))?;
    }
    let memory = find("memory");
    let mut before = 0;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(broken)?;
        let open = |at: usize| Column::open(path, &*group, &schema.column(at), at);
        let [mut time, mut service, mut container, mut cpu] = [
            open(columns[0])?,
            open(columns[1])?,
            open(columns[2])?,
            open(columns[3])?,
        ];
        let mut memory = memory.map(open).transpose()?;
        let rows = u64::try_from(group.metadata().num_rows()).unwrap_or(0);
        let mut done = 0;
        while done < rows {
            let batch = (rows - done).min(BATCH as u64) as usize;
            for column in [&mut time, &mut service, &mut container, &mut cpu]
                .into_iter()
                .chain(&mut memory)
            {
                column.next(path, batch)?;
            }
            for at in 0..batch {
                let row = before + done + at as u64 + 1;
                let place = || format!("{path}: row {row}");
                let sample = Sample {
                    time: time.time(at, &place)?,
                    service: service.text(at, &place)?,
                    container: container.text(at, &place)?,
                    cpu: cpu.number(at, &place)?,
                    memory: match &memory {
                        Some(memory) if memory.is_there(at) => Some(memory.number(at, &place)?),
                        _ => None,
                    },
                };
                with(&sample, row)?;
            }
            done += batch as u64;
        }
        before += rows;
    }
    Ok(())
}

/// Values of a batch, without the absent ones.
enum Values {
    Numbers(Vec<f64>),
    Texts(Vec<ByteArray>),
}

/// One column of a row group.
struct Column {
    name: String,
    reader: ColumnReader,
    /// Definition level of a value that is there; 0: all are.
    present: i16,
    /// Seconds of 1, for a timestamp.
    unit: f64,
    values: Values,
    /// Where the value of each row of the batch is.
    places: Vec<Option<usize>>,
}

impl Column {
    fn open(
        path: &str,
        group: &dyn RowGroupReader,
        about: &ColumnDescriptor,
        at: usize,
    ) -> Result<Self> {
        let name = about.path().string();
        if about.max_rep_level() > 0 {
            let problem = format!("{path}: column {name:?} is a list, not one value per row");
            return Err(wrong("F017", problem));
        }
        let reader = group
            .get_column_reader(at)
            .map_err(|error| unreadable(path, &error))?;
        Ok(Self {
            name,
            reader,
            present: about.max_def_level(),
            unit: unit(about),
            values: Values::Numbers(Vec::new()),
            places: Vec::new(),
        })
    }

    /// Decodes the next rows.
    fn next(&mut self, path: &str, rows: usize) -> Result<()> {
        let mut levels = Vec::new();
        let got = match &mut self.reader {
            ColumnReader::Int32ColumnReader(r) => numbers(r, rows, &mut levels, f64::from),
            // Nanoseconds since 1970 pass 53 bits: precise to a microsecond, far below a bucket.
            ColumnReader::Int64ColumnReader(r) => numbers(r, rows, &mut levels, |n| n as f64),
            ColumnReader::FloatColumnReader(r) => numbers(r, rows, &mut levels, f64::from),
            ColumnReader::DoubleColumnReader(r) => numbers(r, rows, &mut levels, |n| n),
            ColumnReader::ByteArrayColumnReader(r) => read(r, rows, &mut levels).map(Values::Texts),
            _ => {
                let problem = "is neither a number nor text";
                return Err(wrong(
                    "F017",
                    format!("{path}: column {:?} {problem}", self.name),
                ));
            }
        };
        self.values = got.map_err(|error| unreadable(path, &error))?;
        let held = match &self.values {
            Values::Numbers(numbers) => numbers.len(),
            Values::Texts(texts) => texts.len(),
        };
        let mut next = 0..held;
        self.places.clear();
        for row in 0..rows {
            let absent = self.present > 0 && levels.get(row).is_some_and(|l| *l < self.present);
            self.places.push(if absent { None } else { next.next() });
        }
        if levels.len().max(held) < rows || next.next().is_some() {
            let problem = format!(
                "{path}: column {:?} has too few or too many values",
                self.name
            );
            return Err(wrong("F007", problem));
        }
        Ok(())
    }

    fn is_there(&self, at: usize) -> bool {
        self.places[at].is_some()
    }

    fn place(&self, at: usize, place: &impl Fn() -> String) -> Result<usize> {
        self.places[at].ok_or_else(|| wrong("F010", format!("{}: no {}", place(), self.name)))
    }

    fn number(&self, at: usize, place: &impl Fn() -> String) -> Result<f64> {
        let index = self.place(at, place)?;
        let not = |text: &str| {
            wrong(
                "F012",
                format!("{}: {} {text:?} is not a number", place(), self.name),
            )
        };
        match &self.values {
            Values::Numbers(numbers) => Ok(numbers[index]),
            Values::Texts(_) => {
                let text = self.text(at, place)?;
                text.parse().map_err(|_| not(text))
            }
        }
    }

    fn text(&self, at: usize, place: &impl Fn() -> String) -> Result<&str> {
        let index = self.place(at, place)?;
        match &self.values {
            Values::Texts(texts) => std::str::from_utf8(texts[index].data())
                .map_err(|_| wrong("F004", format!("{}: {} is not UTF-8", place(), self.name))),
            Values::Numbers(_) => {
                let problem = format!("{}: {} is a number, not text", place(), self.name);
                Err(wrong("F017", problem))
            }
        }
    }

    fn time(&self, at: usize, place: &impl Fn() -> String) -> Result<f64> {
        if let Values::Numbers(numbers) = &self.values {
            return Ok(numbers[self.place(at, place)?] * self.unit);
        }
        let text = self.text(at, place)?;
        seconds(text).ok_or_else(|| no_time(&place(), text))
    }
}

/// The values of the next rows, and their definition levels.
fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Vec<i16>,
) -> Result<Vec<T::T>, ParquetError> {
    let (mut values, mut done) = (Vec::new(), 0);
    // A reader may stop at the end of a page.
    while done < rows {
        let (got, _, _) = reader.read_records(rows - done, Some(levels), None, &mut values)?;
        if got == 0 {
            break;
        }
        done += got;
    }
    Ok(values)
}

fn numbers<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Vec<i16>,
    convert: impl Fn(T::T) -> f64,
) -> Result<Values, ParquetError> {
    let values = read(reader, rows, levels)?;
    Ok(Values::Numbers(values.into_iter().map(convert).collect()))
}

/// Seconds of 1 in a column: that of a timestamp is a fraction.
fn unit(about: &ColumnDescriptor) -> f64 {
    match (about.logical_type_ref(), about.converted_type()) {
        (Some(LogicalType::Timestamp(stamp)), _) => match stamp.unit {
            TimeUnit::MILLIS => 1e-3,
            TimeUnit::MICROS => 1e-6,
            TimeUnit::NANOS => 1e-9,
        },
        (_, ConvertedType::TIMESTAMP_MILLIS) => 1e-3,
        (_, ConvertedType::TIMESTAMP_MICROS) => 1e-6,
        _ => 1.0,
    }
}

/// What the reader refuses: a compression that is not built in, or a broken file.
fn unreadable(path: &str, error: &ParquetError) -> anyhow::Error {
    let text = error.to_string();
    match text.split_once("Disabled feature at compile time: ") {
        Some((_, name)) => {
            let advice = "write it with snappy, gzip or no compression";
            wrong(
                "F039",
                format!("{path} is compressed with {name}: {advice}"),
            )
        }
        None => wrong("F007", format!("{path}: {text}")),
    }
}
