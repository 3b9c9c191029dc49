//! `VolumeZone`: the node is in the zone and region of the pod's volumes.

mod doubts;
mod messages;

use json::evidence::Evidence as JsonEvidence;

use crate::framework::asked_label::AskedLabel;
use crate::framework::claims;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::evidence::{Evidence, Fact, Nearness, Obstruction, RejectedOn};
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::{ReasonText, quoted};
use crate::framework::status::{Code, FilterVerdict, Rejection};
use model::cluster::storage::{BindingMode, PersistentVolume, VolumeClaim};
use model::cluster::{Cluster, Pod, Sym};
use profile::history::{self, ZoneLabels};

/// Labels that count, in upstream's order, each with the newer label that nodes may have instead.
const LABELS: [(&str, &str); 4] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("topology.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("topology.kubernetes.io/region", "topology.kubernetes.io/region"),
];
/// Separates the zones of a volume with several.
const DELIMITER: &str = "__";

pub struct VolumeZone;

static DOC: RuleDoc = RuleDoc {
    name: "VolumeZone",
    code: "PRE-110",
    summary: "The node's zone and region are among those that the labels of the pod's volumes name.",
    preemption: "Never helps: no eviction changes labels.",
    scores: None,
    messages: messages::ALL,
    retried_on: Some(
        "a claim, volume or StorageClass changes, a node is added or its labels change",
    ),
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

impl Signer for VolumeZone {
    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        cycle.has_volumes_of(other)
    }
}

impl Plugin for VolumeZone {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let (cluster, features, mut places) =
            (cycle.cluster(), &cycle.features().volume_zone, Vec::new());
        let mut problem = None;
        for used in cluster.claims_of(cycle.pod).filter(|used| !used.ephemeral) {
            let found = match used.claim {
                None if used.name.is_empty() => Err(messages::CLAIM_WITHOUT_NAME.reason()),
                None => Err(claims::CLAIM_NOT_FOUND.with([&quoted(&used.name)])),
                Some(claim) => volume(cycle, claim),
            };
            match found {
                Ok(volume) => {
                    places.extend(volume.into_iter().flat_map(|volume| labelled(cycle, volume)));
                }
                Err(text) if features.volume_zone_pre_filter => {
                    return Prepared::Reject(Rejection::unresolvable(text));
                }
                Err(text) => {
                    problem = Some(text);
                    break;
                }
            }
        }
        if places.is_empty() && problem.is_none() {
            return Prepared::Skip;
        }
        let keys = labels(features).filter_map(|(key, _)| cluster.symbols.get(key)).collect();
        Prepared::ready(Zones { cycle: *cycle, places, keys, problem })
    }
}

/// The labels that this version knows.
fn labels(
    features: &history::VolumeZone,
) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let stable = features.zone_labels != ZoneLabels::Beta;
    LABELS.iter().filter(move |(key, newer)| stable || key != newer)
}

/// The volume of a claim; none while the claim waits for a pod.
fn volume<'c>(
    cycle: &Cycle<'c>,
    claim: &VolumeClaim,
) -> Result<Option<&'c PersistentVolume>, ReasonText> {
    let cluster = cycle.cluster();
    if !claim.volume_name.is_empty() {
        return cluster
            .storage
            .volume(claim.volume_name)
            .ok_or_else(|| {
                messages::VOLUME_NOT_FOUND.with([&quoted(cluster.text(claim.volume_name))])
            })
            .map(Some);
    }
    if claim.class.is_empty() {
        return Err(messages::NO_VOLUME_NO_CLASS.reason());
    }
    let name = || quoted(cluster.text(claim.class));
    match cluster.storage.class(claim.class).map(|class| class.mode) {
        None => Err(messages::CLASS_NOT_FOUND.with([&name()])),
        Some(BindingMode::Unset) => Err(messages::MODE_NOT_SET.with([&name()])),
        Some(BindingMode::WaitForFirstConsumer) => Ok(None),
        Some(BindingMode::Immediate) => Err(messages::NO_VOLUME.reason()),
    }
}

/// Where a volume can be used, according to one of its labels.
struct Place {
    volume: Sym,
    key: Sym,
    /// The label that counts if a node lacks `key`.
    newer_key: Option<Sym>,
    /// The volume's value of `key`.
    value: Sym,
    /// Names of zones or regions, without those that no object mentions.
    values: Vec<Sym>,
}

/// The places that a volume's labels name. A label with an empty part is ignored.
fn labelled(cycle: &Cycle, volume: &PersistentVolume) -> Vec<Place> {
    let (symbols, features) = (&cycle.cluster().symbols, &cycle.features().volume_zone);
    let mut places = Vec::new();
    for (key, newer) in labels(features) {
        let Some(key) = symbols.get(key) else { continue };
        let Some(value) = model::cluster::selector::label(&volume.labels, key) else { continue };
        let parts: Vec<&str> = symbols.text(value).split(DELIMITER).map(str::trim).collect();
        if parts.contains(&"") {
            continue;
        }
        let values = parts.iter().filter_map(|part| symbols.get(part)).collect();
        let newer_key =
            symbols.get(newer).filter(|_| features.zone_labels == ZoneLabels::StableForBeta);
        places.push(Place { volume: volume.name, key, newer_key, value, values });
    }
    places
}

/// The node is not in a zone or region of a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherZone {
    volume: Sym,
    /// The label with the zone or region.
    key: Sym,
    /// The volume's value: a zone or region, or several.
    place: Sym,
    /// The node's value.
    found: Option<Sym>,
}

impl Evidence for OtherZone {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherPool
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        vec![JsonEvidence::VolumeZone {
            volume: cluster.text(self.volume).to_owned(),
            label: cluster.text(self.key).to_owned(),
            volume_value: Some(cluster.text(self.place).to_owned()),
            found: self.found.map(|found| cluster.text(found).to_owned()),
        }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let (volume, key) = (cluster.text(self.volume), cluster.text(self.key));
        let place = cluster.text(self.place);
        vec![Fact::Label(AskedLabel {
            text: format!("volume {volume} is in {key}={place}"),
            key: Some(self.key),
            // Several zones are one text.
            any_of: if place.contains(DELIMITER) { Vec::new() } else { vec![self.place] },
            presence: false,
            found: self.found,
        })]
    }
}

struct Zones<'c> {
    cycle: Cycle<'c>,
    places: Vec<Place>,
    /// Labels that count.
    keys: Vec<Sym>,
    /// The problem with the claim after those that the places belong to.
    problem: Option<ReasonText>,
}

impl Filter for Zones<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        let label = |key: Sym| self.cycle.view.node_label(node.node, key);
        // A node without any of the labels is in a cluster with a single zone.
        if !self.keys.iter().any(|key| label(*key).is_some()) {
            return FilterVerdict::Fits;
        }
        for Place { volume, key, newer_key, value, values } in &self.places {
            let found = label(*key).or_else(|| newer_key.and_then(label));
            if !found.is_some_and(|value| values.contains(&value)) {
                let evidence = OtherZone { volume: *volume, key: *key, place: *value, found };
                return FilterVerdict::reject(
                    Code::UnschedulableAndUnresolvable,
                    messages::NO_ZONE.reason(),
                    evidence.grounds(),
                );
            }
        }
        match &self.problem {
            None => FilterVerdict::Fits,
            Some(text) if self.cycle.features().volume_zone.zone_lookups_refuse => {
                FilterVerdict::Rejected(Rejection::unresolvable(text.clone()))
            }
            Some(error) => {
                FilterVerdict::Failed(error.render(self.cycle.cluster()).into_owned().into())
            }
        }
    }

    fn reads_pods(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
