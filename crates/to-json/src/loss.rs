//! What the loss of nodes costs, as JSON.

use super::node::budget;
use super::simulation::{drain_change, range, step};
use crate::{ToJson, decision as parts};
use answers::questions::loss::{DomainLoss, LossReport};
use answers::questions::node::changes::uncordon;
use engine::simulation::sequence::loss::WorkloadLoss;
use jiff::Timestamp;
use json::loss::{LostWorkload, NodeLoss, NodeLossList, Place};
use json::simulation::DrainChange;
use json::{ApiVersion, kind};

impl ToJson for LossReport {
    type Json = NodeLossList;

    fn json(&self) -> NodeLossList {
        let basis = &self.basis;
        NodeLossList {
            api_version: ApiVersion::default(),
            kind: kind::NodeLossList::default(),
            scheduler: parts::scheduler(&basis.profile),
            source: parts::source(&basis.header, basis.source),
            text: self.sentence(),
            each: self.each.map(|domain| domain.noun().into()),
            outside: self.outside,
            budgets_unknown: self.budgets_unknown,
            items: self.items.iter().map(|item| of_domain(item, basis.now())).collect(),
        }
    }
}

fn of_domain(item: &DomainLoss, now: Timestamp) -> NodeLoss {
    let loss = &item.loss;
    // New replicas must not go to the lost nodes. Once all are Ready, these take pods again.
    let to_cordon: Vec<&str> = item.to_cordon.iter().map(String::as_str).collect();
    let mut changes: Vec<DrainChange> =
        item.changes.iter().map(|change| drain_change(change, &to_cordon)).collect();
    if let Some(last) = changes.last_mut() {
        last.commands.extend(uncordon(&item.to_cordon));
    }
    NodeLoss {
        name: item.name.clone(),
        text: item.sentence(),
        nodes: loss.nodes.clone(),
        lost: loss.lost(),
        of_nodes: loss.of_nodes,
        gone: loss.gone(),
        pending: range(loss.pending),
        not_known: loss.unknown,
        pending_anyway: loss.pending_anyway,
        pending_anyway_open: loss.is_anyway_open,
        preempted: range(loss.preempted),
        autoscaled: item.autoscaled,
        down: loss.down(),
        workloads: loss.workloads.iter().map(workload).collect(),
        budgets: loss.budgets.iter().map(budget).collect(),
        changes,
        orders: loss.orders,
        steps: loss.steps.iter().map(|one| step(one, &[], now)).collect(),
        not_followed: loss.not_followed,
        notes: loss.notes.iter().map(parts::note).collect(),
    }
}

fn workload(lost: &WorkloadLoss) -> LostWorkload {
    let places = lost.places.iter().map(|(node, pods)| Place { node: node.clone(), pods: *pods });
    LostWorkload {
        namespace: lost.namespace.clone(),
        kind: lost.owner.as_ref().map_or_else(|| "Pod".to_owned(), |owner| owner.kind.clone()),
        name: lost.name.clone(),
        ready: lost.ready,
        left: lost.left,
        lost: lost.lost,
        gone: lost.gone,
        until_deleted: lost.until_deleted,
        preempted: range(lost.preempted),
        pending: range(lost.pending),
        pending_anyway: lost.pending_anyway,
        pending_anyway_open: lost.is_anyway_open,
        places: places.collect(),
        why: lost.why.clone(),
        lost_volumes: lost.volumes.iter().cloned().collect(),
    }
}
