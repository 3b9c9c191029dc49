//! Preemption as JSON: the dry run of every node, and the tie-break.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::evidence::JsonEvidence;
use super::{DecisionJson, told};
use model::cluster::node::NodeIx;
use model::cluster::pod::{OwnerRef, Pod, Qos};
use scheduler::decision::Decision;
use scheduler::framework::reason::Quote;
use scheduler::framework::status::Rejection;
use scheduler::preemption::budgets::BudgetIndex;
use scheduler::preemption::dry_run::{Candidate, DryRun, Victim};
use scheduler::preemption::pick_node::{CRITERIA, TieBreakStep, Unit};
use scheduler::preemption::{NOT_HELPFUL, PreemptionReport};
use simulation::afterwards;

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Preemption")]
pub(super) struct JsonPreemption {
    pub(super) eligible: bool,
    /// Set if preemption is off, so that no node is tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) off: Option<JsonPreemptionOff>,
    pub(super) ineligible_reason: Option<&'static str>,
    /// The stable code of `ineligibleReason`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ineligible_code: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) terminating: Vec<String>,
    /// When each pod of `terminating` should be gone (`metadata.deletionTimestamp`), in the same order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) terminating_until: Vec<Option<String>>,
    /// Set if the pod gets its nominated node once pods are gone that are terminating already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) awaits: Option<JsonAwaited>,
    pub(super) nodes: Vec<JsonDryRun>,
    pub(super) ladder: Vec<JsonStep>,
    pub(super) winners: Vec<String>,
}

/// What a pod waits for that has preempted already.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Awaited")]
pub(super) struct JsonAwaited {
    /// The nominated node.
    pub(super) node: String,
    /// The pods, as `namespace/name`, that have to be gone; some of `terminating`.
    pub(super) pods: Vec<String>,
}

/// Preemption is off.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PreemptionOff")]
pub(super) struct JsonPreemptionOff {
    /// The profile that does not run DefaultPreemption.
    pub(super) profile: String,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DryRun")]
pub(super) struct JsonDryRun {
    pub(super) name: String,
    pub(super) verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) victims: Option<Vec<JsonVictim>>,
    #[serde(rename = "numPDBViolations", skip_serializing_if = "Option::is_none")]
    pub(super) num_pdb_violations: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) spared: Option<Vec<JsonSpared>>,
    /// The pods of lower priority as `namespace/name`, in the order in which they are put back. An extender may name other
    /// victims.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) reprieve_order: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) plugin: Option<&'static str>,
    pub(super) reasons: Vec<String>,
    /// As those of a node.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) reason_codes: Vec<Option<&'static str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) evidence: Vec<JsonEvidence>,
    /// Where there is no pod of lower priority: how many pods have the priority of the preemptor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) equal_priority_pods: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Victim")]
pub(super) struct JsonVictim {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) resource_version: String,
    pub(super) priority: i32,
    pub(super) start_time: Option<String>,
    pub(super) terminating: bool,
    /// `status.qosClass`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) qos_class: Option<&'static str>,
    pub(super) owner: Option<String>,
    /// The controllers as `Kind/name`, the nearest first, as far as they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) owners: Vec<String>,
    pub(super) pdb_violations: Vec<String>,
    /// The budgets that select the pod.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) budgets: Vec<JsonBudget>,
    pub(super) blocks: Option<JsonBlock>,
}

/// A PodDisruptionBudget.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Budget")]
pub(super) struct JsonBudget {
    /// `namespace/name`.
    pub(super) name: String,
    /// `status.disruptionsAllowed`.
    pub(super) allowed: i64,
}

/// What refuses the preemptor when the victim stays.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Block")]
pub(super) struct JsonBlock {
    pub(super) plugin: &'static str,
    pub(super) reasons: Vec<String>,
    /// As those of a node.
    pub(super) reason_codes: Vec<Option<&'static str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) evidence: Vec<JsonEvidence>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Spared")]
pub(super) struct JsonSpared {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) priority: i32,
    pub(super) start_time: Option<String>,
    pub(super) terminating: bool,
    pub(super) owner: Option<String>,
    /// Whether its eviction would violate a budget; such pods are put back first.
    #[serde(rename = "violatesPDB")]
    pub(super) violates_pdb: bool,
    pub(super) why: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Step")]
pub(super) struct JsonStep {
    pub(super) criterion: &'static str,
    pub(super) values: BTreeMap<String, serde_json::Value>,
    pub(super) survivors: Vec<String>,
}

impl DecisionJson<'_> {
    pub(super) fn preemption(&self, report: &PreemptionReport, decision: &Decision) -> JsonPreemption {
        let budgets = BudgetIndex::new(self.cluster, &decision.profile().features.preemption);
        let dry_run = |node| self.dry_run(node, report.dry_runs.get(&node), &budgets, decision);
        let ineligible = report.ineligible.as_ref();
        let terminating = ineligible.map(|found| found.terminating.as_slice()).unwrap_or_default();
        JsonPreemption {
            eligible: ineligible.is_none(),
            off: report.off.then(|| JsonPreemptionOff { profile: decision.profile().scheduler_name.clone() }),
            ineligible_reason: ineligible.map(|found| found.reason.text),
            ineligible_code: ineligible.map(|found| found.reason.code),
            terminating: terminating.iter().map(|pod| self.cluster.pod_name(*pod)).collect(),
            terminating_until: terminating
                .iter()
                .map(|pod| self.cluster.pod(*pod).deletion.map(|time| time.to_string()))
                .collect(),
            awaits: decision.awaited().map(|awaited| JsonAwaited {
                node: self.node(awaited.node),
                pods: awaited.victims.iter().map(|victim| self.cluster.pod_name(victim.pod)).collect(),
            }),
            nodes: if report.tried() { self.cluster.node_indices().map(dry_run).collect() } else { Vec::new() },
            ladder: report.tie_break.iter().map(|step| self.step(step)).collect(),
            winners: report.winners.iter().map(|n| self.node(*n)).collect(),
        }
    }

