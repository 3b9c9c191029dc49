//! `DynamicResources`: the pod's claims have devices that the node can use, or can get them there.
//!
//! Evicting pods does not free devices in the scheduler's simulation: what a claim holds, it keeps.

mod claims;
mod extended;
mod score;

use claims::PodClaims;
use extended::Special;

use crate::cluster::devices::{Ask, Claim, ClaimIx, Request};
use crate::cluster::node_selector::NodeSelector;
use crate::cluster::notes::{Note, Severity, subject};
use crate::cluster::pod::PodIx;
use crate::cluster::symbols::Sym;
use crate::dra::cel::{Expression, Problem};
use crate::dra::{Allocator, Trouble, Unallocated};
use crate::framework::cluster_view::{ClusterView, NodeInfo};
use crate::framework::cycle::NodeVerdict;
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc};
use crate::framework::status::{Code, Evidence, Rejection, Text, Verdict};

/// Upstream's reasons.
const NOT_ALL: &str = "cannot allocate all claims";
const NOT_HERE: &str = "resourceclaim not available on the node";
const LEFT_OVER: &str = "cannot schedule extended resource claim";
const NO_RESOURCE: &str = "cannot fit resource";
const TIMED_OUT: &str = "timed out trying to allocate devices";

/// The declared feature of nodes that allocations with `skipNodeOperations` need.
const NODE_OPERATIONS: &str = "DRAOptionalNodeOperations";

/// The plugin.
pub struct DynamicResources;

static DOC: RuleDoc = RuleDoc {
    name: "DynamicResources",
    code: "PRE-113",
    summary: "Every claim of the pod holds devices that the node can use, or can get them on the node.",
    preemption: "Never helps: evicting a pod does not free the devices of its claims in the scheduler's simulation.",
    scores: Some("Prefers nodes that can serve the earlier, better alternatives of a claim."),
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

impl Plugin for DynamicResources {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        match Claims::new(cycle) {
            Ok(None) => Prepared::Skip,
            Ok(Some(claims)) => Prepared::ready(claims),
            Err(Refusal::Pod(text)) => Prepared::Reject(Rejection::unresolvable(Text::Owned(text.into()))),
            Err(Refusal::Cycle(error)) => Prepared::Failed(error),
        }
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some("not found")
    }
}

/// Why the pod is refused on all nodes.
enum Refusal {
    /// As it is.
    Pod(String),
    /// By an error.
    Cycle(String),
}

/// Why the pod does not even enter the queue: a claim of it is missing. Upstream: PreEnqueue.
#[must_use]
pub fn held_back(view: &ClusterView, pod: PodIx) -> Option<String> {
    if !view.profile.plugins.pre_enqueue.contains(&DOC.name) {
        return None;
    }
    claims::of_pod(view.cluster, pod).err()
}

/// The pod's claims, ready to be looked at node by node.
struct Claims<'c> {
    cycle: Cycle<'c>,
    /// Claims of the spec.
    user: PodClaims<'c>,
    /// The scheduler's own claim, for extended resources.
    special: Option<Special<'c>>,
    /// Present if any claim is to be allocated.
    allocator: Option<Allocator<'c>>,
}

impl<'c> Claims<'c> {
    /// PreFilter. `None`: the pod has no claims.
    fn new(cycle: &Cycle<'c>) -> Result<Option<Self>, Refusal> {
        let (cluster, features) = (cycle.cluster(), &cycle.features().dra);
        let user = claims::of_pod(cluster, cycle.ix).map_err(Refusal::Pod)?;
        let special = Special::of_pod(cycle);
        if user.is_empty() && special.is_none() {
            return Ok(None);
        }
        for (_, claim) in &user {
            if let Some(allocation) = &claim.allocation {
                if allocation.nodes.as_ref().is_some_and(|terms| terms.iter().any(|t| t.parsed.is_err())) {
                    return Err(Refusal::Cycle("status.allocation.nodeSelector cannot be parsed".into()));
                }
            } else {
                check_classes(cycle, claim)?;
            }
        }
        let waiting = user.iter().filter(|(_, claim)| claim.allocation.is_none());
        let mut wanted: Vec<Sym> = waiting.flat_map(|(_, claim)| claims::expressions(cluster, claim)).collect();
        wanted.extend(special.iter().flat_map(Special::expressions));
        wanted.sort_unstable();
        wanted.dedup();
        let any = special.is_some() || user.iter().any(|(_, claim)| claim.allocation.is_none());
        let allocator = any.then(|| Allocator::new(cluster, features, wanted));
        Ok(Some(Self { cycle: *cycle, user, special, allocator }))
    }

