//! Generated lists: algorithms and codes, for the terminal and for the docs.

use bayplan::Code;
use bayplan_solve::AlgorithmInfo;

use crate::table::table;

/// All algorithms of a verb, for `--algorithm list`.
pub fn algorithms(all: &[AlgorithmInfo]) -> String {
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|info| {
            vec![
                info.name.clone(),
                info.source.to_string(),
                info.summary.clone(),
            ]
        })
        .collect();
    table(&["algorithm", "from", "what it does"], &rows)
}

/// The same as a section of a Markdown page.
pub fn algorithms_page(verb: &str, all: &[AlgorithmInfo]) -> String {
    let mut page = format!(
        "## {verb}\n\n| algorithm | also called | from | what it does |\n|---|---|---|---|\n"
    );
    for info in all {
        let aliases = info.aliases.join(", ");
        page.push_str(&format!(
            "| `{}` | {aliases} | {} | {} |\n",
            info.name, info.source, info.summary
        ));
    }
    page
}

/// All codes as a Markdown page.
pub fn codes_page(codes: &[Code]) -> String {
    let mut page = String::from("# Codes\n\nWhat `bayplan explain CODE` says.\n");
    for code in codes {
        page.push_str(&format!(
            "\n## {}: {}\n\n{}\n",
            code.code, code.title, code.explanation
        ));
    }
    page
}
