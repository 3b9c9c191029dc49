//! What was recorded of the real programs, decided and read again: decisions of kube-scheduler,
//! selectors of devices, pages of API servers, YAML as kubectl reads it.

pub mod parity;
mod protobuf;
mod selectors;
mod whole;
mod yaml;
