//! The default solver: straight at the lower bound, then ejection search.

mod anneal;
mod bins;
pub(super) mod construct;
pub(super) mod eject;
mod varying;

use super::grid::Grid;
use super::measure::{Measure, service_sizes};
use super::open::Opener;
use super::order;
use super::state::State;
use super::view::View;
use super::{application_centric, bounds};
use crate::Context;

use construct::{Builder, Weights};
use eject::{Ejector, Ended};

pub(super) fn trial<'v>(view: &'v View<'v>, n: u64, steps: u64, ctx: &Context) -> (State<'v>, Ended) {
    let sizes = service_sizes(view, Measure::Average, 0.01);
    let order = order::decreasing(&sizes);
    let mut state = State::new(view);
    for _ in 0..n {
        state.open(0);
    }
    let mut grid = Grid::new(&state);
    let t = std::time::Instant::now();
    if view.epochs > 1 {
        let tight = varying::tight_resource(view);
        let yard = bins::Yard::new(view, tight);
        varying::place_varying(&mut state, &yard, &sizes, ctx);
        eprintln!("varying placed {:?} left {}", t.elapsed(), state.left.iter().sum::<u32>());
        let e = |k: &str, d: f32| std::env::var(k).map_or(d, |v| v.parse().unwrap());
        let ra = e("ROUNDSA", 64.0);
        let mut state = varying::improve(state, &yard, &sizes, &|r| r as f32 / ra, e("CURVEA", 0.0), false, ctx);
        grid = Grid::new(&state);
        Builder::default().fill(&mut state, &mut grid, &order, Weights { emptiness: 0.5 }, ctx);
        eprintln!("constructed {:?} left {}", t.elapsed(), state.left.iter().sum::<u32>());
        let total = e("ROUNDS", 64.0);
        let mut state = varying::improve(state, &yard, &sizes, &|r| r as f32 / total, e("CURVE", 0.05), true, ctx);
        eprintln!("annealed {:?} left {}", t.elapsed(), state.left.iter().sum::<u32>());
        let mut opener = Opener::new(view, None);
        application_centric::run(&mut state, &order, application_centric::NodeRule::Best(Measure::Average), 0.01, &mut opener, ctx);
        return (state, Ended::AllPlaced);
    }
    Builder::default().fill(&mut state, &mut grid, &order, Weights { emptiness: 0.5 }, ctx);
    eprintln!("constructed {:?} left {} classes {}", t.elapsed(), state.left.iter().sum::<u32>(), grid.occupied().len());
    let mut ejector = Ejector::new(view, &sizes, ctx.random(0));
    let mut left = steps;
    let ended = ejector.run(&mut state, &mut grid, &mut left, ctx, &|| false);
    eprintln!("ejected {:?} {:?} steps {}  left {}", t.elapsed(), ended, steps-left, state.left.iter().sum::<u32>());
    (state, ended)
}
