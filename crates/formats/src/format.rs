//! The formats and how they are told apart.

use crate::tables::header;

/// A format of problems.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Format {
    /// The native format, YAML or JSON, with `version: 1`.
    Native,
    /// TClab's tab-separated table of services with limits, 2-D or by epoch.
    TClab,
    /// Tianchi's `app_interference.csv`: limits only, beside a TClab file.
    Interference,
    /// Cluster JSON as ByteDance publishes it.
    Cluster,
    /// Lists that `kubectl get ... -o json` prints.
    Kubernetes,
    /// CSV `service,mean,std,containers[,memory]`.
    ServicesTable,
    /// CSV `application,cpu,memory[,...]`.
    ApplicationsTable,
    /// CSV `s,f,a,b[,weight]`.
    RequestsTable,
    /// A table of virtual machines, from which applications are made.
    VmTable,
    /// The pods of the openb trace.
    OpenbPods,
    /// The nodes of the openb trace, beside its pods.
    OpenbNodes,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 11] = [
        Self::Native,
        Self::TClab,
        Self::Interference,
        Self::Cluster,
        Self::Kubernetes,
        Self::ServicesTable,
        Self::ApplicationsTable,
        Self::RequestsTable,
        Self::VmTable,
        Self::OpenbPods,
        Self::OpenbNodes,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::TClab => "tclab",
            Self::Interference => "interference",
            Self::Cluster => "cluster",
            Self::Kubernetes => "kubernetes",
            Self::ServicesTable => "services",
            Self::ApplicationsTable => "applications",
            Self::RequestsTable => "requests",
            Self::VmTable => "vms",
            Self::OpenbPods => "openb-pods",
            Self::OpenbNodes => "openb-nodes",
        }
    }

    /// A format by its name.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format of a file by its first bytes.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let head = &bytes[start..bytes.len().min(start + HEAD)];
        if head[0] == b'{' {
            return Some(detect_json(&bytes[start..]));
        }
        let line = first_line(head)?;
        if let Some(format) = header::detect(line) {
            return Some(format);
        }
        looks_like_yaml(head).then_some(Self::Native)
    }
}

/// Bytes looked at.
const HEAD: usize = 64 << 10;

/// JSON is told apart by its top-level keys, read without building anything.
fn detect_json(bytes: &[u8]) -> Format {
    let mut format = Format::Native;
    crate::tree::top_level_keys(bytes, &mut |key| {
        format = match key {
            "ServiceList" | "MachineList" | "TrafficList" => Format::Cluster,
            "apiVersion" | "kind" | "items" => Format::Kubernetes,
            _ => return true,
        };
        false
    });
    format
}

/// The first line that is not blank or a comment.
fn first_line(head: &[u8]) -> Option<&str> {
    head.split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .find(|line| !line.trim_ascii().is_empty() && line[0] != b'#')
        .and_then(|line| std::str::from_utf8(line).ok())
}

/// YAML starts with `---`, a directive, or a key followed by a colon.
fn looks_like_yaml(head: &[u8]) -> bool {
    let lines = head.split(|byte| *byte == b'\n').take(1000);
    lines.map(|line| line.trim_ascii()).any(|line| {
        line.starts_with(b"---") || line.starts_with(b"version:") || line.starts_with(b"%YAML")
    })
}
