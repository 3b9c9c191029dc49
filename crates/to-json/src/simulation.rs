//! The result of `kubectl preempt simulate`, as JSON.

use crate::ToJson;
use crate::decision::{self as parts, competitors, competitors_total};
use answers::commands::flag_of;
use answers::questions::node::{NodeReport, changes as drain_changes};
use answers::questions::simulate::gate as words;
use answers::questions::simulate::step::sentence;
use answers::questions::simulate::{SimulateReport, changes};
use engine::decision::sampling::Likelihood;
use engine::simulation::document::{ManifestDocument, RefusedPod};
use engine::simulation::gate::{DocumentOutcome, PolicyFinding, PolicyGate};
use engine::simulation::hazard::Hazard as EngineHazard;
use engine::simulation::plan::{
    Afterwards, BudgetUse, GroupId, PinnedBy, Placement, Plan, PlannedVictim, PodId, PreemptorId,
    nodes_of,
};
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::orders::{self, PlayedOrders};
use engine::simulation::sequence::{Drain, DrainChange, OpenVictims, Simulation, Step, Totals};
use json::common::{GroupId as JsonGroupId, Likelihood as JsonLikelihood, PodId as JsonPodId};
use json::simulation::{
    BudgetUse as JsonBudgetUse, Change, ChangeStop, Drain as JsonDrain,
    DrainChange as JsonDrainChange, Gate as JsonGate, GateFinding, GateOutcome, Hazard, Manifest,
    OpenVictims as JsonOpenVictims, Orders as JsonOrders, Placement as JsonPlacement,
    Plan as JsonPlan, Refused, Simulation as JsonSimulation, Step as JsonStep,
    Totals as JsonTotals, Victim, WorkloadRange as JsonWorkloadRange,
};
use json::{ApiVersion, Text, kind};

pub fn pod_id(pod: &PodId) -> JsonPodId {
    JsonPodId { namespace: pod.namespace.clone(), name: pod.name.clone(), uid: pod.uid.clone() }
}

fn group_id(group: &GroupId) -> JsonGroupId {
    JsonGroupId {
        namespace: group.namespace.clone(),
        name: group.name.clone(),
        uid: group.uid.clone(),
    }
}

fn open_victims(OpenVictims { count, pods, complete }: &OpenVictims) -> JsonOpenVictims {
    let pods = pods.iter().map(pod_id).collect();
    JsonOpenVictims { fewest: count.fewest, most: count.most, pods, complete: *complete }
}

pub(super) fn likelihood(
    Likelihood { probability, complete, possible }: Likelihood,
) -> JsonLikelihood {
    JsonLikelihood { probability, complete, possible }
}

/// The JSON of a simulation.
impl ToJson for SimulateReport {
    type Json = JsonSimulation;

    fn json(&self) -> JsonSimulation {
        let SimulateReport { basis, simulation, drained, gate, .. } = self;
        let now = basis.now();
        let documents = &simulation.documents;
        JsonSimulation {
            api_version: ApiVersion::default(),
            kind: kind::Simulation::default(),
            scheduler: parts::scheduler(&basis.profile),
            source: parts::source(&basis.header, basis.source),
            text: self.sentence(),
            assumptions: simulation.assumptions.iter().map(parts::edit).collect(),
            totals: totals(simulation.totals()),
            drains: simulation.drains.iter().map(|drain| self::drain(drain, now)).collect(),
            drain_changes: drained.as_ref().map(drain_changes).unwrap_or_default(),
            competing: steps(&simulation.competing, documents, now),
            changes: changes_of(simulation),
            orders: orders(&simulation.orders),
            steps: steps(&simulation.steps, documents, now),
            refused: simulation.refused.iter().map(|one| refused(one, documents)).collect(),
            cascade: steps(&simulation.cascade, documents, now),
            not_followed: simulation.not_followed,
            gate: gate.as_ref().map(|gate| self::gate(gate, documents)),
            notes: simulation.notes.iter().map(parts::note).collect(),
        }
    }
}

/// The orders, if any was played.
fn orders(orders: &PlayedOrders) -> Option<JsonOrders> {
    let workloads = orders.workloads.iter().map(|one| JsonWorkloadRange {
        kind: one.workload.kind.clone(),
        namespace: one.workload.namespace.clone(),
        name: one.workload.name.clone(),
        pending: range(one.pending),
        preempted: range(one.preempted),
    });
    let (played, completes) = (orders.played, orders.completes);
    (played > 0).then(|| JsonOrders { played, completes, workloads: workloads.collect() })
}

pub(super) fn range(range: orders::Range) -> json::simulation::Range {
    json::simulation::Range { fewest: range.fewest, most: range.most }
}

fn drain_changes(report: &NodeReport) -> Vec<JsonDrainChange> {
    let removal = &report.removal;
    let drained: Vec<&str> = removal.nodes.iter().map(|node| &*node.node).collect();
    removal.changes.iter().map(|change| drain_change(change, &drained)).collect()
}

