//! What the reader must know before relying on the answer.

use super::{Decision, Outcome};
use crate::cluster::notes::{Note, Severity, subject};
use crate::framework::plugin::Cycle;
use crate::plugins::dynamic_resources;
use crate::preemption::PreemptionReport;
use crate::profile::SchedulerVersion;

/// Ties between equally important pods that are named one by one.
const TIES_NAMED: usize = 3;

/// Adds the notes of a decision.
pub(super) fn add(decision: &mut Decision) {
    let mut notes = Vec::new();
    version(decision, &mut notes);
    unreadable(decision, &mut notes);
    if decision.outcome != Outcome::NotInQueue {
        not_modelled(decision, &mut notes);
        certainty(decision, &mut notes);
    }
    if let Some(report) = &decision.preemption {
        sampling(report, &mut notes);
        budget_orders(decision, report, &mut notes);
        ties(decision, report, &mut notes);
    }
    decision.notes.extend(notes);
}

fn version(decision: &Decision, notes: &mut Vec<Note>) {
    let profile = decision.profile();
    let used = profile.version.nearest_supported();
    if used != profile.version {
        let (oldest, newest) = (SchedulerVersion::OLDEST.minor, SchedulerVersion::NEWEST.minor);
        let text =
            format!("rules are known for 1.{oldest} to 1.{newest}; those of {used} were used for {}", profile.version);
        notes.push(Note::warning("scheduler version", text));
    }
}

fn unreadable(decision: &Decision, notes: &mut Vec<Note>) {
    for missing in &decision.world.cluster.header.unreadable {
        notes.push(Note::warning(missing.resource.clone(), format!("could not be read: {}", missing.reason)));
    }
}

fn not_modelled(decision: &Decision, notes: &mut Vec<Note>) {
    let cluster = decision.world.cluster;
    let pod = cluster.pod(decision.pod);
    let template = cluster.template(pod);
    let about = subject("Pod", cluster.text(pod.namespace), &pod.name);
    let names =
        |list: &[crate::cluster::symbols::Sym]| list.iter().map(|s| cluster.text(*s)).collect::<Vec<_>>().join(", ");
    if !template.volumes.is_empty() {
        let text = format!(
            "uses volumes ({}): VolumeRestrictions, NodeVolumeLimits, VolumeBinding and VolumeZone are not checked yet",
            names(&template.volumes)
        );
        notes.push(Note::new(Severity::Error, about.clone(), text));
    }
    let cycle = Cycle::of(decision.world, decision.pod);
    if decision.profile().features.dynamic_resources {
        notes.extend(dynamic_resources::remarks(&cycle, &decision.nodes));
    } else if !template.claims.is_empty() {
        let text = "its resource claims count only with the gate DynamicResourceAllocation, which is off by default in \
                    this version";
        notes.push(Note::warning(about.clone(), text));
    }
    if !template.group.is_empty() {
        let text = format!(
            "belongs to group {}: with the gate GenericWorkload (off by default) groups are scheduled as a whole, which \
             is not modelled",
            cluster.text(template.group)
        );
        notes.push(Note::warning(about.clone(), text));
    }
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

fn certainty(decision: &Decision, notes: &mut Vec<Note>) {
    if decision.outcome == Outcome::Schedulable && decision.selected.len() > 1 {
        let text = format!(
            "{} nodes take the pod; which one the scores favour is not decided here yet",
            decision.selected.len()
        );
        notes.push(Note::info("scores", text));
    }
}

fn sampling(report: &PreemptionReport, notes: &mut Vec<Note>) {
    let potential = report.dry_runs.len();
    if report.sample_size < potential && !report.winners.is_empty() {
        let text = format!(
            "all {potential} potential nodes were tried; the scheduler starts at a random one and may stop after {} \
             candidates, so it may pick a worse node",
            report.sample_size
        );
        notes.push(Note::info("sampling", text));
    }
}

fn budget_orders(decision: &Decision, report: &PreemptionReport, notes: &mut Vec<Note>) {
    let (cluster, orders) = (decision.world.cluster, &report.budget_orders);
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
    let cluster = decision.world.cluster;
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
