//! Collects violations: tells those of the plan from those it found, and
//! keeps a bounded number.

use std::collections::BTreeMap;

use bayplan_model::{Resource, format_units};

use crate::{Rule, Violation};

/// Violations kept per rule, broken on arrival and broken by the plan apart;
/// the rest is counted. A hostile plan cannot fill the memory.
pub(crate) const KEPT_PER_RULE: usize = 1000;

/// What a violation is about, in ids: the same rule on the same objects has
/// the same key in the current placement and in the plan.
pub(crate) type Key = (Rule, [u32; 3]);

/// How badly each rule was broken before the plan.
pub(crate) type Baseline = BTreeMap<Key, u128>;

/// What was found and what is allowed, in units of a measure.
#[derive(Clone, Copy)]
pub(crate) struct Numbers<'a> {
    pub found: u128,
    pub allowed: u128,
    pub unit: &'a str,
    pub scale: u64,
}

impl<'a> Numbers<'a> {
    pub fn counted(found: u128, allowed: u128, unit: &'a str) -> Self {
        Self {
            found,
            allowed,
            unit,
            scale: 1,
        }
    }

    pub fn of(resource: &'a Resource, found: u128, allowed: u128) -> Self {
        Self {
            found,
            allowed,
            unit: &resource.unit,
            scale: resource.scale.max(1),
        }
    }

    /// Distance from what is allowed: the measure of "at least as badly".
    fn off_by(&self) -> u128 {
        self.found.abs_diff(self.allowed)
    }

    fn text(&self, units: u128) -> String {
        format_units(u64::try_from(units).unwrap_or(u64::MAX), self.scale)
    }

    fn value(&self, units: u128) -> f64 {
        units as f64 / self.scale as f64
    }
}

/// The collection. With `dropped`, findings of one rule are ignored: the test
/// of the tests, see `check_without`.
#[derive(Default)]
pub(crate) struct Findings {
    violations: Vec<Violation>,
    kept: BTreeMap<(Rule, bool), usize>,
    reported: BTreeMap<Key, u128>,
    further: u64,
    record: Option<Baseline>,
    baseline: Baseline,
    dropped: Option<Rule>,
}

impl Findings {
    /// Collects violations, and calls those no worse than in `baseline`
    /// broken on arrival.
    pub fn against(baseline: Baseline, dropped: Option<Rule>) -> Self {
        Self {
            baseline,
            dropped,
            ..Self::default()
        }
    }

    /// Only records how badly rules are broken.
    pub fn recorder() -> Self {
        Self {
            record: Some(Baseline::new()),
            ..Self::default()
        }
    }

    /// What a recorder recorded.
    pub fn into_baseline(self) -> Baseline {
        self.record.unwrap_or_default()
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.violations.is_empty()
    }

    /// All violations by rule, in the order found, and how many more there were.
    pub fn into_violations(mut self) -> (Vec<Violation>, u64) {
        self.violations.sort_by_key(|violation| violation.rule);
        (self.violations, self.further)
    }

    /// Adds one; `objects` is asked for only when the violation is kept.
    pub fn add(
        &mut self,
        key: Key,
        numbers: Numbers<'_>,
        objects: impl FnOnce() -> Vec<(&'static str, String)>,
    ) {
        if self.dropped == Some(key.0) {
            return;
        }
        let badness = numbers.off_by();
        if let Some(record) = &mut self.record {
            if key.0.can_be_broken_on_arrival() {
                let known = record.entry(same_matter(key)).or_insert(0);
                *known = badness.max(*known);
            }
            return;
        }
        // A wave that shows again what is listed already says nothing new.
        if self
            .reported
            .get(&key)
            .is_some_and(|known| *known >= badness)
        {
            return;
        }
        let on_arrival = self.on_arrival(key, badness);
        let kept = self.kept.entry((key.0, on_arrival)).or_insert(0);
        if *kept == KEPT_PER_RULE {
            self.further += 1;
            return;
        }
        *kept += 1;
        self.reported.insert(key, badness);
        self.violations.push(Violation {
            rule: key.0,
            objects: objects(),
            found: numbers.value(numbers.found),
            allowed: numbers.value(numbers.allowed),
            found_text: numbers.text(numbers.found),
            allowed_text: numbers.text(numbers.allowed),
            off_by_text: numbers.text(numbers.off_by()),
            unit: numbers.unit.to_owned(),
            on_arrival,
        });
    }

    /// Of several findings of one kind (the epochs of a node's resource) adds
    /// the worst the plan is to blame for, else the worst.
    pub fn add_worst<'a>(
        &mut self,
        all: impl Iterator<Item = (Key, Numbers<'a>)>,
        objects: impl Fn(Key) -> Vec<(&'static str, String)>,
    ) {
        if self.record.is_some() {
            all.for_each(|(key, numbers)| self.add(key, numbers, Vec::new));
            return;
        }
        let blame = |(key, numbers): &(Key, Numbers<'_>)| {
            let badness = numbers.off_by();
            (!self.on_arrival(*key, badness), badness)
        };
        // The first of equals: `max_by_key` would take the last.
        let worst = all.reduce(|worst, next| {
            if blame(&next) > blame(&worst) {
                next
            } else {
                worst
            }
        });
        if let Some((key, numbers)) = worst {
            self.add(key, numbers, || objects(key));
        }
    }

    fn on_arrival(&self, key: Key, badness: u128) -> bool {
        self.baseline
            .get(&same_matter(key))
            .is_some_and(|before| *before >= badness)
    }
}

/// Too much of a resource is one matter, whether the demand on the node is
/// certain or random: taking the random part away from a full node leaves it
/// better, though another rule names it.
fn same_matter((rule, ids): Key) -> Key {
    match rule {
        Rule::Confidence => (Rule::Capacity, ids),
        _ => (rule, ids),
    }
}
