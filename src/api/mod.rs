//! The connection to an API server: what the flags, the kubeconfig and the environment say of it, a client that only reads,
//! one that writes what `apply` may write and nothing else, and what went wrong in one line. What is read of a cluster is
//! decided in `capture`, what is written to one in `apply`.

#[cfg(feature = "live")]
mod certificates;
#[cfg(feature = "live")]
pub(crate) mod client;
#[cfg(feature = "live")]
pub(crate) mod config;
#[cfg(feature = "live")]
mod env;
#[cfg(feature = "live")]
mod exec;
#[cfg(feature = "live")]
pub(crate) mod failure;
pub mod flags;
#[cfg(feature = "live")]
mod gate;
#[cfg(feature = "live")]
pub(crate) mod inquiry;
#[cfg(feature = "live")]
mod kubeconfig;
#[cfg(feature = "live")]
mod kuberc;
#[cfg(feature = "live")]
mod listen;
#[cfg(feature = "live")]
mod proxy;
#[cfg(feature = "live")]
pub(crate) mod writer;

#[cfg(feature = "live")]
pub use env::Env;
