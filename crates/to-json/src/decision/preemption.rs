//! Preemption as JSON: the dry run of every node, and the tie-break.

use json::Text;
use json::preemption::{
    Awaited, Block, Budget, DryRun as JsonDryRun, Off, Preemption, Spared, Step, StepValue,
    Victim as JsonVictim,
};

use super::{DecisionJson, node_names, pod_names, told};
use engine::cluster::NodeIx;
use engine::decision::Decision;
use engine::decision::blockers::Blockers;
use engine::framework::reason::Quote;
use engine::framework::status::Rejection;
use engine::preemption::budgets::BudgetIndex;
use engine::preemption::dry_run::{Blocker, Candidate, DryRun, Victim};
use engine::preemption::pick_node::{CRITERIA, CriterionUnit, TieBreakStep};
use engine::preemption::{NOT_HELPFUL, PreemptionReport};
use engine::simulation::afterwards;

impl DecisionJson<'_> {
    pub(super) fn preemption(&self, report: &PreemptionReport, decision: &Decision) -> Preemption {
        let budgets = BudgetIndex::new(self.cluster, &decision.profile().features.preemption);
        let mut nodes = Vec::new();
        if report.tried() {
            let blockers = Blockers::new(decision);
            for node in self.cluster.node_indices() {
                nodes.push(match report.dry_runs.get(&node) {
                    Some(DryRun::Candidate(candidate)) => {
                        self.candidate(candidate, &budgets, &blockers)
                    }
                    run => self.no_candidate(node, run, decision),
                });
            }
        }

        // A pod may wait until the victims of its last preemption have ended.
        let ineligible = report.ineligible.as_ref();
        let terminating = ineligible.map(|found| found.terminating.as_slice()).unwrap_or_default();
        let mut terminating_until = Vec::new();
        for pod in terminating {
            terminating_until.push(self.cluster.pod(*pod).deletion.map(|time| time.to_string()));
        }
        Preemption {
            eligible: ineligible.is_none(),
            off: report.off.then(|| Off { profile: decision.profile().scheduler_name.clone() }),
            ineligible_reason: ineligible.map(|found| found.reason.text.into()),
            ineligible_code: ineligible.map(|found| found.reason.code.into()),
            terminating: pod_names(terminating, self.cluster),
            terminating_until,
            awaits: decision.awaited().map(|awaited| Awaited {
                node: self.node(awaited.node),
                pods: pod_names(awaited.victims.iter().map(|victim| &victim.pod), self.cluster),
            }),
            pdbs_unknown: self.cluster.are_budgets_unknown(),
            nodes,
            ladder: report.tie_break.iter().map(|step| self.step(step)).collect(),
            winners: node_names(&report.winners, self.cluster),
        }
    }

    /// The dry run of a node that is no candidate.
    fn no_candidate(&self, node: NodeIx, run: Option<&DryRun>, decision: &Decision) -> JsonDryRun {
        match run {
            None | Some(DryRun::Candidate(_)) => {
                let reason = NOT_HELPFUL.reason().quote(self.cluster);
                self.unhelped(node, "NotHelpful", vec![reason])
            }
            Some(DryRun::Failed(failure)) => {
                let reason = Quote::unknown(failure.text().to_owned());
                self.unhelped(node, "NoCandidate", vec![reason])
            }
            Some(DryRun::NoCandidate { plugin, rejection, .. }) => JsonDryRun {
                plugin: plugin.map(Text::from),
                evidence: self.evidence(rejection),
                // Without a plugin no pod has a lower priority; those of the same may explain it.
                equal_priority_pods: match plugin {
                    Some(_) => None,
                    None => Some(self.cluster.pods_of_equal_priority(node, decision.pod)),
                },
                ..self.unhelped(node, "NoCandidate", rejection.quotes(self.cluster))
            },
        }
    }

    fn unhelped(&self, node: NodeIx, verdict: &'static str, quotes: Vec<Quote>) -> JsonDryRun {
        let (reasons, reason_codes) = told(quotes);
        JsonDryRun {
            name: self.node(node),
            verdict: verdict.into(),
            reasons,
            reason_codes,
            ..JsonDryRun::default()
        }
    }

    fn candidate(
        &self,
        candidate: &Candidate,
        budgets: &BudgetIndex,
        blockers: &Blockers,
    ) -> JsonDryRun {
        // The pods that stay, those that go, and the order in which it was found out.
        let order = &candidate.reprieve_order;
        let mut spared = Vec::new();
        for ix in &candidate.reprieved {
            let pod = self.cluster.pod(*ix);
            let violates_pdb =
                order.iter().any(|attempt| attempt.pod == *ix && attempt.violates_pdb);
            spared.push(Spared {
                namespace: self.text(pod.namespace),
                name: pod.name.to_string(),
                priority: pod.priority,
                start_time: pod.start_time.map(|t| t.to_string()),
                terminating: pod.is_terminating(),
                owner: pod.controller.map(|owner| self.cluster.owner_name(&owner)),
                violates_pdb,
                why: "fits back".into(),
            });
        }
        let blocks = blockers.of(candidate);
        let mut victims = Vec::with_capacity(candidate.victims.len());
        for victim in &candidate.victims {
            victims.push(self.victim(victim, budgets, blocks.get(&victim.pod)));
        }
        let reprieve_order = pod_names(order.iter().map(|attempt| &attempt.pod), self.cluster);
        JsonDryRun {
            name: self.node(candidate.node),
            verdict: "Candidate".into(),
            victims: Some(victims),
            num_pdb_violations: Some(candidate.violations),
            spared: Some(spared),
            reprieve_order,
            ..JsonDryRun::default()
        }
    }

    /// A victim, with what would reject the preemptor if it stayed.
    pub(super) fn victim(
        &self,
        victim: &Victim,
        budgets: &BudgetIndex,
        blocker: Option<&Blocker>,
    ) -> JsonVictim {
        let pod = self.cluster.pod(victim.pod);
        let owners = afterwards::owners(pod, self.cluster);
        let guards = self.cluster.eviction_guards(pod);
        // All budgets of the pod, not only those that its eviction violates.
        let mut of_pod = Vec::new();
        for budget in budgets.of(pod, self.cluster) {
            let allowed = self.cluster.budget(budget).allowed;
            of_pod.push(Budget { name: self.cluster.budget_name(budget), allowed });
        }
        JsonVictim {
            namespace: self.text(pod.namespace),
            name: pod.name.to_string(),
            uid: pod.uid.to_string(),
            resource_version: pod.resource_version.to_string(),
            priority: pod.priority,
            start_time: pod.start_time.map(|t| t.to_string()),
            terminating: pod.is_terminating(),
            qos_class: pod.qos.map(|qos| qos.name().into()),
            owner: pod.controller.map(|owner| self.cluster.owner_name(&owner)),
            owners: owners.iter().map(ToString::to_string).collect(),
            pdb_violations: victim
                .violates
                .iter()
                .map(|ix| self.cluster.budget_name(*ix))
                .collect(),
            budgets: of_pod,
            blocks: blocker.map(|(plugin, rejection)| self.block(plugin, rejection)),
            unprotected_by: guards.iter().map(|guard| guard.annotation().into()).collect(),
        }
    }

    fn block(&self, plugin: &'static str, rejection: &Rejection) -> Block {
        let (reasons, reason_codes) = told(rejection.quotes(self.cluster));
        Block { plugin: plugin.into(), reasons, reason_codes, evidence: self.evidence(rejection) }
    }

    fn step(&self, step: &TieBreakStep) -> Step {
        let (name, unit) =
            CRITERIA.get(step.criterion).map_or(("", CriterionUnit::Number), |c| (c.name, c.unit));
        Step {
            criterion: name.into(),
            values: step
                .values
                .iter()
                .map(|(node, value)| (self.node(*node), step_value(unit, *value)))
                .collect(),
            survivors: node_names(&step.survivors, self.cluster),
        }
    }
}

fn step_value(unit: CriterionUnit, value: i64) -> StepValue {
    match unit {
        CriterionUnit::Number | CriterionUnit::Violations | CriterionUnit::PrioritySum => {
            StepValue::Number(value)
        }
        CriterionUnit::Time => StepValue::Text(unit.text(value)),
    }
}
