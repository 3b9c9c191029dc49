//! PreFilter and Filter: whether a node can use the devices of the pod's claims, or devices there
//! can be allocated to them.
//!
//! Upstream: `pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go` (1.37).

use std::sync::OnceLock;

use super::claims::{self, Binding, PodClaims};
use super::evidence::{ClaimsElsewhere, Holders, NotAllocated};
use super::extended::{self, Special};
use super::messages;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::evidence::{Evidence, TimedOut};
use crate::framework::failure::{Crash, StepFailure};
use crate::framework::plugin::{Cycle, Filter};
use crate::framework::reason::ReasonText;
use crate::framework::selector_error::node_selector_error;
use crate::framework::status::{Code, FilterVerdict};
use dra::{AllocationError, Allocator, Grant, Unallocated, declares_node_operations};
use model::cluster::devices::{Allocation, Ask, ClaimIx, DeviceRequest, ResourceClaim};
use model::cluster::node_selector::NodeSelector;
use model::cluster::{Cluster, Sym};

/// Why PreFilter stops the cycle.
pub(super) enum PreFilterRejection {
    /// The pod is rejected on every node, for this reason.
    Pod(ReasonText),
    /// The cycle ends with this error.
    Cycle(String),
}

/// What the claims are allocated on a node, or why the node is rejected.
type AllocationResult = Result<Vec<Grant>, FilterVerdict>;

/// The pod's claims, prepared for Filter.
pub(super) struct Claims<'c> {
    pub(super) cycle: Cycle<'c>,
    /// Claims of the spec.
    pub(super) user: PodClaims<'c>,
    /// The scheduler's own claim, for extended resources.
    pub(super) special: Option<Special<'c>>,
    /// Present if any claim is to be allocated.
    pub(super) allocator: Option<Allocator<'c>>,
    /// The allocations on each node, computed on demand. They do not depend on the pods of the
    /// node, so a dry run that removes some need not search again.
    allocations: Box<[OnceLock<AllocationResult>]>,
    /// The pods that hold devices, found once a node has too few.
    holders: OnceLock<Holders>,
}

impl<'c> Claims<'c> {
    /// PreFilter. `None`: the pod has no claims.
    pub(super) fn new(cycle: &Cycle<'c>) -> Result<Option<Self>, PreFilterRejection> {
        let (cluster, features) = (cycle.cluster(), &cycle.features().dra);
        let user = claims::of_pod(cluster, cycle.ix, features).map_err(PreFilterRejection::Pod)?;
        let special = Special::of_pod(cycle, !user.is_empty());
        if user.is_empty() && special.is_none() {
            return Ok(None);
        }
        let reserved = cycle.view.reserved();
        for (ix, claim) in &user {
            if let Some(allocation) = &claim.allocation {
                let terms = allocation.nodes.as_ref();
                if let Some(error) =
                    terms.and_then(|terms| node_selector_error(terms, cycle.features()))
                {
                    return Err(PreFilterRejection::Cycle(error));
                }
            } else if reserved.grant(*ix).is_none() {
                check_classes(cycle, claim)?;
            }
        }
        let waiting = user
            .iter()
            .filter(|(ix, claim)| claim.allocation.is_none() && reserved.grant(*ix).is_none());
        let derived: Vec<Sym> =
            waiting.clone().flat_map(|(_, claim)| claims::derivations(claim)).collect();
        let mut wanted: Vec<Sym> =
            waiting.flat_map(|(_, claim)| claims::expressions(cluster, claim)).collect();
        wanted.extend(special.iter().flat_map(Special::expressions));
        wanted.sort_unstable();
        wanted.dedup();
        let any = special.is_some() || user.iter().any(|(_, claim)| claim.allocation.is_none());
        let selectors = cycle.view.device_selectors();
        let allocator = any.then(|| {
            Allocator::new(
                cluster,
                features,
                selectors,
                cycle.view.devices_in_use(),
                wanted,
                derived,
            )
        });
        let nodes = if allocator.is_some() { cluster.nodes.len() } else { 0 };
        let allocations = (0..nodes).map(|_| OnceLock::new()).collect();
        Ok(Some(Self {
            cycle: *cycle,
            user,
            special,
            allocator,
            allocations,
            holders: OnceLock::new(),
        }))
    }

