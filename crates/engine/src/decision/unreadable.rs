//! The note about a kind that could not be read: an error where the answer may depend on it, otherwise information.
//! Storage is in [`storage_notes`].

use std::borrow::Cow;

use super::{Decision, Outcome, storage_notes};
use crate::cluster::Kind;
use crate::cluster::notes::{Note, Severity};
use crate::cluster::resources::is_extended;
use crate::cluster::selector::Selector;
use crate::cluster::template::{AffinityTerm, Template};
use crate::plugins;

/// The note about `resource`, the plural of a kind, which could not be read for `reason`.
pub(super) fn note(decision: &Decision, resource: &str, reason: &str) -> Note {
    let Some((severity, consequence)) = Kind::find_plural(resource).and_then(|kind| consequence(decision, kind)) else {
        return Note::warning(resource, format!("could not be read: {reason}"));
    };
    Note::new(severity, resource, format!("could not be read: {reason}; {consequence}"))
}

/// What it means for the decision that `kind` is missing; `None` where nothing more can be said.
fn consequence(decision: &Decision, kind: Kind) -> Option<(Severity, Cow<'static, str>)> {
    let (severity, text) = match kind {
        Kind::PodDisruptionBudget => budgets(decision),
        Kind::Namespace => namespaces(decision),
        Kind::Service | Kind::ReplicationController | Kind::ReplicaSet | Kind::StatefulSet => spreading(decision),
        Kind::DeviceClass | Kind::ResourceClaim | Kind::ResourceSlice | Kind::DeviceTaintRule => {
            devices(decision, kind)
        }
        Kind::PriorityClass => priorities(decision),
        Kind::LimitRange => (Severity::Info, "no decision reads them"),
        Kind::PersistentVolumeClaim
        | Kind::PersistentVolume
        | Kind::StorageClass
        | Kind::CsiNode
        | Kind::CsiDriver
        | Kind::CsiStorageCapacity
        | Kind::VolumeAttachment => return storage_notes::unreadable(decision, kind),
        Kind::Node | Kind::Pod | Kind::Job => return None,
    };
    Some((severity, text.into()))
}

fn budgets(decision: &Decision) -> (Severity, &'static str) {
    if decision.preemption.as_ref().is_some_and(|report| report.candidates().next().is_some()) {
        (Severity::Error, "budgets may spare these victims, or have another node win")
    } else {
        (Severity::Info, "no pod would be evicted that they could spare")
    }
}

fn namespaces(decision: &Decision) -> (Severity, &'static str) {
    let cluster = decision.view.cluster;
    let known = decision.profile().features.inter_pod_affinity.affinity_namespace_selector;
    // The terms of existing pods count, too: anti-affinity rejects nodes, preferred terms change scores.
    if known && cluster.templates.iter().any(selects_namespaces) {
        (Severity::Error, "terms of pod (anti-)affinity select namespaces by labels, which are not known")
    } else {
        (Severity::Info, "no pod (anti-)affinity selects them by label")
    }
}

/// Whether any term of pod (anti-)affinity in a template selects namespaces by label.
fn selects_namespaces(template: &Template) -> bool {
    let required = [&template.affinity, &template.anti_affinity];
    let preferred = [&template.preferred_affinity, &template.preferred_anti_affinity];
    required.into_iter().flatten().flat_map(|terms| terms.iter()).any(by_label)
        || preferred.into_iter().flatten().flat_map(|terms| terms.iter()).any(|weighted| by_label(&weighted.term))
}

/// Whether a term selects namespaces by label. `{}` selects every namespace, so labels do not matter.
fn by_label(term: &AffinityTerm) -> bool {
    term.namespace_selector != Selector::Nothing && !term.namespace_selector.is_everything()
}

/// Services and controllers: default topology spreading counts the pods that they select.
fn spreading(decision: &Decision) -> (Severity, &'static str) {
    let cluster = decision.view.cluster;
    let profile = decision.profile();
    let template = cluster.template(cluster.pod(decision.pod));
    let configured = decision.view.added_affinity.default_constraints.as_deref();
    let selector_spread = plugins::scores(&profile.plugins).iter().any(|s| s.plugin.doc().name == "SelectorSpread");
    let defaults = match configured {
        Some(constraints) => !constraints.is_empty(),
        None => profile.features.pod_topology_spread.spread_system_defaults,
    };
    if !selector_spread && (!defaults || !template.spread.is_empty()) {
        return (Severity::Info, "they decide nothing about this pod");
    }
    if template.spread.is_empty() && configured.into_iter().flatten().any(|constraint| constraint.hard) {
        return (Severity::Error, "default constraints spread the pods that they select, and refuse nodes for it");
    }
    if decision.outcome == Outcome::Schedulable && decision.feasible().nth(1).is_some() {
        (Severity::Warning, "the pods that they select are spread: another node may score best")
    } else {
        (Severity::Info, "they count for scores only, which decide nothing here")
    }
}

fn devices(decision: &Decision, kind: Kind) -> (Severity, &'static str) {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let features = &decision.profile().features;
    if features.dra.dynamic_resources && !cluster.template(pod).claims.is_empty() {
        return (Severity::Error, "the pod has resource claims: DynamicResources cannot be relied on");
    }
    let extended = || {
        let scalars = decision.view.incoming(pod).scalars;
        scalars.iter().any(|(name, amount)| *amount != 0 && is_extended(cluster.text(*name)))
    };
    if features.dra.dynamic_resources && features.dra.dra_extended_resources && kind == Kind::DeviceClass && extended()
    {
        return (Severity::Error, "one of them may stand for an extended resource that the pod asks for");
    }
    (Severity::Info, "the pod has no resource claims that would need them")
}

/// Admission has written the priority into the spec of an existing pod; a class name with priority 0 is suspect.
fn priorities(decision: &Decision) -> (Severity, &'static str) {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    if pod.priority == 0 && !cluster.template(pod).priority_class.is_empty() {
        (Severity::Warning, "whether the priority 0 is that of the pod's class is not known")
    } else {
        (Severity::Info, "the pod's priority is in its spec")
    }
}

#[cfg(test)]
mod tests;
