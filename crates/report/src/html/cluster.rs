//! The cluster as a picture: every node a cell, a bar per resource. Before
//! and after show the same nodes in the same places.

use std::fmt::Write;

use bayplan::Outcome;
use bayplan_model::{PlacementPlan, Plan, Problem};

use super::style::COLOURS;
use crate::numbers::{grouped, percent};
use crate::plot::escape;
use crate::usage::{NodeUse, node_use};

/// Nodes drawn one by one; beyond this the picture samples evenly.
const DRAWN: usize = 600;

/// Width of the picture.
const WIDE: f64 = 960.0;

/// Nodes as bars per resource, before and after where there is a before.
pub(super) fn pictures(page: &mut String, problem: &Problem, outcome: &Outcome) {
    let after = node_use(problem, &outcome.plan);
    let before = problem
        .services()
        .filter(|services| !services.placement.is_empty())
        .map(|services| {
            // The nodes the plan opens are there, empty.
            let running = PlacementPlan {
                placement: services.placement.clone(),
                opened: outcome.plan.opened().to_vec(),
                ..PlacementPlan::default()
            };
            node_use(problem, &Plan::Placement(running))
        });
    let busy = |node: usize| {
        let was = before.as_ref().is_some_and(|uses| uses[node].count > 0);
        was || after[node].count > 0
    };
    let shown: Vec<usize> = (0..after.len()).filter(|node| busy(*node)).collect();
    let step = shown.len().div_ceil(DRAWN).max(1);
    let drawn: Vec<usize> = shown.iter().step_by(step).copied().collect();
    legend(page, problem, step);
    match &before {
        Some(before) => {
            picture(page, problem, "The cluster before", before, &drawn);
            picture(page, problem, "The cluster after", &after, &drawn);
        }
        None => picture(page, problem, "The cluster", &after, &drawn),
    }
}

/// What the colours mean, once for both pictures.
fn legend(page: &mut String, problem: &Problem, step: usize) {
    page.push_str("<h2>How full the nodes are</h2><p class=\"note\">One cell per node, full height is the node's capacity:");
    for (resource, (_, colour)) in problem.cluster().resources.iter().zip(COLOURS) {
        let _ = write!(
            page,
            "<span class=\"key\" style=\"background:{colour}\"></span>{}",
            escape(&resource.name)
        );
    }
    page.push('.');
    if problem.cluster().resources.len() > COLOURS.len() {
        let _ = write!(
            page,
            " Only the first {} resources are drawn.",
            COLOURS.len()
        );
    }
    if step > 1 {
        let _ = write!(page, " One node in {step} is drawn.");
    }
    page.push_str("</p>");
}

fn picture(page: &mut String, problem: &Problem, title: &str, uses: &[NodeUse], drawn: &[usize]) {
    let busy = uses.iter().filter(|node| node.count > 0).count();
    let resources = &problem.cluster().resources;
    // Few nodes are drawn wide enough for their names.
    let columns = drawn.len().clamp(1, 60);
    let (named, columns) = if columns <= 12 {
        (true, columns)
    } else {
        (false, 60)
    };
    let cell = if named { 76.0 } else { WIDE / columns as f64 };
    let (height, line) = if named { (72.0, 90.0) } else { (44.0, 48.0) };
    let rows = drawn.len().div_ceil(columns).max(1);
    let wide = columns as f64 * cell;
    let _ = write!(
        page,
        "<h2>{title}</h2><p class=\"note\">{} nodes in use of {}.</p>\
         <svg viewBox=\"0 0 {wide:.0} {:.0}\" width=\"{wide:.0}\" role=\"img\" aria-label=\"how full each node is\">",
        grouped(busy as u64),
        grouped(uses.len() as u64),
        rows as f64 * line
    );
    let bars = resources.len().clamp(1, COLOURS.len());
    for (at, node) in drawn.iter().map(|node| &uses[*node]).enumerate() {
        let (left, top) = ((at % columns) as f64 * cell, (at / columns) as f64 * line);
        let inner = cell - if named { 8.0 } else { 3.0 };
        let tip: Vec<String> = resources
            .iter()
            .zip(&node.used)
            .map(|(resource, used)| format!("{} {}", resource.name, percent(*used)))
            .collect();
        let _ = write!(
            page,
            "<g><title>{}: {}</title><rect class=\"frame\" x=\"{left:.1}\" y=\"{top}\" width=\"{inner:.1}\" height=\"{height}\"/>",
            escape(&node.name),
            escape(&tip.join(", "))
        );
        let width = inner / bars as f64;
        for (bar, used) in node.used.iter().take(bars).enumerate() {
            let tall = used.clamp(0.0, 1.0) * height;
            let _ = write!(
                page,
                "<rect class=\"{}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{tall:.1}\"/>",
                COLOURS[bar].0,
                left + bar as f64 * width,
                top + height - tall,
                0.94 * width
            );
        }
        if named {
            let name: String = node.name.chars().take(11).collect();
            let _ = write!(
                page,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                left + inner / 2.0,
                top + height + 13.0,
                escape(&name)
            );
        }
        page.push_str("</g>");
    }
    page.push_str("</svg>\n");
}
