//! The notes of a decision: what a user must know before relying on it.

use super::{Decision, Outcome, storage_notes, unreadable};
use crate::cluster::notes::{Note, Severity, subject};
use crate::cluster::pod::Pod;
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::extender;
use crate::framework::nodes_to_find;
use crate::framework::plugin::Cycle;
use crate::plugins::dynamic_resources;
use crate::preemption::PreemptionReport;
use crate::profile::SchedulerVersion;
use crate::profile::gates::{self, Effect};
use crate::profile::history::HISTORY;
use crate::profile::plugins::OutOfTreePlugin;

/// The subject of notes about nodes that the scheduler may not evaluate because of sampling.
pub(super) const SAMPLING: &str = "sampling";
/// The most ties between equally important pods that are reported.
const TIES_NAMED: usize = 3;

/// Adds the notes of a decision.
pub(super) fn add(decision: &mut Decision) {
    let mut notes = Vec::new();
    version(decision, &mut notes);
    gates(decision, &mut notes);
    unread_kinds(decision, &mut notes);
    configuration(decision, &mut notes);
    if decision.outcome != Outcome::NotInQueue {
        not_modelled(decision, &mut notes);
        storage_notes::add(decision, &mut notes);
        sampled_scores(decision, &mut notes);
    }
    if let Some(report) = &decision.preemption {
        sampled_candidates(decision, report, &mut notes);
        budget_orders(decision, report, &mut notes);
        ties(decision, report, &mut notes);
    }
    decision.notes.extend(notes);
}

/// Sorts the notes by severity, most severe first, and removes duplicates.
pub(super) fn sort(notes: &mut Vec<Note>) {
    notes.sort_by(|a, b| (b.severity, &a.subject, &a.text).cmp(&(a.severity, &b.subject, &b.text)));
    notes.dedup();
}

fn version(decision: &Decision, notes: &mut Vec<Note>) {
    let profile = decision.profile();
    let (asked, used) = (profile.version, profile.version.nearest_supported());
    if used != asked {
        let (oldest, newest) = (SchedulerVersion::OLDEST.minor_text(), SchedulerVersion::NEWEST.minor_text());
        let alpha = SchedulerVersion::ALPHA.minor_text();
        let text = format!(
            "rules are known for {oldest} to {newest}, and some of {alpha}; those of {} were used for {asked}",
            used.minor_text()
        );
        notes.push(Note::warning("scheduler version", text));
    }
    if used.is_alpha() {
        let alpha = HISTORY.iter().flat_map(|row| row.changes).filter(|change| change.since.is_alpha());
        let known: Vec<&str> = alpha.map(|change| change.summary.trim().trim_end_matches('.')).collect();
        let text = format!(
            "{} is alpha and known from its release notes only: {}; everything else is decided as {} does",
            used.minor_text(),
            known.join("; "),
            SchedulerVersion::NEWEST.minor_text()
        );
        notes.push(Note::warning("scheduler version", text));
    }
}

fn gates(decision: &Decision, notes: &mut Vec<Note>) {
    for (name, on) in &decision.profile().gates {
        let about = format!("feature gate {name}={on}");
        match gates::effect(name, decision.profile().version) {
            Effect::Modelled => {}
            Effect::NotModelled => {
                notes.push(Note::warning(about, "the scheduler may decide otherwise with it; that is not modelled"));
            }
            Effect::None => notes.push(Note::info(about, "not modelled: no rule here depends on it")),
        }
    }
}

/// Notes about parts of the configuration that may change the decision and are not supported.
fn configuration(decision: &Decision, notes: &mut Vec<Note>) {
    let profile = decision.profile();
    for remark in &profile.remarks {
        let severity = if remark.decides { Severity::Error } else { Severity::Info };
        notes.push(Note::new(severity, "scheduler configuration", remark.text.clone()));
    }
    notes.extend(profile.plugins.out_of_tree.iter().map(out_of_tree_plugin));
    let asked = decision.view.extender_client.is_some();
    for extender in &profile.extenders {
        let verbs: Vec<&str> = extender.verbs().into_iter().filter(|verb| *verb != "bind").collect();
        if verbs.is_empty() || !extender::is_interested(decision.view, decision.pod, extender) {
            continue;
        }
        let (severity, text) = if asked {
            (Severity::Info, format!("was asked as far as the scheduler would have ({})", verbs.join(", ")))
        } else {
            let text = format!("is not asked ({}): it may decide otherwise; --call-extenders asks", verbs.join(", "));
            (Severity::Error, text)
        };
        notes.push(Note::new(severity, format!("extender {}", extender.url), text));
    }
}

