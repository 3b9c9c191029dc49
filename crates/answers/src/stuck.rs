//! Victims that should have ended: what keeps them, and what ends that.

use crate::words;
use engine::cluster::Cluster;
use engine::decision::lingering::{Lingering, LingersBy};

/// Maximum number of finalizers that are named.
const FINALIZERS_NAMED: usize = 3;

/// The victim that has been overdue the longest.
pub fn longest_stuck(stuck: &[Lingering]) -> Option<&Lingering> {
    stuck.iter().max_by_key(|victim| victim.overdue)
}

/// An overdue victim, what blocks it, and what ends that: a sentence without a full stop.
pub fn stuck_victim(victim: &Lingering, cluster: &Cluster) -> String {
    let node = cluster.text(cluster.pod(victim.pod).node_name);
    let remedies: Vec<String> = victim
        .by
        .iter()
        .map(|by| match by {
            LingersBy::NodeGone => "the control plane removes it within minutes".to_owned(),
            LingersBy::SilentKubelet => {
                format!("it goes once {node} is back, or is removed from the cluster")
            }
            LingersBy::Finalizers(_) => "whatever set the finalizer has to remove it".to_owned(),
            LingersBy::GracePeriod(_) => format!("look at its events and at the kubelet of {node}"),
        })
        .collect();
    let why = kept_by(victim, cluster).join(" and ");
    format!(
        "{} should have ended {} ago: {why}; {}",
        cluster.pod_name(victim.pod),
        words::age(victim.overdue),
        remedies.join("; ")
    )
}

/// What blocks an overdue pod, one clause each.
pub fn kept_by(victim: &Lingering, cluster: &Cluster) -> Vec<String> {
    let node = cluster.text(cluster.pod(victim.pod).node_name);
    let mut clauses = Vec::with_capacity(victim.by.len());
    for by in &victim.by {
        clauses.push(match by {
            LingersBy::NodeGone => format!("its node {node} does not exist"),
            LingersBy::SilentKubelet => format!("the kubelet of {node} does not report"),
            LingersBy::Finalizers(names) => {
                let names: Vec<&str> = names.iter().map(|name| cluster.text(*name)).collect();
                let (noun, are) =
                    if names.len() == 1 { ("finalizer", "is") } else { ("finalizers", "are") };
                format!("{noun} {} {are} still set", words::list(&names, FINALIZERS_NAMED))
            }
            LingersBy::GracePeriod(seconds) => format!(
                "its grace period of {} is over and the kubelet of {node} has not ended it",
                words::age(*seconds)
            ),
        });
    }
    clauses
}
