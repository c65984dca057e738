//! The problem as flat arrays, with the rules this verb honours.

use bayplan_model::{
    Cluster, Level, NodeId, PoolId, Problem, ServiceId, Services, fits_at_confidence,
};

use super::fleet::Fleet;
use crate::SolveError;

/// What the algorithms of this verb look at.
pub(crate) struct View<'a> {
    pub cluster: &'a Cluster,
    pub services: &'a Services,
    /// How many resources; resource 0 is the one whose UCaC counts.
    pub resources: usize,
    /// D: standard deviations kept free.
    pub d: f64,
    /// `mean[service * resources + resource]`, in units.
    pub mean: Vec<u64>,
    /// `variance[service * resources + resource]`, in units squared.
    pub variance: Vec<u128>,
    /// Replicas of each service that run now.
    pub running: Vec<u32>,
    /// Spread sets each service is a member of.
    sets_of: Vec<Vec<u32>>,
    /// Whether any limit or spread set exists.
    has_rules: bool,
}

impl<'a> View<'a> {
    /// Checks that every rule of the problem is one this verb honours.
    pub fn new(problem: &'a Problem, d: f64) -> Result<Self, SolveError> {
        let services = problem.services().ok_or(SolveError::WrongWorkload {
            verb: "overcommit",
            needs: "services",
        })?;
        let cluster = problem.cluster();
        if !d.is_finite() || d < 0.0 {
            return Err(SolveError::Parameter {
                name: "d-alpha",
                problem: format!("{d} is not a number of standard deviations from 0 on"),
            });
        }
        refuse_foreign_rules(services)?;
        let resources = cluster.resources.len();
        if resources == 0 {
            return Err(SolveError::WrongWorkload {
                verb: "overcommit",
                needs: "at least one resource",
            });
        }
        let mut running = vec![0u32; services.len()];
        for entry in services.placement.counts() {
            let sum = &mut running[entry.service.index()];
            *sum = sum.saturating_add(entry.count);
        }
        refuse_stopping_pinned(services, &running)?;
        let mut sets_of = vec![Vec::new(); services.len()];
        for (index, set) in services.spread.iter().enumerate() {
            for member in &set.members {
                sets_of[member.index()].push(index as u32);
            }
        }
        let variance = if services.variance.is_empty() {
            vec![0; services.demand.len()]
        } else {
            services.variance.clone()
        };
        let view = Self {
            cluster,
            services,
            resources,
            d,
            mean: services.demand.clone(),
            variance,
            running,
            sets_of,
            has_rules: !services.limits.is_empty() || !services.spread.is_empty(),
        };
        view.check_sums()?;
        Ok(view)
    }

    /// How many services.
    pub fn count(&self) -> usize {
        self.services.len()
    }

    /// Replicas of a service to start.
    pub fn to_start(&self, service: usize) -> u32 {
        self.services.replicas[service].saturating_sub(self.running[service])
    }

    /// Replicas of a service to stop.
    pub fn to_stop(&self, service: usize) -> u32 {
        self.running[service].saturating_sub(self.services.replicas[service])
    }

    /// Mean per resource of one replica.
    pub fn mean_of(&self, service: usize) -> &[u64] {
        &self.mean[service * self.resources..][..self.resources]
    }

    /// Variance per resource of one replica.
    pub fn variance_of(&self, service: usize) -> &[u128] {
        &self.variance[service * self.resources..][..self.resources]
    }

    /// Capacity per resource of a node of a pool.
    pub fn capacity(&self, pool: PoolId) -> &[u64] {
        self.cluster.capacity(pool)
    }

    /// Whether a service may use a machine of the fleet.
    pub fn allows(&self, fleet: &Fleet, machine: usize, service: usize) -> bool {
        let (id, compatibility) = (ServiceId::from(service), &self.services.compatibility);
        if machine < self.cluster.nodes.len() {
            compatibility.allows_node(id, NodeId::from(machine))
        } else {
            compatibility.allows_pool(id, fleet.pool[machine])
        }
    }

