//! Pending pods, as JSON.

use crate::ToJson;
use crate::decision::{self as parts, competitors, competitors_total};
use crate::workload::missing_pods;
use json::pending::{
    Cause, Group, Nomination, Owner, PendingList, Pod, PodsWithVerdict,
    StartingPod as JsonStartingPod,
};
use json::{ApiVersion, kind};

use super::simulation::likelihood;
use answers::not_running::StartingPod;
use answers::questions::pending::{
    AutoscalerRole, BlockingCause, DecisionSequence, PendingGroup, PendingNomination,
    PendingReport, PendingRow, PendingVerdict, PodOwner,
};

/// The JSON of pending pods.
impl ToJson for PendingReport {
    type Json = PendingList;

    fn json(&self) -> PendingList {
        let PendingReport { basis, pending, .. } = self;
        PendingList {
            api_version: ApiVersion::default(),
            kind: kind::PendingList::default(),
            scheduler: parts::scheduler(&basis.profile),
            source: parts::source(&basis.header, basis.source),
            in_order: pending.sequence == DecisionSequence::InOrder,
            summary: PendingVerdict::ALL
                .into_iter()
                .map(|verdict| (verdict.name().into(), pending.count(verdict)))
                .collect(),
            items: pending.rows.iter().map(item).collect(),
            starting: self.starting.iter().map(starting).collect(),
            resizing: self.resizing.iter().map(starting).collect(),
            workloads: pending.workloads.iter().map(missing_pods).collect(),
            notes: pending.notes.iter().map(parts::note).collect(),
        }
    }
}

fn starting(pod: &StartingPod) -> JsonStartingPod {
    JsonStartingPod {
        namespace: pod.namespace.clone(),
        name: pod.name.clone(),
        uid: pod.uid.clone(),
        node: pod.node.clone(),
        created: pod.created.map(|created| created.to_string()),
        not_running: parts::not_running(&pod.not_running),
    }
}

fn nomination(found: &PendingNomination) -> Nomination {
    Nomination {
        node: found.node.clone(),
        state: found.state.into(),
        ends: found.ends.into(),
        stops_autoscalers: found.stops_autoscalers,
        code: found.code.map(Into::into),
    }
}

fn item(row: &PendingRow) -> Pod {
    // An autoscaler that has nothing to do for the pod has no verdict.
    let autoscaling = match row.autoscalers {
        Some(AutoscalerRole::Says(step)) => Some(step.verdict.name().into()),
        Some(AutoscalerRole::NotNeeded) | None => None,
    };
    let [needs, have] = row.needs_and_has();
    Pod {
        needs,
        have,
        namespace: row.namespace.clone(),
        name: row.name.clone(),
        uid: row.uid.clone(),
        owner: row.owner.as_ref().map(owner),
        pod_group: row.group.as_ref().map(group),
        priority: row.priority,
        created: row.created.map(|t| t.to_string()),
        verdict: row.verdict.name().into(),
        cause: row.cause.as_ref().map(cause),
        nodes: row.nodes.clone(),
        certainty: row.certainty.name().into(),
        likelihood: row.likelihood.map(likelihood),
        victims: row.victims.clone(),
        num_pdb_violations: row.violations,
        pdbs_unknown: row.budgets_unknown,
        competitors: competitors(&row.competitors),
        competitors_total: competitors_total(&row.competitors),
        waits_for: row.waits_for.clone(),
        who_acts: row.who_acts().map(|who| who.text().into()),
        autoscaling,
        unsure: row.is_unsure(),
        nomination: row.nomination.as_ref().map(nomination),
        holder: row.holder.as_ref().map(|holder| parts::holder(&holder.name, &holder.found)),
        silence: row.silence.as_deref().map(parts::silence),
    }
}

fn cause(cause: &BlockingCause) -> Cause {
    Cause {
        plugin: cause.plugin.clone(),
        code: cause.code.map(Into::into),
        reasons: cause.reasons.clone(),
        details: cause.details.clone(),
        nodes: cause.nodes,
        node: cause.node.clone(),
        of: Some(cause.of),
        nearness: cause.nearness.map(|nearness| nearness.name().into()),
    }
}

fn group(group: &PendingGroup) -> Group {
    let of = |(verdict, pods): &(PendingVerdict, usize)| PodsWithVerdict {
        verdict: verdict.name().into(),
        pods: *pods,
    };
    let are_alike = group.verdicts.len() < 2;
    Group {
        waiting: group.waiting.clone(),
        running: group.running,
        verdicts: group.verdicts.iter().filter(|_| !are_alike).map(of).collect(),
    }
}

fn owner(owner: &PodOwner) -> Owner {
    Owner { kind: owner.kind.clone(), name: owner.name.clone(), uid: owner.uid.clone() }
}
