//! The words of the house as types.
//!
//! A [`Problem`] is a [`Cluster`] and a [`Workload`], immutable once built; a
//! [`Plan`] is what a solver answers. Everything inside is a dense integer id
//! and an integer amount; names live at the edge. No input or output happens
//! here, and nothing here knows a solver: confidence, objective and budgets
//! are parameters of a run, never part of a problem.

mod applications;
mod chance;
mod cluster;
mod compatibility;
mod decimal;
mod error;
mod ids;
mod limits;
mod names;
mod placement;
mod plan;
mod problem;
mod requests;
mod services;
mod spread;
mod traffic;

pub use applications::{Application, Applications};
pub use chance::{
    CHANCE_TOLERANCE, at_confidence, d_of_confidence, fits_at_confidence, upper_tail,
};
pub use cluster::{Cluster, Labels, Node, Pool, Resource};
pub use compatibility::{Compatibility, Reach};
pub use decimal::{DecimalError, Rounding, format_units, parse_units};
pub use error::ModelError;
pub use ids::{ApplicationId, NodeId, PoolId, RequestId, ResourceId, ServiceId};
pub use limits::{Limit, Limits, LimitsBuilder};
pub use names::Names;
pub use placement::{Count, Placement};
pub use plan::{
    AdmissionPlan, DivisionPlan, Move, PlacementPlan, Plan, Reason, Share, Unplaced, Wave, WaveKind,
};
pub use problem::{Problem, Workload};
pub use requests::{Request, Requests, WEIGHT_SCALE};
pub use services::{Demand, Service, Services};
pub use spread::{Level, SpreadSet};
pub use traffic::{Traffic, gained_affinity};
