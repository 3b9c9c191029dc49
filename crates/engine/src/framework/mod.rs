//! The runner of a scheduling cycle. It knows plugins by their contract, never by name.

pub mod configured;
pub mod cycle;
pub mod default_selector;
pub mod extender;
pub mod message;
pub mod migration;
pub mod node_order;
pub mod plugin;
mod pre_filter;
pub mod requests;
pub mod sampling;
pub mod score;
pub mod status;
mod together;
pub mod utilization;
pub mod world;