    /// Allocates the claims that have no devices. `requests` are those of the scheduler's own claim
    /// on this node.
    pub(super) fn allocate(
        &self,
        node: &NodeInfo,
        requests: Option<&[DeviceRequest]>,
    ) -> Result<&[Grant], FilterVerdict> {
        let Some(allocation) = self.allocations.get(node.node.0 as usize) else { return Ok(&[]) };
        let granted = allocation.get_or_init(|| self.search(node, requests));
        granted.as_deref().map_err(FilterVerdict::clone)
    }

    fn search(&self, node: &NodeInfo, requests: Option<&[DeviceRequest]>) -> AllocationResult {
        let Some(allocator) = &self.allocator else { return Ok(Vec::new()) };
        if let Some(verdict) = self.pending_skips(node.node) {
            return Err(verdict);
        }
        let waiting = self.waiting(requests);
        let cluster = self.cycle.cluster();
        match allocator.allocate(node.node, &waiting) {
            Ok(Some(granted)) => Ok(granted),
            Ok(None) => {
                let (shortage, held) = allocator.shortage(node.node, &waiting).unzip();
                let holders = self.holders.get_or_init(|| Holders::new(self.cycle.view));
                let holders = held.map(|devices| holders.of(&devices, cluster)).unwrap_or_default();
                let shortage = shortage.map(Box::new);
                let claim = shortage
                    .as_deref()
                    .and_then(|s| waiting.get(s.claim))
                    .and_then(|c| cluster.symbols.get(c.name));
                let evidence = NotAllocated { claim, shortage, holders }.grounds();
                Err(FilterVerdict::reject(
                    Code::UnschedulableAndUnresolvable,
                    messages::NOT_ALL.reason(),
                    evidence,
                ))
            }
            Err(AllocationError::InvalidPools) => {
                let text = messages::INVALID_POOLS.reason();
                Err(FilterVerdict::reject(Code::UnschedulableAndUnresolvable, text, None))
            }
            Err(AllocationError::UnusablePool { claim, request, pool, state }) => {
                let text = messages::POOL_NOT_ON_NODE.with([&claim, &request, &pool, state]);
                Err(if self.cycle.features().dra.dra_unusable_pools_by_node {
                    FilterVerdict::reject(Code::UnschedulableAndUnresolvable, text, None)
                } else {
                    FilterVerdict::Failed(text.render(cluster).into_owned().into())
                })
            }
            Err(AllocationError::Cycle(error)) => Err(FilterVerdict::Failed(error.into())),
            Err(AllocationError::NoSuchDevice) => {
                Err(FilterVerdict::Failed(StepFailure::Crash(Crash::NoDeviceToCompare)))
            }
            Err(AllocationError::NoPoolOfCounters) => {
                Err(FilterVerdict::Failed(StepFailure::Crash(Crash::NoPoolOfCounters)))
            }
            Err(AllocationError::NoExpressionInClass) => {
                Err(FilterVerdict::Failed(StepFailure::Crash(Crash::NoExpressionInClass)))
            }
            Err(AllocationError::TooLong) if self.cycle.features().dra.dra_timeout_is_error => {
                let name = cluster.text(self.cycle.view.node(node.node).name);
                Err(FilterVerdict::Failed(StepFailure::TimedOut(format!(
                    "node {name}: {}",
                    messages::TIMED_OUT.text
                ))))
            }
            Err(AllocationError::TooLong) => Err(FilterVerdict::reject(
                Code::UnschedulableAndUnresolvable,
                messages::TIMED_OUT.reason(),
                TimedOut.grounds(),
            )),
        }
    }