    /// How many more replicas of a service limits and spread sets allow
    /// beside what is `held` (service, count).
    pub fn room_by_rules(&self, held: &[(u32, u32)], service: usize) -> u32 {
        if !self.has_rules {
            return u32::MAX;
        }
        let (id, limits) = (ServiceId::from(service), &self.services.limits);
        let have = held.iter().find(|(s, _)| *s == id.0).map_or(0, |(_, c)| *c);
        let mut most = limits.cap(id).unwrap_or(u32::MAX);
        for &(other, count) in held.iter().filter(|(s, c)| *s != id.0 && *c > 0) {
            if let Some(max) = limits.get(ServiceId(other), id) {
                most = most.min(max);
            }
            if limits
                .get(id, ServiceId(other))
                .is_some_and(|max| count > max)
            {
                return 0;
            }
        }
        let mut room = most.saturating_sub(have);
        for &set in &self.sets_of[service] {
            let set = &self.services.spread[set as usize];
            let member = |s: &u32| set.members.binary_search(&ServiceId(*s)).is_ok();
            let together: u64 = held
                .iter()
                .filter(|(s, _)| member(s))
                .map(|(_, c)| u64::from(*c))
                .sum();
            room = room.min(u64::from(set.max).saturating_sub(together) as u32);
        }
        room
    }

    /// Whether what is held together breaks a limit or spread set.
    pub fn breaks_rules(&self, held: &[(u32, u32)]) -> bool {
        let one_more_is_too_many = |at: usize| {
            let mut rest = held.to_vec();
            rest[at].1 -= 1;
            self.room_by_rules(&rest, rest[at].0 as usize) == 0
        };
        self.has_rules && (0..held.len()).any(one_more_is_too_many)
    }

    /// Whether loads fit a node of a pool on every resource.
    pub fn fits(&self, pool: PoolId, mean: &[u64], variance: &[u128]) -> bool {
        let loads = mean.iter().zip(variance);
        loads
            .zip(self.capacity(pool))
            .all(|((m, v), capacity)| fits_at_confidence(*m, *v, self.d, *capacity))
    }

    /// The most replicas of a service, up to `at_most`, that fit a node of a
    /// pool beside the given loads; rules and compatibility not considered.
    pub fn most_that_fit(
        &self,
        pool: PoolId,
        mean: &[u64],
        variance: &[u128],
        service: usize,
        at_most: u32,
    ) -> u32 {
        let capacity = self.capacity(pool);
        let mut most = at_most;
        for r in 0..self.resources {
            let (mu, b) = (self.mean_of(service)[r], self.variance_of(service)[r]);
            let fits = |w: u32| {
                let total = u128::from(mean[r]) + u128::from(mu) * u128::from(w);
                let spread = variance[r] + b * u128::from(w);
                u64::try_from(total)
                    .is_ok_and(|m| fits_at_confidence(m, spread, self.d, capacity[r]))
            };
            let guess = closed_form(mean[r], variance[r], mu, b, self.d, capacity[r]);
            most = largest(fits, guess, most);
            if most == 0 {
                return 0;
            }
        }
        most
    }

    /// Sums of what may stand together must not overflow.
    fn check_sums(&self) -> Result<(), SolveError> {
        for r in 0..self.resources {
            let (mut mean, mut variance) = (0u128, Some(0u128));
            for s in 0..self.count() {
                let replicas = u128::from(self.running[s].max(self.services.replicas[s]));
                mean += u128::from(self.mean_of(s)[r]) * replicas;
                variance = variance.and_then(|sum| {
                    self.variance_of(s)[r]
                        .checked_mul(replicas)
                        .and_then(|v| sum.checked_add(v))
                });
            }
            if mean > i64::MAX as u128 || variance.is_none_or(|v| v > i128::MAX as u128) {
                let resource = &self.cluster.resources[r].name;
                return Err(SolveError::Parameter {
                    name: "scale",
                    problem: format!(
                        "the demands of {resource} add up beyond 63 bits (variance: 127); use a coarser scale"
                    ),
                });
            }
        }
        Ok(())
    }
}

