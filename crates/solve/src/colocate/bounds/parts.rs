//! Clusters too large for patterns as a whole: services that talk most are put
//! into families, each family is bounded by its patterns as if the cluster were
//! its own, and the traffic between families by the star bound. The gain is a
//! sum over pairs of services, so the sum of such bounds is a bound.

use super::super::evolve::Found;
use super::super::gain::gain_of;
use super::super::kinds::Kinds;
use super::super::patterns::Pool;
use super::super::rasa::part::Part;
use super::super::state::State;
use super::super::view::{Spot, View};
use super::star::star_bound;
use super::{Proof, Work, pattern_bound};
use crate::Context;

/// Services of a family at most: with many more, patterns are hard to price.
const FAMILY: usize = 120;
/// Families that are bounded by patterns at most, and the least share of all
/// traffic inside of one that is worth it.
const FAMILIES: usize = 6;
const WORTHWHILE: f64 = 0.02;

/// A bound from families, given a plan and the star bound of the whole.
pub fn parted_bound(view: &View, plan: &Found, work: Work, context: &Context) -> Proof {
    let mut families = families(view);
    families.retain(|family| family.traffic >= WORTHWHILE);
    families.truncate(FAMILIES);
    let mut family_of = vec![usize::MAX; view.services()];
    for (at, family) in families.iter().enumerate() {
        for service in &family.services {
            family_of[*service as usize] = at;
        }
    }
    let mut rest = view.clone();
    rest.edges.retain(|edge| {
        let (a, b) = (family_of[edge.a as usize], family_of[edge.b as usize]);
        a != b || a == usize::MAX
    });
    let between = rest.edges.iter().map(|edge| edge.weight).sum();
    let mut bound = star_bound(&rest.finish());
    let empty = State::new(view, &[]);
    let mut left: f64 = families.iter().map(|family| family.traffic).sum();
    let parts = families.len();
    for family in families {
        let share = family.traffic / left;
        left -= family.traffic;
        let work = match work {
            Work::Until(second) => {
                let now = context.elapsed();
                Work::Until(now + (second - now).max(0.0) * share)
            }
            Work::Rounds(rounds) => Work::Rounds((rounds as f64 * share) as u64),
        };
        let nodes = (0..view.nodes() as u32).collect();
        let part = Part::new(view, &empty, family.services, nodes);
        let spots: Vec<Spot> = plan.spots.iter().filter_map(|s| part.inner(s)).collect();
        let mut pool = Pool::default();
        let state = State::new(&part.view, &spots);
        pool.add_all(&state, &Kinds::new(&part.view));
        let target = gain_of(&part.view, &spots);
        bound += pattern_bound(&part.view, &mut pool, target, work, context);
    }
    Proof {
        bound: bound.min(1.0),
        parts,
        between,
    }
}

/// Services put together, with the traffic inside.
struct Family {
    services: Vec<u32>,
    traffic: f64,
}

/// Pairs put together, the heaviest first, while a family is small enough;
/// the families with most traffic inside come first.
fn families(view: &View) -> Vec<Family> {
    let mut families: Vec<Vec<u32>> = (0..view.services() as u32).map(|s| vec![s]).collect();
    let mut family_of: Vec<usize> = (0..view.services()).collect();
    let mut edges: Vec<_> = view.edges.iter().collect();
    edges.sort_by(|x, y| {
        (y.weight.total_cmp(&x.weight)).then((x.a, x.b).cmp(&(y.a, y.b)))
    });
    for edge in edges {
        let (a, b) = (family_of[edge.a as usize], family_of[edge.b as usize]);
        if a == b || families[a].len() + families[b].len() > FAMILY {
            continue;
        }
        let joining = std::mem::take(&mut families[b]);
        for service in &joining {
            family_of[*service as usize] = a;
        }
        families[a].extend(joining);
    }
    let mut traffic = vec![0.0; families.len()];
    for edge in &view.edges {
        let (a, b) = (family_of[edge.a as usize], family_of[edge.b as usize]);
        if a == b {
            traffic[a] += edge.weight;
        }
    }
    let mut all: Vec<Family> = families
        .into_iter()
        .zip(traffic)
        .map(|(mut services, traffic)| {
            services.sort_unstable();
            Family { services, traffic }
        })
        .collect();
    all.sort_by(|a, b| {
        (b.traffic.total_cmp(&a.traffic)).then_with(|| a.services.cmp(&b.services))
    });
    all
}
