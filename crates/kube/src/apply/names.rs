//! Every name we leave on the cluster's objects while applying.

/// The scheduling gate that holds replacements.
pub const GATE: &str = "bayplan.dev/hold";

/// On a pod pinned by `--hard`: the node. The importer knows by it that the
/// selector is ours and not the workload's.
pub const PINNED: &str = "bayplan.dev/pinned-to";

/// On a pod marked as the first to go: the deletion cost it had before.
pub const COST_BEFORE: &str = "bayplan.dev/deletion-cost-before";

/// Read by the controllers that remove pods.
pub const COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// The lowest cost that controllers take.
pub const LOWEST: &str = "-2147483647";

/// On every policy, binding and webhook of ours.
pub const PART: &str = "bayplan.dev/part";

/// The value of [`PART`] on what puts gates on pods.
pub const GATES: &str = "gates";

/// The node's own name for itself.
pub const HOSTNAME: &str = "kubernetes.io/hostname";

/// The group of our custom resource.
pub const GROUP: &str = "bayplan.dev";

/// Its version.
pub const VERSION: &str = "v1alpha1";

/// Its plural.
pub const PLURAL: &str = "placementplans";
