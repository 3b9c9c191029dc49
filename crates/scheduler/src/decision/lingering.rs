//! Pods that are being deleted and should be gone already, and what blocks them.

use jiff::Timestamp;

use model::cluster::{Cluster, PodIx, Sym};

/// How long a pod may remain after its grace period, in seconds: its kubelet has to unmount its
/// volumes and report that it ended.
const ALLOWANCE: i64 = 30;

/// A terminating pod that should be gone already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lingering {
    pub pod: PodIx,
    /// For how many seconds it has been overdue.
    pub overdue: i64,
    /// What blocks it; at least one cause.
    pub by: Vec<LingersBy>,
}

/// What blocks the end of a terminating pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LingersBy {
    /// Its node no longer exists, and nothing has removed the pod yet.
    NodeGone,
    /// The kubelet of its node does not report. Nothing ends the pod until the node is back or
    /// removed.
    SilentKubelet,
    /// These finalizers are still set.
    Finalizers(Box<[Sym]>),
    /// Its kubelet has not ended it within its grace period of this many seconds.
    GracePeriod(i64),
}

impl LingersBy {
    /// Its name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NodeGone => "NodeGone",
            Self::SilentKubelet => "SilentKubelet",
            Self::Finalizers(_) => "Finalizers",
            Self::GracePeriod(_) => "GracePeriod",
        }
    }
}

/// Whether a pod whose grace period ended at `due` should be gone by `now`. A time that could not
/// be read never counts as overdue.
pub fn is_overdue(due: Timestamp, now: Timestamp) -> bool {
    due != Timestamp::UNIX_EPOCH && now.as_second() - due.as_second() > ALLOWANCE
}

/// What blocks a terminating pod that should be gone by `now`; `None` for any other pod.
pub fn of(pod: PodIx, cluster: &Cluster, now: Timestamp) -> Option<Lingering> {
    let victim = cluster.pod(pod);
    let due = victim.deletion.filter(|due| is_overdue(*due, now) && victim.is_active())?;
    let mut by = Vec::new();
    match cluster.find_node(cluster.text(victim.node_name)) {
        None => by.push(LingersBy::NodeGone),
        Some(node) if cluster.node(node).is_silent(cluster) => by.push(LingersBy::SilentKubelet),
        Some(_) => {}
    }
    if !victim.finalizers.is_empty() {
        by.push(LingersBy::Finalizers(victim.finalizers.clone()));
    }
    if by.is_empty() {
        by.push(LingersBy::GracePeriod(victim.grace_seconds));
    }
    Some(Lingering { pod, overdue: now.as_second() - due.as_second(), by })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::LingersBy;
    use crate::testing::{NOW, Pod, cluster, node, objects, pod};

    #[test]
    fn overdue_pod_is_kept_by_its_node_its_finalizers_or_its_kubelet() {
        let overdue = || {
            pod("p").on("n").with("/metadata/deletionTimestamp", "2020-01-01T00:00:00Z").grace(60)
        };
        let by = |taint: &str, pod: Pod| {
            let mut there = node("n");
            if !taint.is_empty() {
                there = there.taint(taint, "", "NoExecute");
            }
            let cluster = cluster(objects![there, pod]);
            let pod = cluster.find_pod("default", "p").expect("the pod");
            let found = super::of(pod, &cluster, NOW.parse().expect("a time"));
            found.map(|found| found.by.iter().map(LingersBy::name).collect::<Vec<_>>().join(" "))
        };
        let held = || overdue().with("/metadata/finalizers", json!(["example.com/protect"]));
        assert_eq!(by("", overdue()).as_deref(), Some("GracePeriod"));
        assert_eq!(by("", held()).as_deref(), Some("Finalizers"));
        assert_eq!(
            by("node.kubernetes.io/unreachable", overdue()).as_deref(),
            Some("SilentKubelet")
        );
        assert_eq!(
            by("node.kubernetes.io/unreachable", held()).as_deref(),
            Some("SilentKubelet Finalizers")
        );
        assert_eq!(by("", held().on("gone")).as_deref(), Some("NodeGone Finalizers"));
        assert_eq!(by("", pod("p").on("n").terminating()), None, "it is due now");
        assert_eq!(by("", pod("p").on("n")), None);
    }
}
