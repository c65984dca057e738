//! Clever forms against plain ones on many small random cases, and every
//! algorithm against the verifier.

mod algorithms;
mod bounds;
mod cradle;
mod generate;
mod online;
mod state;
