//! The search for an allocation that satisfies all claims: depth first, first fit.
//!
//! Upstream: `allocateOne`, `allocateDevice` of `experimental/allocator_experimental.go` (1.34) and
//! `incubating/allocator_incubating.go` (1.35 to 1.37).

use std::collections::{BTreeMap, BTreeSet};

use super::capacity::CapacityRules;
use super::compatibility::CompatibilityGroups;
use super::constraints::{Constraints, Requester};
use super::counters::{self, Counters};
use super::in_use::{self, ConsumedCapacity};
use super::pools::{DevicePool, PoolDevice, PoolState, repelling};
use super::requests::{
    MOST_DEVICES, PooledDevice, RequestAlternatives, RequestChecker, WantPosition,
};
use super::search_state::{
    CapacityShare, ConsumedCounters, Cursor, DevicePosition, Pick, SearchStop, TakeResult,
};
use super::{AllocationError, Allocator, Grant, Unallocated, is_experimental};
use model::cluster::devices::{AllocationMode, DeviceId, Want};
use model::cluster::{NodeIx, Quantity, Sym};
use profile::history::SharedCounters;

/// Maximum number of steps of a search on one node; beyond it, the search is assumed to exceed the
/// scheduler's timeout of ten seconds.
const MOST_STEPS: u64 = 2_000_000;
/// Steps that every search may take, in addition to this many per device of the node: what is found
/// without backtracking is found however many pods wait for devices.
const FEWEST_STEPS: u64 = 1_000;
const STEPS_PER_DEVICE: u64 = MOST_DEVICES as u64;

struct DeviceSearch<'c> {
    node: NodeIx,
    requests: RequestChecker<'c>,
    checked_requests: Vec<Vec<RequestAlternatives<'c>>>,
    pools: Vec<DevicePool<'c>>,
    /// The devices of each pool, in the order in which they are tried.
    places: Vec<Vec<PoolDevice<'c>>>,
    constraints: Constraints<'c>,
    counters: Counters,
    groups: CompatibilityGroups,
    /// The devices picked so far, each with the claims that picked it.
    picked: BTreeMap<DeviceId, BTreeSet<usize>>,
    /// The consumed capacity of the devices picked so far.
    shares: BTreeMap<DeviceId, ConsumedCapacity>,
    picks: Vec<Vec<Pick<'c>>>,
    /// How many more steps it may take: devices tried, and constraints checked for them.
    steps_left: u64,
}

pub(super) fn allocate<'c>(
    allocator: &'c Allocator<'c>,
    node: NodeIx,
    claims: &'c [Unallocated<'c>],
) -> Result<Option<Vec<Grant>>, AllocationError> {
    let (cluster, features) = (allocator.cluster, allocator.features);
    let facts = cluster.node_facts(cluster.node(node));
    let pools = allocator.pools.of_node(cluster, features, facts)?;
    let mut requests = RequestChecker::new(allocator, claims, facts);
    let checked_requests = requests.check(&pools)?;
    let places: Vec<Vec<PoolDevice>> = pools.iter().map(|pool| pool.places().collect()).collect();
    let devices: usize = places.iter().map(Vec::len).sum();
    let steps_left =
        FEWEST_STEPS + STEPS_PER_DEVICE * (devices as u64) + allocator.search_steps.min(MOST_STEPS);
    let mut search = DeviceSearch {
        node,
        requests,
        checked_requests,
        places,
        pools,
        constraints: Constraints::new(allocator, claims),
        counters: Counters::default(),
        groups: CompatibilityGroups::default(),
        picked: BTreeMap::new(),
        shares: BTreeMap::new(),
        picks: claims.iter().map(|_| Vec::new()).collect(),
        steps_left,
    };
    match search.allocate_one(Cursor::of_claim(0), DevicePosition::default()) {
        Ok(true) => search.finish().map(Some),
        Ok(false)
            if search.pools.iter().any(|pool| matches!(pool.state, PoolState::Invalid(_))) =>
        {
            Err(AllocationError::InvalidPools)
        }
        Ok(false) => Ok(None),
        Err(SearchStop::TooMany) => {
            Err(AllocationError::Cycle("allocation max size exceeded".into()))
        }
        Err(SearchStop::AllocationError(error)) => Err(error),
    }
}