    fn dry_run(&self, node: NodeIx, run: Option<&DryRun>, budgets: &BudgetIndex, decision: &Decision) -> JsonDryRun {
        let refused = |verdict, quotes| {
            let (reasons, reason_codes) = told(quotes);
            JsonDryRun { name: self.node(node), verdict, reasons, reason_codes, ..JsonDryRun::default() }
        };
        match run {
            None => refused("NotHelpful", vec![NOT_HELPFUL.reason().quote(self.cluster)]),
            Some(DryRun::Failed(failure)) => refused("NoCandidate", vec![Quote::unknown(failure.text().to_owned())]),
            Some(DryRun::NoCandidate { plugin, rejection, .. }) => JsonDryRun {
                plugin: *plugin,
                evidence: self.evidence(rejection),
                equal_priority_pods: plugin.is_none().then(|| self.cluster.pods_of_equal_priority(node, decision.pod)),
                ..refused("NoCandidate", rejection.quotes(self.cluster))
            },
            Some(DryRun::Candidate(candidate)) => self.candidate(self.node(node), candidate, budgets),
        }
    }

    fn candidate(&self, name: String, candidate: &Candidate, budgets: &BudgetIndex) -> JsonDryRun {
        let order = &candidate.reprieve_order;
        let spared = candidate.reprieved.iter().map(|ix| {
            let pod = self.cluster.pod(*ix);
            JsonSpared {
                namespace: self.text(pod.namespace),
                name: pod.name.to_string(),
                priority: pod.priority,
                start_time: pod.start_time.map(|t| t.to_string()),
                terminating: pod.is_terminating(),
                owner: self.owner(pod),
                violates_pdb: order.iter().any(|attempt| attempt.pod == *ix && attempt.violates_pdb),
                why: "fits back",
            }
        });
        JsonDryRun {
            name,
            verdict: "Candidate",
            victims: Some(candidate.victims.iter().map(|victim| self.victim(victim, budgets)).collect()),
            num_pdb_violations: Some(candidate.violations),
            spared: Some(spared.collect()),
            reprieve_order: order.iter().map(|attempt| self.cluster.pod_name(attempt.pod)).collect(),
            ..JsonDryRun::default()
        }
    }

    pub(super) fn victim(&self, victim: &Victim, budgets: &BudgetIndex) -> JsonVictim {
        let pod = self.cluster.pod(victim.pod);
        let owners = afterwards::owners(pod, self.cluster);
        let name = |budget| {
            let budget = self.cluster.budget(budget);
            format!("{}/{}", self.cluster.text(budget.namespace), budget.name)
        };
        let budget = |ix| JsonBudget { name: name(ix), allowed: self.cluster.budget(ix).allowed };
        JsonVictim {
            namespace: self.text(pod.namespace),
            name: pod.name.to_string(),
            uid: pod.uid.to_string(),
            resource_version: pod.resource_version.to_string(),
            priority: pod.priority,
            start_time: pod.start_time.map(|t| t.to_string()),
            terminating: pod.is_terminating(),
            qos_class: pod.qos.map(Qos::name),
            owner: self.owner(pod),
            owners: owners.iter().map(|owner| format!("{}/{}", owner.kind, owner.name)).collect(),
            pdb_violations: victim.violates.iter().copied().map(name).collect(),
            budgets: budgets.of(pod, self.cluster).into_iter().map(budget).collect(),
            blocks: victim.blocks.as_ref().map(|(plugin, rejection)| self.block(plugin, rejection)),
        }
    }

    fn owner(&self, pod: &Pod) -> Option<String> {
        pod.controller.map(|OwnerRef { kind, name, .. }| format!("{}/{}", self.text(kind), self.text(name)))
    }

    fn block(&self, plugin: &'static str, rejection: &Rejection) -> JsonBlock {
        let (reasons, reason_codes) = told(rejection.quotes(self.cluster));
        JsonBlock { plugin, reasons, reason_codes, evidence: self.evidence(rejection) }
    }

    fn step(&self, step: &TieBreakStep) -> JsonStep {
        let (name, unit) = CRITERIA.get(step.criterion).map_or(("", Unit::Number), |c| (c.name, c.unit));
        JsonStep {
            criterion: name,
            values: step.values.iter().map(|(node, value)| (self.node(*node), step_value(unit, *value))).collect(),
            survivors: step.survivors.iter().map(|n| self.node(*n)).collect(),
        }
    }
}

fn step_value(unit: Unit, value: i64) -> serde_json::Value {
    match unit {
        Unit::Number | Unit::PrioritySum => value.into(),
        Unit::Time => unit.text(value).into(),
    }
}
