//! The search for one assignment of devices that satisfies all claims: depth first, first fit.
//!
//! Upstream: `allocateOne`, `allocateDevice`, `createNodeSelector` of `experimental/allocator_experimental.go` (1.34) and
//! `incubating/allocator_incubating.go` (1.35 to 1.37).

use std::collections::{BTreeMap, BTreeSet};

use super::capacity::Counting;
use super::constraints::{Requester, Tracker};
use super::counters::{self, Counters};
use super::in_use::{self, Amounts};
use super::pools::{Place, Pool, PoolKey, State};
use super::requests::{Found, MOST_DEVICES, RequestAlternatives, Requests};
use super::search_state::{Cursor, Pick, Share, Stop, Taken};
use super::{Allocator, Granted, Trouble, Unallocated};
use crate::cluster::devices::{AllocationMode, DeviceId, Want};
use crate::cluster::node::NodeIx;
use crate::cluster::symbols::Sym;
use crate::profile::history::SharedCounters;

/// Steps after which a search counts as one that the scheduler's time-out of ten seconds would end.
const MOST_STEPS: u32 = 500_000;

struct Search<'c> {
    requests: Requests<'c>,
    wishes: Vec<Vec<RequestAlternatives<'c>>>,
    pools: Vec<Pool<'c>>,
    /// Devices of each pool, in the order in which they are tried.
    places: Vec<Vec<Place<'c>>>,
    constraints: Vec<Vec<Tracker<'c>>>,
    counters: Counters,
    /// Devices picked, with the claims that picked them.
    picked: BTreeMap<DeviceId, BTreeSet<usize>>,
    /// Shares of devices picked.
    shares: BTreeMap<DeviceId, Amounts>,
    picks: Vec<Vec<Pick<'c>>>,
    steps: u32,
}

pub(super) fn allocate<'c>(
    allocator: &'c Allocator<'c>,
    node: NodeIx,
    claims: &'c [Unallocated<'c>],
) -> Result<Option<Vec<Vec<Granted>>>, Trouble> {
    let (cluster, features) = (allocator.cluster, allocator.features);
    let facts = cluster.node_facts(cluster.node(node));
    let pools = allocator.pools.of_node(cluster, features, facts)?;
    let mut requests = Requests::new(allocator, claims, facts);
    let wishes = requests.check(&pools)?;
    let constraints =
        claims.iter().map(|c| c.constraints.iter().map(|rule| Tracker::new(rule, features)).collect()).collect();
    let mut search = Search {
        requests,
        wishes,
        places: pools.iter().map(|p| p.places().collect()).collect(),
        pools,
        constraints,
        counters: Counters::default(),
        picked: BTreeMap::new(),
        shares: BTreeMap::new(),
        picks: claims.iter().map(|_| Vec::new()).collect(),
        steps: 0,
    };
    let start = Cursor { claim: 0, request: 0, alternative: 0, device: 0 };
    match search.one(start, false, (0, 0)) {
        Ok(true) => search.finish().map(Some),
        Ok(false) if search.pools.iter().any(|p| matches!(p.state, State::Invalid(_))) => {
            Err(Trouble::OnNode("invalid resource pools were encountered"))
        }
        Ok(false) => Ok(None),
        Err(Stop::TooMany) => Err(Trouble::Cycle("allocation max size exceeded".into())),
        Err(Stop::Trouble(trouble)) => Err(trouble),
    }
}

