//! POP: services and nodes dealt at random into equal parts, each solved by
//! itself (section V-A and its reference 23).

use super::super::evolve::Found;
use super::super::rasa::{Choices, Partition, PoolMember, rasa_with};
use super::super::view::View;
use crate::Context;

/// A random partition of all services with traffic, each part by the integer
/// program.
pub fn pop(view: &View, until: Option<f64>, context: &Context) -> Found {
    let choices = Choices { partition: Partition::Random, pool: PoolMember::Mip };
    rasa_with(view, choices, until, context).found
}