    /// Devices for the claims that have none; one list per claim. `requests`: of the scheduler's own claim on this node.
    fn allocate(&self, node: &NodeInfo, requests: Option<&[Request]>) -> Result<Granted, Verdict> {
        let Some(allocator) = &self.allocator else { return Ok(Vec::new()) };
        let waiting = self.waiting(requests);
        let cluster = self.cycle.cluster();
        match allocator.allocate(node.node, &waiting) {
            Ok(Some(granted)) => Ok(granted),
            Ok(None) => {
                let shortage = allocator.shortage(node.node, &waiting);
                let claim = shortage.and_then(|s| waiting.get(s.claim)).and_then(|c| cluster.symbols.get(c.name));
                let evidence = Evidence::Devices { claim, shortage };
                Err(Verdict::reject(Code::UnschedulableAndUnresolvable, Text::Fixed(NOT_ALL), evidence))
            }
            Err(Trouble::OnNode(text)) => {
                Err(Verdict::reject(Code::UnschedulableAndUnresolvable, Text::Fixed(text), Evidence::None))
            }
            Err(Trouble::Cycle(error)) => Err(Verdict::Failed(error)),
            Err(Trouble::TooLong) if self.cycle.features().dra.dra_timeout_is_error => {
                let name = cluster.text(self.cycle.view.node(node.node).name);
                Err(Verdict::Failed(format!("node {name}: {TIMED_OUT}")))
            }
            Err(Trouble::TooLong) => {
                Err(Verdict::reject(Code::UnschedulableAndUnresolvable, Text::Fixed(TIMED_OUT), Evidence::None))
            }
        }
    }

    fn waiting<'a>(&'a self, requests: Option<&'a [Request]>) -> Vec<Unallocated<'a>> {
        let cluster = self.cycle.cluster();
        let user = self.user.iter().filter(|(_, claim)| claim.allocation.is_none());
        let mut waiting: Vec<Unallocated> = user
            .map(|(_, claim)| Unallocated {
                namespace: cluster.text(claim.namespace),
                name: cluster.text(claim.name),
                requests: &claim.requests,
                constraints: &claim.constraints,
            })
            .collect();
        if self.special.is_some() {
            waiting.push(Unallocated {
                namespace: cluster.text(self.cycle.pod.namespace),
                name: extended::NAME,
                requests: requests.unwrap_or_default(),
                constraints: &[],
            });
        }
        waiting
    }

    /// Allocated claims that cannot be used on the node.
    fn unavailable(&self, node: &NodeInfo) -> Box<[ClaimIx]> {
        let (cluster, features) = (self.cycle.cluster(), &self.cycle.features().dra);
        let facts = cluster.node_facts(self.cycle.view.node(node.node));
        let selects = |terms: &NodeSelector| terms.iter().any(|t| t.matches(facts, &cluster.symbols));
        let declared = &self.cycle.view.node(node.node).declared_features;
        let unusable = |claim: &Claim| {
            let Some(allocation) = &claim.allocation else { return false };
            let skips = features.dra_node_operations && allocation.results.iter().any(|r| r.skips_node_operations);
            allocation.nodes.as_ref().is_some_and(|terms| !selects(terms))
                || (skips && !declared.iter().any(|f| cluster.text(*f) == NODE_OPERATIONS))
                || (features.dra_binding_conditions && claims::binding_failed(claim))
        };
        self.user.iter().filter(|(_, claim)| unusable(claim)).map(|(ix, _)| *ix).collect()
    }
}

type Granted = Vec<Vec<crate::dra::Granted>>;

impl Filter for Claims<'_> {
    fn check(&self, node: &NodeInfo) -> Verdict {
        let requests = match self.special.as_ref().map(|s| s.on_node(&self.cycle, node)).transpose() {
            Ok(requests) => requests.flatten(),
            Err(text) => {
                return Verdict::reject(Code::UnschedulableAndUnresolvable, Text::Fixed(text), Evidence::None);
            }
        };
        if requests.is_none() && self.user.is_empty() {
            return Verdict::Fits;
        }
        let unavailable = self.unavailable(node);
        if let Err(verdict) = self.allocate(node, requests.as_deref()) {
            return verdict;
        }
        if unavailable.is_empty() {
            return Verdict::Fits;
        }
        let evidence = Evidence::ClaimElsewhere { claims: unavailable };
        Verdict::reject(Code::UnschedulableAndUnresolvable, Text::Fixed(NOT_HERE), evidence)
    }
}

