//! The search in lanes: nodes are dealt into small groups at random, each
//! group is improved by itself, and the groups are dealt anew.
//!
//! A group's steps touch only its own nodes, admitted requests and share of
//! the waiting ones, so lanes run in parallel and the result depends on the
//! seed alone. Small groups also make a step cheap at any number of nodes.

use rand::RngExt;
use rand::seq::SliceRandom;

use super::neighbourhood::Search;
use super::state::State;
use super::view::{NOWHERE, View};
use crate::{Context, Progress, Random};

/// Nodes in a group, about.
const GROUP: usize = 8;

/// Steps of a group before the nodes are dealt anew.
const STEPS_PER_ROUND: u64 = 128;

/// Improves a plan until the budget is used up; returns the steps taken.
/// At most `most` steps; `bound` ends the search when reached.
pub fn improve(
    view: &View,
    node_of: &mut [u32],
    score: &[f64],
    bound: u64,
    most: u64,
    context: &Context,
) -> u64 {
    let most = context.steps().map_or(most, |steps| steps.min(most));
    let placeable = view.placeable();
    let groups = (view.nodes / GROUP).clamp(1, 4096);
    let mut steps = 0;
    let mut round = 0u64;
    let mut value = view.value(node_of);
    while value < bound && !placeable.is_empty() && !context.must_stop() {
        let left = most - steps;
        if left == 0 {
            break;
        }
        let each = STEPS_PER_ROUND.min(left.div_ceil(groups as u64));
        let lanes = if left < each * groups as u64 {
            left.div_ceil(each) as usize
        } else {
            groups
        };
        let mut random = context.random(round << 16);
        let dealt = deal(view, node_of, &placeable, groups, &mut random);
        let results = context.lanes(lanes, |lane| {
            let mut random = context.random((round << 16) + 1 + lane as u64);
            improve_group(
                view,
                node_of,
                score,
                &dealt[lane],
                each,
                &mut random,
                context,
            )
        });
        for (lane, result) in results.into_iter().enumerate() {
            for (request, node) in dealt[lane].members.iter().zip(result) {
                node_of[*request as usize] = node;
            }
        }
        steps += (each * lanes as u64).min(left);
        round += 1;
        let now = view.value(node_of);
        if now > value {
            value = now;
            context.report(Progress {
                incumbent: Some(value as f64 / 1e6),
                bound: Some(bound as f64 / 1e6),
                phase: "neighbourhood search",
            });
        }
    }
    steps
}

/// A group's nodes and requests.
struct Group {
    nodes: Vec<u32>,
    members: Vec<u32>,
}

fn deal(
    view: &View,
    node_of: &[u32],
    requests: &[u32],
    groups: usize,
    random: &mut Random,
) -> Vec<Group> {
    let mut nodes: Vec<u32> = (0..view.nodes as u32).collect();
    nodes.shuffle(random);
    let mut group_of = vec![0; view.nodes];
    let mut dealt: Vec<Group> = (0..groups)
        .map(|_| Group {
            nodes: Vec::new(),
            members: Vec::new(),
        })
        .collect();
    for (at, node) in nodes.into_iter().enumerate() {
        group_of[node as usize] = at % groups;
        dealt[at % groups].nodes.push(node);
    }
    for request in requests.iter().copied() {
        let group = match node_of[request as usize] {
            NOWHERE => random.random_range(0..groups),
            node => group_of[node as usize],
        };
        dealt[group].members.push(request);
    }
    dealt
}

/// The nodes of the group's members after some steps.
fn improve_group(
    view: &View,
    node_of: &[u32],
    score: &[f64],
    group: &Group,
    steps: u64,
    random: &mut Random,
    context: &Context,
) -> Vec<u32> {
    let own = view.on_nodes(&group.nodes);
    let mut state = State::new(&own);
    let place_of = |node: u32| group.nodes.iter().position(|own| *own == node);
    for (turn, request) in group.members.iter().copied().enumerate() {
        if turn % 4096 == 0 && context.must_stop() {
            let as_before = group.members.iter().map(|j| node_of[*j as usize]);
            return as_before.collect();
        }
        if let Some(node) = place_of(node_of[request as usize]) {
            state.place(request, node);
        }
    }
    let mut search = Search::new(&mut state, score, &group.members);
    for _ in 0..steps {
        if context.must_stop() {
            break;
        }
        search.step(random);
    }
    let back = |request: &u32| match state.node_of()[*request as usize] {
        NOWHERE => NOWHERE,
        own => group.nodes[own as usize],
    };
    group.members.iter().map(back).collect()
}
