//! Extensions of a live cluster: the API groups that it serves, the status of its
//! cluster-autoscaler, and the Leases of the programs that act on pods.

use std::collections::BTreeSet;

use http::StatusCode;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::controllers::ControllerScope;
use crate::api::client::Reader;
use crate::api::failure;
use crate::api::url::encode;
use crate::error::Error;
use engine::cluster::event::NOT_MADE;
use engine::snapshot::Kind;
use engine::snapshot::autoscaler::{AutoscalerPod, ClusterAutoscaler, LABELS, STATUS, status};
use engine::snapshot::programs::{Lease, Programs};
use engine::snapshot::scheduler::NAMESPACE;

/// The components of Events that tell what is done for pending pods, and the API group without
/// which there are none; none of these needs a group if cluster-autoscaler shows its status.
const SOURCES: [(&str, Option<&str>); 4] = [
    ("cluster-autoscaler", None),
    ("karpenter", Some("karpenter.sh")),
    ("eks-auto-mode/compute", Some("eks.amazonaws.com")),
    ("kai-scheduler", Some("scheduling.run.ai")),
];

/// What is known about a cluster's extensions before its lists are read.
#[derive(Debug, Default)]
pub(super) struct Extensions {
    /// The served API groups; `None` if discovery failed.
    groups: Option<BTreeSet<String>>,
    /// The status of cluster-autoscaler, if it publishes one.
    pub(super) autoscaler: Option<ClusterAutoscaler>,
    /// The Leases of the programs that act on pods.
    pub(super) programs: Programs,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Groups {
    groups: Vec<Group>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Group {
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Pods {
    items: Vec<AutoscalerPod>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Leases {
    items: Vec<Box<RawValue>>,
}

impl Extensions {
    /// Reads discovery, status and Leases.
    ///
    /// # Errors
    /// When the cluster cannot be reached.
    pub(super) async fn find(reader: &Reader) -> Result<Self, Error> {
        let (groups, autoscaler, programs) =
            futures::future::join3(groups(reader), autoscaler(reader), programs(reader)).await;
        Ok(Self { groups: groups?, autoscaler: autoscaler?, programs: programs? })
    }

    /// Whether the server may serve a kind.
    pub(super) fn may_serve(&self, kind: Kind) -> bool {
        !kind.is_custom() || self.groups.as_ref().is_none_or(|all| all.contains(kind.group()))
    }

    /// The API groups that the server has; `None` if it does not say.
    pub(super) fn groups(&self) -> Option<&BTreeSet<String>> {
        self.groups.as_ref()
    }

    /// Field selectors of the Events that are read: those of components that act on pods and, with
    /// controllers, those about pods that could not be created.
    pub(super) fn event_selectors(&self, controllers: &ControllerScope) -> Vec<String> {
        let mut selectors: Vec<String> =
            self.sources().into_iter().map(|source| format!("source={source}")).collect();
        if *controllers != ControllerScope::None {
            selectors.push(format!("reason={NOT_MADE}"));
        }
        selectors
    }

    /// The components whose Events are read.
    fn sources(&self) -> Vec<&'static str> {
        let has_status = self.autoscaler.as_ref().is_some_and(|shown| shown.status.is_some());
        let may_write = |group: Option<&str>| match (group, &self.groups) {
            (Some(group), Some(groups)) => groups.contains(group),
            (Some(_), None) => false,
            (None, _) => has_status,
        };
        SOURCES.into_iter().filter(|(_, group)| may_write(*group)).map(|(name, _)| name).collect()
    }
}

async fn groups(reader: &Reader) -> Result<Option<BTreeSet<String>>, Error> {
    let answer = reader.get("/apis").await?;
    if answer.status != StatusCode::OK {
        return Ok(None);
    }
    let groups = serde_json::from_str::<Groups>(&answer.body).ok();
    Ok(groups.map(|all| all.groups.into_iter().map(|group| group.name).collect()))
}

/// The Leases in the namespace of the control plane. Those of nodes are in another one.
async fn programs(reader: &Reader) -> Result<Programs, Error> {
    let path = format!("/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases");
    let answer = reader.get(&path).await?;
    match answer.status {
        StatusCode::OK => {
            let list = serde_json::from_str::<Leases>(&answer.body).unwrap_or_default();
            let leases = list.items.iter().filter_map(|item| Lease::of(item.get())).collect();
            Ok(Programs::new(Vec::new(), leases))
        }
        StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED => Ok(Programs {
            unreadable: Some(failure::server_message(&answer)),
            ..Programs::default()
        }),
        // An API server that does not know them has other locks.
        _ => Ok(Programs::default()),
    }
}

/// The status of cluster-autoscaler and, if there is one, the flags of its pods.
async fn autoscaler(reader: &Reader) -> Result<Option<ClusterAutoscaler>, Error> {
    let (namespace, name) = STATUS;
    let answer = reader.get(&format!("/api/v1/namespaces/{namespace}/configmaps/{name}")).await?;
    let mut found = match answer.status {
        StatusCode::OK => {
            ClusterAutoscaler { status: status(&answer.body), ..ClusterAutoscaler::default() }
        }
        StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED => {
            return Ok(Some(ClusterAutoscaler {
                unreadable: Some(failure::server_message(&answer)),
                ..ClusterAutoscaler::default()
            }));
        }
        _ => return Ok(None),
    };
    // Only one of the charts and manifests created its pods.
    for labels in LABELS.into_iter().filter(|_| found.status.is_some()) {
        let query = encode(labels);
        let answer = reader
            .get(&format!("/api/v1/namespaces/{namespace}/pods?labelSelector={query}"))
            .await?;
        let pods = serde_json::from_str::<Pods>(&answer.body).unwrap_or_default().items;
        let pods: Vec<AutoscalerPod> = pods.into_iter().filter(AutoscalerPod::runs_it).collect();
        if !pods.is_empty() {
            found = found.with_pods(pods);
            break;
        }
    }
    Ok(found.status.is_some().then_some(found))
}
