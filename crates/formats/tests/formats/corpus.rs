//! Accepted and rejected files, by format and rule.

use std::path::{Path, PathBuf};

use bayplan_formats::{
    Format, Place, ReadOptions, codes, read, write_problem_json, write_problem_yaml,
};

/// Options that make the tables of the corpus complete.
pub(crate) fn options(format: Format) -> ReadOptions {
    let mut options = ReadOptions::default();
    let text = |text: &str| Some(text.to_string());
    match format {
        Format::ServicesTable => options.capacity = text("10"),
        Format::ApplicationsTable | Format::VmTable => {
            (options.cpu, options.memory) = (text("32"), text("64"));
        }
        Format::OpenbPods => {
            options.node =
                [("cpu", "64"), ("memory", "256Gi"), ("gpu", "8")].map(|(k, v)| (k.into(), v.into())).into();
        }
        _ => {}
    }
    options
}

/// A table of services with a memory column needs the memory of a node too.
pub(crate) fn options_for(format: Format, bytes: &[u8]) -> ReadOptions {
    let mut options = options(format);
    let header = bytes.split(|byte| *byte == b'\n').find(|line| !line.starts_with(b"#"));
    let header = String::from_utf8_lossy(header.unwrap_or_default());
    if format == Format::ServicesTable && header.split(',').any(|name| name == "memory") {
        options.memory = Some("16".into());
    }
    options
}

pub(crate) fn files(format: Format, kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let folder = folder.join(format.name()).join(kind);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    files.sort();
    files
}

#[test]
fn accepted_files_are_read_and_written_back_unchanged() {
    let mut count = 0;
    for format in Format::ALL {
        for file in files(format, "accepted") {
            let bytes = std::fs::read(&file).unwrap();
            let input = read(&bytes, &options_for(format, &bytes))
                .unwrap_or_else(|errors| panic!("{}: {errors}", file.display()));
            assert_eq!(input.format, format, "{}", file.display());
            for text in [write_problem_json(&input.problem), write_problem_yaml(&input.problem)] {
                let again = read(text.as_bytes(), &ReadOptions::default())
                    .unwrap_or_else(|errors| panic!("{}: {errors}\n{text}", file.display()));
                assert_eq!(again.problem, input.problem, "{}\n{text}", file.display());
            }
            count += 1;
        }
    }
    assert!(count > 25, "the corpus is gone: {count}");
}

#[test]
fn rejected_files_say_why_where_and_what_to_do() {
    let mut count = 0;
    for format in Format::ALL {
        for file in files(format, "rejected") {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let expected: Vec<&str> = name.split('-').next().unwrap().split('+').collect();
            let bytes = std::fs::read(&file).unwrap();
            let Err(errors) = read(&bytes, &options_for(format, &bytes)) else {
                panic!("{} was accepted", file.display());
            };
            let found: Vec<&str> = errors.errors.iter().map(|error| error.code).collect();
            for code in &expected {
                assert!(found.contains(code), "{}: {errors}", file.display());
            }
            if expected.len() == 1 {
                assert_eq!(found, expected, "{}: {errors}", file.display());
            }
            for error in &errors.errors {
                assert!(!error.found.is_empty(), "{}: {error}", file.display());
                assert!(codes().iter().any(|(code, _, _)| *code == error.code), "{error}");
                let whole = ["F031", "F037", "F036", "F014", "F021", "F002"];
                assert!(
                    error.place != Place::File || whole.contains(&error.code),
                    "{}: no place: {error}",
                    file.display()
                );
            }
            count += 1;
        }
    }
    assert!(count > 90, "the corpus is gone: {count}");
}

#[test]
fn the_format_is_found_by_content_and_can_be_named() {
    for format in Format::ALL {
        assert_eq!(Format::parse(format.name()), Some(format));
        for file in files(format, "accepted") {
            let bytes = std::fs::read(&file).unwrap();
            assert_eq!(Format::detect(&bytes), Some(format), "{}", file.display());
        }
    }
    assert_eq!(Format::parse("xml"), None);
    for unknown in ["", "  \n", "hello", "a,b,c\n1,2,3\n", "<xml/>", "[1, 2]"] {
        assert_eq!(Format::detect(unknown.as_bytes()), None, "{unknown}");
        let errors = read(unknown.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert_eq!(errors.errors[0].code, "F005", "{unknown}");
    }
}

#[test]
fn every_code_is_explained_once() {
    let mut seen: Vec<&str> = codes().iter().map(|(code, _, _)| *code).collect();
    let count = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), count);
    // Every code that appears in the sources has its explanation.
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![source];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for part in text.split('"').filter(|part| part.len() == 4) {
                let digits = part[1..].bytes().all(|byte| byte.is_ascii_digit());
                if digits && (part.starts_with('F') || part.starts_with('N')) {
                    assert!(seen.contains(&part), "{part} in {} has no explanation", path.display());
                }
            }
        }
    }
}
