//! Every code with its explanation, for `bayplan explain` and the docs.

/// Codes of errors (F) and notes (N): (code, title, explanation).
pub fn codes() -> &'static [(&'static str, &'static str, &'static str)] {
    CODES
}

const CODES: &[(&str, &str, &str)] = &[
    (
        "F001",
        "File cannot be read or written",
        "The operating system refused. Check the path and the permissions; `-` stands for standard input.",
    ),
    (
        "F002",
        "Input too large",
        "The input, after decompression, passes the bound on its size, or a JSON or YAML document has too many values. A compressed file that grows more than 300 times is taken for a bomb. Large problems are best given as tables.",
    ),
    (
        "F003",
        "Broken gzip data",
        "The file begins like gzip but cannot be decompressed. It was probably cut off.",
    ),
    (
        "F004",
        "Not UTF-8",
        "Names and numbers are read as UTF-8 text. Convert the file.",
    ),
    (
        "F005",
        "Format not recognised",
        "Nothing in the first bytes tells which format this is. Name it with --format.",
    ),
    (
        "F007",
        "Syntax error",
        "The file is not valid JSON, YAML or a table with a header. Only the first such error of a document can be reported.",
    ),
    (
        "F008",
        "Unknown version",
        "The native format is versioned; this program reads version 1.",
    ),
    (
        "F010",
        "Missing column, field or name",
        "A table lacks a column, a document a field, or an object its name.",
    ),
    (
        "F011",
        "Unknown column or field",
        "Nothing in an input is ignored in silence, so a column or field that is not known is an error: it is usually misspelt.",
    ),
    (
        "F012",
        "Not a number",
        "An amount must be a decimal number; NaN and infinity are none. Where quantities are accepted, suffixes such as m, k, Mi and Gi are too.",
    ),
    (
        "F013",
        "Negative amount",
        "Amounts and counts are never below zero.",
    ),
    (
        "F014",
        "Too large or too many",
        "An amount passes what bayplan can count exactly, or there are more objects than it plans for at once.",
    ),
    ("F015", "Not a whole number", "Counts are whole numbers."),
    (
        "F016",
        "Out of range",
        "The value is a number, but not one that is allowed here.",
    ),
    (
        "F017",
        "Wrong kind of value",
        "A list, map, text or number stands where another kind is needed.",
    ),
    (
        "F018",
        "Unknown choice",
        "The text must be one of a few words.",
    ),
    (
        "F020",
        "Unknown name",
        "A rule, placement or option names an object that the input does not define.",
    ),
    (
        "F021",
        "Defined twice",
        "Two objects, columns or fields have the same name.",
    ),
    (
        "F022",
        "Contradicting limits",
        "The same pair of services has two different limits.",
    ),
    (
        "F024",
        "Values that contradict each other",
        "Two values of an object cannot both hold, such as an end before a start.",
    ),
    (
        "F030",
        "Option missing or contradicting",
        "The format needs the capacity of a node from an option, or an option contradicts what the input says.",
    ),
    (
        "F031",
        "Sums too large",
        "The demand for a resource, summed over everything, passes 63 bits. Check units and counts.",
    ),
    (
        "F032",
        "Lengths that differ",
        "Epochs of demands must agree over the whole file, and a list must be as long as its declared length.",
    ),
    (
        "F033",
        "Wrong number of fields",
        "A row of a table has more or fewer fields than its header.",
    ),
    (
        "F034",
        "Cannot be expressed",
        "The input holds a rule that this kind of problem cannot express and that cannot be treated on the safe side.",
    ),
    (
        "F036",
        "File that stands beside another",
        "This file only completes another one: give it with the option named.",
    ),
    (
        "F037",
        "Empty input",
        "The file has nothing of what it should describe.",
    ),
    (
        "F038",
        "Format cannot hold the problem",
        "The problem has something that the table asked for cannot say. The native format holds everything.",
    ),
    (
        "N001",
        "Default node",
        "No capacity was given, so a node has 64 cores and 128 GB, as in the experiments the format comes from.",
    ),
    (
        "N002",
        "Traffic of a service with itself",
        "Only traffic between different services can be made local by placing them together, so it is left out.",
    ),
    (
        "N003",
        "Layout replaces placement",
        "A layout was given beside an input that has a placement of its own; the layout is used.",
    ),
];
