//! What one node offers to the pod's claims: their bound volumes, volumes to bind, or storage to
//! provision them.
//!
//! Upstream: `pkg/scheduler/framework/plugins/volumebinding/binder.go` `FindPodVolumes`,
//! `component-helpers/storage/volume/pv_helpers.go` `FindMatchingVolume` (1.37).

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::claims::{DelayedClaim, Sorted};
use super::evidence::{VolumeElsewhere, VolumeGone};
use super::mismatch::VolumeMismatch;
use super::unbound::{self, SearchedVolumes, Unbound, UnboundClaim};
use super::{
    BIND_CONFLICT, NODE_CONFLICT, NODE_CONFLICT_OLD, NOT_ENOUGH_SPACE, VOLUME_MISSING,
    VOLUME_MISSING_OLD,
};
use crate::framework::evidence::{Evidence, Grounds};
use crate::framework::plugin::Cycle;
use crate::framework::reason::Message;
use crate::framework::selector_error::selector_error;
use crate::framework::status::Reason;
use crate::framework::storage_evidence::{StorageOffer, StorageOffers, StorageSpace};
use crate::framework::volume_limits::{is_listed, moves};
use model::cluster::node_selector::NodeSelector;
use model::cluster::node_selector::unmet::{self, TermPart};
use model::cluster::storage::{
    CsiNode, PersistentVolume, StorageCapacity, VolumeClaim, VolumeSource, selects,
};
use model::cluster::{NodeIx, Quantity, Sym};
use profile::history;

/// What a node offers.
pub(super) enum Offer<'c> {
    /// Volumes or storage for every claim.
    Bindings(Bindings<'c>),
    /// Some claim gets neither, so the node is rejected.
    Refused(SmallVec<[Reason; 1]>),
    /// The cycle ends with this error.
    Failed(String),
}

/// How the unbound claims would be bound on a node.
#[derive(Default)]
pub(super) struct Bindings<'c> {
    /// To existing volumes.
    pub(super) matched: Vec<(&'c VolumeClaim, &'c PersistentVolume)>,
    /// To volumes yet to be provisioned, each with the capacity object that it fits in.
    pub(super) made: Vec<(&'c VolumeClaim, Option<&'c StorageCapacity>)>,
    /// Pairs of a matched volume and another that is equally large but not alike.
    pub(super) volume_ties: Vec<(Sym, Sym)>,
}

/// Why the node does not suit the pod's claims; each cause at most once.
#[derive(Default)]
struct Conflicts {
    affinity: Grounds,
    unmatched: Grounds,
    space: Grounds,
    missing: Grounds,
}

impl Conflicts {
    fn into_reasons(self, features: &history::VolumeBinding) -> SmallVec<[Reason; 1]> {
        // In upstream's order.
        let all: [(&'static Message, _); 4] = [
            (
                if features.volume_affinity_text { &NODE_CONFLICT } else { &NODE_CONFLICT_OLD },
                self.affinity,
            ),
            (&BIND_CONFLICT, self.unmatched),
            (&NOT_ENOUGH_SPACE, self.space),
            (
                if features.missing_volumes_text { &VOLUME_MISSING } else { &VOLUME_MISSING_OLD },
                self.missing,
            ),
        ];
        let with_evidence = all.into_iter().filter(|(_, evidence)| evidence.is_some());
        with_evidence.map(|(text, evidence)| Reason { text: text.reason(), evidence }).collect()
    }
}

/// Tries the claims of a pod on nodes.
pub(super) struct Binder<'c> {
    cycle: Cycle<'c>,
    claims: Sorted<'c>,
    /// Volumes by the class under which claims look for them.
    volumes: BTreeMap<Sym, Vec<&'c PersistentVolume>>,
    /// Capacities by the class of an unbound claim.
    capacities: BTreeMap<Sym, Vec<&'c StorageCapacity>>,
    /// Why no volume matches a claim, by the claim's name; computed once a node has none for it.
    searched: BTreeMap<Sym, OnceLock<Arc<SearchedVolumes>>>,
    /// What a class offers anywhere; computed once a node has too little.
    offers: BTreeMap<Sym, OnceLock<Arc<StorageOffers>>>,
}