    fn waiting<'a>(&'a self, requests: Option<&'a [DeviceRequest]>) -> Vec<Unallocated<'a>> {
        let cluster = self.cycle.cluster();
        let user = self
            .user
            .iter()
            .filter(|(ix, claim)| claim.allocation.is_none() && self.pending(*ix).is_none());
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

    /// Whether the devices of an allocated claim could not be prepared, or not within the time that
    /// the profile allows. Upstream: `dynamicresources.go` `isClaimReadyForBinding`,
    /// `isClaimTimeout` (1.37).
    fn binding_is_over(&self, claim: &ResourceClaim, allocation: &Allocation) -> bool {
        let timeout = self.cycle.view.profile.args.binding_timeout;
        // A deadline beyond the representable range never comes.
        match claims::binding(claim) {
            Binding::Ready => false,
            Binding::Waiting => allocation.at.is_some_and(|at| {
                at.checked_add(timeout).is_ok_and(|deadline| deadline < self.cycle.now)
            }),
            Binding::Failed => true,
        }
    }

    /// Claims whose devices, allocated or pending, the node cannot use.
    fn unavailable(&self, node: &NodeInfo) -> Box<[ClaimIx]> {
        let mut unavailable = Vec::new();
        for (ix, claim) in &self.user {
            let is_unusable = match &claim.allocation {
                Some(allocation) => self.is_unusable(claim, allocation, node),
                None => self.is_pending_elsewhere(*ix, node),
            };
            if is_unusable {
                unavailable.push(*ix);
            }
        }
        unavailable.into()
    }

    fn is_unusable(&self, claim: &ResourceClaim, allocation: &Allocation, node: &NodeInfo) -> bool {
        let (cluster, features) = (self.cycle.cluster(), &self.cycle.features().dra);
        if allocation.nodes.as_ref().is_some_and(|terms| !self.selects(terms, node)) {
            return true;
        }
        let skips_node_operations = features.dra_node_operations
            && allocation.results.iter().any(|result| result.skips_node_operations);
        if skips_node_operations && !declares_node_operations(cluster, node.node) {
            return true;
        }
        features.dra_binding_conditions && self.binding_is_over(claim, allocation)
    }

    /// Whether the devices that another pod of the group reserved for the claim are elsewhere.
    fn is_pending_elsewhere(&self, claim: ClaimIx, node: &NodeInfo) -> bool {
        self.cycle.features().dra.dra_pending_narrows
            && self
                .pending(claim)
                .and_then(|pending| pending.nodes.as_ref())
                .is_some_and(|terms| !self.selects(terms, node))
    }

    fn selects(&self, terms: &NodeSelector, node: &NodeInfo) -> bool {
        let cluster = self.cycle.cluster();
        let facts = cluster.node_facts(self.cycle.view.node(node.node));
        terms.iter().any(|term| term.matches(facts, &cluster.symbols))
    }
}

impl Filter for Claims<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        let requests = match self.special.as_ref().map(|s| s.on_node(&self.cycle, node)).transpose()
        {
            Ok(requests) => requests.flatten(),
            Err(text) => {
                return FilterVerdict::reject(
                    Code::UnschedulableAndUnresolvable,
                    text.reason(),
                    None,
                );
            }
        };
        if requests.is_none() && self.user.is_empty() {
            return FilterVerdict::Fits;
        }
        let unavailable = self.unavailable(node);
        if let Err(verdict) = self.allocate(node, requests.as_deref()) {
            return verdict;
        }
        if unavailable.is_empty() {
            return FilterVerdict::Fits;
        }
        let evidence = ClaimsElsewhere { claims: unavailable }.grounds();
        FilterVerdict::reject(
            Code::UnschedulableAndUnresolvable,
            messages::NOT_HERE.reason(),
            evidence,
        )
    }
}

/// Checks that every request names device classes that exist.
fn check_classes(cycle: &Cycle, claim: &ResourceClaim) -> Result<(), PreFilterRejection> {
    let cluster = cycle.cluster();
    for request in &claim.requests {
        let name = cluster.text(request.name);
        let whose = [cluster.text(claim.namespace), cluster.text(claim.name), name];
        match &request.ask {
            Ask::Exactly(want) => check_class(want.class, name, cluster)?,
            Ask::FirstAvailable(_) if !cycle.features().dra.dra_prioritized_list => {
                return Err(PreFilterRejection::Pod(messages::NO_SUBREQUESTS.with(whose)));
            }
            Ask::FirstAvailable(wants) => {
                for want in wants {
                    let name = format!("{name}/{}", cluster.text(want.name));
                    check_class(want.class, &name, cluster)?;
                }
            }
            Ask::Unknown => {
                return Err(PreFilterRejection::Pod(messages::UNKNOWN_REQUEST.with(whose)));
            }
        }
    }
    Ok(())
}

/// Checks that a request names a device class that exists.
fn check_class(class: Sym, request: &str, cluster: &Cluster) -> Result<(), PreFilterRejection> {
    if class.is_empty() {
        let error = format!("request {request}: unsupported request type");
        return Err(PreFilterRejection::Cycle(error));
    }
    if cluster.devices.class(class).is_none() {
        let reason = messages::NO_CLASS.with([request, cluster.text(class)]);
        return Err(PreFilterRejection::Pod(reason));
    }
    Ok(())
}
