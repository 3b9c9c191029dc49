//! The requests of claims, checked and counted for one node before the search.
//!
//! Upstream: `Allocate`, `validateDeviceRequest`, `isSelectable` of
//! `experimental/allocator_experimental.go` (1.34) and `incubating/allocator_incubating.go` (1.35
//! to 1.37).

use cel::EvaluationError;
use indexmap::IndexMap;

use super::cel::CompileError;
use super::pools::{DevicePool, PoolDevice, PoolState};
use super::{AllocationError, Allocator, Unallocated};
use model::cluster::Sym;
use model::cluster::devices::{AllocationMode, Ask, ConstraintRule, DeviceClass, DeviceId, Want};
use model::cluster::node_selector::NodeFacts;

use super::capacity::CapacityRules;

/// Maximum number of devices of a claim. Upstream: `AllocationResultsMaxSize`.
pub(super) const MOST_DEVICES: usize = 32;

/// One checked alternative of a request.
pub(super) struct CheckedRequest<'c> {
    /// The alternative as the claim defines it.
    pub want: &'c Want,
    pub class: &'c DeviceClass,
    /// How many devices it needs.
    pub count: usize,
    /// All matching devices, if the request is for all of them.
    pub all: Option<Vec<PooledDevice<'c>>>,
}

/// A device with the index of its pool.
#[derive(Clone, Copy)]
pub(super) struct PooledDevice<'c> {
    pub pool: usize,
    pub place: PoolDevice<'c>,
}

/// A request of a claim.
pub(super) struct RequestAlternatives<'c> {
    pub request: Sym,
    pub is_list: bool,
    /// The alternatives; a single one for a plain request.
    pub options: Vec<CheckedRequest<'c>>,
}

/// The position of an alternative, as indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct WantPosition {
    pub claim: usize,
    pub request: usize,
    pub alternative: usize,
}

/// Checks requests against the devices of one node.
pub(super) struct RequestChecker<'c> {
    pub allocator: &'c Allocator<'c>,
    pub claims: &'c [Unallocated<'c>],
    pub node: NodeFacts<'c>,
    /// Results of selectors that were evaluated.
    matches: IndexMap<(WantPosition, DeviceId), bool, foldhash::fast::RandomState>,
}