impl<'c> Binder<'c> {
    pub(super) fn new(cycle: &Cycle<'c>, claims: Sorted<'c>) -> Self {
        let (storage, symbols) = (&cycle.cluster().storage, &cycle.cluster().symbols);
        let (mut volumes, mut capacities) = (BTreeMap::new(), BTreeMap::new());
        let (mut searched, mut offers) = (BTreeMap::new(), BTreeMap::new());
        for waiting in &claims.waiting {
            let class = listed_class(cycle, waiting.claim);
            volumes.entry(class).or_insert_with(|| storage.volumes_of_class(class, symbols));
        }
        for waiting in claims.waiting.iter().chain(claims.selected.iter().map(|(_, w)| w)) {
            let class = waiting.class.name;
            capacities.entry(class).or_insert_with(|| storage.capacities_of_class(class, symbols));
            offers.entry(class).or_default();
            searched.entry(waiting.claim.name).or_default();
        }
        Self { cycle: *cycle, claims, volumes, capacities, searched, offers }
    }

    /// What `node` offers.
    pub(super) fn find(&self, node: NodeIx) -> Offer<'c> {
        let mut conflicts = Conflicts::default();
        let offers =
            self.check_bound(node, &mut conflicts).and_then(|()| self.bind(node, &mut conflicts));
        match offers {
            Err(error) => Offer::Failed(error),
            Ok(bindings) => match conflicts.into_reasons(&self.cycle.features().volume_binding) {
                none if none.is_empty() => Offer::Bindings(bindings),
                reasons => Offer::Refused(reasons),
            },
        }
    }

    fn labels(&self, node: NodeIx) -> &'c [(Sym, Sym)] {
        self.cycle.cluster().labels(self.cycle.view.node(node).labels)
    }

    /// Stops at the first bound claim that the node cannot use.
    fn check_bound(&self, node: NodeIx, conflicts: &mut Conflicts) -> Result<(), String> {
        let cluster = self.cycle.cluster();
        let csi_node = cluster.storage.csi_node(self.cycle.view.node(node).name);
        for claim in &self.claims.bound {
            let Some(volume) = cluster.storage.volume(claim.volume_name) else {
                if !self.cycle.features().volume_binding.missing_volumes_refused {
                    return Err(format!(
                        "could not find v1.PersistentVolume {:?}",
                        cluster.text(claim.volume_name)
                    ));
                }
                let (claim, volume) = (claim.name, claim.volume_name);
                conflicts.missing = VolumeGone { claim, volume }.grounds();
                break;
            };
            let affinity = affinity_on(volume, csi_node, &self.cycle)?;
            if !selects(affinity, self.labels(node), &cluster.symbols) {
                let terms = affinity.map(|terms| &**terms).unwrap_or_default();
                let facts = cluster.node_facts(self.cycle.view.node(node));
                let unmet =
                    unmet::of_closest_term(terms, facts, TermPart::Labels, &cluster.symbols);
                let (claim, volume) = (claim.name, claim.volume_name);
                conflicts.affinity = VolumeElsewhere { claim, volume, unmet }.grounds();
                break;
            }
        }
        Ok(())
    }

    fn bind(&self, node: NodeIx, conflicts: &mut Conflicts) -> Result<Bindings<'c>, String> {
        let mut bindings = Bindings::default();
        let mut to_make = Vec::new();
        for (selected, waiting) in &self.claims.selected {
            if *selected != self.cycle.view.node(node).name {
                conflicts.unmatched =
                    of_one(unbound::for_node(waiting.claim, *selected, &self.cycle));
                return Ok(bindings);
            }
            to_make.push(*waiting);
        }
        for waiting in &self.claims.waiting {
            match self.match_volume(waiting, node, &mut bindings)? {
                Some(volume) => bindings.matched.push((waiting.claim, volume)),
                None => to_make.push(*waiting),
            }
        }
        for waiting in to_make {
            match self.room(waiting, node) {
                Ok(capacity) => bindings.made.push((waiting.claim, capacity)),
                Err(ProvisioningShortage::Volume) => {
                    conflicts.unmatched = of_one(self.unbound(&waiting, node, &bindings));
                    break;
                }
                Err(ProvisioningShortage::Space(wanted)) => {
                    conflicts.space = self.space(&waiting, wanted, node).grounds();
                    break;
                }
            }
        }
        Ok(bindings)
    }

    /// Why the node has neither a matching volume for a claim nor a provisioner.
    fn unbound(&self, waiting: &DelayedClaim, node: NodeIx, bindings: &Bindings) -> UnboundClaim {
        let volumes = self.searched.get(&waiting.claim.name).map(|searched| {
            Arc::clone(searched.get_or_init(|| {
                let class = listed_class(&self.cycle, waiting.claim);
                Arc::new(unbound::searched(waiting.claim, class, &self.cycle))
            }))
        });
        let volumes = volumes.unwrap_or_default();
        // Of volumes that only some nodes can reach, this node may reach those that go to other
        // claims of the pod.
        let symbols = &self.cycle.cluster().symbols;
        let mut taken = Vec::new();
        for (_, volume) in &bindings.matched {
            let unsuited = volumes.unsuited.iter().find(|unsuited| unsuited.volume == volume.name);
            let suits = match unsuited {
                None => volumes.matching.contains(&volume.name),
                Some(unsuited) => {
                    matches!(unsuited.mismatch, VolumeMismatch::Unreachable { .. })
                        && selects(volume.affinity.as_ref(), self.labels(node), symbols)
                }
            };
            if suits {
                taken.push(volume.name);
            }
        }
        unbound::on_a_node(waiting.claim, waiting.class, volumes, taken.into(), &self.cycle)
    }

    /// The storage for a claim of `wanted` bytes, on the node and elsewhere.
    fn space(&self, waiting: &DelayedClaim, wanted: i64, node: NodeIx) -> StorageSpace {
        let class = waiting.class.name;
        let capacities = self.capacities.get(&class).map(Vec::as_slice).unwrap_or_default();
        let reached =
            capacities.iter().filter(|capacity| capacity.nodes.matches(self.labels(node)));
        let here = reached.filter_map(|capacity| capacity.limit()).max();
        let offers = self.offers.get(&class).map(|offers| {
            Arc::clone(offers.get_or_init(|| Arc::new(anywhere(capacities, &self.cycle))))
        });
        StorageSpace {
            claim: waiting.claim.name,
            class,
            wanted,
            here,
            offers: offers.unwrap_or_default(),
        }
    }

    /// The smallest volume that matches the claim on the node, unless one is reserved for the
    /// claim.
    fn match_volume(
        &self,
        waiting: &DelayedClaim<'c>,
        node: NodeIx,
        taken: &mut Bindings<'c>,
    ) -> Result<Option<&'c PersistentVolume>, String> {
        let (claim, cluster, features) =
            (waiting.claim, self.cycle.cluster(), &self.cycle.features().volume_binding);
        self.check_claim(claim)?;
        let reserved = self.cycle.view.reserved();
        let labels = self.labels(node);
        let reaches =
            |volume: &PersistentVolume| selects(volume.affinity.as_ref(), labels, &cluster.symbols);
        let (mut smallest, mut rival): (Option<&PersistentVolume>, _) = (None, None);
        let listed = self.volumes.get(&listed_class(&self.cycle, claim));
        for volume in listed.into_iter().flatten().copied() {
            if !self.suits(volume, claim, taken) {
                continue;
            }
            if reserved.is_for(volume, claim) {
                // Parity: if the node cannot use the reserved volume, the claim gets none.
                return Ok(reaches(volume).then_some(volume));
            }
            let size = smallest.map_or(Ordering::Less, |s| volume.capacity.compare(s.capacity));
            let available = volume.available || !features.volumes_must_be_available;
            let fits = available && volume.class == claim.class && is_free_for(volume, claim);
            if size == Ordering::Greater || !fits || !reaches(volume) {
                continue;
            }
            match smallest {
                Some(smallest) if size == Ordering::Equal => {
                    rival = rival.or((!are_alike(smallest, volume)).then_some(volume));
                }
                _ => (smallest, rival) = (Some(volume), None),
            }
        }
        taken.volume_ties.extend(smallest.zip(rival).map(|(one, other)| (one.name, other.name)));
        Ok(smallest)
    }

    /// # Errors
    /// A field of the claim for which the scheduler looks for no volume.
    fn check_claim(&self, claim: &VolumeClaim) -> Result<(), String> {
        let (cluster, features) = (self.cycle.cluster(), &self.cycle.features().volume_binding);
        let name = || cluster.full_name(claim.namespace, claim.name);
        let classes_pass =
            features.volume_attributes_class || !features.volume_attributes_class_known;
        if !classes_pass && !claim.attributes_class.is_empty() {
            return Err(format!(
                "unsupported volumeAttributesClassName is set on claim {} when the feature-gate VolumeAttributesClass \
                 is disabled",
                name()
            ));
        }
        if let Some(Err(issues)) = &claim.selector {
            let e = selector_error(issues, self.cycle.features());
            return Err(format!(
                "error creating internal label selector for claim: {}: {e}",
                name()
            ));
        }
        Ok(())
    }

    /// Whether the volume is free and has what the claim requests, on any node.
    fn suits(&self, volume: &PersistentVolume, claim: &VolumeClaim, taken: &Bindings) -> bool {
        let features = &self.cycle.features().volume_binding;
        let reserved = self.cycle.view.reserved();
        if taken.matched.iter().any(|(_, other)| other.name == volume.name)
            || !(reserved.is_free(volume) || reserved.is_for(volume, claim))
            || volume.deleting
        {
            return false;
        }
        let attributes_class =
            if features.volume_attributes_class { claim.attributes_class } else { Sym::EMPTY };
        let request = claim.request.unwrap_or_default();
        volume.capacity.compare(request) != Ordering::Less
            && volume.mode == claim.mode
            && (volume.attributes_class == attributes_class
                || !features.volume_attributes_class_known)
    }

    /// The capacity object with which the claim's volume can be provisioned for the node; `None` if
    /// none is needed.
    fn room(
        &self,
        waiting: DelayedClaim<'c>,
        node: NodeIx,
    ) -> Result<Option<&'c StorageCapacity>, ProvisioningShortage> {
        let (DelayedClaim { claim, class }, cluster) = (waiting, self.cycle.cluster());
        let provisioner = class.provisioner_name;
        if unbound::is_by_hand(class, &self.cycle) || !class.provisions_for(self.labels(node)) {
            return Err(ProvisioningShortage::Volume);
        }
        let Some(request) = claim.request else { return Ok(None) };
        let publishes =
            cluster.storage.driver(provisioner).is_some_and(|driver| driver.storage_capacity);
        if !publishes || !self.cycle.features().volume_binding.storage_capacity {
            return Ok(None);
        }
        let (wanted, exact) =
            (request.value(), self.cycle.features().volume_binding.storage_capacity_exact);
        let holds = |pool: &&StorageCapacity| match pool.maximum() {
            Some(most) if exact => request.compare(most) != Ordering::Greater,
            most => most.is_some_and(|most| most.value() >= wanted),
        };
        let pools = self.capacities.get(&class.name).into_iter().flatten().copied().filter(holds);
        let mut reached = pools.filter(|pool| pool.nodes.matches(self.labels(node)));
        let first = reached.next().ok_or(ProvisioningShortage::Space(wanted))?;
        // The scheduler may find any of them. One without a capacity makes scoring panic, so it is
        // chosen only if no other can be.
        let sized = std::iter::once(first).chain(reached).find(|pool| pool.capacity.is_some());
        Ok(Some(sized.unwrap_or(first)))
    }
}

