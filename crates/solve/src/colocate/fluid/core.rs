//! The problem without its sand: the services that matter to the gain, and
//! for each node how many moves it costs to make room for them.

use rustc_hash::FxHashMap;

use super::super::view::{Link, Spot, View};

/// A count on a node: now and at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    /// Replicas here now.
    pub now: u16,
    /// Replicas here at first.
    pub was: u16,
}

/// Services with traffic ("members"), by position; everything else is sand
/// that moves out of their way, or, where it must stay, takes room.
#[derive(Clone, Debug)]
pub struct Core<'v> {
    /// The whole problem.
    pub view: &'v View,
    /// The service of each member.
    pub members: Vec<u32>,
    /// Whether each member may move.
    pub movable: Vec<bool>,
    /// Replicas of all services.
    pub replicas: f64,
    /// `need[member * dims + dim]`.
    pub need: Vec<i64>,
    /// Room for members, `node * dims + dim`.
    pub room: Vec<i64>,
    /// What the sand of a node takes, likewise.
    pub sand: Vec<i64>,
    /// Sand moved for each unit of room the members take from it, likewise.
    pub moves_per_unit: Vec<f64>,
    /// Cells of an empty node: one for each member, then one for each set.
    pub columns: usize,
    /// Sand that must stay and is in a spread set: node, set and count.
    pub in_sets: Vec<(u32, u32, u32)>,
    /// The most of a member on a node beside sand that must stay there.
    beside: FxHashMap<(u32, u32), u32>,
    links: Vec<Link>,
    starts: Vec<u32>,
    index: Vec<u32>,
    origins: Vec<Vec<u32>>,
}

/// Marks a service that is no member.
pub const SAND: u32 = u32::MAX;

impl<'v> Core<'v> {
    /// Whether a view can be searched without its sand: rules that tie nodes
    /// by a label are left to the exact search.
    pub fn suits(view: &View) -> bool {
        view.gain_domain.is_none() && view.sets.iter().all(|set| set.domain.is_none())
    }

    /// Tells members and sand apart.
    pub fn new(view: &'v View) -> Self {
        let members: Vec<u32> = (0..view.services() as u32)
            .filter(|s| !view.links(*s).is_empty())
            .collect();
        let mut index = vec![SAND; view.services()];
        for (at, service) in members.iter().enumerate() {
            index[*service as usize] = at as u32;
        }
        let mut links = Vec::new();
        let mut starts = vec![0];
        for service in &members {
            let inner = view.links(*service).iter().map(|link| Link {
                to: index[link.to as usize],
                ..*link
            });
            links.extend(inner);
            starts.push(links.len() as u32);
        }
        let mut origins = vec![Vec::new(); members.len()];
        for spot in &view.original {
            if let Some(origins) = origins.get_mut(index[spot.service as usize] as usize) {
                origins.extend(std::iter::repeat_n(spot.node, spot.count as usize));
            }
        }
        let dims = view.dims;
        let mut room: Vec<i64> = view.capacity.iter().map(|units| *units as i64).collect();
        let mut sand = vec![0i64; room.len()];
        let mut grains = vec![0u32; view.nodes()];
        for spot in &view.original {
            let stays = view.fixed[spot.service as usize];
            if index[spot.service as usize] != SAND {
                continue;
            }
            for (dim, need) in view.need(spot.service).iter().enumerate() {
                let units = *need as i64 * i64::from(spot.count);
                let at = spot.node as usize * dims + dim;
                if stays {
                    room[at] -= units;
                } else {
                    sand[at] += units;
                }
            }
            if !stays {
                grains[spot.node as usize] += spot.count;
            }
        }
        let mut in_sets = Vec::new();
        let mut beside: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let stays = |spot: &&Spot| {
            view.fixed[spot.service as usize] && index[spot.service as usize] == SAND
        };
        for spot in view.original.iter().filter(stays) {
            let sets = view.sets_of(spot.service).iter();
            in_sets.extend(sets.map(|set| (spot.node, *set, spot.count)));
            for limit in view.limits_of(spot.service) {
                let member = index[limit.other as usize];
                let most = if spot.count <= limit.own {
                    limit.theirs
                } else {
                    0
                };
                if member != SAND {
                    let least = beside.entry((spot.node, member)).or_insert(most);
                    *least = most.min(*least);
                }
            }
        }
        let per_unit = |(at, units): (usize, &i64)| match *units {
            0 => 0.0,
            units => f64::from(grains[at / dims.max(1)]) / units as f64,
        };
        Self {
            movable: members.iter().map(|s| !view.fixed[*s as usize]).collect(),
            need: (members.iter())
                .flat_map(|s| view.need(*s).iter().map(|need| *need as i64))
                .collect(),
            moves_per_unit: sand.iter().enumerate().map(per_unit).collect(),
            columns: members.len() + view.sets.len(),
            replicas: view.replicas.iter().map(|d| f64::from(*d)).sum(),
            in_sets,
            beside,
            view,
            members,
            room,
            sand,
            links,
            starts,
            index,
            origins,
        }
    }

    /// The traffic of a member, with members as partners.
    #[inline]
    pub fn links(&self, member: usize) -> &[Link] {
        &self.links[self.starts[member] as usize..self.starts[member + 1] as usize]
    }

    /// The nodes where a member's replicas stood at first.
    #[inline]
    pub fn origins(&self, member: usize) -> &[u32] {
        &self.origins[member]
    }

    /// The demand of one replica of a member.
    #[inline]
    pub fn need(&self, member: usize) -> &[i64] {
        &self.need[member * self.view.dims..][..self.view.dims]
    }

    /// The member that a service is, or [`SAND`].
    pub fn member(&self, service: u32) -> u32 {
        self.index[service as usize]
    }

    /// The most of a member on a node by limits with sand that must stay.
    #[inline]
    pub fn most_beside(&self, member: usize, node: u32) -> u32 {
        if self.beside.is_empty() {
            return u32::MAX;
        }
        let most = self.beside.get(&(node, member as u32));
        most.copied().unwrap_or(u32::MAX)
    }

    /// The part of a placement that members make up.
    pub fn part_of<'s>(&'s self, spots: &'s [Spot]) -> impl Iterator<Item = Spot> + 's {
        let members = spots.iter().filter(|s| self.member(s.service) != SAND);
        members.map(|spot| Spot {
            service: self.member(spot.service),
            ..*spot
        })
    }
}
