//! Whether the programs that act on pods run: the states of their containers, and the Leases with
//! which their replicas agree on a leader. A program that is gone leaves nothing else behind.
//!
//! Of a pod of such a program only the restarts are kept and why a container waits, of a Lease when
//! it was renewed. The Leases of nodes are dropped: a large cluster has thousands.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::access::AccessObject;
use super::controllers::{ControllerObject, NodeChanges, Suspension};
use super::managed_fields::FieldChange;
use super::pod::Pod;
use super::program_pod::Name;
use super::{Object, Unreadable};

/// The namespace of the Leases of nodes.
const NODE_LEASES: &str = "kube-node-lease";
/// Parts of the names of programs that act on pods.
const NAMES: [&str; 4] = ["scheduler", "controller-manager", "autoscaler", "karpenter"];

/// What a cluster shows of the programs that act on pods.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Programs {
    /// Their pods of which a container waits, or has restarted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<ProgramState>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leases: Vec<Lease>,
    /// Why the Leases could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// Controllers of pods of kinds that are not read otherwise: those that were asked about, or
    /// those that lack pods.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<ControllerObject>,
    /// Kinds of controllers that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread_controllers: Vec<Unreadable>,
    /// Who suspended Jobs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suspensions: Vec<Suspension>,
    /// Who changed what keeps pods from nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeChanges>,
    /// Who may create what, if that was read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub access: Vec<AccessObject>,
    /// Kinds of these that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread_access: Vec<Unreadable>,
    /// When this was read, where that may be before the other objects were.
    #[serde(skip)]
    pub read_at: Option<Timestamp>,
}

/// How the containers of a program's pod do.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProgramState {
    pub namespace: String,
    pub name: String,
    /// Why a container waits, such as `CrashLoopBackOff`; empty if none does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub waiting: String,
    /// How often its containers were started again.
    pub restarts: u64,
}

/// A `coordination.k8s.io` Lease.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Lease {
    pub namespace: String,
    pub name: String,
    /// When its holder renewed it last, RFC 3339; `None` if it has no holder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renewed: Option<String>,
    /// How long it lasts after that.
    pub seconds: i64,
}

/// What an object of a file shows of them.
#[derive(Debug, Clone)]
pub enum ProgramPart {
    Pod(ProgramState),
    Lease(Lease),
    /// A controller of pods of a kind that is not read otherwise.
    Controller(Box<ControllerObject>),
    Suspension(Suspension),
    Node(NodeChanges),
    Access(Box<AccessObject>),
}

impl ProgramPart {
    /// What this object shows, of which `json` is the whole; `None` for nearly all objects.
    pub fn of(object: &Object<'_>, json: &str) -> Option<Self> {
        match object {
            Object::Pod(pod) => ProgramState::of(pod, json).map(Self::Pod),
            Object::Node(_) => NodeChanges::of(json).map(Self::Node),
            Object::Job(job) => Suspension::of(job, json).map(Self::Suspension),
            Object::Other(kind) if kind.as_str() == "Lease" => Lease::of(json).map(Self::Lease),
            _ => match ControllerObject::of(object, json) {
                Some(controller) => Some(Self::Controller(Box::new(controller))),
                None => match object {
                    Object::Other(kind) => {
                        AccessObject::of(kind, json).map(|one| Self::Access(Box::new(one)))
                    }
                    _ => None,
                },
            },
        }
    }
}