fn of_one(claim: UnboundClaim) -> Grounds {
    Unbound { claims: Box::new([claim]) }.grounds()
}

/// What a node lacks for provisioning a volume.
enum ProvisioningShortage {
    /// Nothing provisions volumes there.
    Volume,
    /// Storage for this many bytes.
    Space(i64),
}

/// Whether the two volumes are interchangeable for every claim.
fn are_alike(a: &PersistentVolume, b: &PersistentVolume) -> bool {
    let same = (&a.access_modes, a.mode, a.attributes_class)
        == (&b.access_modes, b.mode, b.attributes_class);
    same && a.labels == b.labels && a.affinity == b.affinity
}

fn is_free_for(volume: &PersistentVolume, claim: &VolumeClaim) -> bool {
    let selected = match &claim.selector {
        Some(Ok(selector)) => selector.matches(&volume.labels),
        Some(Err(_)) => false,
        None => true,
    };
    selected && claim.access_modes.iter().all(|mode| volume.access_modes.contains(mode))
}

/// The class under which a claim's volumes are looked up. Parity: the annotation's class was added
/// later to the lookup than to the match, which still requires it.
fn listed_class(cycle: &Cycle, claim: &VolumeClaim) -> Sym {
    if cycle.features().volume_binding.volumes_by_class_annotation {
        claim.class
    } else {
        claim.spec_class.unwrap_or_default()
    }
}

