//! The five questions: each is its solver's parameters, one file per verb
//! that implements [`Question`](crate::Question) for them.

mod admit;
mod colocate;
mod divide;
mod overcommit;
mod provision;
