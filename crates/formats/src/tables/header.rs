//! Which table a header line belongs to.

use crate::Format;

/// The columns a table must have and those it may have.
pub(crate) struct Columns {
    pub format: Format,
    pub required: &'static [&'static str],
    pub optional: &'static [&'static str],
}

/// All tables with a header.
pub(crate) const TABLES: &[Columns] = &[
    Columns {
        format: Format::TClab,
        required: &["app_id", "nb_instances", "core", "memory"],
        optional: &["inter_degree", "inter_aff"],
    },
    Columns {
        format: Format::ServicesTable,
        required: &["service", "mean", "std", "containers"],
        optional: &["memory"],
    },
    Columns {
        format: Format::ApplicationsTable,
        required: &["application", "cpu", "memory"],
        optional: &["min_instances", "max_instances", "memory_per_load"],
    },
    Columns {
        format: Format::RequestsTable,
        required: &["s", "f", "a", "b"],
        optional: &["weight"],
    },
    Columns {
        format: Format::VmTable,
        required: &["deployment", "cores", "memory", "avg_cpu"],
        optional: &[
            "vmid",
            "subscriptionid",
            "vmcreated",
            "vmdeleted",
            "maxcpu",
            "p95maxcpu",
            "vmcategory",
        ],
    },
    Columns {
        format: Format::OpenbPods,
        required: &[
            "name",
            "cpu_milli",
            "memory_mib",
            "creation_time",
            "deletion_time",
        ],
        optional: &[
            "num_gpu",
            "gpu_milli",
            "gpu_spec",
            "qos",
            "pod_phase",
            "scheduled_time",
        ],
    },
    Columns {
        format: Format::OpenbNodes,
        required: &["sn", "cpu_milli", "memory_mib"],
        optional: &["gpu", "model"],
    },
];

/// The columns of a format.
pub(crate) fn columns(format: Format) -> &'static Columns {
    TABLES
        .iter()
        .find(|table| table.format == format)
        .expect("a format with a table")
}

/// The format of the table with this first line: the one most of whose
/// columns are there, so that a misspelt column is reported as such.
pub(crate) fn detect(line: &str) -> Option<Format> {
    let separator = separator(line.as_bytes()) as char;
    let fields: Vec<String> = line.split(separator).take(200).map(column_name).collect();
    let score = |table: &Columns| {
        let present = |name: &&&str| fields.iter().any(|field| field == *name);
        let required = table.required.iter().filter(present).count();
        // One-letter names say little: more of them must be there.
        let least = if table.format == Format::RequestsTable { 3 } else { 2 };
        (required * 2 >= table.required.len() && required >= least)
            .then(|| (required * 100 / table.required.len(), required))
    };
    let best = TABLES
        .iter()
        .filter_map(|table| Some((score(table)?, table.format)))
        .max_by_key(|(score, format)| (*score, std::cmp::Reverse(*format)));
    if let Some((_, format)) = best {
        return Some(format);
    }
    without_header(&fields)
}

/// The two published tables that come without a header.
fn without_header(fields: &[String]) -> Option<Format> {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match fields {
        [of, on, max] if number(max) && of.starts_with("app") && on.starts_with("app") => {
            Some(Format::Interference)
        }
        [_, _, _, created, deleted, .., _, _] if fields.len() == 11 => {
            (number(created) && number(deleted)).then_some(Format::VmTable)
        }
        _ => None,
    }
}

/// Tabs or commas, whichever the header uses.
pub(crate) fn separator(line: &[u8]) -> u8 {
    if line.contains(&b'\t') { b'\t' } else { b',' }
}

/// A header field as compared: trimmed, lower case, without quotes, by the
/// name used here where a published table has another.
pub(crate) fn column_name(field: &str) -> String {
    let name = field.trim().trim_matches('"').trim().to_ascii_lowercase();
    match name.as_str() {
        "deploymentid" | "deployment_id" | "deployment id" => "deployment".into(),
        "vmcorecountbucket" | "vmcorecount" | "core_bucket" => "cores".into(),
        "vmmemorybucket" | "vmmemory" | "memory_bucket" => "memory".into(),
        "avgcpu" | "avg cpu" => "avg_cpu".into(),
        _ => name,
    }
}
