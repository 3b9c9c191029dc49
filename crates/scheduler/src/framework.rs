//! Runs a scheduling cycle. Plugins are called through their traits, never by name.

pub mod added_affinity;
pub mod asked_label;
pub mod claims;
pub mod cluster_view;
pub mod cycle;
pub mod default_selector;
pub mod doubts;
pub mod evidence;
pub mod extender;
pub mod extender_client;
pub mod failure;
pub mod message;
pub mod node_order;
pub mod operands;
pub mod plugin;
pub mod pre_filter;
mod predicate_group;
pub mod reason;
pub mod requests;
pub mod reserved;
pub mod score;
pub mod selector_error;
pub mod status;
pub mod storage_evidence;
pub mod utilization;
pub mod volume_limits;
