//! The JSON that `kubectl preempt` prints with `-o json`, as data to read and to write.
//!
//! Every kind of answer is a struct of its name, and a module has what belongs to it: [`Decision`]
//! of `explain` stands in [`decision`], [`PendingList`] of `pending` in [`pending`]. What the
//! fields mean is written at the fields, and in
//! [docs/JSON.md](https://github.com/kubectl-preempt/kubectl-preempt/blob/main/docs/JSON.md). A
//! field without a comment is what its name says.
//!
//! # Read an answer
//!
//! ```
//! use json::Decision;
//!
//! // What `kubectl preempt explain web-1 -n shop -o json` printed.
//! let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/decision.json"));
//! let decision: Decision = serde_json::from_str(text)?;
//!
//! assert_eq!(decision.outcome, "Preempt");
//! let preemption = decision.preemption.expect("preemption was tried");
//! for node in preemption.nodes.iter().filter(|node| node.verdict == "Candidate") {
//!     let victims = node.victims.iter().flatten().map(|victim| format!("{}/{}", victim.namespace, victim.name));
//!     println!("{}: evicts {}", node.name, victims.collect::<Vec<_>>().join(", "));
//! }
//! assert_eq!(preemption.winners, ["n1"]);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! The crate is called `kubectl-preempt-json`, and its library `json`. Any format of serde will do:
//! `-o yaml` prints the same values. Where a command prints one of several kinds, such as `explain`
//! a [`Decision`] or a [`DecisionList`], read an [`Answer`]. Where the kind is known read that one:
//! an error then says which field is wrong.
//!
//! # What may be added
//!
//! Within an `apiVersion`, fields and values are added, but never renamed or given another meaning.
//! An older version of this crate can therefore read the answers of a newer program:
//!
//! * A field that it does not know is ignored.
//! * A field that may be absent, as every field is that was added later, is `None` or empty.
//! * Codes and words such as [`Decision::outcome`] are texts, so that there may be new ones. Where
//!   the words are an `enum`, its variant `Other` stands for those that are new.
//!
//! An answer of another `apiVersion` or kind is an error.
//!
//! # Make an answer
//!
//! `kubectl_preempt_to_json::decision` makes a [`Decision`] of what the engine decided. This
//! crate has no code for that: it depends on serde alone.
//!
//! # Features
//!
//! `schema` derives `schemars::JsonSchema` for every type, and adds `schema()`, the JSON Schema
//! that `kubectl preempt schema` prints.

pub mod apply;
pub mod audit;
pub mod autoscaling;
pub mod common;
pub mod comparison;
pub mod decision;
pub mod disruption;
pub mod doctor;
pub mod edit;
pub mod evidence;
pub mod group;
pub mod growth;
pub mod headroom;
pub mod in_part;
pub mod loss;
pub mod node;
pub mod pending;
pub mod preemption;
pub mod risk;
pub mod rules;
pub mod simulation;
pub mod suggestion;
pub mod verification;
pub mod version;
pub mod workload;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use apply::ApplyResult;
pub use audit::Audit;
pub use comparison::{DecisionComparison, DecisionComparisonList};
pub use decision::{Decision, DecisionList};
pub use disruption::DisruptionList;
pub use doctor::Doctor;
pub use group::{GroupDecision, GroupDecisionList};
pub use growth::NodeDemand;
pub use headroom::Headroom;
pub use in_part::PartialList;
pub use loss::NodeLossList;
pub use node::NodeRemovalList;
pub use pending::PendingList;
pub use risk::RiskList;
pub use rules::RuleList;
pub use simulation::Simulation;
pub use suggestion::SuggestionList;
pub use verification::VerificationList;
pub use version::Version;
pub use workload::WorkloadList;

/// A text that the program has in its code, such as the name of a plugin: borrowed where an answer
/// is made, owned where one is read.
pub type Text = Cow<'static, str>;

/// A text that is always the same: anything else is an error.
macro_rules! constant {
    ($(#[$about:meta])* $name:ident { $(#[$named:meta])* $value:ident }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            #[default]
            $(#[$named])*
            $value,
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }
    };
}

constant! {
    /// The version of this JSON.
    ApiVersion {
        #[serde(rename = "kubectl-preempt.github.io/v1")]
        V1
    }
}

/// Every kind of answer.
macro_rules! kinds {
    ($($kind:ident($content:ty)),* $(,)?) => {
        /// The `kind` of each answer.
        pub mod kind {
            use serde::{Deserialize, Serialize};
            $(constant! { $kind { $kind } })*
        }

        /// Everything that the program prints as JSON.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(untagged)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Explanation"))]
        pub enum Answer {
            $($kind($content)),*
        }
    };
}

kinds! {
    Decision(Box<Decision>),
    DecisionList(DecisionList),
    GroupDecision(Box<GroupDecision>),
    GroupDecisionList(GroupDecisionList),
    DecisionComparison(Box<DecisionComparison>),
    DecisionComparisonList(DecisionComparisonList),
    VerificationList(Box<VerificationList>),
    Audit(Box<Audit>),
    RiskList(Box<RiskList>),
    DisruptionList(Box<DisruptionList>),
    ApplyResult(Box<ApplyResult>),
    Doctor(Box<Doctor>),
    Simulation(Box<Simulation>),
    NodeRemovalList(Box<NodeRemovalList>),
    NodeLossList(Box<NodeLossList>),
    NodeDemand(Box<NodeDemand>),
    PendingList(Box<PendingList>),
    WorkloadList(WorkloadList),
    PartialList(PartialList),
    Headroom(Box<Headroom>),
    SuggestionList(Box<SuggestionList>),
    RuleList(RuleList),
    Version(Version),
}

/// The JSON Schema of every answer.
#[cfg(feature = "schema")]
pub fn schema() -> schemars::Schema {
    let generator =
        schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<Answer>();
    // The document says what it is.
    schema.remove("description");
    schema
}
