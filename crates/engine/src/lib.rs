//! kube-scheduler's decision about a pod, offline and as a value.
//!
//! The engine answers two questions for any pod of a cluster: why does it not run, and which pods
//! would kube-scheduler evict to make room for it? It takes Kubernetes objects as JSON or YAML text
//! and runs the whole algorithm of one kube-scheduler version (1.12 to 1.37): every Filter and
//! Score plugin, the dry run of preemption on every node, and the tie-break between candidates. It
//! does no IO: it opens no file, reads no clock and no environment, and starts no network
//! connection, so that the same input always gives the same decision, in a controller, in a CI job,
//! or in a browser (`wasm32-unknown-unknown`).
//!
//! # Decide about one pod
//!
//! ```
//! use kubectl_preempt_engine::{
//!     ClusterView, OutcomeKind, Profile, SchedulerVersion, Timestamp, VersionSource, decide, read_cluster,
//! };
//!
//! // What `kubectl get nodes,pods,pdb,priorityclasses,namespaces -A -o json` writes.
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/cluster.yaml");
//! let cluster = read_cluster(&std::fs::read_to_string(file)?, file)?;
//! assert!(cluster.notes.is_empty(), "every object could be read");
//!
//! // Which kube-scheduler decides: here the default profile of 1.37.1.
//! let version = SchedulerVersion::parse("1.37.1").expect("a version");
//! let profile = Profile::new(version, VersionSource::Flag);
//! let view = ClusterView::new(&cluster, &profile);
//!
//! let pod = cluster.find_pod("shop", "web").expect("the pod is in the file");
//! let now: Timestamp = "2026-06-01T12:00:00Z".parse()?;
//! let decision = decide(&view, pod, now);
//!
//! println!("{}: {}", cluster.pod_name(pod), decision.outcome.name());
//! println!("{}", decision.scheduler_message().unwrap_or_default());
//! for candidate in decision.candidates() {
//!     let victims: Vec<String> = candidate.victims.iter().map(|victim| cluster.pod_name(victim.pod)).collect();
//!     println!("{}: evicts {}", cluster.text(cluster.node(candidate.node).name), victims.join(", "));
//! }
//!
//! assert_eq!(decision.kind(), OutcomeKind::Preempt);
//! assert_eq!(
//!     decision.scheduler_message(),
//!     Some(
//!         "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). \
//!          preemption: found a potential placement for pod on node n1, preempting 1 victims"
//!     )
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What the names are for
//!
//! | name | what it is |
//! | --- | --- |
//! | [`read_cluster`] | text to [`Cluster`]; an object that cannot be read becomes a [`Note`], not an error |
//! | [`Cluster`] | the facts: nodes, pods, budgets, volumes, claims; the same for every version of the scheduler |
//! | [`SchedulerVersion`], [`Profile`] | one kube-scheduler: its version, feature gates, plugins and their arguments |
//! | [`Configuration`] | a `KubeSchedulerConfiguration` file, as one [`Profile`] per profile in it |
//! | [`ClusterView`] | the cluster as that scheduler sees it: requests summed per node, nominated pods |
//! | [`decide`] | runs the scheduling cycle and, if no node fits, preemption |
//! | [`Decision`], [`Outcome`], [`OutcomeKind`] | everything that the cycle found, and what it comes to |
//! | [`PreemptionReport`] | the dry run of every node, the candidates, and each step of the tie-break |
//! | [`Explanation`] | a decision with what only an explanation needs: the filters behind the first, remedies, odds from every start |
//! | [`json::decision`], [`json::explanation`] | either as the documented JSON, a type of the crate `kubectl-preempt-json` |
//! | [`verify`] | compares a decision with the message that the real scheduler wrote into the pod's condition |
//! | [`compare`] | decides with several profiles and finds the rules that make the difference |
//! | [`simulate`] | several pods one after the other, and where the pods go that replace the victims |
//!
//! A decision borrows the view that it was made of. A program that keeps answers while its cluster
//! changes, such as a controller, keeps their JSON types, which own all that they have.
//!
//! A decision is never surer than its input: what the input lacks, what the engine does not model
//! and what kube-scheduler leaves to chance stands in [`Decision::notes`]. Read them before you act
//! on a decision.
//!
//! The hidden modules are the crates that the `kubectl preempt` plugin is built of (`model`,
//! `profile`, `scheduler`, `simulation`, `reports`), each knowing only those before it. They change
//! without notice.

pub mod json;

#[doc(hidden)]
pub use model::{cluster, decode, edits, notes, object_only, plain, snapshot, words, wrong_value};
#[doc(hidden)]
pub use profile;
#[doc(hidden)]
pub use reports::{audit, autoscalers, disruption, risk, rules};
#[doc(hidden)]
pub use scheduler::{decision, dra, framework, groups, plugins, preemption};
#[doc(hidden)]
pub use simulation;

pub use jiff::Timestamp;
pub use model::login;
#[doc(inline)]
pub use model::{
    cluster::Cluster,
    decode::{DecodeError, read_cluster},
    notes::Note,
};
#[doc(inline)]
pub use profile::{Profile, SchedulerVersion, VersionSource, config::Configuration};
#[doc(inline)]
pub use scheduler::{
    decision::{
        Decision, Explanation, Outcome, OutcomeKind, compare::compare, decide, verify::verify,
    },
    framework::cluster_view::ClusterView,
    preemption::PreemptionReport,
};
#[doc(inline)]
pub use simulation::sequence::run as simulate;