pub(super) fn drain_change(change: &DrainChange, drained: &[&str]) -> JsonDrainChange {
    let (name, object, namespace) = match change {
        DrainChange::Replica { workload, .. } => {
            ("Replica", format!("{}/{}", workload.kind, workload.name), &workload.namespace)
        }
        DrainChange::MinReplicas { workload, autoscaler, .. } => {
            let object = format!("HorizontalPodAutoscaler/{autoscaler}");
            ("MinReplicas", object, &workload.namespace)
        }
        DrainChange::MaxUnavailable { namespace, name, .. } => {
            ("MaxUnavailable", format!("PodDisruptionBudget/{name}"), namespace)
        }
        DrainChange::MinAvailable { namespace, name, .. } => {
            ("MinAvailable", format!("PodDisruptionBudget/{name}"), namespace)
        }
        DrainChange::EvictUnready { namespace, name } => {
            ("EvictUnready", format!("PodDisruptionBudget/{name}"), namespace)
        }
    };
    JsonDrainChange {
        name: name.into(),
        text: drain_changes::text(change),
        object,
        namespace: namespace.clone(),
        commands: drain_changes::commands(change, drained),
        undo: drain_changes::undo(change),
    }
}

/// The changes, unless everything is new.
fn changes_of(simulation: &Simulation) -> Vec<Change> {
    if changes::summary(simulation).is_none() {
        return Vec::new();
    }
    let mut list = Vec::new();
    for change in &simulation.changes {
        let stops = change.stop.as_ref().map(|stop| ChangeStop {
            available: stop.available,
            wanted: stop.wanted,
            pod: stop.pod.clone(),
            text: changes::stopped(change, stop),
        });
        list.push(Change {
            kind: change.kind.clone(),
            namespace: change.namespace.clone(),
            name: change.name.clone(),
            change: change.what.name().into(),
            before: change.before,
            after: change.after,
            certain: change.is_template_known,
            removed: change.removed.iter().map(pod_id).collect(),
            stops,
            manifest: manifest(change.document, &simulation.documents),
        });
    }
    list
}

fn manifest(document: Option<usize>, documents: &[ManifestDocument]) -> Option<Manifest> {
    let document = documents.get(document?)?;
    Some(Manifest {
        file: document.file.clone(),
        line: document.line,
        kind: document.kind.clone(),
        namespace: document.namespace.clone(),
        name: document.name.clone(),
    })
}

fn refused(refused: &RefusedPod, documents: &[ManifestDocument]) -> Refused {
    Refused {
        pod: pod_id(&refused.pod),
        why: refused.why.clone(),
        manifest: manifest(Some(refused.document), documents),
    }
}

fn gate(gate: &PolicyGate, documents: &[ManifestDocument]) -> JsonGate {
    let (policy, findings) = (&gate.policy, &gate.verdict.findings);
    JsonGate {
        text: words::verdict(gate),
        fails: gate.verdict.fails(),
        fail_on: policy.fail_on.iter().map(|condition| condition.name().into()).collect(),
        max_victims: policy.max_victims,
        protect: policy.protected_by.clone(),
        report_only: policy.report_only,
        evicted: gate.verdict.evicted,
        findings: findings.iter().map(|one| finding(one, documents)).collect(),
        outcomes: words::outcomes(gate).into_iter().map(|one| outcome(one, documents)).collect(),
    }
}

fn outcome(outcome: &DocumentOutcome, documents: &[ManifestDocument]) -> GateOutcome {
    GateOutcome {
        manifest: manifest(outcome.document, documents),
        first: outcome.first.clone(),
        text: words::placed(outcome),
        pods: outcome.pods,
        placed: outcome.placed,
        evicted: outcome.evicted,
    }
}

fn finding(finding: &PolicyFinding, documents: &[ManifestDocument]) -> GateFinding {
    GateFinding {
        code: words::code(finding).into(),
        condition: finding.evidence.condition().name().into(),
        fails: finding.fails,
        severity: Some(words::severity(finding).name().into()),
        ignored: finding.ignored.clone(),
        manifest: manifest(finding.document, documents),
        pods: finding.pods.clone(),
        victims: finding.evidence.victims().iter().map(pod_id).collect(),
        text: words::sentence(finding),
    }
}

fn totals(totals: Totals) -> JsonTotals {
    let Totals { pods, placed, evicted, replacements, replacements_pending } = totals;
    JsonTotals { pods, placed, evicted, replacements, replacements_pending }
}

fn drain(drain: &Drain, now: jiff::Timestamp) -> JsonDrain {
    JsonDrain {
        node: drain.node.clone(),
        verdict: Some(drain.verdict.name().into()),
        victims: drain.victims.iter().map(victim).collect(),
        staying: drain.staying,
        refused: drain.refused.iter().map(pod_id).collect(),
        seconds_to_room: drain
            .victims
            .iter()
            .map(|victim| victim.seconds_to_stop(now))
            .max()
            .unwrap_or_default(),
    }
}