/// Every request names classes that there are.
fn check_classes(cycle: &Cycle, claim: &Claim) -> Result<(), Refusal> {
    let cluster = cycle.cluster();
    let text = |sym: Sym| cluster.text(sym);
    let whose = |request: Sym| {
        format!("resource claim {}/{}, request {}", text(claim.namespace), text(claim.name), text(request))
    };
    let exists = |class: Sym, request: &str| {
        if class.is_empty() {
            return Err(Refusal::Cycle(format!("request {request}: unsupported request type")));
        }
        if cluster.devices.class(class).is_none() {
            return Err(Refusal::Pod(format!("request {request}: device class {} does not exist", text(class))));
        }
        Ok(())
    };
    for request in &claim.requests {
        match &request.ask {
            Ask::Exactly(want) => exists(want.class, text(request.name))?,
            Ask::FirstAvailable(_) if !cycle.features().dra.dra_prioritized_list => {
                let text = "has subrequests, but the DRAPrioritizedList feature is disabled";
                return Err(Refusal::Pod(format!("{}: {text}", whose(request.name))));
            }
            Ask::FirstAvailable(wants) => {
                for want in wants {
                    exists(want.class, &format!("{}/{}", text(request.name), text(want.name)))?;
                }
            }
            Ask::Unknown => return Err(Refusal::Pod(format!("{}: unknown request type", whose(request.name)))),
        }
    }
    Ok(())
}

/// What DynamicResources itself says when no node was found, before DefaultPreemption has its turn: it frees a claim
/// that stands in the way and that nobody else uses.
#[must_use]
pub fn post_filter(cycle: &Cycle, verdicts: &[NodeVerdict]) -> Option<&'static str> {
    let features = &cycle.features().dra;
    if !features.dynamic_resources {
        return None;
    }
    let silent = |text: &'static str| features.dra_post_filter_text.then_some(text);
    let Ok(Some(claims)) = Claims::new(cycle) else { return silent("no new claims to deallocate") };
    let evidence = verdicts.iter().filter_map(|v| match v {
        NodeVerdict::Filtered { rejection, .. } => rejection.reasons.first().map(|r| &r.evidence),
        _ => None,
    });
    let mut unavailable = evidence.filter_map(|e| match e {
        Evidence::ClaimElsewhere { claims } => Some(claims),
        _ => None,
    });
    let is_free = |ix: &ClaimIx| {
        cycle.cluster().devices.get(*ix).is_some_and(|claim| match &*claim.reserved_for {
            [] => true,
            [only] => **only == *cycle.pod.uid,
            _ => false,
        })
    };
    if unavailable.any(|claims| claims.iter().any(is_free)) {
        return Some("deallocation of ResourceClaim completed");
    }
    if claims.special.is_some_and(|s| s.is_left_over()) {
        return Some("deletion of ResourceClaim completed");
    }
    silent("still not schedulable")
}

/// What makes the answer about the pod's claims less than certain.
#[must_use]
pub fn remarks(cycle: &Cycle, verdicts: &[NodeVerdict]) -> Vec<Note> {
    let cluster = cycle.cluster();
    if cycle.template.claims.is_empty() && cluster.devices.classes.is_empty() {
        return Vec::new();
    }
    let Ok(Some(claims)) = Claims::new(cycle) else { return Vec::new() };
    let mut notes = Vec::new();
    for (_, claim) in &claims.user {
        let about = subject("ResourceClaim", cluster.text(claim.namespace), cluster.text(claim.name));
        if claim.allocation.is_some() {
            if cycle.features().dra.dra_binding_conditions && claims::is_binding(claim) {
                let text = "waits for its devices' binding conditions: whether that has timed out is not checked";
                notes.push(Note::warning(about, text));
            }
            continue;
        }
        for expression in claims::expressions(cluster, claim) {
            let text = cluster.text(expression);
            match Expression::compile(text) {
                Ok(_) => {}
                Err(Problem::Invalid(e)) => {
                    let e = e.lines().next().unwrap_or_default();
                    let text = format!(
                        "selector `{text}` does not compile; the scheduler's error has the same cause but other words: {e}"
                    );
                    notes.push(Note::warning(about.clone(), text));
                }
                Err(Problem::Unsupported(what)) => {
                    let text =
                        format!("selector `{text}` {what}, which is not known here: devices cannot be told apart");
                    notes.push(Note::new(Severity::Error, about.clone(), text));
                }
            }
        }
    }
    let gave_up = |verdict: &&NodeVerdict| match verdict {
        NodeVerdict::Failed(error) => error.contains(TIMED_OUT),
        NodeVerdict::Filtered { rejection, .. } => rejection.reasons.iter().any(|r| r.text == Text::Fixed(TIMED_OUT)),
        _ => false,
    };
    if let count @ 1.. = verdicts.iter().filter(gave_up).count() {
        let about = subject("Pod", cluster.text(cycle.pod.namespace), &cycle.pod.name);
        let text = format!(
            "the search for devices was given up on {count} nodes; the scheduler gives up after ten seconds, which may \
             be sooner or later"
        );
        notes.push(Note::new(Severity::Error, about, text));
    }
    notes
}

#[cfg(test)]
mod tests;
