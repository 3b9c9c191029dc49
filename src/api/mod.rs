//! The connection to an API server: what the flags, the kubeconfig and the environment say of it, a client that only reads,
//! one that writes what `apply` may write and nothing else, and what went wrong in one line. What is read of a cluster is
//! decided in `capture`, what is written to one in `apply`.

pub mod access;
mod certificates;
pub(crate) mod client;
pub(crate) mod config;
mod env;
mod exec;
pub(crate) mod failure;
pub mod flags;
mod gate;
pub(crate) mod inquiry;
mod kubeconfig;
mod kuberc;
mod listen;
mod proxy;
pub mod server_info;
pub(crate) mod writer;

pub use env::Env;
