//! Values that differ between the nodes of a group, combined into one line each.

use std::sync::Arc;

use indexmap::IndexMap;

use super::holders::{self, AntiAffinityRule, HoldingPod, Opponents};
use super::labels;
use super::volumes::{LimitSpan, SpaceSpan};
use super::{requests, spread};
use crate::scale::Scale;
use engine::cluster::{Cluster, NodeIx, PodIx, Sym};
use engine::decision::nearest::Unmeetable;
use engine::framework::asked_label::AskedLabel;
use engine::framework::evidence::{Contended, Fact, InsufficientResource};
use engine::framework::operands::{RequestPart, ResourceId};
use engine::framework::storage_evidence::VolumeDriver;

/// The remark below any list of pods that hold devices.
pub const NOT_FOR_DEVICES: &str = "kube-scheduler does not preempt for devices";

/// The evidence of several nodes' rejections for the same cause.
#[derive(Debug, Clone, Default)]
pub(super) struct RejectionTally {
    /// How many nodes there are.
    nodes: usize,
    /// What the pod requires of the nodes' labels.
    asks: Vec<Asked>,
    /// The domains of the nodes in a spread constraint, with their matching pods.
    domains: IndexMap<Sym, i64>,
    /// What the domains are compared with, as text.
    fewest: String,
    /// Ports and disks that pods hold.
    contended: IndexMap<Contended, Vec<HoldingPod>>,
    /// Pods that the pod must avoid, by domain.
    opponents: IndexMap<AntiAffinityRule, IndexMap<Sym, Opponents>>,
    limits: IndexMap<VolumeDriver, LimitSpan>,
    /// Storage, by the claim that does not fit into it.
    spaces: IndexMap<Sym, SpaceSpan>,
    /// How many devices pods hold.
    device_holders: IndexMap<PodIx, usize>,
    resources: IndexMap<ResourceId, LargestFree>,
}

/// A label requirement of the pod on all nodes of a group.
#[derive(Debug, Clone)]
struct Asked {
    ask: AskedLabel,
    /// What the nodes have instead, and how many have it.
    found: IndexMap<Option<Sym>, usize>,
}

/// The largest free amount of a resource on any node of a group.
#[derive(Debug, Clone)]
struct LargestFree {
    requested: i64,
    parts: Option<Arc<[RequestPart]>>,
    most_free: i64,
    most_allocatable: i64,
}

impl RejectionTally {
    /// Adds a rejected node. All nodes of a group have the same requirements, in the same order.
    pub(super) fn add(&mut self, node: NodeIx, facts: &[Fact], cluster: &Cluster) {
        let asks = facts.iter().filter_map(|fact| match fact {
            Fact::Label(asked) => Some(asked),
            _ => None,
        });
        if self.nodes == 0 {
            for ask in asks.clone() {
                self.asks.push(Asked { ask: ask.clone(), found: IndexMap::new() });
            }
        }
        self.nodes += 1;
        for (asked, ask) in self.asks.iter_mut().zip(asks) {
            *asked.found.entry(ask.found).or_default() += 1;
        }
        for fact in facts {
            self.add_fact(Some(node), fact, cluster);
        }
    }

    /// The values of one node.
    pub(super) fn of_node(facts: &[Fact], cluster: &Cluster) -> Self {
        let mut tally = Self { nodes: 1, ..Self::default() };
        for fact in facts {
            tally.add_fact(None, fact, cluster);
        }
        tally
    }

