//! The star bound: cheap and valid at any size.
//!
//! Each pair's traffic is given to one of its two services. A service with d
//! replicas stands on at most d nodes, so beside all of its own replicas the
//! replicas of its partners that make traffic local must fit into the d
//! largest places it may use: a fractional knapsack per resource.

use super::super::view::View;

/// What no placement can exceed.
pub fn star_bound(view: &View) -> f64 {
    let places = Places::new(view);
    // Each edge begins at the service with fewer replicas: fewer places bind more.
    let mut center: Vec<bool> = (view.edges.iter())
        .map(|edge| view.replicas[edge.a as usize] <= view.replicas[edge.b as usize])
        .collect();
    let mut given: Vec<Vec<usize>> = vec![Vec::new(); view.services()];
    for (at, edge) in view.edges.iter().enumerate() {
        // Traffic of two services that may not share a node is never local.
        if view.gain_domain.is_none() && view.apart(edge.a, edge.b) {
            continue;
        }
        given[if center[at] { edge.a } else { edge.b } as usize].push(at);
    }
    let mut value: Vec<f64> = (0..view.services() as u32)
        .map(|s| places.knapsack(view, s, &given[s as usize]))
        .collect();
    // Giving an edge to the other end may lower the sum; any choice is valid.
    for _ in 0..4 {
        let mut better = false;
        for (at, (edge, at_a)) in view.edges.iter().zip(&mut center).enumerate() {
            if view.gain_domain.is_none() && view.apart(edge.a, edge.b) {
                continue;
            }
            let (from, to) = if *at_a {
                (edge.a, edge.b)
            } else {
                (edge.b, edge.a)
            };
            let without: Vec<usize> = given[from as usize]
                .iter()
                .copied()
                .filter(|e| *e != at)
                .collect();
            let mut with = given[to as usize].clone();
            with.push(at);
            let (low, high) = (
                places.knapsack(view, from, &without),
                places.knapsack(view, to, &with),
            );
            if low + high < value[from as usize] + value[to as usize] - 1e-15 {
                value[from as usize] = low;
                value[to as usize] = high;
                given[from as usize] = without;
                given[to as usize] = with;
                *at_a = !*at_a;
                better = true;
            }
        }
        if !better {
            break;
        }
    }
    // Rounding of the sums is far below this.
    (value.iter().sum::<f64>() + 1e-12).min(1.0)
}

/// For each compatibility class and dimension the room of the largest places,
/// as running sums.
struct Places {
    sums: Vec<Vec<Vec<f64>>>,
}

impl Places {
    /// A place is a node, or a group of nodes when traffic is local in groups.
    fn new(view: &View) -> Self {
        let sums = view.allowed.iter().map(|may| {
            let dims = 0..view.dims;
            let sorted = dims.map(|dim| {
                let mut room = vec![0.0; view.gain_groups()];
                for node in 0..view.nodes() as u32 {
                    if may[node as usize] {
                        room[view.gain_group(node) as usize] += view.room(node)[dim] as f64;
                    }
                }
                room.sort_by(|a, b| b.total_cmp(a));
                let running = room.iter().scan(0.0, |sum, room| {
                    *sum += room;
                    Some(*sum)
                });
                running.collect()
            });
            sorted.collect()
        });
        Self {
            sums: sums.collect(),
        }
    }

    /// The most of the given edges' traffic that can be local, by the tightest
    /// resource.
    fn knapsack(&self, view: &View, service: u32, edges: &[usize]) -> f64 {
        let replicas = view.replicas[service as usize];
        let total: f64 = edges.iter().map(|at| view.edges[*at].weight).sum();
        if edges.is_empty() || replicas == 0 {
            return 0.0;
        }
        let sums = &self.sums[view.class_of[service as usize] as usize];
        let bounds = (0..view.dims).map(|dim| {
            let places = (replicas as usize).min(sums[dim].len());
            let all = if places == 0 {
                0.0
            } else {
                sums[dim][places - 1]
            };
            let size = |s: u32| f64::from(view.replicas[s as usize]) * view.need(s)[dim] as f64;
            // A hair more room than there is: floats must not cut the bound.
            let mut room = all * (1.0 + 1e-12) - size(service);
            if room < 0.0 {
                return total;
            }
            let mut items: Vec<(f64, f64)> = edges
                .iter()
                .map(|at| {
                    let edge = view.edges[*at];
                    let other = if edge.a == service { edge.b } else { edge.a };
                    (edge.weight, size(other))
                })
                .collect();
            items.sort_by(|a, b| (b.0 * a.1).total_cmp(&(a.0 * b.1)));
            let mut value = 0.0;
            for (weight, size) in items {
                if size <= room {
                    room -= size;
                    value += weight;
                } else {
                    return value + weight * (room / size);
                }
            }
            value
        });
        bounds.fold(total, f64::min)
    }
}