/// The affinity of a bound volume, translated to its CSI driver if the node says that the in-tree
/// plugin was migrated.
fn affinity_on<'c>(
    volume: &'c PersistentVolume,
    csi_node: Option<&CsiNode>,
    cycle: &Cycle,
) -> Result<Option<&'c NodeSelector>, String> {
    let has_moved = |plugin: Sym| {
        let plugin = cycle.cluster().text(plugin);
        moves(plugin, &cycle.features().volume_migration) && is_listed(plugin, csi_node, cycle)
    };
    match &volume.source {
        VolumeSource::InTree { volume: in_tree, affinity } if has_moved(in_tree.plugin) => {
            match &in_tree.handle {
                Ok(_) => Ok(affinity.as_ref()),
                Err(e) => Err(format!("could not translate pv: {e}")),
            }
        }
        VolumeSource::Csi { .. } | VolumeSource::InTree { .. } | VolumeSource::Other => {
            Ok(volume.affinity.as_ref())
        }
    }
}

/// Bytes that a claim asks for.
pub(super) fn bytes(quantity: Option<Quantity>) -> i64 {
    quantity.unwrap_or_default().value()
}

/// Maximum number of capacities that are kept.
const MOST_OFFERS: usize = 10;

/// What the capacities of a class offer anywhere, the largest first.
pub(super) fn anywhere(capacities: &[&StorageCapacity], cycle: &Cycle) -> StorageOffers {
    let cluster = cycle.cluster();
    let mut sized: Vec<(i64, &StorageCapacity)> =
        capacities.iter().filter_map(|capacity| Some((capacity.limit()?, *capacity))).collect();
    sized.sort_by_key(|(room, _)| std::cmp::Reverse(*room));
    let more = sized.len().saturating_sub(MOST_OFFERS);
    sized.truncate(MOST_OFFERS);
    StorageOffers {
        largest: sized
            .into_iter()
            .map(|(room, capacity)| {
                let reaches = capacity.nodes.clone();
                let nodes = cluster
                    .nodes
                    .iter()
                    .filter(|node| reaches.matches(cluster.labels(node.labels)))
                    .count();
                StorageOffer { room, topology: reaches, nodes }
            })
            .collect(),
        more,
    }
}

