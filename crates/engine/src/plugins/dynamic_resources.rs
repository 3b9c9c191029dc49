//! `DynamicResources`: the pod's claims have devices that the node can use, or can get them there.
//!
//! Evicting pods does not free devices in the scheduler's simulation: what a claim holds, it keeps.

mod claims;
mod extended;
mod filter;
mod score;

use filter::{Claims, Refusal, TIMED_OUT};

use crate::cluster::devices::ClaimIx;
use crate::cluster::node::NodeIx;
use crate::cluster::notes::{Note, Severity, subject};
use crate::cluster::pod::PodIx;
use crate::dra::cel::{CompileError, Expression};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::NodeVerdict;
use crate::framework::plugin::{Cycle, Plugin, Prepared, RuleDoc};
use crate::framework::score::{PreparedScore, ScorePlugin};
use crate::framework::status::{Evidence, ReasonText, Rejection};

/// The plugin.
pub struct DynamicResources;

static DOC: RuleDoc = RuleDoc {
    name: "DynamicResources",
    code: "PRE-113",
    summary: "Every claim of the pod holds devices that the node can use, or can get them on the node.",
    preemption: "Never helps: evicting a pod does not free the devices of its claims in the scheduler's simulation.",
    scores: Some("Prefers nodes that can serve the earlier, better alternatives of a claim."),
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

impl Plugin for DynamicResources {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        match Claims::new(cycle) {
            Ok(None) => Prepared::Skip,
            Ok(Some(claims)) => Prepared::ready(claims),
            Err(Refusal::Pod(text)) => Prepared::Reject(Rejection::unresolvable(ReasonText::Owned(text.into()))),
            Err(Refusal::Cycle(error)) => Prepared::Failed(error),
        }
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some("not found")
    }
}

impl ScorePlugin for DynamicResources {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, _: &[NodeIx]) -> PreparedScore<'c> {
        score::prepare(cycle)
    }
}

/// PreEnqueue: why the pod does not enter the active queue, if one of its claims does not exist.
#[must_use]
pub fn held_back(view: &ClusterView, pod: PodIx) -> Option<String> {
    if !view.profile.plugins.pre_enqueue.contains(&DOC.name) {
        return None;
    }
    claims::of_pod(view.cluster, pod).err()
}

/// PostFilter of DynamicResources, which runs before that of DefaultPreemption: it deallocates a claim that is not available
/// on some node and that no other pod uses.
#[must_use]
pub fn post_filter(cycle: &Cycle, verdicts: &[NodeVerdict]) -> Option<&'static str> {
    let features = &cycle.features().dra;
    if !features.dynamic_resources {
        return None;
    }
    let silent = |text: &'static str| features.dra_post_filter_text.then_some(text);
    let Ok(Some(claims)) = Claims::new(cycle) else { return silent("no new claims to deallocate") };
    let evidence = verdicts.iter().filter_map(|v| match v {
        NodeVerdict::Filtered { rejection, .. } => rejection.reasons.first().map(|r| &r.evidence),
        _ => None,
    });
    let mut unavailable = evidence.filter_map(|e| match e {
        Evidence::ClaimElsewhere { claims } => Some(claims),
        _ => None,
    });
    let is_free = |ix: &ClaimIx| {
        cycle.cluster().devices.get(*ix).is_some_and(|claim| match &*claim.reserved_for {
            [] => true,
            [only] => **only == *cycle.pod.uid,
            _ => false,
        })
    };
    if unavailable.any(|claims| claims.iter().any(is_free)) {
        return Some("deallocation of ResourceClaim completed");
    }
    if claims.special.is_some_and(|s| s.is_left_over()) {
        return Some("deletion of ResourceClaim completed");
    }
    silent("still not schedulable")
}

/// Notes on what makes the decision about the pod's claims uncertain.
#[must_use]
pub fn remarks(cycle: &Cycle, verdicts: &[NodeVerdict]) -> Vec<Note> {
    let cluster = cycle.cluster();
    if cycle.template.claims.is_empty() && cluster.devices.classes.is_empty() {
        return Vec::new();
    }
    let Ok(Some(claims)) = Claims::new(cycle) else { return Vec::new() };
    let mut notes = Vec::new();
    for (_, claim) in &claims.user {
        let about = subject("ResourceClaim", cluster.text(claim.namespace), cluster.text(claim.name));
        if claim.allocation.is_some() {
            continue;
        }
        for expression in claims::expressions(cluster, claim) {
            let text = cluster.text(expression);
            match Expression::compile(text) {
                Ok(_) => {}
                Err(CompileError::Invalid(e)) => {
                    let e = e.lines().next().unwrap_or_default();
                    let text = format!(
                        "selector `{text}` does not compile; the scheduler's error has the same cause but other words: {e}"
                    );
                    notes.push(Note::warning(about.clone(), text));
                }
                Err(CompileError::Unsupported(what)) => {
                    let text =
                        format!("selector `{text}` {what}, which is not known here: devices cannot be told apart");
                    notes.push(Note::new(Severity::Error, about.clone(), text));
                }
            }
        }
    }
    let gave_up = |verdict: &&NodeVerdict| match verdict {
        NodeVerdict::Failed(error) => error.contains(TIMED_OUT),
        NodeVerdict::Filtered { rejection, .. } => {
            rejection.reasons.iter().any(|r| r.text == ReasonText::Fixed(TIMED_OUT))
        }
        _ => false,
    };
    if let count @ 1.. = verdicts.iter().filter(gave_up).count() {
        let about = subject("Pod", cluster.text(cycle.pod.namespace), &cycle.pod.name);
        let text = format!(
            "the search for devices was given up on {count} nodes; the scheduler gives up after ten seconds, which may \
             be sooner or later"
        );
        notes.push(Note::new(Severity::Error, about, text));
    }
    notes
}

#[cfg(test)]
mod tests;
