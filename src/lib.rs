//! Why is a pod pending, and whom would kube-scheduler throw out for it?
//!
//! The scheduler's whole decision, offline and as a value: objects in, [`decision::Decision`] out.
//!
//! ```
//! use kubectl_preempt::capture::decode::decode;
//! use kubectl_preempt::cluster::build::Builder;
//! use kubectl_preempt::decision::{Outcome, decide};
//! use kubectl_preempt::framework::world::World;
//! use kubectl_preempt::profile::{Profile, SchedulerVersion, VersionSource};
//!
//! let objects = r#"
//! apiVersion: v1
//! kind: List
//! items:
//! - {kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}}
//! - kind: Pod
//!   metadata: {namespace: a, name: batch}
//!   spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 1500m}}}]}
//! - kind: Pod
//!   metadata: {namespace: a, name: web}
//!   spec: {priority: 100, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
//! "#;
//! let mut builder = Builder::new();
//! decode(objects, "example", &mut builder)?;
//! let cluster = builder.finish();
//!
//! let profile = Profile::new(SchedulerVersion::NEWEST, VersionSource::Default);
//! let world = World::new(&cluster, &profile);
//! let pod = cluster.find_pod("a", "web").expect("it is in the input");
//! let decision = decide(&world, pod, jiff::Timestamp::UNIX_EPOCH);
//!
//! assert_eq!(decision.outcome, Outcome::Preempt);
//! assert_eq!(
//!     decision.condition_message.as_deref(),
//!     Some(
//!         "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node n1, \
//!          preempting 1 victims"
//!     )
//! );
//! # Ok::<(), kubectl_preempt::error::Error>(())
//! ```
//!
//! The map of the modules is in ARCHITECTURE.md.

pub mod api;
#[cfg(feature = "live")]
pub mod apply;
pub mod capture;
pub mod cli;
pub mod cluster;
pub mod decision;
pub mod doctor;
pub mod dra;
pub mod error;
pub mod exit;
pub mod framework;
pub mod plugins;
pub mod preemption;
pub mod profile;
pub mod render;
pub mod rules;
pub mod simulation;
pub mod snapshot;
#[cfg(test)]
mod testing;
