//! CSP-UCaC and CSP-Mac (section 5.3): cutting stock by column generation.

mod answer;
mod blocks;
mod columns;
mod generate;
mod integer;
mod mixed;
mod part;
mod run;
#[cfg(test)]
mod tests;

pub(crate) use blocks::improve as improve_in_blocks;
pub(crate) use columns::Column;
pub(crate) use run::{CspResult, run};
