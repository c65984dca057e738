//! Seeded generators of problems, one per question, shaped as the papers
//! describe their data. The same options and seed give the same problem on any
//! machine and any number of threads.

mod admit;
mod colocate;
mod divide;
mod error;
mod overcommit;
mod provision;
mod random;
mod training;

pub use admit::{AdmitOptions, admit, load_factor};
pub use colocate::{ColocateOptions, Shape, colocate};
pub use divide::{DivideOptions, divide};
pub use error::GenerateError;
pub use overcommit::{LayoutBy, OvercommitOptions, SERVICES as UCAC_SERVICES, overcommit};
pub use provision::{Graph, ProvisionOptions, provision};
pub(crate) use random::stream;
pub use training::training_cluster;
