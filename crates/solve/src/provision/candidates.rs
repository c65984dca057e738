//! Medea's node candidates (section 4.6, Eq. 4): the service with the fewest
//! nodes that could take a replica comes next, counted anew after each.

use super::allowance::Allowance;
use super::classes::DemandClasses;
use super::node_rules::NodeRules;
use super::open::Opener;
use super::state::State;
use crate::Context;

/// Places all services, fewest candidate nodes first, each by first fit.
pub(super) fn run(state: &mut State, opener: &mut Opener, ctx: &Context) {
    let mut counts = Counts::new(state);
    let mut allowance = Allowance::default();
    let mut waiting: Vec<u32> = (0..state.left.len() as u32).collect();
    waiting.retain(|s| state.left[*s as usize] > 0);
    while !ctx.must_stop() {
        // The lowest number among equals.
        let next =
            (0..waiting.len()).min_by_key(|i| (counts.of[waiting[*i] as usize], waiting[*i]));
        let Some(at) = next else { return };
        let service = waiting.swap_remove(at) as usize;
        allowance.compute(state, service);
        let mut node = 0;
        while state.left[service] > 0 {
            if node == state.nodes() {
                let Some(opened) = opener.open_for(state, service) else {
                    break;
                };
                allowance.note_opened(state, opened);
                counts.open(state, opened);
                node = opened;
            }
            if counts.is_candidate(node, service) {
                let count = allowance.most(state, node).min(state.left[service]);
                if count > 0 {
                    state.place(node, service, count);
                    allowance.note_placed(node, count);
                    counts.update(state, node, &waiting);
                }
            }
            if state.contents(node).is_empty() && !state.is_shut(node) {
                // Not even an empty node takes it: neither would the next.
                break;
            }
            node += 1;
        }
    }
}

/// For every service the number of nodes that could take a replica of it.
struct Counts {
    of: Vec<u32>,
    /// One bit per node and service.
    candidate: Vec<Vec<u64>>,
    words: usize,
    rules: NodeRules,
    classes: DemandClasses,
    fits: Vec<bool>,
    all: Vec<u32>,
}

impl Counts {
    fn new(state: &State) -> Self {
        let services = state.view.len();
        let mut counts = Self {
            of: vec![0; services],
            candidate: Vec::new(),
            words: services.div_ceil(64),
            rules: NodeRules::new(services),
            classes: DemandClasses::new(state),
            fits: Vec::new(),
            all: (0..services as u32).collect(),
        };
        for node in 0..state.nodes() {
            counts.open(state, node);
        }
        counts
    }

    fn is_candidate(&self, node: usize, service: usize) -> bool {
        self.candidate[node][service / 64] >> (service % 64) & 1 == 1
    }

    /// A node was put into use.
    fn open(&mut self, state: &State, node: usize) {
        if node == self.candidate.len() {
            self.candidate.push(vec![0; self.words]);
        }
        let all = std::mem::take(&mut self.all);
        self.update(state, node, &all);
        self.all = all;
    }

    /// The contents of a node changed: looks at the given services anew.
    fn update(&mut self, state: &State, node: usize, services: &[u32]) {
        self.rules.load(state, node);
        self.fits.clear();
        let classes = 0..self.classes.len();
        let fits = classes.map(|c| {
            let example = self.classes.members(c).first();
            example.is_some_and(|s| state.fits(node, *s as usize))
        });
        self.fits.extend(fits);
        let bits = &mut self.candidate[node];
        for service in services.iter().map(|s| *s as usize) {
            let (word, bit) = (service / 64, 1u64 << (service % 64));
            let was = bits[word] & bit != 0;
            let is = self.fits[self.classes.class(service)] && self.rules.more(state, service) > 0;
            if was != is {
                bits[word] ^= bit;
                self.of[service] = self.of[service] + u32::from(is) - u32::from(was);
            }
        }
    }
}