#[cfg(test)]
mod offers_tests {
    use serde_json::Value;

    use crate::framework::storage_evidence::StorageSpace;
    use crate::testing::{
        Answer, claim, class, csi_driver, decide, node, objects, pod, storage_left,
    };

    const DRIVER: &str = "csi.example.com";

    /// Pod `p`, whose claim wants 4Gi, on nodes of the zones `a` and `b`, beside what storage there is.
    fn ask(storage: Vec<Value>) -> Answer {
        let objects = objects![
            node("a").zone("a"),
            node("b").zone("b"),
            class("fast", DRIVER),
            csi_driver(DRIVER),
            claim("c", "fast").size("4Gi"),
            pod("p").claim("c")
        ];
        decide([objects, storage].concat(), "p")
    }

    fn space<'a>(answer: &'a Answer, node: &str) -> &'a StorageSpace {
        answer.evidence(node)
    }

    #[test]
    fn insufficient_storage_reports_local_and_other_capacity() {
        let answer = ask(objects![
            storage_left("l1", "fast", "1Gi", ("zone", "a")),
            storage_left("l2", "fast", "2Gi", ("zone", "a")),
            storage_left("l3", "fast", "9Gi", ("zone", "z")),
            storage_left("l4", "other", "99Gi", ("zone", "a")),
        ]);
        assert_eq!(
            space(&answer, "a").here,
            Some(2 << 30),
            "the most that one of them has room for"
        );
        assert_eq!(space(&answer, "b").here, None, "nothing covers it");
        assert_eq!(space(&answer, "a").wanted, 4 << 30);
        let offers = &space(&answer, "a").offers;
        let rooms: Vec<(i64, usize)> =
            offers.largest.iter().map(|offer| (offer.room >> 30, offer.nodes)).collect();
        assert_eq!(rooms, [(9, 0), (2, 1), (1, 1)], "the largest first, those of the class alone");
    }

    #[test]
    fn the_largest_volume_limits_an_offer_and_the_list_ends() {
        let limited =
            storage_left("l", "fast", "9Gi", ("zone", "a")).with("/maximumVolumeSize", "3Gi");
        let many = (0..12)
            .map(|n| Value::from(storage_left(&format!("m{n:02}"), "fast", "1Gi", ("zone", "z"))));
        let answer = ask(objects![limited].into_iter().chain(many).collect());
        assert_eq!(space(&answer, "a").here, Some(3 << 30));
        let offers = &space(&answer, "a").offers;
        assert_eq!((offers.largest.len(), offers.more), (10, 3));
    }
}
