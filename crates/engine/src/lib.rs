//! kube-scheduler's decision about a pod, offline and as a value.
//!
//! The engine answers two questions for any pod of a cluster: why does it not run, and which pods
//! would kube-scheduler evict to make room for it? It takes Kubernetes objects as JSON or YAML text
//! and runs the whole algorithm of one kube-scheduler version (1.12 to 1.38): every Filter and
//! Score plugin, the dry run of preemption on every node, and the tie-break between candidates. It
//! does no IO: it opens no file, reads no clock and no environment, and starts no network
//! connection, so that the same input always gives the same decision, in a controller, in a CI job,
//! or in a browser (`wasm32-unknown-unknown`).
//!
//! The names at the top of this crate are its public API; everything that they take or return is
//! among them. This manual goes through them in the order in which a program needs them.
//!
//! # Read a cluster
//!
//! [`read_cluster`] takes what `kubectl get -o json` or `-o yaml` prints, a list or documents one
//! after the other. Kinds that it does not need are skipped. An object that cannot be read is a
//! [`Note`] of the [`Cluster`], not an error: the decision then uses the remaining objects, and
//! says so.
//!
//! ```
//! use kubectl_preempt_engine::{Severity, read_cluster};
//!
//! // What `kubectl get nodes,pods,namespaces,services,rc,rs,sts,pdb,priorityclasses -A -o json` writes.
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/cluster.yaml");
//! let cluster = read_cluster(&std::fs::read_to_string(file)?, file)?;
//!
//! assert_eq!(cluster.nodes.len(), 2);
//! assert!(!cluster.notes.iter().any(|note| note.severity == Severity::Error));
//! // Objects are found by name, and are numbers from then on.
//! let pod = cluster.find_pod("shop", "web").expect("the pod is in the file");
//! assert_eq!(cluster.pod(pod).priority, 1000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decide
//!
//! A [`Profile`] is one kube-scheduler: its version, feature gates, plugins and their arguments. A
//! [`ClusterView`] is the cluster as that scheduler sees it: requests summed per node, nominated
//! pods. [`decide`] runs the scheduling cycle of a pod and, if no node fits, preemption.
//!
//! ```
//! use kubectl_preempt_engine::{
//!     ClusterView, OutcomeKind, Profile, SchedulerVersion, Timestamp, VersionSource, decide, read_cluster,
//! };
//!
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/cluster.yaml");
//! # let cluster = read_cluster(&std::fs::read_to_string(file)?, file)?;
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
//! for candidate in decision.candidates() {
//!     let victims: Vec<String> = candidate.victims.iter().map(|victim| cluster.pod_name(victim.pod)).collect();
//!     println!("{}: evicts {}", cluster.node_name(candidate.node), victims.join(", "));
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
//! A [`Decision`] borrows its view of the cluster. A program that keeps answers while its cluster
//! changes, such as a controller, keeps their JSON types, which own their data;
//! `examples/controller.rs` is one.
//!
//! A decision is never more certain than its input: [`Decision::notes`] names what the input lacks,
//! what the engine does not model, and what kube-scheduler leaves to chance. Read them before you
//! act on a decision.
//!
//! # Explain
//!
//! Each rejected node has the plugin, the reason in kube-scheduler's words, and the [`Evidence`]
//! behind it. What costs more than the decision itself is computed on demand, in an
//! [`Explanation`]: the filters after the first that rejects a node, odds, and edits that were
//! tried and help.
//!
//! ```
//! # use kubectl_preempt_engine::{
//! #     ClusterView, Explanation, Nearness, Profile, SchedulerVersion, Timestamp, VersionSource, decide, read_cluster,
//! # };
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/cluster.yaml");
//! # let cluster = read_cluster(&std::fs::read_to_string(file)?, file)?;
//! # let profile = Profile::new(SchedulerVersion::parse("1.37.1").expect("a version"), VersionSource::Flag);
//! # let view = ClusterView::new(&cluster, &profile);
//! # let pod = cluster.find_pod("shop", "web").expect("the pod is in the file");
//! # let now: Timestamp = "2026-06-01T12:00:00Z".parse()?;
//! let mut explanation = Explanation::from(decide(&view, pod, now));
//! explanation.run_other_filters();
//! explanation.seek_remedies();
//!
//! let rejections: Vec<(&str, &str, Vec<String>)> = explanation
//!     .rejections()
//!     .map(|(node, plugin, rejection)| {
//!         (cluster.node_name(node), plugin, rejection.texts(&cluster))
//!     })
//!     .collect();
//! assert_eq!(rejections[0], ("n1", "NodeResourcesFit", vec!["Insufficient cpu".to_owned()]));
//!
//! // How near each node is to taking the pod.
//! let unmeetable = explanation.unmeetable();
//! let causes = explanation.node_causes(&unmeetable);
//! assert_eq!(causes[0].distance.nearness, Nearness::Full);
//! assert_eq!(causes[1].distance.nearness, Nearness::OtherPool);
//!
//! for remedy in explanation.remedies.iter().flat_map(|remedies| &remedies.found) {
//!     println!("{}", remedy.summary);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`verify`] compares a decision with the message that the real scheduler wrote into the pod's
//! condition.
//!
//! # Simulate
//!
//! [`simulate`] decides about several pods one after the other: each sees the placements and
//! evictions of those before it. It also follows the pods that replace the victims.
//!
//! ```
//! use kubectl_preempt_engine::{Proposal, SimulationSettings, simulate};
//! # use kubectl_preempt_engine::{Profile, SchedulerVersion, Timestamp, VersionSource, read_cluster};
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/cluster.yaml");
//! # let cluster = read_cluster(&std::fs::read_to_string(file)?, file)?;
//! # let profile = Profile::new(SchedulerVersion::parse("1.37.1").expect("a version"), VersionSource::Flag);
//! # let now: Timestamp = "2026-06-01T12:00:00Z".parse()?;
//! let pod = cluster.find_pod("shop", "web").expect("the pod is in the file");
//! let profiles = [profile];
//! let simulation = simulate(cluster, &[pod], SimulationSettings::new(&profiles, now));
//!
//! let Proposal::Evict(plan) = &simulation.steps[0].proposal else { panic!("somebody has to go") };
//! assert_eq!(plan.victims[0].pod.full_name(), "shop/batch");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate `kubectl-preempt-to-json` writes decisions as the documented JSON.
//!
//! # Versions and configurations
//!
//! Every release from 1.12 to 1.38 decides by its own rules. A newer one is decided by those of
//! 1.38, with a note. [`compare`] decides with several profiles and finds the rules that make the
//! difference. A [`Configuration`] is the file that a kube-scheduler is started with; there is one
//! [`Profile`] for each in it.
//!
//! ```
//! use kubectl_preempt_engine::{Configuration, compare};
//! # use kubectl_preempt_engine::{
//! #     ClusterView, Profile, SchedulerVersion, Timestamp, VersionSource, read_cluster,
//! # };
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/cluster.yaml");
//! # let cluster = read_cluster(&std::fs::read_to_string(file)?, file)?;
//! # let pod = cluster.find_pod("shop", "web").expect("the pod is in the file");
//! # let now: Timestamp = "2026-06-01T12:00:00Z".parse()?;
//! let of = |version| Profile::new(SchedulerVersion::parse(version).expect("a version"), VersionSource::Flag);
//! let (old, new) = (of("1.18"), of("1.37"));
//! let views = [ClusterView::new(&cluster, &old), ClusterView::new(&cluster, &new)];
//! let comparison = compare(&[&views[0], &views[1]], pod, now);
//! println!("the same: {}", comparison.same());
//!
//! let file = serde_json::json!({
//!     "apiVersion": "kubescheduler.config.k8s.io/v1",
//!     "kind": "KubeSchedulerConfiguration",
//!     "profiles": [{"schedulerName": "default-scheduler"}, {"schedulerName": "batch"}],
//! });
//! let profiles = Configuration::read(&file, &new)?.profiles(&new);
//! assert_eq!(profiles[1].scheduler_name, "batch");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Errors
//!
//! Only input that is not a Kubernetes object at all, and a configuration that kube-scheduler
//! refuses, are errors: a [`DecodeError`] and a [`ConfigError`], each a line that says where and
//! what. If kube-scheduler's own cycle would end with an error, that is an answer:
//! [`OutcomeKind::Error`] with a [`CycleError`]. The engine does not panic, whatever the input is.
//!
//! ```
//! use kubectl_preempt_engine::read_cluster;
//!
//! let error = read_cluster("apiVersion: v1\nkind: [", "pods.yaml").unwrap_err();
//! assert_eq!(error.origin, "pods.yaml");
//! println!("{error}");
//! ```
//!
//! # What may change
//!
//! Structs and enums that will grow are `#[non_exhaustive]`. Below the names at the top are the
//! modules of the crates that the `kubectl preempt` plugin is built of (`model`, `profile`,
//! `scheduler`, `simulation`, `reports`). They are public, and the plugin uses nothing that you
//! cannot use, but any minor version may change them; the names at the top change with a note in
//! the changelog.

