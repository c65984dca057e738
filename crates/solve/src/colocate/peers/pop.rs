//! POP: services and nodes dealt at random into equal parts, each solved by
//! itself (section V-A and its reference 23).

use super::super::evolve::Found;
use super::super::rasa::{Choices, Partition, PoolMember, rasa_with};
use super::super::view::{Spot, View};
use crate::Context;

/// A random partition of all services, each part by the integer program. The
/// traffic between parts is lost, which is what the paper holds against it:
/// with k parts about 1/k is left.
pub fn pop(view: &View, from: &[Spot], until: Option<f64>, context: &Context) -> Found {
    let choices = Choices {
        partition: Partition::Random,
        pool: PoolMember::Mip,
        ..Choices::default()
    };
    rasa_with(view, from, choices, until, context).found
}
