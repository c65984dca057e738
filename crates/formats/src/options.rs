//! What the command line says about an input.

use crate::Format;

/// Settings of a read; the default reads a file as it stands.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format; `None`: found by content.
    pub format: Option<Format>,
    /// Capacity of a node: (resource, amount); quantities such as `500m` and
    /// `2Gi` are accepted.
    pub node: Vec<(String, String)>,
    /// CPU of a node, for tables of services.
    pub capacity: Option<String>,
    /// CPU of a node.
    pub cpu: Option<String>,
    /// Memory of a node.
    pub memory: Option<String>,
    /// That many identical nodes exist, and no more may be opened.
    pub machines: Option<u32>,
    /// A second file with limits in the Tianchi form.
    pub limits: Option<Vec<u8>>,
    /// The node list beside an openb pod list.
    pub nodes: Option<Vec<u8>>,
    /// What already runs: CSV `service,node,count`.
    pub layout: Option<Vec<u8>>,
    /// Traffic between services: CSV `service,service,weight`.
    pub traffic: Option<Vec<u8>>,
    /// Kinds of nodes that can be had: YAML or CSV.
    pub node_types: Option<Vec<u8>>,
    /// Of a Kubernetes listing plan only the pods of these namespaces; empty: all.
    pub namespaces: Vec<String>,
    /// Of a Kubernetes listing plan only the pods these labels select.
    pub labels: Option<String>,
    /// Let pods of stateful sets move.
    pub move_stateful: bool,
    /// A plan for a Kubernetes listing is under way: pods that do not divide
    /// evenly over the domains of a spread constraint may stand on either side
    /// for the moment, the plan's end says which.
    pub under_way: bool,
    /// Bound on the size after decompression; default 4 GiB.
    pub max_bytes: Option<u64>,
}