// Other programs are written against this crate.
#![warn(missing_docs)]

pub use dra;
pub use model::{cluster, decode, edits, notes, object_only, plain, snapshot, words, wrong_value};
pub use profile;
pub use reports::{audit, disruption, matrix, risk, rules};
pub use scheduler::{decision, framework, groups, plugins, preemption};
pub use simulation::{self, autoscalers};

pub use jiff::Timestamp;
pub use model::login;
#[doc(inline)]
pub use model::{
    cluster::{
        Cluster,
        node::{Node, NodeIx},
        pod::{Pod, PodIx},
    },
    decode::{DecodeError, read_cluster},
    edits::Edit,
    notes::{Note, Severity},
};
#[doc(inline)]
pub use profile::{
    Profile, SchedulerVersion, VersionSource,
    config::{ConfigError, Configuration},
};
#[doc(inline)]
pub use scheduler::{
    decision::{
        CycleError, CycleErrorKind, Decision, Explanation, Outcome, OutcomeKind, QueueGate,
        compare::{Comparison, compare},
        decide,
        nearest::{Distance, Nearness, NodeCause},
        remedy::{Remedies, Remedy},
        sampling::Sampling,
        verify::{Verification, VerificationResult, verify},
    },
    framework::{
        cluster_view::ClusterView,
        cycle::NodeVerdict,
        evidence::Evidence,
        score::ScoreTable,
        status::{Code, Reason, Rejection},
    },
    preemption::{PreemptionReport, dry_run::Candidate},
};
#[doc(inline)]
pub use simulation::{
    plan::{Plan, PlannedVictim},
    planning::Proposal,
    sequence::{Simulation, SimulationSettings, Step, run as simulate},
};