impl Programs {
    /// What objects of a file show, in any order. Of a pod or Lease that comes twice, the last by
    /// its content counts.
    pub fn of_parts(parts: Vec<ProgramPart>) -> Self {
        let (mut pods, mut leases) = (Vec::new(), Vec::new());
        let (mut suspensions, mut nodes, mut access) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            match part {
                ProgramPart::Pod(pod) => pods.push(pod),
                ProgramPart::Lease(lease) => leases.push(lease),
                ProgramPart::Suspension(suspension) => suspensions.push(suspension),
                ProgramPart::Node(changes) => nodes.push(changes),
                ProgramPart::Access(object) => access.push(*object),
                ProgramPart::Controller(_) => {}
            }
        }
        suspensions.sort();
        nodes.sort();
        access.sort();
        Self { suspensions, nodes, access, ..Self::new(pods, leases) }
    }

    /// Of these pods and Leases, in any order.
    pub fn new(mut pods: Vec<ProgramState>, mut leases: Vec<Lease>) -> Self {
        pods.sort();
        pods.dedup_by(|later, earlier| {
            (&later.namespace, &later.name) == (&earlier.namespace, &earlier.name)
        });
        leases.sort();
        leases.dedup_by(|later, earlier| {
            let is_same = (&later.namespace, &later.name) == (&earlier.namespace, &earlier.name);
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        Self { pods, leases, ..Self::default() }
    }

    /// Who suspended a Job, if its managed fields say so.
    pub fn suspension(&self, namespace: &str, name: &str) -> Option<&FieldChange> {
        let mut all = self.suspensions.iter();
        all.find(|one| one.namespace == namespace && one.name == name).map(|one| &one.by)
    }

    /// Who changed what keeps pods from a node, if its managed fields say so.
    pub fn node(&self, name: &str) -> Option<&NodeChanges> {
        self.nodes.iter().find(|one| one.name == name)
    }

    /// The state of a pod, if it shows any.
    pub fn pod(&self, namespace: &str, name: &str) -> Option<&ProgramState> {
        self.pods.iter().find(|pod| pod.namespace == namespace && pod.name == name)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WholePod {
    metadata: Name,
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    container_statuses: Vec<Container>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Container {
    restart_count: u64,
    state: Option<State>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct State {
    waiting: Option<Waiting>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Waiting {
    reason: String,
}

impl ProgramState {
    /// The state of the pod that this object is, if a program that acts on pods runs in it.
    fn of(pod: &Pod, json: &str) -> Option<Self> {
        let name = pod.metadata.name.as_str();
        NAMES.iter().any(|part| name.contains(part)).then(|| Self::read(json))?
    }

    /// The state of a pod, of which `json` is the whole; `None` if there is nothing to say.
    pub fn read(json: &str) -> Option<Self> {
        let WholePod { metadata, status } = serde_json::from_str(json).ok()?;
        let containers = status.container_statuses;
        let restarts = containers.iter().map(|one| one.restart_count).fold(0, u64::saturating_add);
        let states = containers.into_iter().filter_map(|one| one.state?.waiting);
        let waiting = states.map(|waiting| waiting.reason).find(|reason| !reason.is_empty());
        let state = Self {
            namespace: metadata.namespace,
            name: metadata.name,
            waiting: waiting.unwrap_or_default(),
            restarts,
        };
        (!state.waiting.is_empty() || restarts > 0).then_some(state)
    }
}

impl Lease {
    /// The Lease, unless it is one of a node.
    pub fn of(json: &str) -> Option<Self> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Whole {
            metadata: Name,
            spec: Spec,
        }
        #[derive(Default, Deserialize)]
        #[serde(default, rename_all = "camelCase")]
        struct Spec {
            renew_time: Option<String>,
            lease_duration_seconds: Option<i64>,
        }
        if json.contains(NODE_LEASES) {
            return None;
        }
        let Whole { metadata, spec } = serde_json::from_str(json).ok()?;
        let seconds = spec.lease_duration_seconds.unwrap_or(15);
        Some(Self {
            namespace: metadata.namespace,
            name: metadata.name,
            renewed: spec.renew_time,
            seconds,
        })
    }

    /// When it ends unless it is renewed again; `None` if nobody holds it.
    pub fn ends(&self) -> Option<Timestamp> {
        let renewed: Timestamp = self.renewed.as_deref()?.parse().ok()?;
        let end = renewed.as_second().checked_add(self.seconds.max(0))?;
        Timestamp::from_second(end).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lease_of_a_node_is_dropped_and_another_keeps_its_times_alone() {
        let lease = |namespace: &str| {
            Lease::of(&format!(
                r#"{{"metadata":{{"namespace":"{namespace}","name":"kube-scheduler"}},"spec":
                {{"holderIdentity":"cp1_7f","leaseDurationSeconds":15,"renewTime":"2026-11-28T12:29:00.000000Z"}}}}"#
            ))
        };
        assert_eq!(lease("kube-node-lease"), None);
        let kept = lease("kube-system").expect("a Lease");
        assert_eq!(kept.ends(), "2026-11-28T12:29:15Z".parse().ok());
        assert!(!serde_json::to_string(&kept).expect("JSON").contains("cp1"));
    }

    #[test]
    fn pod_is_kept_if_a_container_waits_or_has_restarted() {
        let read = |statuses: &str| {
            ProgramState::read(&format!(
                r#"{{"metadata":{{"namespace":"kube-system","name":"kube-scheduler-cp1"}},
                "status":{{"containerStatuses":[{statuses}]}}}}"#
            ))
        };
        assert_eq!(read(r#"{"restartCount":0,"state":{"running":{}}}"#), None);
        let state = read(
            r#"{"restartCount":40,"state":{"waiting":{"reason":"CrashLoopBackOff"}}},{"restartCount":2}"#,
        );
        let state = state.expect("a state");
        assert_eq!((state.waiting.as_str(), state.restarts), ("CrashLoopBackOff", 42));
    }

    #[test]
    fn of_two_copies_of_a_lease_the_one_renewed_last_counts() {
        let at = |time: &str| Lease {
            name: "kube-scheduler".to_owned(),
            renewed: Some(time.to_owned()),
            ..Lease::default()
        };
        let (old, new) = (at("2026-11-28T12:00:00Z"), at("2026-11-28T12:30:00Z"));
        for leases in [vec![old.clone(), new.clone()], vec![new.clone(), old]] {
            assert_eq!(Programs::new(Vec::new(), leases).leases, std::slice::from_ref(&new));
        }
    }
}
