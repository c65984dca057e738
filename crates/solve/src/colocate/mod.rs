//! Which services should share nodes, and how to get there without an outage.
//!
//! Maximise the traffic that stays on a node ("Resource Allocation with
//! Service Affinity in Large-Scale Cloud Environments", ICDE 2024), at a price
//! per moved replica, and plan the way there in waves that are legal in every
//! prefix.

pub mod anneal;
mod arrivals;
mod assign;
pub mod bounds;
mod cycles;
pub mod evolve;
pub mod fluid;
pub mod frontier;
pub mod gain;
pub mod kinds;
pub mod limits;
pub mod migrate;
pub mod patterns;
pub mod peers;
pub mod rasa;
pub mod recombine;
mod registry;
mod rows;
pub mod schedule;
pub mod shelf;
mod solver;
pub mod state;
#[cfg(test)]
mod tests;
pub mod view;

use bayplan_model::ServiceId;

pub use registry::algorithms;
pub use solver::solve;

/// What a run of `colocate` is asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// The algorithm, by name.
    pub algorithm: String,
    /// The most replicas that may move.
    pub max_moves: Option<u64>,
    /// Share of all traffic given up for one moved replica less; `None`: a
    /// tenth of what the mean replica could gain at most.
    pub move_price: Option<f64>,
    /// Count traffic as local among nodes that share this label's value.
    pub gain_label: Option<String>,
    /// Services that must not be touched, such as those rolled back lately.
    pub leave_alone: Vec<ServiceId>,
    /// Keep the current placement unless the gain grows by this share of all
    /// traffic.
    pub min_gain: f64,
    /// Share of each service that must be alive on the way, in millionths.
    pub alive: u32,
    /// Whether a service may for a while be short of one replica more, where
    /// no legal way leads on otherwise.
    pub allow_outage: bool,
    /// How RASA puts services into parts.
    pub partition: rasa::Partition,
    /// How many services RASA calls masters, in percent of the paper's number.
    pub masters: u32,
    /// Who solves RASA's parts.
    pub pool: rasa::PoolMember,
    /// Who chooses for each part when `pool` does not.
    pub selector: rasa::select::Selector,
    /// What becomes of services outside of all of RASA's parts.
    pub trivial: rasa::Trivial,
    /// Whether to plan the way in waves.
    pub waves: bool,
    /// Whether to spend part of the time on an upper bound.
    pub bound: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            algorithm: "auto".into(),
            max_moves: None,
            move_price: None,
            gain_label: None,
            leave_alone: Vec::new(),
            min_gain: 0.0,
            alive: 750_000,
            allow_outage: false,
            partition: rasa::Partition::default(),
            masters: 100,
            pool: rasa::PoolMember::default(),
            selector: rasa::select::Selector::default(),
            trivial: rasa::Trivial::default(),
            waves: true,
            bound: true,
        }
    }
}
