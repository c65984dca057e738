//! The built `bayplan` against a real Kubernetes control plane: etcd, API server,
//! scheduler and controller manager, with kwok in place of the nodes.
//!
//! `./task e2e` builds the control plane when it is missing and runs these tests;
//! `BAYPLAN_E2E=full` makes them as large as promised (100 nodes, 1,500 pods).

mod breaks;
mod command;
mod control_plane;
mod controller;
mod faults;
mod harness;
mod journey;
mod lab;
mod measure;
mod reading;
mod roles;
mod scale;
mod watch;
mod workload;
