//! The server and the page: see the cluster, the plan and the proof.
//!
//! [`Server::start`] binds and loads what is stored, [`Server::run`] serves
//! until told to stop. Everything under `/api/v1` is described by
//! [`openapi`]; the page is embedded from `dist/`.

mod app;
mod config;
mod connections;
mod examples;
mod fault;
mod guard;
mod inputs;
mod openapi;
mod page;
mod routes;
mod runs;
mod server;
mod store;
mod verbs;

pub use config::{Config, ConfigError, Token};
pub use inputs::Given;
pub use openapi::openapi;
pub use routes::route_list;
pub use server::{Server, StartError};
