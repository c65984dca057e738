//! What must hold for any input: it is refused with a message, or it becomes a
//! problem that is written and read back as the same problem.

use bayplan_formats::{
    Errors, Format, Input, ReadOptions, read, write_problem_json, write_problem_yaml,
};

/// Options that keep a single input small: fuzzing wants many, not large ones.
pub fn bounded() -> ReadOptions {
    ReadOptions { max_bytes: Some(1 << 20), ..Default::default() }
}

/// Reads an input as one format, with the options its tables need.
pub fn importer(bytes: &[u8], format: Format) {
    let mut options = ReadOptions { format: Some(format), ..bounded() };
    let text = |text: &str| Some(text.to_string());
    match format {
        Format::ServicesTable | Format::ApplicationsTable | Format::VmTable => {
            (options.cpu, options.memory) = (text("32"), text("64"));
        }
        Format::OpenbPods => {
            let node = [("cpu", "64"), ("memory", "256Gi"), ("gpu", "8")];
            options.node = node.map(|(name, amount)| (name.into(), amount.into())).into();
        }
        _ => {}
    }
    if format == Format::ServicesTable {
        // Without a memory column the memory of a node contradicts the table.
        readable(read(bytes, &ReadOptions { memory: None, ..options.clone() }));
    }
    readable(read(bytes, &options));
}

/// Checks an outcome.
pub fn readable(outcome: Result<Input, Errors>) {
    match outcome {
        Err(errors) => assert!(!errors.to_string().is_empty()),
        Ok(input) => {
            for text in [write_problem_json(&input.problem), write_problem_yaml(&input.problem)] {
                let again = read(text.as_bytes(), &ReadOptions::default());
                let again = again.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
                assert_eq!(again.problem, input.problem, "{text}");
            }
        }
    }
}
