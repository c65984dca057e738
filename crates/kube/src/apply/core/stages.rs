//! From waves to the state after each of them.

use std::collections::BTreeMap;

/// Pods on each node.
pub type Slots = BTreeMap<u32, u32>;

/// For each workload what stands where after each wave, written down only
/// where it changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stages {
    /// How many stages.
    len: usize,
    /// For each workload: the first stage of a state, and the state.
    states: Vec<Vec<(usize, Slots)>>,
}

impl Stages {
    /// `start` is what stands now; each wave is a list of changes
    /// (workload, node, pods more or fewer).
    pub fn new(start: Vec<Slots>, waves: &[Vec<(usize, u32, i64)>]) -> Self {
        let mut states: Vec<Vec<(usize, Slots)>> =
            start.into_iter().map(|slots| vec![(0, slots)]).collect();
        for (stage, wave) in waves.iter().enumerate() {
            for (workload, node, change) in wave {
                let history = &mut states[*workload];
                let (since, last) = history.last().expect("a start for each workload");
                if *since != stage || stage == 0 && history.len() == 1 {
                    let last = last.clone();
                    history.push((stage, last));
                }
                let (_, slots) = history.last_mut().expect("just pushed");
                let count = i64::from(slots.get(node).copied().unwrap_or(0)) + change;
                match u32::try_from(count).unwrap_or(0) {
                    0 => slots.remove(node),
                    count => slots.insert(*node, count),
                };
            }
        }
        Self {
            len: waves.len(),
            states,
        }
    }

    /// How many stages.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What stands where once a stage is done.
    pub fn want(&self, workload: usize, stage: usize) -> &Slots {
        let history = &self.states[workload];
        let next = history.partition_point(|(since, _)| *since <= stage);
        &history[next - 1].1
    }

    /// The states from a stage on, the stage's own first.
    pub fn from(&self, workload: usize, stage: usize) -> impl Iterator<Item = &Slots> {
        let history = &self.states[workload];
        let next = history.partition_point(|(since, _)| *since <= stage);
        history[next - 1..].iter().map(|(_, slots)| slots)
    }

    /// What stands where at the end.
    pub fn target(&self, workload: usize) -> &Slots {
        &self.states[workload].last().expect("a start").1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_follow_the_waves() {
        let start = vec![Slots::from([(0, 2)]), Slots::from([(1, 1)])];
        let waves = [vec![(0, 1, 1)], vec![(0, 0, -2), (0, 1, 1)], vec![]];
        let stages = Stages::new(start, &waves);
        assert_eq!(stages.len(), 3);
        assert_eq!(*stages.want(0, 0), Slots::from([(0, 2), (1, 1)]));
        assert_eq!(*stages.want(0, 1), Slots::from([(1, 2)]));
        assert_eq!(*stages.want(0, 2), Slots::from([(1, 2)]));
        assert_eq!(*stages.want(1, 2), Slots::from([(1, 1)]));
        assert_eq!(stages.from(0, 1).count(), 1);
        assert_eq!(*stages.target(0), Slots::from([(1, 2)]));
    }
}