impl<'c> RequestChecker<'c> {
    pub(super) fn new(
        allocator: &'c Allocator<'c>,
        claims: &'c [Unallocated<'c>],
        node: NodeFacts<'c>,
    ) -> Self {
        Self { allocator, claims, node, matches: IndexMap::default() }
    }

    /// Checks the requests of all claims; returns a list per claim.
    pub(super) fn check(
        &mut self,
        pools: &[DevicePool<'c>],
    ) -> Result<Vec<Vec<RequestAlternatives<'c>>>, AllocationError> {
        let mut checked = Vec::with_capacity(self.claims.len());
        for index in 0..self.claims.len() {
            checked.push(self.check_claim(index, pools)?);
        }
        // The search evaluates anew, and finds nothing in the cache of other requests.
        if !self.allocator.features.dra_alternatives_apart {
            self.matches.clear();
        }
        Ok(checked)
    }

    fn check_claim(
        &mut self,
        index: usize,
        pools: &[DevicePool<'c>],
    ) -> Result<Vec<RequestAlternatives<'c>>, AllocationError> {
        let Some(claim) = self.claims.get(index) else { return Ok(Vec::new()) };
        let features = self.allocator.features;
        // Of each request with alternatives, at least the one with the fewest devices must fit into
        // the claim.
        let (mut checked, mut least) = (Vec::with_capacity(claim.requests.len()), 0usize);
        for (number, request) in claim.requests.iter().enumerate() {
            let (is_list, wants) = match &request.ask {
                Ask::Exactly(want) => (false, std::slice::from_ref(want)),
                Ask::FirstAvailable(wants) => (true, &**wants),
                Ask::Unknown => {
                    return Err(self.invalid(claim, request.name, "unknown request type"));
                }
            };
            self.check_capacity(claim, request.name, is_list, wants)?;
            let mut options: Vec<CheckedRequest> = Vec::with_capacity(wants.len());
            for (alternative, want) in wants.iter().enumerate() {
                // Parity: each alternative after the first is cached in the place of the one before
                // it, whose results it finds there, or overwrites.
                let place = if features.dra_alternatives_apart {
                    alternative
                } else {
                    alternative.saturating_sub(1)
                };
                let at = WantPosition { claim: index, request: number, alternative: place };
                options.push(self.check_want(at, want, pools)?);
            }
            let fewest = options.iter().map(|option| option.count).min().unwrap_or(0);
            if features.dra_limit_per_request && fewest > MOST_DEVICES.saturating_sub(least) {
                let text = format!(
                    "adding {fewest} devices exceeds the claim limit of {MOST_DEVICES}, with {least} already accounted for"
                );
                return Err(self.invalid(claim, request.name, &text));
            }
            least = least.saturating_add(fewest);
            checked.push(RequestAlternatives { request: request.name, is_list, options });
        }
        if least > MOST_DEVICES {
            return Err(AllocationError::Cycle(format!(
                "claim {}/{}: number of requested devices {least} exceeds the claim limit of {MOST_DEVICES}",
                claim.namespace, claim.name
            )));
        }
        self.check_constraints(claim)?;
        Ok(checked)
    }

    /// Rejects requested amounts in versions that would ignore them, if the allocator knows of them
    /// at all.
    fn check_capacity(
        &self,
        claim: &Unallocated,
        request: Sym,
        is_list: bool,
        wants: &[Want],
    ) -> Result<(), AllocationError> {
        let (cluster, features) = (self.allocator.cluster, self.allocator.features);
        if features.dra_consumable_capacity || !super::knows_capacity(features) {
            return Ok(());
        }
        let Some(want) = wants.iter().find(|want| want.capacity.is_some()) else { return Ok(()) };
        let (kind, name) = if is_list && features.dra_refused_alternative_named {
            ("subrequest", want.name)
        } else {
            ("request", request)
        };
        Err(AllocationError::Cycle(format!(
            "claim {}/{}, {kind} {}: has capacity requests, but the DRAConsumableCapacity feature is disabled",
            claim.namespace,
            claim.name,
            cluster.text(name)
        )))
    }

    fn check_constraints(&self, claim: &Unallocated) -> Result<(), AllocationError> {
        let distinct = super::knows_capacity(self.allocator.features);
        let unknown = claim.constraints.iter().position(|c| match c.rule {
            ConstraintRule::Match(_) => false,
            ConstraintRule::Distinct(_) => !distinct,
            ConstraintRule::Unknown => true,
        });
        unknown.map_or(Ok(()), |index| {
            Err(AllocationError::Cycle(format!(
                "claim {}/{}, constraint #{index}: empty constraint (unsupported constraint type?)",
                claim.namespace, claim.name
            )))
        })
    }

    fn invalid(&self, claim: &Unallocated, request: Sym, text: &str) -> AllocationError {
        let request = self.allocator.cluster.text(request);
        AllocationError::Cycle(format!(
            "claim {}/{}, request {request}: {text}",
            claim.namespace, claim.name
        ))
    }

    fn check_want(
        &mut self,
        at: WantPosition,
        want: &'c Want,
        pools: &[DevicePool<'c>],
    ) -> Result<CheckedRequest<'c>, AllocationError> {
        let (cluster, features) = (self.allocator.cluster, self.allocator.features);
        let Some(claim) = self.claims.get(at.claim) else {
            return Err(AllocationError::Cycle(String::new()));
        };
        let invalid = |text: &str| self.invalid(claim, want.name, text);
        if features.dra_refuses_derived
            && !features.dra_derived_attributes
            && !want.derived_attributes.is_empty()
        {
            return Err(invalid(
                "cannot handle request with derived attributes, the feature is disabled",
            ));
        }
        if let Some(number) = want.selectors.iter().position(Option::is_none) {
            let text =
                format!("selector #{number}: CEL expression empty (unsupported selector type?)");
            let request = cluster.text(want.name);
            return Err(AllocationError::Cycle(format!(
                "claim {}/{}, request {request}, {text}",
                claim.namespace, claim.name
            )));
        }
        if !features.dra_admin_access && want.admin_access.is_some() {
            return Err(invalid("admin access is requested, but the feature is disabled"));
        }
        if want.class.is_empty() {
            return Err(invalid("missing device class name (unsupported request type?)"));
        }
        let Some(class) = cluster.devices.class(want.class) else {
            let class = cluster.text(want.class);
            return Err(invalid(&format!(
                "could not retrieve device class {class}: deviceclass.resource.k8s.io \"{class}\" not found"
            )));
        };
        let mut checked = CheckedRequest { want, class, count: 0, all: None };
        match want.mode {
            AllocationMode::ExactCount => checked.count = usize::try_from(want.count).unwrap_or(0),
            AllocationMode::All => {
                let all = self.all_devices(at, &checked, pools)?;
                checked.count = all.len();
                checked.all = Some(all);
            }
            AllocationMode::Unknown(mode) => {
                return Err(invalid(&format!("unsupported count mode {}", cluster.text(mode))));
            }
        }
        Ok(checked)
    }

    fn all_devices(
        &mut self,
        at: WantPosition,
        checked: &CheckedRequest<'c>,
        pools: &[DevicePool<'c>],
    ) -> Result<Vec<PooledDevice<'c>>, AllocationError> {
        let (cluster, features) = (self.allocator.cluster, self.allocator.features);
        let Some(claim) = self.claims.get(at.claim) else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for (number, pool) in pools.iter().enumerate() {
            let state = match pool.state {
                PoolState::Usable => None,
                PoolState::Incomplete => Some("being updated"),
                PoolState::Invalid(_) => Some("invalid"),
            };
            if let Some(state) = state {
                let (driver, name) = (cluster.text(pool.key.0), cluster.text(pool.key.1));
                return Err(AllocationError::UnusablePool {
                    claim: format!("{}/{}", claim.namespace, claim.name),
                    request: cluster.text(checked.want.name).to_owned(),
                    pool: format!("{driver}/{name}"),
                    state,
                });
            }
            for place in pool.places() {
                if !self.is_selectable(at, checked, &place)? {
                    continue;
                }
                if features.dra_consumable_capacity {
                    // Where amounts are counted strictly, "all devices" means all that could ever
                    // hold the amount.
                    let in_use = self.allocator.in_use.consumed.get(&place.id);
                    let consumed = in_use.filter(|_| !features.dra_strict_capacity);
                    match (CapacityRules { cluster, features }).has_room(
                        checked.want,
                        &place,
                        consumed,
                        None,
                    ) {
                        Ok(true) => {}
                        Ok(false) => continue,
                        Err(e) => {
                            let device = cluster.text(place.device.name);
                            let text = format!("checking capacity for device {device}: {e}");
                            return Err(self.invalid(claim, checked.want.name, &text));
                        }
                    }
                }
                all.push(PooledDevice { pool: number, place });
            }
        }
        Ok(all)
    }

    /// Whether the selectors of class and request match the device.
    pub(super) fn is_selectable(
        &mut self,
        at: WantPosition,
        checked: &CheckedRequest,
        place: &PoolDevice,
    ) -> Result<bool, AllocationError> {
        let features = self.allocator.features;
        if !features.dra_binding_conditions
            && place.device.binding_conditions.is_some_and(|n| n > 0)
        {
            return Ok(false);
        }
        if let Some(matches) = self.matches.get(&(at, place.id)) {
            return Ok(*matches);
        }
        let selected = self.selected(at, Some(checked.class), &checked.class.selectors, place)?
            && self.selected(at, None, &checked.want.selectors, place)?
            && self.is_for_node(place)?;
        self.matches.insert((at, place.id), selected);
        Ok(selected)
    }

    fn is_for_node(&self, place: &PoolDevice) -> Result<bool, AllocationError> {
        if place.slice.per_device != Some(true) {
            return Ok(true);
        }
        let matches = place.device.nodes.matches(self.node, &self.allocator.cluster.symbols);
        matches.map_err(|_| AllocationError::Cycle("failed to parse node selector".into()))
    }

    fn selected(
        &self,
        at: WantPosition,
        class: Option<&DeviceClass>,
        selectors: &[Option<Sym>],
        place: &PoolDevice,
    ) -> Result<bool, AllocationError> {
        let cluster = self.allocator.cluster;
        for (number, selector) in selectors.iter().enumerate() {
            // Parity: only the selectors of requests are checked beforehand.
            if selector.is_none() && class.is_some() {
                return Err(AllocationError::NoExpressionInClass);
            }
            let selector = selector.and_then(|s| self.allocator.selector(s));
            let (selector, expression) =
                match selector.map(|selector| (selector, &selector.expression)) {
                    Some((selector, Ok(expression))) => (selector, expression),
                    Some((_, Err(CompileError::Invalid(e) | CompileError::Syntax(e)))) => {
                        let whose = self.owner_of_selector(at, class);
                        return Err(AllocationError::Cycle(format!(
                            "{whose}: selector #{number}: CEL compile error: {e}"
                        )));
                    }
                    // A note says that these devices are unknown.
                    Some((_, Err(CompileError::Unsupported(_)))) | None => return Ok(false),
                };
            let result = selector.matches(
                expression,
                place.slice,
                place.index,
                place.device,
                &cluster.symbols,
            );
            match result {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => match &*error {
                    // A note says that these devices are unknown.
                    EvaluationError::Unsupported(_) => return Ok(false),
                    EvaluationError::Failed(e) => {
                        let whose = self.owner_of_selector(at, class);
                        let error = self.runtime_error(place, e);
                        return Err(AllocationError::Cycle(format!(
                            "{whose}: selector #{number}{error}"
                        )));
                    }
                },
            }
        }
        Ok(true)
    }

    fn owner_of_selector(&self, at: WantPosition, class: Option<&DeviceClass>) -> String {
        match (class, self.claims.get(at.claim)) {
            (Some(class), _) => format!("class {}", self.allocator.cluster.text(class.name)),
            (None, Some(claim)) => format!("claim {}/{}", claim.namespace, claim.name),
            (None, None) => String::new(),
        }
    }

    fn runtime_error(&self, place: &PoolDevice, error: &str) -> String {
        if !self.allocator.features.dra_errors_name_device {
            return format!(": CEL runtime error: {error}");
        }
        let [driver, pool, device] = [place.id.driver, place.id.pool, place.id.device]
            .map(|name| self.allocator.cluster.text(name));
        let hint = if error.contains("no such key:") {
            ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for \
             optional fields"
        } else {
            ""
        };
        format!(" on device {driver}/{pool}/{device}: CEL runtime error: {error}{hint}")
    }
}
