//! How a model is solved, and when to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Limits and settings of one [`Model::solve`](crate::Model::solve).
///
/// The solver always runs on the calling thread alone and prints nothing. The
/// same calls with the same options give the same result, bit for bit, as long
/// as neither `seconds` nor `stop` ends a solve early.
#[derive(Clone, Debug)]
pub struct Options {
    /// Wall seconds for this solve.
    pub seconds: Option<f64>,
    /// Simplex iterations for this solve; of an integer program, those of all
    /// its linear programs together, checked between nodes. The fallback
    /// backend has no such limit and ignores it.
    pub iterations: Option<u64>,
    /// Branch-and-bound nodes for this solve.
    pub nodes: Option<u64>,
    /// Stop an integer program when `|objective - bound| <= gap * |objective|`;
    /// 0, the default, goes on to the proof.
    pub gap: f64,
    /// Seed of the solver's own tie breaking.
    pub seed: u32,
    /// Simplify the model first. Throws the warm basis away, so column
    /// generation goes without.
    pub presolve: bool,
    /// Which simplex variant solves linear programs.
    pub simplex: Simplex,
    /// Raised by anyone, at any time, to end the solve soon with the best so far.
    pub stop: Option<Arc<AtomicBool>>,
}

/// Variants of the simplex algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simplex {
    /// The solver's own choice: as a rule the dual simplex.
    #[default]
    Automatic,
    /// Stays dual feasible: right after rows were added or bounds tightened.
    Dual,
    /// Stays primal feasible: right after columns were added.
    Primal,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seconds: None,
            iterations: None,
            nodes: None,
            gap: 0.0,
            seed: 0,
            presolve: true,
            simplex: Simplex::Automatic,
            stop: None,
        }
    }
}

impl Options {
    /// For a master problem that is solved again and again with new columns:
    /// the last basis stays primal feasible, so continue from it with the
    /// primal simplex and without presolve (ten times faster than from scratch).
    pub fn column_generation() -> Self {
        Self {
            presolve: false,
            simplex: Simplex::Primal,
            ..Self::default()
        }
    }

    /// Whether somebody asked to stop.
    pub(crate) fn stop_requested(&self) -> bool {
        let raised = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        self.stop.as_ref().is_some_and(raised)
    }
}
