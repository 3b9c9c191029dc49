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
pub use comparison::{comparison, comparison_list};
pub use decision::{
    add_room, autoscaling, decision, decision_list, edit, group_decision, group_decision_list,
    holder, note, pod, pod_report, remedy, scheduler, source,
};
pub use doctor::doctor;
pub use pending::pending_list;
pub use simulation::{pod_id, simulation};

/// A report with a documented JSON.
pub trait ToJson {
    /// The documented kind.
    type Json;

    /// The report as that kind.
    fn json(&self) -> Self::Json;
}