impl<'c> DeviceSearch<'c> {
    /// Allocates the device at `cursor` and all after it. Devices are tried starting at `from`.
    fn allocate_one(&mut self, cursor: Cursor, from: DevicePosition) -> Result<bool, SearchStop> {
        self.step(1)?;

        // Past the last claim, everything is allocated; past the last request of a claim, the next
        // claim follows.
        let Some(claim) = self.checked_requests.get(cursor.claim) else { return Ok(true) };
        let Some(request) = claim.get(cursor.request) else {
            return match self
                .allocate_one(Cursor::of_claim(cursor.claim + 1), DevicePosition::default())
            {
                // The limit counts the devices of one claim, so to this claim the next one simply
                // fails.
                Err(SearchStop::TooMany) => Ok(false),
                other => other,
            };
        };
        if request.is_list && !cursor.alternative_chosen {
            return self.allocate_alternative(cursor, request.options.len());
        }
        let Some(checked) = request.options.get(cursor.alternative) else { return Ok(false) };
        let (count, all) = (checked.count, checked.want.mode == AllocationMode::All);
        if all && count == 0 {
            return Ok(false);
        }

        // The request has all its devices.
        if cursor.device >= count {
            return self.allocate_one(cursor.next_request(), DevicePosition::default());
        }

        let picked = self.picks.get(cursor.claim).map_or(0, Vec::len);
        // Parity: 1.33.0 also counts the devices that the request has already got.
        let missing = if self.requests.allocator.features.dra_limit_counts_twice {
            count
        } else {
            count - cursor.device
        };
        if missing > MOST_DEVICES.saturating_sub(picked) {
            if self.requests.allocator.features.dra_limit_counts_twice {
                return Ok(false);
            }
            return Err(SearchStop::TooMany);
        }
        if all { self.allocate_from_all(cursor) } else { self.allocate_any(cursor, from) }
    }

    /// Counts steps towards the limit.
    fn step(&mut self, steps: u64) -> Result<(), AllocationError> {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(AllocationError::TooLong)?;
        Ok(())
    }

    /// Tries the alternatives of a request in their order.
    fn allocate_alternative(&mut self, cursor: Cursor, count: usize) -> Result<bool, SearchStop> {
        let mut all_too_many = true;
        for alternative in 0..count {
            let cursor = Cursor { alternative, alternative_chosen: true, ..cursor };
            match self.allocate_one(cursor, DevicePosition::default()) {
                Err(SearchStop::TooMany) => {}
                Ok(false) => all_too_many = false,
                other => return other,
            }
        }
        if all_too_many { Err(SearchStop::TooMany) } else { Ok(false) }
    }

    /// Allocates the next device of a request for all devices. Their order does not matter: the
    /// request fails with the first device that is not available.
    fn allocate_from_all(&mut self, cursor: Cursor) -> Result<bool, SearchStop> {
        let request =
            self.checked_requests.get(cursor.claim).and_then(|claim| claim.get(cursor.request));
        let checked = request.and_then(|request| request.options.get(cursor.alternative));
        let device = checked.and_then(|checked| checked.all.as_ref()?.get(cursor.device).copied());
        let Some(device) = device else { return Ok(false) };
        if !self.allocate_device(cursor, device, true)? {
            return Ok(false);
        }
        // Parity: up to 1.35 the search continues with the first alternative.
        let apart = self.requests.allocator.features.dra_alternatives_apart;
        let next = Cursor { alternative: if apart { cursor.alternative } else { 0 }, ..cursor };
        self.allocate_next(next, DevicePosition::default())
    }

    /// Allocates the devices after the one just picked; if that fails, the device is released.
    fn allocate_next(&mut self, cursor: Cursor, from: DevicePosition) -> Result<bool, SearchStop> {
        let done = self.allocate_one(Cursor { device: cursor.device + 1, ..cursor }, from);
        if !matches!(done, Ok(true)) {
            self.release_last(cursor.claim);
        }
        done
    }