impl<'c> Search<'c> {
    /// Fills the device at `spot` and everything behind it. `chosen`: the alternative of the request is settled.
    /// `from`: pool, and device of it, from which on devices of this request are tried.
    fn one(&mut self, spot: Cursor, chosen: bool, from: (usize, usize)) -> Result<bool, Stop> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(Trouble::TooLong.into());
        }
        let Some(claim) = self.wishes.get(spot.claim) else { return Ok(true) };
        let Some(wishes) = claim.get(spot.request) else {
            let next = Cursor { claim: spot.claim + 1, request: 0, alternative: 0, device: 0 };
            return match self.one(next, false, (0, 0)) {
                Err(Stop::TooMany) => Ok(false),
                other => other,
            };
        };
        if wishes.is_list && !chosen {
            return self.alternatives(spot, wishes.options.len());
        }
        let Some(wish) = wishes.options.get(spot.alternative) else { return Ok(false) };
        let (count, all) = (wish.count, wish.want.mode == AllocationMode::All);
        if all && count == 0 {
            return Ok(false);
        }
        if spot.device >= count {
            let next = Cursor { request: spot.request + 1, alternative: 0, device: 0, ..spot };
            return self.one(next, false, (0, 0));
        }
        let taken = self.picks.get(spot.claim).map_or(0, Vec::len);
        if count - spot.device > MOST_DEVICES.saturating_sub(taken) {
            return Err(Stop::TooMany);
        }
        if all { self.next_of_all(spot, chosen) } else { self.any(spot, chosen, from) }
    }

    fn alternatives(&mut self, spot: Cursor, count: usize) -> Result<bool, Stop> {
        let mut all_too_many = true;
        for alternative in 0..count {
            match self.one(Cursor { alternative, ..spot }, true, (0, 0)) {
                Err(Stop::TooMany) => {}
                Ok(false) => all_too_many = false,
                other => return other,
            }
        }
        if all_too_many { Err(Stop::TooMany) } else { Ok(false) }
    }

    /// With all devices asked for, their order does not matter: one that cannot be had ends it.
    fn next_of_all(&mut self, spot: Cursor, chosen: bool) -> Result<bool, Stop> {
        let wish = self.wishes.get(spot.claim).and_then(|c| c.get(spot.request));
        let wish = wish.and_then(|w| w.options.get(spot.alternative));
        let Some(found) = wish.and_then(|w| w.all.as_ref()?.get(spot.device).copied()) else { return Ok(false) };
        if !self.pick(spot, found, true)? {
            return Ok(false);
        }
        // Parity: up to 1.35 the search goes on with the first alternative.
        let apart = self.requests.allocator.features.dra_alternatives_apart;
        let next = Cursor { alternative: if apart { spot.alternative } else { 0 }, ..spot };
        self.go_on(next, chosen, (0, 0))
    }

    /// Fills what is behind the device just picked; if that cannot be done, the device is put back.
    fn go_on(&mut self, spot: Cursor, chosen: bool, from: (usize, usize)) -> Result<bool, Stop> {
        let done = self.one(Cursor { device: spot.device + 1, ..spot }, chosen, from);
        if !matches!(done, Ok(true)) {
            self.put_back(spot.claim);
        }
        done
    }

    fn any(&mut self, spot: Cursor, chosen: bool, from: (usize, usize)) -> Result<bool, Stop> {
        let features = self.requests.allocator.features;
        let at = (spot.claim, spot.request, spot.alternative);
        for number in from.0..self.pools.len() {
            let Some(pool) = self.pools.get(number) else { break };
            match &pool.state {
                State::Invalid(reason) if !features.dra_whole_pools => {
                    let name = self.requests.allocator.cluster.text(pool.key.1);
                    return Err(Trouble::Cycle(format!("pool {name} is invalid: {reason}")).into());
                }
                State::Invalid(_) => continue,
                State::Incomplete if features.dra_whole_pools => continue,
                State::Incomplete | State::Usable => {}
            }
            let first = if number == from.0 { from.1 } else { 0 };
            for index in first..self.places.get(number).map_or(0, Vec::len) {
                let Some(place) = self.places.get(number).and_then(|p| p.get(index)).copied() else { break };
                let wish = self.wishes.get(spot.claim).and_then(|c| c.get(spot.request));
                let Some(wish) = wish.and_then(|w| w.options.get(spot.alternative)) else { return Ok(false) };
                if self.is_taken(wish.want, place.id, spot.claim) || !self.requests.is_selectable(at, wish, &place)? {
                    continue;
                }
                let found = Found { pool: number, place };
                if self.pick(spot, found, false)? && self.go_on(spot, chosen, (number, index + 1))? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether the device is held, or picked, in a way that matters to the request.
    fn is_taken(&self, want: &Want, id: DeviceId, claim: usize) -> bool {
        let by = self.picked.get(&id);
        if want.admin_access == Some(true) {
            by.is_some_and(|claims| claims.contains(&claim))
        } else {
            self.requests.allocator.in_use.is_whole(id) || by.is_some_and(|claims| !claims.is_empty())
        }
    }

    /// SearchState a selectable device, if it can be had. `must`: it is one of all that are asked for.
    fn pick(&mut self, spot: Cursor, found: Found<'c>, must: bool) -> Result<bool, Stop> {
        let features = self.requests.allocator.features;
        let Some(wishes) = self.wishes.get(spot.claim).and_then(|c| c.get(spot.request)) else { return Ok(false) };
        let Some(wish) = wishes.options.get(spot.alternative) else { return Ok(false) };
        let (place, want) = (found.place, wish.want);
        let shareable = features.dra_consumable_capacity && place.device.shareable;
        let admin = want.admin_access == Some(true);
        if !(shareable && admin) && self.is_taken(want, place.id, spot.claim) {
            return Ok(false);
        }
        if !features.dra_partitionable_devices && !place.device.consumes.is_empty() {
            return Ok(false);
        }
        let requester = (wishes.request, wishes.is_list.then_some(want.name));
        let granted = Granted {
            request: wishes.request,
            alternative: wishes.is_list.then_some(spot.alternative),
            device: place.id,
        };
        let counted = match self.count(found, shareable) {
            Taken::TooLittle => return Ok(false),
            Taken::Nothing => None,
            Taken::This(key) => Some(key),
        };
        let mut pick = Pick { found, granted, requester, marked: false, counted, shared: None };
        if self.is_repelled(want, place.id, place.device) {
            self.undo(spot.claim, &pick, 0);
            return Ok(false);
        }
        let added = self.constrain(spot.claim, &pick);
        if added < self.constraints.get(spot.claim).map_or(0, Vec::len) {
            self.undo(spot.claim, &pick, added);
            return if must { Err(self.unconstrained(spot.claim, want, place.id).into()) } else { Ok(false) };
        }
        if !shareable {
            self.picked.entry(place.id).or_default().insert(spot.claim);
            pick.marked = true;
        }
        match self.take_capacity(want, place, shareable) {
            Ok(Taken::This(share)) => pick.shared = Some(share),
            Ok(Taken::Nothing) => {}
            Ok(Taken::TooLittle) => {
                self.undo(spot.claim, &pick, added);
                return Ok(false);
            }
            Err(e) => {
                let text = format!("checking capacity for device {}: {e}", self.id_text(place.id));
                return Err(self.error(spot.claim, want.name, &text).into());
            }
        }
        if let Some(picks) = self.picks.get_mut(spot.claim) {
            picks.push(pick);
        }
        Ok(true)
    }

    /// Takes the counters that a device consumes from its pool. A device that is shared already has its counters.
    fn count(&mut self, found: Found<'c>, shareable: bool) -> Taken<PoolKey> {
        let allocator = self.requests.allocator;
        let (id, device) = (found.place.id, found.place.device);
        let is_shared = allocator.in_use.is_shared(id, allocator.features) || self.shares.contains_key(&id);
        if device.consumes.is_empty() || (shareable && is_shared) {
            return Taken::Nothing;
        }
        let Some(pool) = self.pools.get(found.pool) else { return Taken::TooLittle };
        // Parity: up to 1.36 pools of one name share counters, whatever their drivers.
        let (slice, in_use) = (found.place.slice, &allocator.in_use);
        let key = match allocator.features.dra_counters {
            SharedCounters::PerSlice => (Sym::EMPTY, slice.name),
            SharedCounters::PerPoolName => (Sym::EMPTY, pool.key.1),
            SharedCounters::PerPool => pool.key,
        };
        let taken = self.counters.take(key, device, || match allocator.features.dra_counters {
            SharedCounters::PerSlice => counters::of_slice(slice, in_use),
            SharedCounters::PerPoolName | SharedCounters::PerPool => counters::of_pool(pool, in_use),
        });
        if taken { Taken::This(key) } else { Taken::TooLittle }
    }

    /// Takes a share of a device's capacity. One that cannot be shared must have room, too.
    fn take_capacity(&mut self, want: &Want, place: Place<'c>, shareable: bool) -> Result<Taken<Share>, String> {
        let allocator = self.requests.allocator;
        if !allocator.features.dra_consumable_capacity {
            return Ok(Taken::Nothing);
        }
        let counting = Counting { cluster: allocator.cluster, features: allocator.features };
        let (held, picked) = (allocator.in_use.consumed.get(&place.id), self.shares.get(&place.id));
        if !counting.has_room(want, place.device, held, picked)? {
            return Ok(Taken::TooLittle);
        }
        if !shareable {
            return Ok(Taken::Nothing);
        }
        let amounts = counting.consumed(want, place.device)?;
        let is_first = !self.shares.contains_key(&place.id);
        in_use::add(self.shares.entry(place.id).or_default(), &amounts);
        Ok(Taken::This(Share { amounts, is_first }))
    }

    /// Adds the device to the claim's constraints until one objects; how many did not.
    fn constrain(&mut self, claim: usize, pick: &Pick<'c>) -> usize {
        let (request, alternative) = pick.requester;
        let who = Requester { request, alternative, cluster: self.requests.allocator.cluster };
        let constraints = self.constraints.get_mut(claim).map_or(&mut [][..], Vec::as_mut_slice);
        constraints.iter_mut().map(|c| c.add(who, &pick.found.place)).take_while(|added| *added).count()
    }

    fn put_back(&mut self, claim: usize) {
        let Some(pick) = self.picks.get_mut(claim).and_then(Vec::pop) else { return };
        let constraints = self.constraints.get(claim).map_or(0, Vec::len);
        self.undo(claim, &pick, constraints);
    }

    fn undo(&mut self, claim: usize, pick: &Pick<'c>, constraints: usize) {
        let id = pick.granted.device;
        if let Some(share) = &pick.shared {
            if share.is_first {
                self.shares.remove(&id);
            } else {
                in_use::subtract(self.shares.entry(id).or_default(), &share.amounts);
            }
        }
        if pick.marked
            && let Some(claims) = self.picked.get_mut(&id)
        {
            claims.remove(&claim);
        }
        let (request, alternative) = pick.requester;
        let who = Requester { request, alternative, cluster: self.requests.allocator.cluster };
        let trackers = self.constraints.get_mut(claim).map_or(&mut [][..], Vec::as_mut_slice);
        trackers.iter_mut().take(constraints).rev().for_each(|c| c.remove(who));
        if let Some(key) = pick.counted {
            self.counters.give_back(key, pick.found.place.device);
        }
    }

    fn is_repelled(&self, want: &Want, id: DeviceId, device: &crate::cluster::devices::Device) -> bool {
        super::taints::repelling(self.requests.allocator, want, id, device).is_some()
    }

    fn unconstrained(&self, claim: usize, want: &Want, id: DeviceId) -> Trouble {
        let text = format!("cannot add device {} because a claim constraint would not be satisfied", self.id_text(id));
        self.error(claim, want.name, &text)
    }

    fn error(&self, claim: usize, request: Sym, text: &str) -> Trouble {
        let claim = self.requests.claims.get(claim).map(|c| format!("{}/{}", c.namespace, c.name));
        let request = self.requests.allocator.cluster.text(request);
        Trouble::Cycle(format!("claim {}, request {request}: {text}", claim.unwrap_or_default()))
    }

    fn id_text(&self, id: DeviceId) -> String {
        let text = |sym: Sym| self.requests.allocator.cluster.text(sym);
        format!("{}/{}/{}", text(id.driver), text(id.pool), text(id.device))
    }

    /// What was picked, if the nodes on which it can be used can be told.
    fn finish(&self) -> Result<Vec<Vec<Granted>>, Trouble> {
        for (claim, picks) in self.requests.claims.iter().zip(&self.picks) {
            for pick in picks {
                let (slice, device) = (pick.found.place.slice, pick.found.place.device);
                let nodes = if slice.per_device == Some(true) { &device.nodes } else { &slice.nodes };
                let binds = self.requests.allocator.features.dra_binding_conditions && device.binds_to_node;
                if !nodes.name.is_empty() || binds {
                    break;
                }
                let terms = nodes.selector.as_ref().map_or(0, |terms| terms.len());
                if terms > 1 {
                    return Err(Trouble::Cycle(format!(
                        "create NodeSelector for claim {}: unsupported ResourceSlice.NodeSelector with {terms} terms",
                        claim.name
                    )));
                }
            }
        }
        Ok(self.picks.iter().map(|picks| picks.iter().map(|p| p.granted).collect()).collect())
    }
}
