//! JSON of everything beyond a single decision, which is [`engine::json`].

mod comparison;
mod disruption;
mod pending;
mod rulebook;
mod simulation;
mod verification;

pub use comparison::{JsonComparison, JsonComparisonList};
pub use disruption::JsonDisruptionList;
pub use pending::JsonPendingList;
pub use rulebook::JsonRules;
pub use simulation::{JsonPodId, JsonSimulation};
pub use verification::JsonVerificationList;
