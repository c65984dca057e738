//! From bytes to a problem.

use bayplan_model::{Cluster, Problem, Workload};

use crate::error::{Place, Sink, Source, fail};
use crate::{
    Errors, Format, Note, Objects, ReadOptions, bytes, cluster, kubernetes, layout, native, tables,
    tclab, traffic,
};

/// A problem that was read.
#[derive(Clone, Debug)]
pub struct Input {
    /// The problem.
    pub problem: Problem,
    /// The format it came in.
    pub format: Format,
    /// What the input says that the problem cannot, and how it was treated.
    pub notes: Vec<Note>,
    /// The cluster's own objects behind the problem, when it came from Kubernetes.
    pub objects: Option<Box<Objects>>,
}

/// The parts of a problem as a reader delivers them.
#[derive(Debug)]
pub(crate) struct Parts {
    pub cluster: Cluster,
    pub workload: Workload,
    pub notes: Vec<Note>,
    pub objects: Option<Box<Objects>>,
}

/// Reads a problem; gzip and the format are found by content.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Input, Errors> {
    let bytes = bytes::plain(bytes, Source::Input, options)?;
    let format = match options.format.or_else(|| Format::detect(&bytes)) {
        Some(format) => format,
        None => return unrecognised(&bytes),
    };
    let mut sink = Sink::default();
    if format != Format::Kubernetes {
        refuse_cluster_options(options, &mut sink);
    }
    let parts = match format {
        Format::Native => native::read(&bytes, options, &mut sink),
        Format::TClab => tclab::read(&bytes, options, &mut sink),
        Format::Cluster => cluster::read(&bytes, options, &mut sink),
        Format::Kubernetes => kubernetes::read(&bytes, options, &mut sink),
        Format::VmTable => tables::vms::read(&bytes, options, &mut sink),
        Format::OpenbPods => tables::openb::read(&bytes, options, &mut sink),
        Format::ServicesTable => tables::services::read(&bytes, options, &mut sink),
        Format::ApplicationsTable => tables::applications::read(&bytes, options, &mut sink),
        Format::RequestsTable => tables::requests::read(&bytes, options, &mut sink),
        Format::Interference | Format::OpenbNodes => return beside(format),
    };
    let Some(mut parts) = parts else {
        return Err(sink.into_errors());
    };
    sink.finish()?;
    if is_empty(&parts.workload) {
        let fix = "a workload has at least one service, application or request";
        return fail(Source::Input, "F037", Place::File, "nothing to place", fix);
    }
    if let Some(layout) = &options.layout {
        layout::apply(&mut parts, layout, options)?;
    }
    if let Some(table) = &options.traffic {
        traffic::apply(&mut parts, table, options)?;
    }
    finish(parts, format)
}

/// Reads a problem from a file, or from standard input when the path is `-`.
pub fn read_file(path: &str, options: &ReadOptions) -> Result<Input, Errors> {
    read(&bytes::read_bytes(path, options)?, options)
}

/// Options that only a listing of a cluster can honour.
fn refuse_cluster_options(options: &ReadOptions, sink: &mut Sink) {
    let given = [
        ("--namespace", !options.namespaces.is_empty()),
        ("--labels", options.labels.is_some()),
        ("--move-stateful", options.move_stateful),
        ("--node-types", options.node_types.is_some()),
    ];
    for (option, _) in given.into_iter().filter(|(_, given)| *given) {
        sink.push("F030", Place::Option(option), || {
            (
                "the option is for listings of a cluster, from Kubernetes",
                "leave it out",
            )
        });
    }
}

fn is_empty(workload: &Workload) -> bool {
    match workload {
        Workload::Services(services) => services.is_empty(),
        Workload::Applications(applications) => applications.all.is_empty(),
        Workload::Requests(requests) => requests.is_empty(),
    }
}

/// The model's own checks come last; what they find has no place in the file.
fn finish(parts: Parts, format: Format) -> Result<Input, Errors> {
    match Problem::new(parts.cluster, parts.workload) {
        Ok(problem) => Ok(Input {
            problem,
            format,
            notes: parts.notes,
            objects: parts.objects,
        }),
        Err(error) => {
            let found = error.to_string();
            fail(
                Source::Input,
                "F031",
                Place::File,
                found,
                "check units and counts",
            )
        }
    }
}

fn unrecognised<T>(bytes: &[u8]) -> Result<T, Errors> {
    let found = if bytes.iter().all(u8::is_ascii_whitespace) {
        "the input is empty"
    } else {
        "the format is not recognised"
    };
    let names: Vec<&str> = Format::ALL.into_iter().map(Format::name).collect();
    let fix = format!("name it with --format, one of {}", names.join(", "));
    fail(Source::Input, "F005", Place::File, found, fix)
}

fn beside<T>(format: Format) -> Result<T, Errors> {
    let (found, fix) = match format {
        Format::Interference => (
            "limits without services",
            "give the TClab file as the input and this with --limits",
        ),
        _ => (
            "nodes without pods",
            "give the pod list as the input and this with --nodes",
        ),
    };
    fail(Source::Input, "F036", Place::File, found, fix)
}
