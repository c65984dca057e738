//! Counting: the pods of a workload by what they do, and the room on nodes.

use super::memory::Memory;
use super::{Live, Pod, Slots, View, Workload};

/// The pods of one workload, counted.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Pods that stay, with the place each counts at: where it was sent, even
    /// if the scheduler chose otherwise (a later round puts that right), or
    /// where it is.
    pub placed: Vec<(Pod, u32)>,
    /// The same, by node.
    pub here: Slots,
    /// Held pods, in the order of the view.
    pub held: Vec<Pod>,
    /// Let go without a place, and not bound yet.
    pub loose: u32,
    /// Pods that serve.
    pub alive: u32,
    /// Pods on their way out.
    pub leaving: u32,
    /// Pods that stay, are not held and not ready, and were not so at the start.
    pub unready: u32,
}

impl Tally {
    pub fn new(live: &Live, memory: &Memory) -> Self {
        let mut tally = Self::default();
        for pod in memory.pods(live) {
            if pod.terminating {
                tally.leaving += 1;
                continue;
            }
            tally.alive += u32::from(pod.alive());
            if pod.held {
                tally.held.push(pod);
                continue;
            }
            tally.unready += u32::from(!pod.ready && !memory.ailing.contains(&pod.id));
            let sent = memory.sent.get(&pod.id).copied().flatten();
            match sent.or(pod.node).or(pod.steered) {
                Some(node) => {
                    *tally.here.entry(node).or_insert(0) += 1;
                    tally.placed.push((pod, node));
                }
                None => tally.loose += 1,
            }
        }
        tally
    }

    /// Pods that stay.
    pub fn staying(&self) -> u32 {
        (self.placed.len() + self.held.len()) as u32 + self.loose
    }

    /// Places of `want` that are not taken, one entry for each pod missing.
    pub fn missing(&self, want: &Slots) -> Vec<u32> {
        let lack = |(node, count): (&u32, &u32)| {
            let here = self.here.get(node).copied().unwrap_or(0);
            std::iter::repeat_n(*node, count.saturating_sub(here) as usize)
        };
        want.iter().flat_map(lack).collect()
    }

    /// Pods that stand where `want` has no place for them; of those on one
    /// node the marked go first, then those that do not serve.
    pub fn surplus(&self, want: &Slots) -> Vec<&Pod> {
        let mut left = want.clone();
        let mut order: Vec<&(Pod, u32)> = self.placed.iter().collect();
        order.sort_by_key(|(pod, node)| (*node, pod.marked, !pod.alive(), pod.id.clone()));
        let stays = |node: u32, left: &mut Slots| match left.get_mut(&node) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        };
        let beyond = order
            .into_iter()
            .filter(|(_, node)| !stays(*node, &mut left));
        let mut beyond: Vec<&Pod> = beyond.map(|(pod, _)| pod).collect();
        beyond.sort_by_key(|pod| (pod.alive(), !pod.marked));
        beyond
    }
}

/// Free room on the nodes, with what is on its way taken off.
pub(super) struct Room(Vec<Vec<i64>>);

impl Room {
    pub fn new(view: &View, workloads: &[Workload], memories: &[Memory]) -> Self {
        let free = view.nodes.iter().map(|node| node.free.clone());
        let mut room = Self(free.collect());
        for ((live, workload), memory) in view.workloads.iter().zip(workloads).zip(memories) {
            for pod in memory.pods(live) {
                if let (None, Some(node), false) = (pod.node, pod.steered, pod.terminating) {
                    room.take(node, &workload.demand);
                }
            }
        }
        room
    }

    /// Whether a pod fits on a node.
    pub fn fits(&self, node: u32, demand: &[u64]) -> bool {
        let Some(free) = self.0.get(node as usize) else {
            return false;
        };
        let enough = |(free, need): (&i64, &u64)| *need == 0 || *free >= *need as i64;
        free.len() >= demand.len() && free.iter().zip(demand).all(enough)
    }

    /// Takes the room of a pod.
    pub fn take(&mut self, node: u32, demand: &[u64]) {
        if let Some(free) = self.0.get_mut(node as usize) {
            for (free, need) in free.iter_mut().zip(demand) {
                *free -= *need as i64;
            }
        }
    }
}