    fn add_fact(&mut self, node: Option<NodeIx>, fact: &Fact, cluster: &Cluster) {
        match fact {
            Fact::Lack(lack) => self.add_lack(lack),
            Fact::Skew(skew) => {
                self.domains.insert(skew.domain, skew.matching);
                if self.fewest.is_empty() {
                    self.fewest = spread::fewest(skew.fewest, skew.minimum, cluster);
                }
            }
            Fact::InUse(has) => {
                let holder = HoldingPod { node, has: *has };
                self.contended.entry(has.what).or_default().push(holder);
            }
            Fact::AntiAffinity(found) => {
                let rule = AntiAffinityRule { of: found.of, key: found.key };
                let opponents = Opponents { pod: found.pod, pods: found.pods };
                self.opponents.entry(rule).or_default().insert(found.domain, opponents);
            }
            Fact::VolumeLimit(limit) => {
                self.limits
                    .entry(limit.driver)
                    .or_insert_with(|| LimitSpan::new(**limit))
                    .add(**limit);
            }
            Fact::StorageSpace(space) => {
                self.spaces.entry(space.claim).or_insert_with(|| SpaceSpan::new(space)).add(space);
            }
            Fact::Devices { holders, .. } => {
                for holder in *holders {
                    *self.device_holders.entry(holder.pod).or_default() += holder.devices;
                }
            }
            // These are the same on all nodes of a group, or collected separately.
            Fact::Words(_) | Fact::Label(_) | Fact::Values { .. } => {}
        }
    }

    fn add_lack(&mut self, lack: &InsufficientResource) {
        let free = lack.free();
        let span = self.resources.entry(lack.resource).or_insert_with(|| LargestFree {
            requested: lack.requested,
            parts: lack.parts.clone(),
            most_free: free,
            most_allocatable: lack.allocatable,
        });
        span.most_free = span.most_free.max(free);
        span.most_allocatable = span.most_allocatable.max(lack.allocatable);
    }

    /// A line per cause whose values differ between nodes.
    pub(super) fn lines(&self, unmeetable: &[Unmeetable], cluster: &Cluster) -> Vec<String> {
        let mut lines: Vec<String> = self
            .asks
            .iter()
            .map(|asked| labels::on_nodes(&asked.ask, &asked.found, cluster))
            .collect();
        if !self.domains.is_empty() {
            lines.push(format!("{}, {}", spread::counts(&self.domains, cluster), self.fewest));
        }
        lines.extend(self.held(cluster));
        if !self.device_holders.is_empty() {
            lines.push(holders::devices(&self.device_holders, holders::NAMED, cluster));
        }
        for (resource, span) in &self.resources {
            let most =
                unmeetable.iter().find(|found| found.resource == *resource).map(|found| found.most);
            lines.push(match most {
                Some(most) => span.no_node_has(*resource, most, cluster),
                None => span.text(*resource, self.nodes, cluster),
            });
        }
        lines
    }

    /// The lines about what pods and volumes hold.
    pub(super) fn held(&self, cluster: &Cluster) -> Vec<String> {
        let mut lines: Vec<String> = self
            .contended
            .iter()
            .map(|(what, holders)| holders::contended(*what, holders, cluster))
            .collect();
        lines.extend(
            self.opponents
                .iter()
                .map(|(rule, domains)| holders::anti_affinity(*rule, domains, cluster)),
        );
        lines.extend(self.limits.values().map(|limit| limit.text(cluster)));
        lines.extend(self.spaces.values().map(|space| space.text(cluster)));
        lines
    }

    /// The pods that hold the devices that the pod needs; `None` if there are none.
    pub(super) fn device_holders(&self, cluster: &Cluster) -> Option<String> {
        let any = !self.device_holders.is_empty();
        any.then(|| holders::devices(&self.device_holders, usize::MAX, cluster))
    }

    /// The resources of which an empty node has enough, so that pods hold what is missing.
    pub(super) fn held_resources(&self) -> impl Iterator<Item = ResourceId> {
        let spans = self.resources.iter();
        spans
            .filter(|(_, span)| span.requested <= span.most_allocatable)
            .map(|(resource, _)| *resource)
            .filter(|resource| *resource != ResourceId::Pods)
    }

