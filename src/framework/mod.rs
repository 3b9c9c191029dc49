//! The runner of a scheduling cycle. It knows plugins by their contract, never by name.

pub mod configured;
pub mod cycle;
pub mod message;
pub mod plugin;
pub mod requests;
pub mod score;
pub mod status;
pub mod utilization;
pub mod world;
