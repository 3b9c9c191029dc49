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
mod growth;
mod headroom;
mod in_part;
mod loss;
mod node;
mod pending;
mod risk;
mod rulebook;
mod simulation;
mod suggestion;
mod verification;
mod workload;

pub use answers::origin::SourceKind;
pub use comparison::comparison;
pub use decision::{
    add_room, autoscaling, bars, decision, decision_list, edit, group_decision,
    group_decision_list, holder, note, pod, pod_report, remedy, scheduler, source,
};
pub use doctor::doctor;
pub use simulation::pod_id;

/// The JSON of one thing that was named, or of a list.
#[derive(Debug, serde::Serialize)]
#[serde(untagged)]
pub enum OneOrList<One, List> {
    One(Box<One>),
    List(List),
}

impl<One, List> OneOrList<One, List> {
    /// That of the only item if `one`, else the list that `list` makes of all.
    fn new(mut items: Vec<One>, one: bool, list: impl FnOnce(Vec<One>) -> List) -> Self {
        match (items.pop(), items.is_empty()) {
            (Some(item), true) if one => Self::One(Box::new(item)),
            (last, _) => Self::List(list(items.into_iter().chain(last).collect())),
        }
    }
}

/// A report with a documented JSON.
pub trait ToJson {
    /// The documented kind.
    type Json;

    /// The report as that kind.
    fn json(&self) -> Self::Json;
}