    /// What the lines omit.
    pub(super) fn in_full(&self, cluster: &Cluster) -> Vec<String> {
        let mut lines: Vec<String> = self
            .contended
            .values()
            .flat_map(|holders| holders::contended_in_full(holders, cluster))
            .collect();
        lines.extend(
            self.opponents
                .values()
                .flat_map(|domains| holders::anti_affinity_in_full(domains, cluster)),
        );
        lines.extend(self.spaces.values().flat_map(|space| space.in_full(cluster)));
        lines.extend(
            self.device_holders(cluster).filter(|_| self.device_holders.len() > holders::NAMED),
        );
        lines
    }

    /// What the pod requests of the first resource that the nodes lack, and what they have of it at
    /// most; `None` if it lacks no resource.
    pub(super) fn amounts(
        &self,
        unmeetable: &[Unmeetable],
        cluster: &Cluster,
    ) -> Option<NeededAmount> {
        let (resource, span) = self.resources.first()?;
        let name = resource.name(cluster);
        let name = name.rsplit('/').next().unwrap_or(name);
        let most = unmeetable.iter().find(|found| found.resource == *resource);
        let is_too_small = most.is_some() || span.requested > span.most_allocatable;
        let has = match most {
            Some(found) => found.most,
            None if is_too_small => span.most_allocatable,
            None => span.most_free.max(0),
        };
        let scale = Scale::of(*resource, &[span.requested, has], cluster).in_cores();
        Some(NeededAmount {
            needs: format!("{name} {}", scale.text(span.requested)),
            has: if is_too_small { format!("node {}", scale.text(has)) } else { scale.text(has) },
        })
    }

    /// The remark that is needed even where space is scarce.
    pub(super) fn remark(&self) -> Option<&'static str> {
        (!self.device_holders.is_empty()).then_some(NOT_FOR_DEVICES)
    }
}

/// What a pod needs and what the nodes have, in few characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeededAmount {
    /// The resource and the request: `cpu 2`.
    pub needs: String,
    /// The most that is free on one node: `0.9`; `node 4` if even an empty node has no more.
    pub has: String,
}

impl LargestFree {
    fn text(&self, resource: ResourceId, nodes: usize, cluster: &Cluster) -> String {
        // A common unit, so that the amounts can be compared at a glance.
        let scale = Scale::of(
            resource,
            &[self.requested, self.most_allocatable, self.most_free.max(0)],
            cluster,
        );
        let name = resource.name(cluster);
        let at_most = if nodes == 1 { "" } else { "at most " };
        if resource == ResourceId::Pods {
            return format!("{at_most}{} pods allowed per node", scale.text(self.most_allocatable));
        }
        let requested = match self.parts.as_deref() {
            None | Some([]) => scale.text(self.requested),
            parts => requests::requested(resource, self.requested, parts, cluster),
        };
        let allocatable = scale.text(self.most_allocatable);
        if self.requested > self.most_allocatable {
            if self.most_allocatable == 0 {
                let whose = if nodes == 1 { "the node has none" } else { "no such node has any" };
                return format!("{name}: requests {requested}, {whose}");
            }
            return format!(
                "{name}: requests {requested}, even an empty node has only {allocatable}"
            );
        }
        format!(
            "{name}: requests {requested}, {at_most}{} free of {allocatable}",
            scale.text(self.most_free.max(0))
        )
    }

    /// That no node of the cluster has as much as the pod requests, even when empty.
    fn no_node_has(&self, resource: ResourceId, most: i64, cluster: &Cluster) -> String {
        let name = resource.name(cluster);
        let scale = Scale::of(resource, &[self.requested, most], cluster);
        let requested = match self.parts.as_deref() {
            None | Some([]) => scale.text(self.requested),
            parts => requests::requested(resource, self.requested, parts, cluster),
        };
        match most {
            0 => {
                let similar = labels::similar_resources(name, cluster);
                format!("{name}: needs {requested}, no node has any{similar}")
            }
            _ => format!("{name}: needs {requested}, no node has more than {}", scale.text(most)),
        }
    }
}
