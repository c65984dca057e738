//! What can stand in the way of carrying a plan out: codes K2xx.

/// Why a plan is not carried out.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The cluster could not be read or refused a call.
    #[error(transparent)]
    Cluster(#[from] crate::Error),
    /// What the plan starts from is not what runs.
    #[error("the cluster is not what the plan was made for:\n{}", lines(.0))]
    Stale(Vec<String>),
    /// The waves break a rule on the cluster as it is.
    #[error("on the cluster as it is the plan breaks rules:\n{}", lines(.0))]
    Breaks(Vec<String>),
    /// The plan has no moves in waves, or opens nodes.
    #[error("the plan cannot be carried out: {0}")]
    Unusable(String),
    /// A workload that cannot start a pod before it stops one.
    #[error("these workloads cannot start a pod before one is stopped, and may not miss any:\n{}", lines(.0))]
    NoSurge(Vec<String>),
    /// Pods that nothing replaces, or of two templates at once.
    #[error("these workloads cannot be moved:\n{}", lines(.0))]
    Unmovable(Vec<String>),
    /// No way to hold replacements.
    #[error("replacements cannot be held: {0}")]
    NoGates(String),
    /// The custom resource is missing.
    #[error("there is no PlacementPlan resource to keep the state in: {0}")]
    NoRecord(String),
    /// Another apply is under way.
    #[error("another plan is being carried out: {0}")]
    Busy(String),
    /// There is nothing to resume or roll back.
    #[error("nothing to go on with: {0}")]
    Nothing(String),
    /// The state does not fit into one object.
    #[error("the plan is too large to be kept in one object: {0} bytes")]
    TooLarge(usize),
}

fn lines(all: &[String]) -> String {
    const SHOWN: usize = 20;
    let mut text: Vec<String> = all
        .iter()
        .take(SHOWN)
        .map(|line| format!("  {line}"))
        .collect();
    if all.len() > SHOWN {
        text.push(format!("  and {} more", all.len() - SHOWN));
    }
    text.join("\n")
}

impl ApplyError {
    /// The code that `bayplan explain` knows.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Cluster(error) => error.code(),
            Self::Stale(_) => "K201",
            Self::Breaks(_) => "K202",
            Self::Unusable(_) => "K203",
            Self::NoSurge(_) => "K204",
            Self::Unmovable(_) => "K205",
            Self::NoGates(_) => "K206",
            Self::NoRecord(_) => "K207",
            Self::Busy(_) => "K208",
            Self::Nothing(_) => "K209",
            Self::TooLarge(_) => "K210",
        }
    }
}

/// Codes K2xx: carrying a plan out.
pub(crate) const CODES: &[(&str, &str, &str)] = &[
    (
        "K201",
        "Stale plan",
        "Pods of workloads that the plan moves are not where they were when it was made, or objects it names are gone. The lines name them. Plan again from the cluster as it is: `bayplan colocate --cluster`.",
    ),
    (
        "K202",
        "Plan illegal by now",
        "Nothing that moves has changed, but something else has: replayed on the cluster as it is, a wave would break a rule. Plan again.",
    ),
    (
        "K203",
        "Plan without a way",
        "Only a plan for services on existing nodes, with its moves in waves, can be carried out: what `bayplan colocate --cluster --plan plan.json` writes. A plan that opens nodes needs the nodes first.",
    ),
    (
        "K204",
        "No pod to spare",
        "An autoscaler owns the number of replicas, or the workload is a StatefulSet, so no pod can be started before another is stopped; and the alive share or a disruption budget allows none to be missing. Plan again with `--leave-alone` and the names, or lower `--alive`.",
    ),
    (
        "K205",
        "Workload that cannot be moved",
        "The pods belong to nothing that would replace them, or a rollout is under way and pods of two templates run. Wait for the rollout, or plan again with `--leave-alone` and the names.",
    ),
    (
        "K206",
        "No gates",
        "Replacements are held by a scheduling gate that an admission policy (Kubernetes 1.36) or a webhook puts on them. Neither could be set up, or it did not take effect within a minute. `--gates webhook` needs an address the API server can reach: `--webhook-address`.",
    ),
    (
        "K207",
        "No PlacementPlan resource",
        "The state of an apply is kept in the cluster, so that it survives this process. The chart installs the resource definition; `bayplan apply` does it too if the account may. Ask an administrator for: `bayplan controller --print-crd | kubectl apply -f -`.",
    ),
    (
        "K208",
        "Another apply",
        "A PlacementPlan that is not finished exists. If no process works on it any more, `bayplan apply --resume` goes on, `--rollback` goes back, and `bayplan cleanup` gives it up.",
    ),
    (
        "K209",
        "Nothing to go on with",
        "`--resume` and `--rollback` go on from a PlacementPlan in the cluster, and there is none, or several: name it. `kubectl get placementplans` lists them.",
    ),
    (
        "K210",
        "Plan too large",
        "The state of an apply must fit into one object of the cluster (1.5 MB). Carry the plan out in parts: plan with `--max-moves`.",
    ),
];
