//! How many nodes, of which kind?

mod allowance;
mod application_centric;
mod auto;
mod bounds;
mod finish;
mod grid;
mod measure;
mod open;
mod order;
mod state;
mod tree;
mod view;

use bayplan_model::Problem;

use crate::{AlgorithmInfo, Context, Solution, SolveError};

/// What the user may choose.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// An algorithm by name; `auto` unless given.
    pub algorithm: String,
    /// Exactly this many new nodes at most; what does not fit is left out.
    pub nodes: Option<u32>,
    /// Reproduce the authors' program where it differs from their text.
    pub as_published: bool,
    /// Whether what runs now may move.
    pub repack: bool,
    /// Share of each resource kept free on every node, in millionths.
    pub headroom: Vec<u32>,
    /// Survive the loss of any one node, or of all nodes sharing this label.
    pub survive: Option<Option<String>>,
    /// Weight of the demand in the hybrid measure (Eq. 3); 1: demand alone.
    pub alpha: f64,
    /// The exponent's scale in the AvgExp measure.
    pub epsilon: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            algorithm: "auto".into(),
            nodes: None,
            as_published: false,
            repack: false,
            headroom: Vec::new(),
            survive: None,
            alpha: 1.0,
            epsilon: 0.01,
        }
    }
}

pub fn debug(problem: &Problem, params: &Params, ctx: &Context, n: Option<u64>) -> Result<(), SolveError> {
    let view = view::View::new(problem, params)?;
    let n = n.unwrap_or(bounds::area(&view));
    if view.epochs == 1 {
    let t = std::time::Instant::now();
    let mut state = state::State::new(&view);
    let mut opener = open::Opener::new(&view, None);
    application_centric::run(&mut state, &order::by_number(&view), application_centric::NodeRule::First, 0.01, &mut opener, ctx);
    eprintln!("FF {:?} {:?}", finish::used(&state), t.elapsed());
    }
    let t = std::time::Instant::now();
    let (s, e) = auto::trial(&view, n, 10_000_000, ctx);
    eprintln!("bound {} {:?} used {:?} {:?}", n, e, finish::used(&s), t.elapsed());
    Ok(())
}
