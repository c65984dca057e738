//! Tables, plots and pages: what a person looks at.

mod check;
mod html;
mod lists;
mod numbers;
mod plot;
mod table;
mod text;
mod usage;
mod verdict;

pub use check::check_text;
pub use html::html;
pub use lists::{algorithms, algorithms_page, codes_page};
pub use numbers::{grouped, percent, significant};
pub use plot::{Axis, Chart, Mark, Series};
pub use table::table;
pub use text::text;
pub use usage::{NodeUse, node_use};
pub use verdict::verdict;