/// The real root of w * mu + D * sqrt(w * b + B) = V - C, a guess for the
/// integer answer; negative when nothing fits.
fn closed_form(mean: u64, variance: u128, mu: u64, b: u128, d: f64, capacity: u64) -> f64 {
    if mean > capacity {
        return -1.0;
    }
    let room = (capacity - mean) as f64 + capacity as f64 * bayplan_model::CHANCE_TOLERANCE;
    let (mu, b, held) = (mu as f64, b as f64, variance as f64);
    let constant = room * room - d * d * held;
    if constant < 0.0 {
        return -1.0;
    }
    let linear = 2.0 * room * mu + d * d * b;
    let discriminant = (linear * linear - 4.0 * mu * mu * constant).max(0.0);
    2.0 * constant / (linear + discriminant.sqrt())
}

/// The largest w in 0..=at_most with `fits(w)`, which must be monotone; 0 also
/// when not even 0 fits. Looks near the guess first.
fn largest(fits: impl Fn(u32) -> bool, guess: f64, at_most: u32) -> u32 {
    if guess < 0.0 {
        return 0;
    }
    let near = (guess as u32).min(at_most); // saturates; NaN becomes 0
    if fits(near) && (near == at_most || !fits(near + 1)) {
        return near;
    }
    if near > 0 && !fits(near) && fits(near - 1) {
        return near - 1;
    }
    if !fits(0) {
        return 0;
    }
    let (mut low, mut high) = (0, at_most);
    while low < high {
        let middle = high - (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

fn refuse_foreign_rules(services: &Services) -> Result<(), SolveError> {
    let refuse = |rule, fix: &str| {
        Err(SolveError::UnsupportedRule {
            by: "overcommit".into(),
            rule,
            fix: fix.into(),
        })
    };
    if services.epochs > 1 {
        return refuse(
            "demand by epoch",
            "give mean and deviation at the peak (`bayplan profile`), or use provision",
        );
    }
    if services
        .spread
        .iter()
        .any(|set| matches!(set.level, Level::Label(_)))
    {
        return refuse(
            "a spread set over a label",
            "use provision or colocate, or spread over nodes",
        );
    }
    Ok(())
}

/// A pinned service stays where it is, so none of its replicas can be stopped.
fn refuse_stopping_pinned(services: &Services, running: &[u32]) -> Result<(), SolveError> {
    let stopped = |s: &usize| services.pinned[*s] && running[*s] > services.replicas[*s];
    match (0..services.len()).find(stopped) {
        None => Ok(()),
        Some(s) => Err(SolveError::Infeasible {
            why: format!(
                "service {} is pinned and runs {} replicas where {} are wanted",
                services.names.get(s),
                running[s],
                services.replicas[s]
            ),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closed_form_finds_the_largest_count() {
        let mut seed = 1u64;
        let mut draw = |below: u64| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for _ in 0..20_000 {
            let (capacity, mean, variance) = (draw(1000), draw(1000), u128::from(draw(5000)));
            let (mu, b, d) = (draw(50), u128::from(draw(400)), draw(40) as f64 / 10.0);
            let at_most = draw(60) as u32;
            let fits = |w: u32| {
                fits_at_confidence(
                    mean + mu * u64::from(w),
                    variance + b * u128::from(w),
                    d,
                    capacity,
                )
            };
            let plain = (0..=at_most).rev().find(|w| fits(*w)).unwrap_or(0);
            let guess = closed_form(mean, variance, mu, b, d, capacity);
            assert_eq!(largest(fits, guess, at_most), plain);
        }
    }
}
