//! The documented JSON of every answer. The types are those of the crate `kubectl-preempt-json`, with
//! which another program reads it.
//!
//! ```
//! # use engine as kubectl_preempt_engine;
//! use kubectl_preempt_engine::{
//!     ClusterView, Profile, SchedulerVersion, Timestamp, VersionSource, decide, read_cluster,
//! };
//! use kubectl_preempt_to_json::{SourceKind, decision};
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/examples/cluster.yaml");
//! let cluster = read_cluster(&std::fs::read_to_string(file)?, file)?;
//! let profile = Profile::new(SchedulerVersion::parse("1.37.1").expect("a version"), VersionSource::Flag);
//! let view = ClusterView::new(&cluster, &profile);
//! let pod = cluster.find_pod("shop", "web").expect("the pod is in the file");
//! let answer = decision(&decide(&view, pod, "2026-06-01T12:00:00Z".parse::<Timestamp>()?), SourceKind::File);
//! assert_eq!(answer.outcome, "Preempt");
//! let text = serde_json::to_string(&answer)?;
//! assert!(text.contains(r#""winners":["n1"]"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod audit;
mod comparison;
mod decision;
mod disruption;
mod doctor;
mod headroom;
mod node;
mod pending;
mod risk;
mod rulebook;
mod simulation;
mod suggestion;
mod verification;

pub use answers::origin::SourceKind;
pub use audit::audit;
pub use comparison::{comparison, comparison_list};
pub use decision::{
    add_room, autoscaling, decision, decision_list, edit, group_decision, group_decision_list,
    holder, note, pod, pod_report, remedy, scheduler, source,
};
pub use disruption::disruption_list;
pub use doctor::doctor;
pub use headroom::headroom;
pub use node::node_removal_list;
pub use pending::pending_list;
pub use risk::risk_list;
pub use rulebook::rule_list;
pub use simulation::{pod_id, simulation};
pub use suggestion::suggestion_list;
pub use verification::verification_list;
