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
    let mut families = families(view, FAMILY);
    families.retain(|family| family.traffic >= WORTHWHILE);
    bound_of(view, families, plan, work, context)
}

fn bound_of(
    view: &View,
    mut families: Vec<Family>,
    plan: &Found,
    work: Work,
    context: &Context,
) -> Proof {
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

/// Pairs put together, the heaviest first, while a family has at most so many services;
/// the families with most traffic inside come first.
fn families(view: &View, most: usize) -> Vec<Family> {
    let mut families: Vec<Vec<u32>> = (0..view.services() as u32).map(|s| vec![s]).collect();
    let mut family_of: Vec<usize> = (0..view.services()).collect();
    let mut edges: Vec<_> = view.edges.iter().collect();
    edges.sort_by(|x, y| (y.weight.total_cmp(&x.weight)).then((x.a, x.b).cmp(&(y.a, y.b))));
    for edge in edges {
        let (a, b) = (family_of[edge.a as usize], family_of[edge.b as usize]);
        if a == b || families[a].len() + families[b].len() > most {
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
    all.sort_by(|a, b| (b.traffic.total_cmp(&a.traffic)).then_with(|| a.services.cmp(&b.services)));
    all
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::super::tests::{brute, tiny};
    use super::*;
    use crate::{Budget, Random};

    /// Families of two on clusters of two or three services: what is between
    /// them counts, what is inside is bounded as if it had all nodes.
    #[test]
    fn no_placement_beats_the_sum_over_families() {
        let mut random = Random::seed_from_u64(41);
        let context = Context::new(3, Budget::Steps(1000), 1);
        let mut below_one = 0;
        for _ in 0..24 {
            let view = tiny(&mut random);
            let best = brute(&view, 0, view.replicas[0], 0, &mut Vec::new());
            if best == f64::NEG_INFINITY {
                continue;
            }
            let families = families(&view, 2);
            assert!(families.iter().all(|family| family.services.len() <= 2));
            let plan = Found {
                spots: Vec::new(),
                gain: 0.0,
                moves: 0,
            };
            let proof = bound_of(&view, families, &plan, Work::Rounds(8), &context);
            assert!(proof.bound >= best - 1e-9, "{} below {best}", proof.bound);
            below_one += u32::from(proof.bound < 1.0 - 1e-6);
        }
        assert!(below_one > 2, "says something in {below_one} cases");
    }
}
