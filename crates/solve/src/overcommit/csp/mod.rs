//! CSP-UCaC and CSP-Mac (section 5.3): cutting stock by column generation.

mod columns;
mod generate;
mod integer;
mod mixed;
mod run;
#[cfg(test)]
mod tests;

pub(crate) use columns::Column;
pub(crate) use run::{CspResult, run};