    /// Allocates the next device of a request for some devices: the first one with which the rest
    /// of the search succeeds.
    fn allocate_any(&mut self, cursor: Cursor, from: DevicePosition) -> Result<bool, SearchStop> {
        let features = self.requests.allocator.features;
        let Cursor { claim, request, alternative, .. } = cursor;
        let at = WantPosition { claim, request, alternative };
        for number in from.pool..self.pools.len() {
            let Some(pool) = self.pools.get(number) else { break };
            match &pool.state {
                PoolState::Invalid(reason) if !features.dra_whole_pools => {
                    let name = self.requests.allocator.cluster.text(pool.key.1);
                    return Err(AllocationError::Cycle(format!(
                        "pool {name} is invalid: {reason}"
                    ))
                    .into());
                }
                PoolState::Invalid(_) => continue,
                PoolState::Incomplete if features.dra_whole_pools => continue,
                PoolState::Incomplete | PoolState::Usable => {}
            }
            let first = if number == from.pool { from.device } else { 0 };
            for index in first..self.places.get(number).map_or(0, Vec::len) {
                let place = self.places.get(number).and_then(|places| places.get(index)).copied();
                let Some(place) = place else { break };
                self.step(1)?;
                let request = self
                    .checked_requests
                    .get(cursor.claim)
                    .and_then(|claim| claim.get(cursor.request));
                let checked = request.and_then(|request| request.options.get(cursor.alternative));
                let Some(checked) = checked else { return Ok(false) };
                if self.is_taken(checked.want, place.id, cursor.claim)
                    || !self.requests.is_selectable(at, checked, &place)?
                    || !self.has_capacity(cursor.claim, checked.want, &place)?
                {
                    continue;
                }
                let device = PooledDevice { pool: number, place };
                // Parity: up to 1.35 the search for the next device begins again with the first
                // one.
                let next = if features.dra_search_goes_on {
                    DevicePosition { pool: number, device: index + 1 }
                } else {
                    DevicePosition::default()
                };
                if self.allocate_device(cursor, device, false)?
                    && self.allocate_next(cursor, next)?
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether the device is allocated or picked in a way that excludes the request.
    fn is_taken(&self, want: &Want, id: DeviceId, claim: usize) -> bool {
        let by = self.picked.get(&id);
        if want.admin_access == Some(true) {
            by.is_some_and(|claims| claims.contains(&claim))
        } else {
            self.requests.allocator.in_use.is_whole(id)
                || by.is_some_and(|claims| !claims.is_empty())
        }
    }

    /// Whether claims share the device.
    fn is_shared(&self, id: DeviceId) -> bool {
        let allocator = self.requests.allocator;
        allocator.in_use.is_shared(id, allocator.features) || self.shares.contains_key(&id)
    }

    /// Whether a selected device may be picked for a request, before counters, taints, constraints
    /// and capacity are looked at.
    fn may_be_picked(&self, want: &Want, place: &PoolDevice, claim: usize) -> bool {
        let features = self.requests.allocator.features;
        let shareable = features.dra_consumable_capacity && place.device.shareable;
        let admin = want.admin_access == Some(true);
        if !(shareable && admin) && self.is_taken(want, place.id, claim) {
            return false;
        }
        if features.dra_shares_exclude && !shareable && !admin && self.is_shared(place.id) {
            return false;
        }
        if !features.dra_partitionable_devices && !place.device.consumes.is_empty() {
            return false;
        }
        !place.slice.skips_node_operations
            || self.requests.allocator.may_skip_node_operations(self.node)
    }

    /// Picks a selected device, if it is available. `required`: the request is for all devices and
    /// cannot do without this one.
    fn allocate_device(
        &mut self,
        cursor: Cursor,
        found: PooledDevice<'c>,
        required: bool,
    ) -> Result<bool, SearchStop> {
        let features = self.requests.allocator.features;
        let request =
            self.checked_requests.get(cursor.claim).and_then(|claim| claim.get(cursor.request));
        let Some(request) = request else { return Ok(false) };
        let Some(checked) = request.options.get(cursor.alternative) else { return Ok(false) };
        let (place, want) = (found.place, checked.want);
        let requester = (request.request, request.is_list.then_some(want.name));
        if !self.may_be_picked(want, &place, cursor.claim) {
            return Ok(false);
        }

        // From here on the device takes something in each step. If it turns out not to be
        // available, dropping `picking` gives all of it back.
        let shareable = features.dra_consumable_capacity && place.device.shareable;
        let counted = match self.take_counters(found, shareable, required)? {
            TakeResult::TooLittle => return Ok(false),
            TakeResult::Nothing => None,
            TakeResult::This(counted) => Some(counted),
        };
        let admin_access = want.admin_access == Some(true);
        let pick = Pick { found, admin_access, requester, marked: false, counted, shared: None };
        let mut picking =
            Picking { search: self, claim: cursor.claim, pick: Some(pick), constraints: 0 };

        if picking.search.is_tainted(want, &place) {
            picking.reject();
            return Ok(false);
        }
        if !picking.satisfies_constraints(want, &place)? {
            let error = picking.search.constraint_error(cursor.claim, want, place.id);
            picking.reject_by_constraint();
            return if required { Err(error.into()) } else { Ok(false) };
        }

        // A device that cannot be shared is taken for all other requests.
        if !shareable {
            picking.mark_as_picked();
        }

        // Parity: up to 1.34 the capacity of a different device of the slice was compared here: the
        // one at the index of the device in the request.
        let own = !features.dra_consumable_capacity || features.dra_capacity_of_own;
        let compared = if own {
            place
        } else {
            place.neighbour(cursor.device).ok_or(AllocationError::NoSuchDevice)?
        };
        if !picking.search.has_capacity(cursor.claim, want, &compared)? {
            picking.reject();
            return Ok(false);
        }
        if shareable {
            picking.take_capacity(want, place)?;
        }
        picking.keep();
        Ok(true)
    }

    /// Whether a taint of the device repels the request.
    fn is_tainted(&self, want: &Want, place: &PoolDevice) -> bool {
        repelling(self.requests.allocator, want, place.id, place.device).is_some()
    }

    /// Subtracts the counters that a device consumes from those of its pool. A device that is
    /// already shared has consumed its counters.
    fn take_counters(
        &mut self,
        found: PooledDevice<'c>,
        shareable: bool,
        of_all: bool,
    ) -> Result<TakeResult<ConsumedCounters>, AllocationError> {
        let allocator = self.requests.allocator;
        let (id, device) = (found.place.id, found.place.device);
        if device.consumes.is_empty() || (shareable && self.is_shared(id)) {
            return Ok(TakeResult::Nothing);
        }
        // Parity: for a request for all devices, the pool in which to look up counters is not
        // recorded.
        if of_all && allocator.features.dra_counters_of_all_crash {
            return Err(AllocationError::NoPoolOfCounters);
        }
        let Some(pool) = self.pools.get(found.pool) else { return Ok(TakeResult::TooLittle) };
        // Parity: up to 1.36.3, pools of the same name share counters even across drivers.
        let (slice, in_use) = (found.place.slice, &allocator.in_use);
        let mut groups = None;
        if allocator.features.dra_compatibility_groups {
            groups = self.groups.add(pool, &device.consumes, in_use);
            if groups.is_none() {
                return Ok(TakeResult::TooLittle);
            }
        }
        let key = match allocator.features.dra_counters {
            SharedCounters::PerSlice => (Sym::EMPTY, slice.name),
            SharedCounters::PerPoolName => (Sym::EMPTY, pool.key.1),
            SharedCounters::PerPool | SharedCounters::OfWholePool => pool.key,
        };
        let features = allocator.features;
        let taken = self.counters.take(key, device, || match features.dra_counters {
            SharedCounters::PerSlice => counters::of_slice(slice, in_use, features),
            _ => counters::of_pool(pool, in_use, features),
        });
        if taken {
            return Ok(TakeResult::This(ConsumedCounters { key, groups }));
        }
        groups.into_iter().for_each(|before| self.groups.restore(before));
        Ok(TakeResult::TooLittle)
    }

    /// Whether a device has enough capacity, even one that cannot be shared. An error ends the
    /// cycle.
    fn has_capacity(
        &self,
        claim: usize,
        want: &Want,
        place: &PoolDevice,
    ) -> Result<bool, AllocationError> {
        let allocator = self.requests.allocator;
        if !allocator.features.dra_consumable_capacity {
            return Ok(true);
        }
        let (in_use, picked) =
            (allocator.in_use.consumed.get(&place.id), self.shares.get(&place.id));
        let has_capacity = self.capacity_rules().has_room(want, place, in_use, picked);
        has_capacity.map_err(|e| self.capacity_error(claim, want, place.id, &e))
    }

    /// Consumes a part of a shared device's capacity.
    fn take_capacity(
        &mut self,
        claim: usize,
        want: &Want,
        place: PoolDevice<'c>,
    ) -> Result<CapacityShare, AllocationError> {
        let amounts = self.capacity_rules().consumed(want, &place);
        let amounts = amounts.map_err(|e| self.capacity_error(claim, want, place.id, &e))?;
        let is_first = !self.shares.contains_key(&place.id);
        in_use::add(self.shares.entry(place.id).or_default(), &amounts);
        Ok(CapacityShare { amounts, is_first })
    }

    fn capacity_rules(&self) -> CapacityRules<'c> {
        CapacityRules {
            cluster: self.requests.allocator.cluster,
            features: self.requests.allocator.features,
        }
    }

    fn capacity_error(
        &self,
        claim: usize,
        want: &Want,
        id: DeviceId,
        error: &str,
    ) -> AllocationError {
        self.error(
            claim,
            want.name,
            &format!(
                "checking capacity for device {}: {error}",
                id.text(&self.requests.allocator.cluster.symbols)
            ),
        )
    }

    fn requester(&self, pick: &Pick) -> Requester<'c> {
        let (request, alternative) = pick.requester;
        Requester { request, alternative, cluster: self.requests.allocator.cluster }
    }

    /// Releases the device that was picked last for a claim.
    fn release_last(&mut self, claim: usize) {
        let Some(pick) = self.picks.get_mut(claim).and_then(Vec::pop) else { return };
        self.undo(claim, pick, self.constraints.count(claim));
    }

    /// Gives back what a pick has taken; the first `constraints` of the claim have counted it.
    fn undo(&mut self, claim: usize, pick: Pick<'c>, constraints: usize) {
        let id = pick.found.place.id;
        let is_whole = self.requests.allocator.features.dra_rejections_undone;
        if let Some(share) = &pick.shared {
            self.return_capacity(id, share, is_whole);
        }
        if pick.marked
            && let Some(claims) = self.picked.get_mut(&id)
        {
            claims.remove(&claim);
        }
        self.constraints.remove(claim, self.requester(&pick), constraints);
        // Parity: up to 1.36.2 a shared device keeps its counters when it is given back.
        if let Some(ConsumedCounters { key, groups }) =
            pick.counted.filter(|_| is_whole || pick.shared.is_none())
        {
            self.counters.give_back(key, pick.found.place.device);
            groups.into_iter().for_each(|before| self.groups.restore(before));
        }
    }

    /// Returns a part of a shared device's capacity. Parity: up to 1.36.2 a device from which
    /// nothing was consumed stays shared, and one from which nothing is consumed any more does not.
    fn return_capacity(&mut self, id: DeviceId, share: &CapacityShare, is_whole: bool) {
        if is_whole && share.is_first {
            self.shares.remove(&id);
            return;
        }
        let Some(left) = self.shares.get_mut(&id).filter(|_| is_whole || !share.amounts.is_empty())
        else {
            return;
        };
        in_use::subtract(left, &share.amounts);
        if !is_whole && left.values().all(|amount| *amount == Quantity::default()) {
            self.shares.remove(&id);
        }
    }

    fn constraint_error(&self, claim: usize, want: &Want, id: DeviceId) -> AllocationError {
        let text = format!(
            "cannot add device {} because a claim constraint would not be satisfied",
            id.text(&self.requests.allocator.cluster.symbols)
        );
        self.error(claim, want.name, &text)
    }

    fn error(&self, claim: usize, request: Sym, text: &str) -> AllocationError {
        let claim = self.requests.claims.get(claim).map(|c| format!("{}/{}", c.namespace, c.name));
        let request = self.requests.allocator.cluster.text(request);
        AllocationError::Cycle(format!(
            "claim {}, request {request}: {text}",
            claim.unwrap_or_default()
        ))
    }

    /// What each claim is allocated, if the nodes for it can be described.
    fn finish(&self) -> Result<Vec<Grant>, AllocationError> {
        let allocator = self.requests.allocator;
        self.requests
            .claims
            .iter()
            .zip(&self.picks)
            .map(|(claim, picks)| {
                Grant::of(picks, claim.name, self.node, allocator.cluster, allocator.features)
            })
            .collect()
    }
}

/// A device that is about to be picked. Dropping it gives back what it has taken, unless it was
/// kept.
struct Picking<'s, 'c> {
    search: &'s mut DeviceSearch<'c>,
    claim: usize,
    /// What it has taken so far; `None` if nothing has to be given back.
    pick: Option<Pick<'c>>,
    /// How many constraints of the claim have counted it.
    constraints: usize,
}

impl<'c> Picking<'_, 'c> {
    /// Adds the device to the constraints of the claim; returns whether all of them accept it. An
    /// error ends the cycle.
    fn satisfies_constraints(
        &mut self,
        want: &Want,
        place: &PoolDevice<'c>,
    ) -> Result<bool, AllocationError> {
        let Some(pick) = &self.pick else { return Ok(false) };
        let (requester, number) =
            (self.search.requester(pick), self.search.constraints.count(self.claim));
        self.search.step(number as u64)?;
        let accepting = self.search.constraints.add(self.claim, requester, want, place);
        self.constraints = accepting.map_err(|error| {
            // Parity: only the stable variant says of which claim and request.
            if is_experimental(self.search.requests.allocator.features) {
                AllocationError::Cycle(error)
            } else {
                self.search.error(self.claim, want.name, &error)
            }
        })?;
        Ok(self.constraints == number)
    }