fn steps(steps: &[Step], documents: &[ManifestDocument], now: jiff::Timestamp) -> Vec<JsonStep> {
    steps.iter().map(|one| step(one, documents, now)).collect()
}

pub(super) fn step(step: &Step, documents: &[ManifestDocument], now: jiff::Timestamp) -> JsonStep {
    let (outcome, nodes, why) = match &step.proposal {
        Proposal::Fits(nodes) => ("Fits", nodes.clone(), None),
        Proposal::GroupFits(placed) => {
            ("Fits", nodes_of(placed).into_iter().map(str::to_owned).collect(), None)
        }
        Proposal::Evict(plan) => ("Evict", with_tied(plan), None),
        Proposal::Awaits(plan) => ("Awaits", with_tied(plan), None),
        Proposal::Impossible(why) => ("Impossible", Vec::new(), Some(why.clone())),
        Proposal::Unknown(why) => ("Unknown", Vec::new(), Some(why.clone())),
    };
    let (pod, group) = match &step.id {
        PreemptorId::Pod(pod) => (Some(pod_id(pod)), None),
        PreemptorId::Group(group) => (None, Some(group_id(group))),
    };
    let plan = step.proposal.plan();

    // Of a group each pod has a node of its own.
    let placed = match (&step.proposal, plan) {
        _ if group.is_none() => &[][..],
        (Proposal::GroupFits(placed), _) => placed.as_slice(),
        (_, plan) => plan.map_or(&[][..], |plan| &plan.placed),
    };
    JsonStep {
        placements: placed.iter().map(placement).collect(),
        pod,
        group,
        manifest: manifest(step.document, documents),
        priority: step.priority,
        depth: step.depth,
        text: sentence(step, now),
        outcome: outcome.into(),
        nodes,
        left_out: step.left_out.iter().map(pod_id).collect(),
        likelihood: step.likelihood.map(likelihood),
        scheduler_picks: step.scheduler_picks.clone(),
        why,
        plan: plan.map(|plan| self::plan(plan, now)),
        open_victims: step.open_victims.as_ref().map(open_victims),
        who_acts: step.autoscaling.as_ref().map(|told| told.next_step().actor.name().into()),
        autoscaling: step.autoscaling.as_ref().map(|told| told.verdict.name().into()),
    }
}

fn placement(placed: &Placement) -> JsonPlacement {
    JsonPlacement { pod: pod_id(&placed.pod), node: placed.node.clone() }
}

/// The nodes of a plan, and those that tie with that of a pod.
fn with_tied(plan: &Plan) -> Vec<String> {
    nodes_of(&plan.placed).into_iter().map(str::to_owned).chain(plan.tied.iter().cloned()).collect()
}

fn plan(plan: &Plan, now: jiff::Timestamp) -> JsonPlan {
    let node =
        plan.preemptor.id.pod().and(plan.placed.first()).map(|placement| placement.node.clone());
    JsonPlan {
        node,
        victims: plan.victims.iter().map(victim).collect(),
        seconds_to_room: plan.seconds_to_room(now),
        competitors: competitors(&plan.competitors),
        competitors_total: competitors_total(&plan.competitors),
    }
}

fn victim(victim: &PlannedVictim) -> Victim {
    let pinned_by = match &victim.afterwards {
        Afterwards::Pinned(PinnedBy::DaemonSet) => Some("DaemonSet".into()),
        Afterwards::Pinned(PinnedBy::NodeSelector) => Some("NodeSelector".into()),
        Afterwards::Pinned(PinnedBy::Volume(_)) => Some("Volume".into()),
        _ => None,
    };
    Victim {
        namespace: victim.pod.namespace.clone(),
        name: victim.pod.name.clone(),
        uid: victim.pod.uid.clone(),
        node: victim.node.clone(),
        priority: victim.priority,
        grace_period_seconds: victim.grace_seconds,
        terminating: victim.terminating_until.is_some(),
        owners: victim.owners.iter().map(ToString::to_string).collect(),
        budgets: victim.budgets.iter().map(budget).collect(),
        hazards: victim.hazards.iter().map(hazard).collect(),
        afterwards: victim.afterwards.name().into(),
        pinned_by,
    }
}

pub(super) fn hazard(hazard: &EngineHazard) -> Hazard {
    Hazard {
        name: hazard.name().into(),
        text: hazard.text(),
        waived_by: hazard.waived_by().map(|waiver| Text::from(flag_of(waiver))),
    }
}

fn budget(used: &BudgetUse) -> JsonBudgetUse {
    JsonBudgetUse {
        namespace: used.namespace.clone(),
        name: used.name.clone(),
        allowed_before: used.before,
        allowed_after: used.after,
        violated: used.is_violated(),
    }
}
