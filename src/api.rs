//! The connection to an API server: its configuration from flags, kubeconfig and environment; a
//! read-only client; a client for the writes of `apply`; and errors with a hint. `capture` decides
//! what is read, `apply` what is written.

mod allow;
pub mod awaited;
mod certificates;
pub(crate) mod checker;
pub(crate) mod client;
pub(crate) mod config;
mod env;
mod exec;
pub(crate) mod failure;
pub mod flags;
pub(crate) mod inquiry;
mod kubeconfig;
mod kuberc;
mod log;
mod proxy;
pub(crate) mod received;
pub(crate) mod runtime;
pub(crate) mod secrets;
pub(crate) mod url;
pub(crate) mod writer;

use http::StatusCode;

pub use env::Env;

/// Status and body of an answer to one request.
pub(crate) struct HttpAnswer {
    pub status: StatusCode,
    pub body: String,
}
