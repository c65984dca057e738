//! The solver of `divide`, every answer through the verifier.

mod equal;
mod experiment;
mod practice;
mod program;
mod small;
mod support;
