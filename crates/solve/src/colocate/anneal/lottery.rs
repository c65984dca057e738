//! Which pairs of services a search looks at: heavy traffic more often.

use super::super::view::{Edge, View};

/// Pairs with at least one movable service, each with tickets by its weight.
#[derive(Clone, Debug, Default)]
pub struct Lottery {
    tickets: Vec<(u32, u32)>,
}

/// Tickets dealt out by weight, beside one for each pair.
const TICKETS: f64 = 16_384.0;

impl Lottery {
    /// Tickets in proportion to the square root of the traffic: in proportion
    /// to the traffic itself the many light pairs would never be looked at.
    pub fn new(view: &View) -> Self {
        let movable = |edge: &&Edge| !view.fixed[edge.a as usize] || !view.fixed[edge.b as usize];
        let edges: Vec<&Edge> = view.edges.iter().filter(movable).collect();
        let total: f64 = edges.iter().map(|edge| edge.weight.sqrt()).sum();
        let mut tickets = Vec::new();
        for edge in edges {
            let share = edge.weight.sqrt() / total * TICKETS;
            let pair = (edge.a, edge.b);
            tickets.extend(std::iter::repeat_n(pair, 1 + share as usize));
        }
        Self { tickets }
    }

    /// The same pairs under other numbers.
    pub fn renamed(mut self, name: impl Fn(u32) -> u32) -> Self {
        for (a, b) in &mut self.tickets {
            (*a, *b) = (name(*a), name(*b));
        }
        self
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.tickets.is_empty()
    }

    /// The pair of a random number, in either order.
    #[inline]
    pub fn draw(&self, random: u64) -> (u32, u32) {
        let (high, low) = (random >> 32, random & 1);
        let (a, b) = self.tickets[((high * self.tickets.len() as u64) >> 32) as usize];
        if low == 0 { (a, b) } else { (b, a) }
    }
}
