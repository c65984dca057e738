//! Tests of the readers and writers.

mod corpus;
mod docs;
mod examples;
mod hostile;
mod kubernetes;
mod live;
mod options;
mod plans;
mod random;
mod replay;
mod roundtrip;
mod schema;
mod semantics;
mod spreading;
