//! Which solver made a cell.

include!(concat!(env!("OUT_DIR"), "/solvers.rs"));

/// A fingerprint of the solver, generator and experiment of a verb in this
/// build: it changes whenever their code does.
pub fn solver(verb: &str) -> &'static str {
    let known = SOLVERS.iter().find(|(of, _)| *of == verb);
    known.map_or("", |(_, fingerprint)| fingerprint)
}