/// The possible effect of an out-of-tree plugin, by extension point.
///
/// Upstream: `kube-scheduler/framework/interface.go` (1.37).
const EFFECTS_BY_POINT: &[(&str, &str)] = &[
    ("multiPoint", "do anything"),
    ("preEnqueue", "keep pods out of the queue"),
    ("queueSort", "change the order in which pods are tried"),
    ("preFilter", "refuse pods and nodes"),
    ("filter", "refuse nodes"),
    ("postFilter", "evict pods"),
    ("podGroupPostFilter", "evict pods"),
    ("preScore", "stop the cycle"),
    ("score", "prefer nodes"),
    ("reserve", "give pods back to the queue"),
    ("permit", "make pods wait"),
    ("preBind", "fail binding"),
    ("bind", "bind pods its own way"),
    ("placementGenerate", "choose where groups of pods go"),
    ("placementScore", "choose where groups of pods go"),
];

/// The note about an out-of-tree plugin, whose rules are not known.
fn out_of_tree_plugin(plugin: &OutOfTreePlugin) -> Note {
    let mut effects: Vec<&str> = Vec::new();
    for (_, effect) in EFFECTS_BY_POINT.iter().filter(|(point, _)| plugin.points.contains(point)) {
        if !effects.contains(effect) {
            effects.push(effect);
        }
    }
    let can = if effects.is_empty() { String::new() } else { format!(" and may {}", effects.join(", ")) };
    let text = format!("is not known here; it is enabled at {}{can}", plugin.points.join(", "));
    // These extension points run after the decision: the plugin affects what happens next, not the decision.
    let after = ["reserve", "permit", "preBind", "bind", "postBind", "unreserve"];
    let harmless = plugin.points.iter().all(|point| after.contains(point));
    Note::new(if harmless { Severity::Warning } else { Severity::Error }, format!("plugin {}", plugin.name), text)
}

fn unread_kinds(decision: &Decision, notes: &mut Vec<Note>) {
    for missing in &decision.view.cluster.header.unreadable {
        notes.push(unreadable::note(decision, &missing.resource, &missing.reason));
    }
}

fn not_modelled(decision: &Decision, notes: &mut Vec<Note>) {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let template = cluster.template(pod);
    let about = subject("Pod", cluster.text(pod.namespace), &pod.name);
    let cycle = Cycle::of(decision.view, decision.pod, decision.now);
    if decision.profile().features.dra.dynamic_resources {
        notes.extend(dynamic_resources::remarks(&cycle, &decision.nodes));
    } else if !template.claims.is_empty() {
        let text = "its resource claims count only with the gate DynamicResourceAllocation, which is off by default in \
                    this version";
        notes.push(Note::warning(about.clone(), text));
    }
    group(decision, notes);
    if pod.priority == 0 && !template.priority_class.is_empty() {
        let class = cluster.priority_classes.iter().find(|c| c.name == template.priority_class);
        if let Some(class) = class.filter(|c| c.value != 0) {
            let text = format!(
                "names priority class {} ({}) but its spec.priority is 0 or absent: the scheduler counts 0",
                cluster.text(class.name),
                class.value
            );
            notes.push(Note::warning(about, text));
        }
    }
}