    /// Adds the device to the picked ones.
    fn mark_as_picked(&mut self) {
        if let Some(pick) = &mut self.pick {
            self.search.picked.entry(pick.found.place.id).or_default().insert(self.claim);
            pick.marked = true;
        }
    }

    /// Takes a part of the device's capacity.
    fn take_capacity(&mut self, want: &Want, place: PoolDevice<'c>) -> Result<(), AllocationError> {
        let share = self.search.take_capacity(self.claim, want, place)?;
        if let Some(pick) = &mut self.pick {
            pick.shared = Some(share);
        }
        Ok(())
    }

    /// Keeps the device as picked.
    fn keep(mut self) {
        if let Some(pick) = self.pick.take()
            && let Some(picks) = self.search.picks.get_mut(self.claim)
        {
            picks.push(pick);
        }
    }

    /// Rejects the device. Parity: up to 1.36.2 nothing is given back.
    fn reject(mut self) {
        if !self.search.requests.allocator.features.dra_rejections_undone {
            self.pick = None;
        }
    }

    /// Rejects the device because of a constraint. Parity: up to 1.36.2 the constraints forget it,
    /// but it keeps the counters that it has consumed.
    fn reject_by_constraint(mut self) {
        if !self.search.requests.allocator.features.dra_rejections_undone
            && let Some(pick) = self.pick.take()
        {
            let requester = self.search.requester(&pick);
            self.search.constraints.remove(self.claim, requester, self.constraints);
        }
    }
}

impl Drop for Picking<'_, '_> {
    fn drop(&mut self) {
        if let Some(pick) = self.pick.take() {
            self.search.undo(self.claim, pick, self.constraints);
        }
    }
}
