//! `profile`: the same samples as CSV and as Parquet.

mod common;

use std::fs::File;
use std::process::{Command, Output};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use common::Scratch;

fn profile(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bayplan"))
        .arg("profile")
        .args(arguments)
        .output()
        .unwrap()
}

struct Row {
    millis: i64,
    service: String,
    container: String,
    cpu: f64,
    memory: Option<f64>,
}

/// Two services over a day, with some memory unknown.
fn rows() -> Vec<Row> {
    let row = |i: i64| {
        let service = if i % 3 == 0 { "db" } else { "web" };
        Row {
            millis: (i / 40) * 600_000 + i * 13,
            service: service.into(),
            container: format!("{service}-{}", i % 40),
            cpu: 1.0 + ((i * 7919) % 1000) as f64 / 500.0 + (i / 40 % 50) as f64 / 25.0,
            memory: (i % 5 != 0).then(|| 2.0 + (i % 7) as f64 / 4.0),
        }
    };
    (0..5760).map(row).collect()
}

fn write_csv(path: &str, rows: &[Row]) {
    let mut lines = String::from("time,service,container,cpu,memory\n");
    for row in rows {
        let memory = row.memory.map_or(String::new(), |m| m.to_string());
        let time = row.millis as f64 / 1000.0;
        lines += &format!(
            "{time},{},{},{},{memory}\n",
            row.service, row.container, row.cpu
        );
    }
    std::fs::write(path, lines).unwrap();
}

fn write_parquet(path: &str, rows: &[Row], compression: Compression) {
    let schema = "message usage {
        REQUIRED BYTE_ARRAY service (STRING);
        REQUIRED INT64 time (TIMESTAMP(MILLIS, true));
        OPTIONAL BYTE_ARRAY container (STRING);
        REQUIRED DOUBLE cpu;
        OPTIONAL DOUBLE memory;
        REQUIRED INT64 unrelated;
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .build();
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    // Row groups larger and smaller than a batch of the reader.
    for group in rows.chunks(2500) {
        let bytes = |text: &str| ByteArray::from(text.as_bytes().to_vec());
        let mut columns = writer.next_row_group().unwrap();
        let mut column = columns.next_column().unwrap().unwrap();
        let values: Vec<ByteArray> = group.iter().map(|r| bytes(&r.service)).collect();
        column
            .typed::<ByteArrayType>()
            .write_batch(&values, None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = columns.next_column().unwrap().unwrap();
        let values: Vec<i64> = group.iter().map(|r| r.millis).collect();
        column
            .typed::<Int64Type>()
            .write_batch(&values, None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = columns.next_column().unwrap().unwrap();
        let named = group.iter().filter(|r| !r.container.is_empty());
        let values: Vec<ByteArray> = named.map(|r| bytes(&r.container)).collect();
        let levels: Vec<i16> = group
            .iter()
            .map(|r| i16::from(!r.container.is_empty()))
            .collect();
        column
            .typed::<ByteArrayType>()
            .write_batch(&values, Some(&levels), None)
            .unwrap();
        column.close().unwrap();
        let mut column = columns.next_column().unwrap().unwrap();
        let values: Vec<f64> = group.iter().map(|r| r.cpu).collect();
        column
            .typed::<DoubleType>()
            .write_batch(&values, None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = columns.next_column().unwrap().unwrap();
        let values: Vec<f64> = group.iter().filter_map(|r| r.memory).collect();
        let levels: Vec<i16> = group
            .iter()
            .map(|r| i16::from(r.memory.is_some()))
            .collect();
        column
            .typed::<DoubleType>()
            .write_batch(&values, Some(&levels), None)
            .unwrap();
        column.close().unwrap();
        let mut column = columns.next_column().unwrap().unwrap();
        let values = vec![7i64; group.len()];
        column
            .typed::<Int64Type>()
            .write_batch(&values, None, None)
            .unwrap();
        column.close().unwrap();
        columns.close().unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn csv_and_parquet_of_the_same_samples_give_the_same_profile() {
    let scratch = Scratch::new("profile");
    let (csv, rows) = (scratch.path("usage.csv"), rows());
    write_csv(&csv, &rows);
    for kind in ["json", "csv", "text"] {
        let plain = profile(&[&csv, "-o", kind]);
        assert!(
            plain.status.success(),
            "{}",
            String::from_utf8_lossy(&plain.stderr)
        );
        assert!(!plain.stdout.is_empty());
        for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
            let file = scratch.path("usage.parquet");
            write_parquet(&file, &rows, compression);
            let same = profile(&[&file, "-o", kind]);
            assert!(
                same.status.success(),
                "{}",
                String::from_utf8_lossy(&same.stderr)
            );
            assert_eq!(plain.stdout, same.stdout, "{kind} {compression:?}");
        }
    }
}

#[test]
fn errors_name_the_place_and_a_code() {
    let scratch = Scratch::new("profile-errors");
    let refused = |path: &str, words: &[&str]| {
        let output = profile(&[path]);
        let error = String::from_utf8_lossy(&output.stderr).to_string();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(
            words.iter().all(|word| error.contains(word)),
            "{words:?} in {error}"
        );
    };
    let csv = |content: &str| scratch.write("usage.csv", content);
    refused(&scratch.path("none"), &["F001"]);
    refused(&csv("time,service,cpu\n"), &["F010", "container"]);
    refused(&csv("time,service,container,cpu\n"), &["F037"]);
    refused(
        &csv("time,service,container,cpu\n1,a,b,many\n"),
        &["F012", ":2:", "many"],
    );
    refused(
        &csv("time,service,container,cpu\nsoon,a,b,1\n"),
        &["F012", ":2:", "soon"],
    );
    refused(
        &csv("time,service,container,cpu\n1,a,b,-1\n"),
        &["F016", ":2:"],
    );
    let file = scratch.path("usage.parquet");
    let mut with_gap = rows();
    with_gap[4711].container.clear();
    write_parquet(&file, &with_gap, Compression::UNCOMPRESSED);
    refused(&file, &["F010", "row 4712", "container"]);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&file, bytes).unwrap();
    refused(&file, &["F007"]);
}