/// Notes about pod groups: the scheduler ignores them unless their gate is on; then it schedules and evicts a group as
/// a whole.
fn group(decision: &Decision, notes: &mut Vec<Note>) {
    let cluster = decision.view.cluster;
    let group = cluster.template(cluster.pod(decision.pod)).group;
    let on = decision.profile().features.queue.pod_groups;
    if !group.is_empty() {
        let (severity, effect) = if on {
            (Severity::Error, "which the gate GenericWorkload has scheduled as a whole; that is not modelled")
        } else {
            (Severity::Info, "which means nothing to the scheduler while the gate GenericWorkload is off")
        };
        let about = format!("Pod {}", cluster.pod_name(decision.pod));
        notes.push(Note::new(severity, about, format!("belongs to group {}, {effect}", cluster.text(group))));
    }
    if !on {
        return;
    }
    let grouped = |pod: &&Pod| !pod.node_name.is_empty() && !cluster.template(pod).group.is_empty();
    if decision.preemption.is_some()
        && let Some(pod) = cluster.pods.iter().find(grouped)
    {
        let text = format!(
            "belongs to group {}: the gate GenericWorkload may have its pods evicted together, which is not modelled",
            cluster.text(cluster.template(pod).group)
        );
        notes.push(Note::new(Severity::Error, subject("Pod", cluster.text(pod.namespace), &pod.name), text));
    }
}

/// In a large cluster the scheduler stops filtering once it has found enough feasible nodes.
fn sampled_scores(decision: &Decision, notes: &mut Vec<Note>) {
    let Some(scores) = &decision.scores else { return };
    let nodes = decision.nodes.iter().filter(|v| **v != NodeVerdict::ExcludedByPreFilter).count();
    let enough = nodes_to_find::enough(decision.profile(), nodes);
    if scores.nodes.len() > enough {
        let text = format!(
            "all {} nodes that take the pod were scored; the scheduler stops looking after {enough}, beginning where its \
             last look ended, so it may choose another one (--as-scheduled: how likely each is)",
            scores.nodes.len()
        );
        notes.push(Note::warning(SAMPLING, text));
    }
}

fn sampled_candidates(decision: &Decision, report: &PreemptionReport, notes: &mut Vec<Note>) {
    let potential = report.dry_runs.len();
    if report.sample_size < potential && !report.winners.is_empty() {
        let order = if tries_in_random_order(decision) { ", goes on in random order," } else { "" };
        let text = format!(
            "all {potential} potential nodes were tried; the scheduler starts at a random one{order} and may stop after {} \
             candidates, so it may pick a worse node (--as-scheduled: how likely each is)",
            report.sample_size
        );
        notes.push(Note::info(SAMPLING, text));
    }
}

/// Whether preemption tries the potential nodes in random order in this version. Where PreFilter rejected the pod, it tries them
/// in the order of the node tree.
pub(super) fn tries_in_random_order(decision: &Decision) -> bool {
    decision.profile().features.preemption.potential_nodes_in_any_order
        && !matches!(decision.pre_filter, PreFilter::Rejected { .. })
}

fn budget_orders(decision: &Decision, report: &PreemptionReport, notes: &mut Vec<Note>) {
    let (cluster, orders) = (decision.view.cluster, &report.budget_orders);
    let names: Vec<String> = orders
        .involved
        .iter()
        .map(|b| cluster.budget(*b))
        .map(|b| format!("{}/{}", cluster.text(b.namespace), b.name))
        .collect();
    if !orders.affected.is_empty() {
        let nodes: Vec<&str> = orders.affected.iter().map(|n| cluster.text(cluster.node(*n).name)).collect();
        let text = format!(
            "pods match several of them, and the order in which the scheduler walks them is random: victims on {} may \
             differ from those shown",
            nodes.join(", ")
        );
        notes.push(Note::warning(format!("PodDisruptionBudgets {}", names.join(", ")), text));
    }
    if orders.incomplete {
        let text = "there are too many orders of these budgets to try each; other nodes may win";
        notes.push(Note::warning(format!("PodDisruptionBudgets {}", names.join(", ")), text));
    }
}

fn ties(decision: &Decision, report: &PreemptionReport, notes: &mut Vec<Note>) {
    let cluster = decision.view.cluster;
    let winners = report.candidates().filter(|c| report.winners.contains(&c.node));
    for (kept, victim) in winners.filter_map(|c| c.interchangeable).take(TIES_NAMED) {
        let text = format!(
            "has the priority and start time of {}: which of the two is evicted depends on an order that the API does \
             not show",
            cluster.pod_name(kept)
        );
        notes.push(Note::info(format!("Pod {}", cluster.pod_name(victim)), text));
    }
}
