//! The integer program once more, written plainly, to compare with.

use bayplan_lp::{Col, Model, Options, Sense, Status};
use bayplan_model::Application;

/// The least level of `nodes` nodes, or `None` when there is no division.
pub fn least_level(apps: &[Application], nodes: usize, memory: u64) -> Option<f64> {
    let mut model = Model::new(Sense::Minimise);
    let level = model.add_col(1.0, 0.0.., &[]);
    let cols = instances(&mut model, apps, nodes);
    for node in 0..nodes {
        let load = apps
            .iter()
            .zip(&cols)
            .map(|(app, row)| (row[node].1, app.load as f64));
        let load: Vec<_> = load.chain([(level, -1.0)]).collect();
        model.add_row(..=0.0, &load);
        hold(&mut model, apps, &cols, node, memory);
    }
    solve(model)
}

/// The fewest nodes of this size, up to `most`.
pub fn fewest_nodes(apps: &[Application], most: usize, cpu: u64, memory: u64) -> Option<f64> {
    let mut model = Model::new(Sense::Minimise);
    let cols = instances(&mut model, apps, most);
    let mut before = None;
    for node in 0..most {
        let used = model.add_integer_col(1.0, 0.0..=1.0, &[]);
        let load = apps
            .iter()
            .zip(&cols)
            .map(|(app, row)| (row[node].1, app.load as f64));
        let load: Vec<_> = load.chain([(used, -(cpu as f64))]).collect();
        model.add_row(..=0.0, &load);
        for row in &cols {
            model.add_row(..=0.0, &[(row[node].0, 1.0), (used, -1.0)]);
        }
        hold(&mut model, apps, &cols, node, memory);
        if let Some(before) = before.replace(used) {
            model.add_row(0.0.., &[(before, 1.0), (used, -1.0)]);
        }
    }
    solve(model)
}

/// Instance and share of the load of every application on every node.
fn instances(model: &mut Model, apps: &[Application], nodes: usize) -> Vec<Vec<(Col, Col)>> {
    let mut row_of = |app: &Application| {
        let row: Vec<(Col, Col)> = (0..nodes)
            .map(|_| {
                let host = model.add_integer_col(0.0, 0.0..=1.0, &[]);
                let share = model.add_col(0.0, 0.0..=1.0, &[]);
                model.add_row(..=0.0, &[(share, 1.0), (host, -1.0)]);
                (host, share)
            })
            .collect();
        let shares: Vec<_> = row.iter().map(|(_, share)| (*share, 1.0)).collect();
        model.add_row(1.0, &shares);
        let hosts: Vec<_> = row.iter().map(|(host, _)| (*host, 1.0)).collect();
        let most = app.max_instances.map_or(nodes as f64, f64::from);
        model.add_row(f64::from(app.min_instances)..=most, &hosts);
        row
    };
    apps.iter().map(&mut row_of).collect()
}

fn hold(
    model: &mut Model,
    apps: &[Application],
    cols: &[Vec<(Col, Col)>],
    node: usize,
    memory: u64,
) {
    let held = apps
        .iter()
        .zip(cols)
        .map(|(app, row)| (row[node].0, app.memory as f64));
    let held: Vec<_> = held.collect();
    model.add_row(..=memory as f64, &held);
}

fn solve(mut model: Model) -> Option<f64> {
    let solved = model.solve(&Options::default());
    match solved.status {
        Status::Optimal => Some(solved.objective),
        Status::Infeasible => None,
        other => panic!("{other:?}"),
    }
}
