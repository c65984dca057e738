//! What a solver answers.

use crate::{ApplicationId, NodeId, Placement, PoolId, RequestId, ServiceId};

/// An answer to one of the questions.
#[derive(Clone, PartialEq, Debug)]
pub enum Plan {
    /// Where replicas run: `provision`, `colocate`, `overcommit`.
    Placement(PlacementPlan),
    /// Who serves which load: `divide`.
    Division(DivisionPlan),
    /// Which requests run where: `admit`.
    Admission(AdmissionPlan),
}

impl Plan {
    /// Pools of the new nodes, in node order after the existing ones.
    pub fn opened(&self) -> &[PoolId] {
        match self {
            Self::Placement(plan) => &plan.opened,
            Self::Division(plan) => &plan.opened,
            Self::Admission(plan) => &plan.opened,
        }
    }
}

/// Replicas on nodes, and the way there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlacementPlan {
    /// New nodes: the i-th has id `existing nodes + i`.
    pub opened: Vec<PoolId>,
    /// The placement to reach.
    pub placement: Placement,
    /// Replicas without a place.
    pub unplaced: Vec<Unplaced>,
    /// Moves from the current placement to this one, in order; empty when the
    /// order was not asked for.
    pub waves: Vec<Wave>,
}

/// Replicas of a service that found no place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unplaced {
    /// The service.
    pub service: ServiceId,
    /// How many replicas.
    pub count: u32,
    /// Why.
    pub reason: Reason,
}

/// Why replicas have no place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// One replica is larger than any node it may use.
    TooLarge,
    /// No node is compatible.
    NoCompatibleNode,
    /// The nodes allowed have no room left.
    NoRoom,
    /// Room is left only where a limit or spread set forbids it.
    Rules,
}

/// Whether a wave stops or starts replicas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaveKind {
    /// Replicas are stopped.
    Delete,
    /// Replicas are started.
    Create,
}

/// Moves that may run at the same time, in any order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wave {
    /// Only stops or only starts.
    pub kind: WaveKind,
    /// What is stopped or started.
    pub moves: Vec<Move>,
}

/// `count` replicas of `service` stopped or started on `node`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Move {
    /// The service.
    pub service: ServiceId,
    /// The node.
    pub node: NodeId,
    /// How many replicas.
    pub count: u32,
}

/// Load of applications on nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DivisionPlan {
    /// New nodes: the i-th has id `existing nodes + i`.
    pub opened: Vec<PoolId>,
    /// Instances and the load each serves, by application, then node.
    pub shares: Vec<Share>,
}

/// One instance: `application` on `node` serves `load`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Share {
    /// The application.
    pub application: ApplicationId,
    /// The node.
    pub node: NodeId,
    /// The load served, in units.
    pub load: u64,
}

/// Requests on nodes; a request not listed is not admitted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AdmissionPlan {
    /// New nodes: the i-th has id `existing nodes + i`.
    pub opened: Vec<PoolId>,
    /// Admitted requests with their nodes, by request.
    pub accepted: Vec<(RequestId, NodeId)>,
}
