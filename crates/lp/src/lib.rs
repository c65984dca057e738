//! Linear and integer programs: rows, columns added later, duals, warm starts.
//!
//! A [`Model`] stays alive between solves: add columns or rows, change costs and
//! bounds, switch columns between continuous and integer, and solve again; a
//! linear program continues from its last basis.
//!
//! ```
//! use bayplan_lp::{Model, Options, Sense, Status};
//!
//! // Cheapest mix of two nodes (8 cores for 3.0, 3 cores for 1.0) with 25 cores.
//! let mut model = Model::new(Sense::Minimise);
//! let cores = model.add_row(25.0.., &[]);
//! let large = model.add_col(3.0, 0.0.., &[(cores, 8.0)]);
//! let small = model.add_col(1.0, 0.0..=4.0, &[(cores, 3.0)]);
//!
//! let relaxed = model.solve(&Options::default());
//! assert_eq!(relaxed.status, Status::Optimal);
//! assert!((relaxed.dual(cores) - 0.375).abs() < 1e-9, "a core more costs 3/8");
//!
//! model.set_integer([large, small], true);
//! let whole = model.solve(&Options::default());
//! assert_eq!((whole.count(large), whole.count(small)), (2, 3));
//! ```
//!
//! The solver is HiGHS (feature `highs`, on by default). Without it the model is
//! handed to `microlp`, in pure Rust: the same calls and honest statuses, but
//! every solve starts from scratch and hard integer programs stay unsolved.

mod bounds;
mod model;
mod options;
mod solution;

#[cfg(not(feature = "highs"))]
#[path = "fallback/mod.rs"]
mod backend;
#[cfg(feature = "highs")]
#[path = "highs/mod.rs"]
mod backend;

pub use bounds::Bounds;
pub use model::{Col, Model, Row, Sense};
pub use options::{Options, Simplex};
pub use solution::{Solution, Status, Stop};
