//! What no answer can beat, without solving a program.

use bayplan_lp::{Model, Options, Sense};

use super::view::{App, View, gcd};

/// LB0 of section VI: total load over P, total memory over Q.
pub fn lb0<'a>(apps: impl Iterator<Item = &'a App>, cpu: u64, memory: u64) -> u64 {
    let (mut load, mut need) = (0u128, 0u128);
    for app in apps.filter(|app| app.min > 0) {
        load += u128::from(app.load);
        need += u128::from(app.memory);
    }
    up(load, cpu).max(up(need, memory))
}

/// LB_ded: applications whose memory leaves no room for the smallest other one
/// own their nodes; the rest needs LB0.
pub fn dedicated(apps: &[App], cpu: u64, memory: u64) -> u64 {
    let alone = owners(apps, memory);
    let own = |i: &usize| u64::from(apps[*i].min.max(1)).max(up(apps[*i].load.into(), cpu));
    let owned: u64 = (0..apps.len()).filter(|i| alone[*i]).map(|i| own(&i)).sum();
    let rest = apps.iter().zip(&alone).filter(|(_, alone)| !**alone);
    owned + lb0(rest.map(|(app, _)| app), cpu, memory)
}

/// The better of LB0 and LB_ded, sharpened by what the paper leaves out: the
/// memory of all instances an application must have, its growth with the load,
/// instances above half a node, and the nodes one application must spread over.
pub fn fewest_nodes(apps: &[App], cpu: u64, memory: u64) -> u64 {
    let alone = owners(apps, memory);
    let (mut owned, mut load, mut need, mut halves, mut widest) = (0u64, 0u128, 0u128, 0u64, 0u64);
    for (app, alone) in apps.iter().zip(&alone).filter(|(app, _)| app.min > 0) {
        let largest = app.most_load(cpu, memory).unwrap_or(0).max(1);
        let instances = app.load.div_ceil(largest).max(app.min.into());
        if *alone {
            owned += instances;
            continue;
        }
        load += u128::from(app.load);
        need += u128::from(app.memory) * u128::from(instances)
            + u128::from(app.slope) * u128::from(app.load) / 1_000_000;
        widest = widest.max(instances);
        halves += if app.memory > memory / 2 {
            instances
        } else {
            0
        };
    }
    owned + up(load, cpu).max(up(need, memory)).max(halves).max(widest)
}

/// Applications that leave no room for the smallest other one.
fn owners(apps: &[App], memory: u64) -> Vec<bool> {
    let mut smallest: Vec<u64> = apps
        .iter()
        .filter(|a| a.min > 0)
        .map(|a| a.memory)
        .collect();
    smallest.sort_unstable();
    let owns = |app: &App| {
        // The smallest other one: the second when the first is this one.
        let other = match smallest.as_slice() {
            [first, second, ..] if *first == app.memory => second,
            [first, ..] if *first != app.memory => first,
            _ => return false,
        };
        app.min > 0
            && app
                .memory
                .checked_add(*other)
                .is_none_or(|both| both > memory)
    };
    apps.iter().map(owns).collect()
}

/// The least load of the busiest of `nodes` equal nodes that no bound forbids;
/// `None` when the memory alone needs more nodes.
pub fn least_level(apps: &[App], memory: u64, nodes: u64) -> Option<u64> {
    let total: u64 = apps.iter().map(|app| app.load).sum();
    let widest = |app: &App| up(app.load.into(), u64::from(app.max).min(nodes).max(1));
    let mut low = apps
        .iter()
        .map(widest)
        .max()
        .unwrap_or(0)
        .max(total.div_ceil(nodes.max(1)));
    let mut high = total.max(low).max(1);
    if fewest_nodes(apps, high, memory) > nodes {
        return None;
    }
    low = low.max(u64::from(total > 0));
    while low < high {
        let middle = low + (high - low) / 2;
        if fewest_nodes(apps, middle.max(1), memory) <= nodes {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(low)
}

/// A bound on the price of nodes for `pack`, on the scale of `Kind::price`.
pub fn least_price(view: &View) -> u64 {
    if let [kind] = view.kinds.as_slice() {
        return fewest_nodes(&view.apps, kind.cpu, kind.memory) * kind.price;
    }
    let total = |of: &dyn Fn(&App) -> u128| view.apps.iter().map(of).sum::<u128>();
    let load = total(&|app| app.load.into());
    let memory = total(&|app| u128::from(app.memory) * u128::from(view.fewest_instances(app)));
    let share = |units: u64, total: u128| {
        if total == 0 {
            1.0
        } else {
            units as f64 / total as f64
        }
    };
    // A covering program with one integer column per kind; loads and memory
    // are scaled to one, and relaxed by 1e-9 so that rounding cannot cut an answer off.
    let mut model = Model::new(Sense::Minimise);
    let rows = [
        model.add_row(1.0 - 1e-9.., &[]),
        model.add_row(1.0 - 1e-9.., &[]),
    ];
    for kind in &view.kinds {
        let most = f64::from(kind.most.min(1 << 24));
        let entries = [
            (rows[0], share(kind.cpu, load)),
            (rows[1], share(kind.memory, memory)),
        ];
        model.add_integer_col(kind.price as f64, 0.0..=most, &entries);
    }
    let options = Options {
        nodes: Some(10_000),
        ..Options::default()
    };
    let bound = model.solve(&options).bound;
    if bound.is_finite() {
        whole_prices(view, bound * (1.0 - 1e-7), 1e-4)
    } else {
        0
    }
}

/// A real-valued bound on the price, rounded up to what whole nodes can cost;
/// `slack`, in steps of the prices, covers the arithmetic before.
pub fn whole_prices(view: &View, bound: f64, slack: f64) -> u64 {
    let step = view
        .kinds
        .iter()
        .fold(0, |step, kind| gcd(step, kind.price))
        .max(1);
    let multiples = (bound / step as f64 - slack).ceil().max(0.0);
    (multiples as u64).saturating_mul(step)
}

fn up(total: u128, per: u64) -> u64 {
    if total == 0 {
        return 0;
    }
    u64::try_from(total.div_ceil(u128::from(per.max(1)))).unwrap_or(u64::MAX)
}
