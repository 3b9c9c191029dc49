//! The node that the pod is nominated to, which is evaluated before all others, even if PreFilter excluded it.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `findNodesThatFitPod`, `evaluateNominatedNode` (1.37).

use super::{Decision, Outcome, extenders};
use crate::framework::cycle::{NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::extender;
use crate::framework::status::{Evidence, Rejection, ResourceId};
use crate::preemption::dry_run::Candidate;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use model::cluster::resources::ResourceKind;
use model::cluster::symbols::Sym;
use profile::history::ExcludedNodes;

impl Decision<'_> {
    /// The nominated node, if it exists.
    pub fn nominated(&self) -> Option<NodeIx> {
        let cluster = self.view.cluster;
        let name = cluster.pod(self.pod).nominated_node;
        if name == Sym::EMPTY { None } else { cluster.find_node(cluster.text(name)) }
    }

    /// What the pod requests, as `RESOURCE=AMOUNT`: what a nomination of it reserves.
    #[must_use]
    pub fn requested(&self) -> Vec<String> {
        let cluster = self.view.cluster;
        let wanted = self.view.incoming(cluster.pod(self.pod));
        let mut all = vec![(ResourceId::Cpu, wanted.milli_cpu), (ResourceId::Memory, wanted.memory)];
        all.push((ResourceId::EphemeralStorage, wanted.ephemeral_storage));
        all.extend(wanted.scalars.iter().map(|(name, amount)| (ResourceId::Scalar(*name), *amount)));
        all.retain(|(_, amount)| *amount != 0);
        let text = |(id, amount): &(ResourceId, i64)| format!("{}={}", id.name(cluster), id.amount(*amount, cluster));
        all.iter().map(text).collect()
    }

    /// Pods on a node that have what the pod lacks there and that it cannot preempt: those that started last, as many as would do.
    #[must_use]
    pub fn takers_of(&self, node: NodeIx, rejection: &Rejection) -> Vec<PodIx> {
        let cluster = self.view.cluster;
        let priority = cluster.pod(self.pod).priority;
        let stays = |pod: &PodIx| {
            let pod = cluster.pod(*pod);
            pod.is_active() && !pod.is_terminating() && pod.priority >= priority
        };
        let mut there: Vec<PodIx> = cluster.pods_on(node).iter().copied().filter(stays).collect();
        there.sort_by_key(|pod| std::cmp::Reverse(cluster.pod(*pod).start_time.or(cluster.pod(*pod).created)));
        let mut takers: Vec<PodIx> = Vec::new();
        for reason in &rejection.reasons {
            let Evidence::Resource { resource, requested, used, allocatable, .. } = &reason.evidence else { continue };
            let mut missing = requested.saturating_sub(allocatable.saturating_sub(*used));
            // A pod that an empty node has no room for lost it to nobody.
            if requested > allocatable {
                continue;
            }
            let name = resource.name(cluster);
            let (kind, Some(symbol)) = (ResourceKind::of(name), cluster.symbols.get(name)) else { continue };
            for pod in &there {
                let has = match resource {
                    ResourceId::Pods => 1,
                    _ => self.view.footprint(cluster.pod(*pod)).amount(kind, symbol),
                };
                if missing > 0 && has > 0 {
                    missing -= has;
                    if !takers.contains(pod) {
                        takers.push(*pod);
                    }
                }
            }
        }
        takers
    }

    /// What the pod waits for that has preempted already: its nominated node, with the pods that are leaving it and without which it
    /// fits there. `None` if it fits somewhere now, or not there even then.
    #[must_use]
    pub fn awaited(&self) -> Option<&Candidate> {
        self.preemption.as_ref().filter(|_| self.outcome == Outcome::Unschedulable)?.awaited.as_ref()
    }

    /// Takes the nominated node if it passes the plugins and extenders. Its search ends with it: what would end the cycle
    /// on other nodes, or because of them, is not met.
    pub(super) fn take_nominated(&mut self, prepared: &PreparedCycle) -> bool {
        let passes = |node: &NodeIx| self.verdict_of(*node) == Some(&NodeVerdict::Feasible);
        let passed = self.nominated_first().filter(passes);
        let Some(kept) = passed.and_then(|node| extenders::keep(node, self, prepared)) else { return false };
        let failed = self.nodes.iter_mut().filter(|verdict| verdict.failure().is_some());
        failed.for_each(|verdict| *verdict = NodeVerdict::NotTried);
        for node in &kept.feasible {
            if let Some(verdict) = self.nodes.get_mut(node.0 as usize) {
                *verdict = NodeVerdict::Feasible;
            }
        }
        self.notes.extend(kept.invented.iter().map(|node| extender::invented(node)));
        let feasible = kept.feasible.clone();
        self.extended = self.view.extender_client.map(|_| kept);
        self.select_host(prepared, feasible);
        true
    }

    /// What is left of the evaluation of a nominated node that did not pass: the plugin that rejected it.
    ///
    /// If PreFilter excluded the node, an error on it has no effect, and versions that tell of excluded nodes with a
    /// reason of their own replace its rejection.
    pub(super) fn after_nominated(&mut self) -> Option<&'static str> {
        let node = self.nominated_first()?;
        let rejected = match self.verdict_of(node)? {
            NodeVerdict::Filtered { plugin, .. } => Some(*plugin),
            _ => None,
        };
        let replaced = self.profile().features.cycle.excluded_nodes == ExcludedNodes::FilteredOut;
        if self.excludes(node) && (rejected.is_none() || replaced) {
            self.exclude(node);
        }
        rejected
    }

    /// Settles what the nominated node's evaluation leaves in the result: `rejected_by` is the plugin that rejected it, `fits`
    /// says whether another node takes the pod.
    ///
    /// Parity: the plugin that rejected the nominated node is then named among the plugins that excluded nodes, since
    /// upstream keeps both in one set. If another node fits, the first evaluation has no effect.
    pub(super) fn settle_nominated(&mut self, rejected_by: Option<&'static str>, fits: bool) {
        let (Some(node), Some(plugin)) = (self.nominated_first(), rejected_by) else { return };
        // What extenders say of the node stays: they are asked after the first evaluation.
        let is_unchanged =
            matches!(self.verdict_of(node), Some(NodeVerdict::Filtered { plugin: by, .. }) if *by == plugin);
        if fits && self.excludes(node) && is_unchanged {
            self.exclude(node);
        }
        if let PreFilter::SomeNodes { by, .. } = &mut self.pre_filter
            && !fits
        {
            by.push(plugin);
            by.sort_unstable();
            by.dedup();
        }
    }

    /// The nominated node, in versions that evaluate it before all others. It is none outside the topology domain that is searched.
    fn nominated_first(&self) -> Option<NodeIx> {
        let first = self.profile().features.cycle.nominated_node_first;
        self.nominated().filter(|node| first && self.view.is_in_placement(*node))
    }

    fn verdict_of(&self, node: NodeIx) -> Option<&NodeVerdict> {
        self.nodes.get(node.0 as usize)
    }

    /// Whether PreFilter excluded the node.
    fn excludes(&self, node: NodeIx) -> bool {
        let PreFilter::SomeNodes { only, .. } = &self.pre_filter else { return false };
        !only.contains(&self.view.cluster.node(node).name)
    }

    fn exclude(&mut self, node: NodeIx) {
        if let Some(verdict) = self.nodes.get_mut(node.0 as usize) {
            *verdict = NodeVerdict::ExcludedByPreFilter;
        }
    }
}

#[cfg(test)]
mod tests;
