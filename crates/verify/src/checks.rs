//! The rules, one line each. A line taken out is a rule not checked:
//! `scripts/mutants.sh` does that to each in turn and shows that a test fails.

use crate::admission::{self, AdmissionSubject};
use crate::division::{self, DivisionSubject};
use crate::findings::Findings;
use crate::ground::State;
use crate::placement::{self, PlacementSubject};
use crate::state_checks::{self, View};
use crate::waves::{self, Step};
use crate::{Rule, survive};

type StateCheck = (Rule, fn(&View<'_>, &mut Findings));
type PlacementCheck = (Rule, fn(&PlacementSubject<'_>, &mut Findings));
type WaveCheck = (Rule, fn(&Step<'_>, &mut Findings));
type EndCheck = (Rule, fn(&PlacementSubject<'_>, &State, &mut Findings));
type DivisionCheck = (Rule, fn(&DivisionSubject<'_>, &mut Findings));
type AdmissionCheck = (Rule, fn(&AdmissionSubject<'_>, &mut Findings));

/// A placement at any moment.
pub(crate) const STATE: &[StateCheck] = &[
    (Rule::Capacity, state_checks::capacity),
    (Rule::Confidence, state_checks::confidence),
    (Rule::Limit, state_checks::limits),
    (Rule::Spread, state_checks::spread),
    (Rule::Compatibility, state_checks::compatibility),
];

/// A placement plan.
pub(crate) const PLACEMENT: &[PlacementCheck] = &[
    (Rule::Unplaced, placement::unplaced),
    (Rule::Surplus, placement::surplus),
    (Rule::Pinned, placement::pinned),
    (Rule::PoolSize, placement::pool_size),
    (Rule::UnknownObject, placement::unknown_objects),
    (Rule::Survive, survive::survives),
];

/// A wave.
pub(crate) const WAVE: &[WaveCheck] = &[
    (Rule::Pinned, waves::stops_pinned),
    (Rule::Alive, waves::alive),
    (Rule::Wave, waves::stops_what_runs),
];

/// The state after the last wave.
pub(crate) const END: &[EndCheck] = &[(Rule::WaveEnd, waves::ends_at_plan)];

/// Load of applications on nodes.
pub(crate) const DIVISION: &[DivisionCheck] = &[
    (Rule::Capacity, division::capacity),
    (Rule::PoolSize, division::pool_size),
    (Rule::UnknownObject, division::unknown_objects),
    (Rule::LoadShare, division::load_shares),
    (Rule::Instance, division::one_instance_per_node),
    (Rule::InstanceCount, division::instance_counts),
    (Rule::Survive, division::survives),
];

/// Requests on nodes.
pub(crate) const ADMISSION: &[AdmissionCheck] = &[
    (Rule::Capacity, admission::capacity),
    (Rule::PoolSize, admission::pool_size),
    (Rule::UnknownObject, admission::unknown_objects),
    (Rule::Twice, admission::each_once),
    (Rule::Survive, admission::survives),
];
