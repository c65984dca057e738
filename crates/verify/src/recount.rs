//! The figures of a placement plan.

use bayplan_model::{ServiceId, gained_affinity};

use crate::Figures;
use crate::placement::PlacementSubject;

impl PlacementSubject<'_> {
    /// Every figure of the placement.
    pub fn figures(&self) -> Figures {
        let ground = &self.ground;
        let epochs = ground.services.epochs;
        let mut figures = Figures::default();
        let (mut ucac, mut busiest, mut load) = (0.0, 0u128, Vec::new());
        let existing = ground.site.cluster.nodes.len();
        for node in ground.site.ids() {
            let contents = self.state.on(node);
            // A node opened to take over after a loss costs as much as any other.
            let opened = node.index() >= existing && ground.site.pool(node).is_some();
            let spare = opened && ground.rules.survive.is_some();
            if contents.is_empty() && !spare {
                continue;
            }
            figures.nodes += 1;
            figures.cost += u128::from(ground.site.price(node));
            ground.load(contents, &mut load);
            let peak = load.iter().take(epochs).copied().max().unwrap_or(0);
            busiest = busiest.max(peak);
            ucac += ground.at_confidence(peak, ground.variance(contents, 0));
        }
        let (mut placed, mut unplaced) = (0u64, 0u64);
        for (at, count) in self.placed.iter().enumerate() {
            placed = placed.saturating_add(*count);
            unplaced += u64::from(ground.services.replicas[at]).saturating_sub(*count);
        }
        figures.placed = Some(placed);
        figures.unplaced = Some(unplaced);
        figures.gained_affinity = self.gained_affinity();
        figures.moves = Some(self.moves());
        figures.ucac = Some(ucac);
        figures.max_load = Some(u64::try_from(busiest).unwrap_or(u64::MAX));
        figures
    }

    /// The sum over services and nodes of max(0, new - old).
    fn moves(&self) -> u64 {
        let mut moves = 0u64;
        for node in self.ground.site.ids() {
            for (service, count) in self.state.on(node) {
                let before = self.current.count(*service, node);
                moves = moves.saturating_add(count.saturating_sub(before));
            }
        }
        moves
    }

    /// The share of all traffic between replicas on the same node, or on nodes
    /// of the same group when the run counts by label.
    fn gained_affinity(&self) -> Option<f64> {
        let services = self.ground.services;
        let total = services.total_traffic();
        if total <= 0.0 {
            return None;
        }
        let level = self.ground.rules.gain_level.as_deref();
        let groups = self.ground.site.groups(level);
        let mut counts: Vec<Vec<(u32, u64)>> = vec![Vec::new(); services.len()];
        for (node, contents) in self.state.by_node.iter().enumerate() {
            for (service, count) in contents {
                counts[service.index()].push((groups.of[node], *count));
            }
        }
        for by_group in &mut counts {
            by_group.sort_unstable();
            by_group.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 = kept.1.saturating_add(next.1);
                }
                same
            });
        }
        let pairs = services.traffic.iter();
        let gained = pairs.map(|pair| pair.weight * self.local_share(pair.a, pair.b, &counts));
        Some(gained.sum::<f64>() / total)
    }

    fn local_share(&self, a: ServiceId, b: ServiceId, counts: &[Vec<(u32, u64)>]) -> f64 {
        let replicas = &self.ground.services.replicas;
        let (d_a, d_b) = (replicas[a.index()], replicas[b.index()]);
        let narrow = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let mut of_b = counts[b.index()].iter().peekable();
        let mut share = 0.0;
        for (group, x_a) in &counts[a.index()] {
            while of_b.next_if(|(other, _)| other < group).is_some() {}
            if let Some((_, x_b)) = of_b.next_if(|(other, _)| other == group) {
                share += gained_affinity(narrow(*x_a), d_a, narrow(*x_b), d_b);
            }
        }
        share
    }
}
