//! Answers as the documented JSON. That of a single decision is [`engine::json`].

mod audit;
mod comparison;
mod disruption;
mod headroom;
mod node;
mod pending;
mod risk;
mod rulebook;
mod simulation;
mod suggestion;
mod verification;

pub use audit::audit;
pub use comparison::{comparison, comparison_list};
pub use disruption::disruption_list;
pub use headroom::headroom;
pub use node::node_removal_list;
pub use pending::pending_list;
pub use risk::risk_list;
pub use rulebook::{rule_list, rules_of_message};
pub use simulation::{pod_id, simulation};
pub use suggestion::suggestion_list;
pub use verification::verification_list;
