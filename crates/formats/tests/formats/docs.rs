//! Every example in the documentation is read.

use bayplan_formats::{Format, read, read_plan};

use crate::corpus::options_for;

#[test]
fn the_examples_of_the_formats_page_are_read() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md");
    let page = std::fs::read_to_string(path).unwrap();
    let mut seen = Vec::new();
    let mut native = None;
    for block in page.split("```").skip(1).step_by(2) {
        let (info, text) = block.split_once('\n').unwrap();
        let name = info.split_whitespace().nth(1).expect("a block names its format");
        if name == "plan" {
            let problem = native.as_ref().expect("the native example comes first");
            read_plan(text.as_bytes(), problem).unwrap_or_else(|errors| panic!("{errors}"));
        } else {
            let format = Format::parse(name).expect("a known format");
            let options = options_for(format, text.as_bytes());
            assert_eq!(Format::detect(text.as_bytes()), Some(format), "{text}");
            let input = read(text.as_bytes(), &options)
                .unwrap_or_else(|errors| panic!("{name}: {errors}\n{text}"));
            native.get_or_insert(input.problem);
        }
        seen.push(name.to_string());
    }
    assert!(seen.len() >= 10, "{seen:?}");
    for format in Format::ALL {
        assert!(page.contains(&format!("| `{}` |", format.name())), "{}", format.name());
    }
}
