//! The evidence of rejections because of the pod's claims.

use json::evidence::{
    Evidence as JsonEvidence, LabelValues, NamedObject, StorageOffer as StorageOfferJson,
    UnboundClaim as UnboundClaimJson, UnmetExpression, UnsuitedVolume as UnsuitedVolumeJson,
};

use crate::framework::asked_label::{AskedLabel, condition_json, expression, unmet_json};
use crate::framework::evidence::{Evidence, Fact, Nearness, Obstruction, RejectedOn};
use crate::framework::operands::ResourceId;
use crate::framework::storage_evidence::{
    HostedVolume, SelectedBy, StorageOffer, StorageSpace, UnboundCause, UnboundClaim,
    UnsuitedVolume, VolumeMismatch,
};
use model::cluster::node_selector::NodeRequirement;
use model::cluster::node_selector::unmet::Unmet;
use model::cluster::selector::Selector;
use model::cluster::{Cluster, Sym};

/// A claim's volume cannot be used from the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeElsewhere {
    /// Name of the claim.
    pub(super) claim: Sym,
    pub(super) volume: Sym,
    /// What the node lacks for the closest term of the volume's node affinity; empty if no term can
    /// select any node.
    pub(super) unmet: Box<[Unmet]>,
}

impl VolumeElsewhere {
    fn asked(&self, unmet: &Unmet, cluster: &Cluster) -> AskedLabel {
        let (volume, claim) = (cluster.text(self.volume), cluster.text(self.claim));
        let of = format!("volume {volume} (claim {claim})");
        let text = match unmet.any_of() {
            [host] if unmet.label() == Some(Sym::HOSTNAME) => {
                format!("{of} is only on host {}", cluster.text(*host))
            }
            [value] => format!(
                "{of} is only reachable with {}={}",
                unmet.key(cluster),
                cluster.text(*value)
            ),
            _ => format!("{of} is only reachable with {}", expression(unmet, cluster)),
        };
        AskedLabel { text, ..AskedLabel::of_expression(unmet, cluster) }
    }
}

impl Evidence for VolumeElsewhere {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherPool
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        vec![bound_json(self.claim, self.volume, unmet_json(&self.unmet, cluster), &[], cluster)]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        if self.unmet.is_empty() {
            let (claim, volume) = (cluster.text(self.claim), cluster.text(self.volume));
            return vec![Fact::Words(format!(
                "claim {claim} is bound to volume {volume}, whose node affinity can select no node"
            ))];
        }
        self.unmet.iter().map(|unmet| Fact::Label(self.asked(unmet, cluster))).collect()
    }
}

/// A claim is bound to a volume that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeGone {
    /// Name of the claim.
    pub(super) claim: Sym,
    pub(super) volume: Sym,
}

impl Evidence for VolumeGone {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherPool
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        vec![bound_json(self.claim, self.volume, Vec::new(), &[], cluster)]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let (claim, volume) = (cluster.text(self.claim), cluster.text(self.volume));
        let text = format!("claim {claim} is bound to volume {volume}, which does not exist");
        vec![Fact::Words(text)]
    }
}

/// The volumes of bound claims exist only on hosts other than the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnOtherHosts {
    pub(super) volumes: Box<[HostedVolume]>,
}

impl Evidence for OnOtherHosts {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherPool
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let of_volume = |volume: &HostedVolume| {
            bound_json(volume.claim, volume.volume, Vec::new(), &volume.hosts, cluster)
        };
        self.volumes.iter().map(of_volume).collect()
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::VolumesOnHosts(&self.volumes)]
    }
}

/// A bound claim.
fn bound_json(
    claim: Sym,
    volume: Sym,
    unmet: Vec<UnmetExpression>,
    hosts: &[Sym],
    cluster: &Cluster,
) -> JsonEvidence {
    JsonEvidence::Claim {
        claim: cluster.text(claim).to_owned(),
        volume: Some(cluster.text(volume).to_owned()),
        unmet,
        hosts: hosts.iter().map(|host| cluster.text(*host).to_owned()).collect(),
        unbound: None,
    }
}

/// Claims that are not bound and cannot be bound on the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unbound {
    pub(super) claims: Box<[UnboundClaim]>,
}

impl Evidence for Unbound {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherPool
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let of_claim = |unbound: &UnboundClaim| JsonEvidence::Claim {
            claim: cluster.text(unbound.claim).to_owned(),
            volume: None,
            unmet: Vec::new(),
            hosts: Vec::new(),
            unbound: Some(unbound_json(unbound, cluster)),
        };
        self.claims.iter().map(of_claim).collect()
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::UnboundClaims(&self.claims)]
    }
}

fn unbound_json(unbound: &UnboundClaim, cluster: &Cluster) -> UnboundClaimJson {
    let text = |sym: Sym| cluster.text(sym).to_owned();
    let UnboundClaim { claim: _, class, wanted, cause, volumes, taken } = unbound;
    let unsuited = volumes.unsuited.iter();
    let mut json = UnboundClaimJson {
        storage_class: (!class.is_empty()).then(|| text(*class)),
        wanted: quantity(*wanted, cluster),
        cause: cause.name().into(),
        provisioner: None,
        allowed_topologies: Vec::new(),
        names_volume: None,
        selected_node: None,
        by_annotation: None,
        volumes: unsuited.map(|volume| unsuited_json(volume, unbound, cluster)).collect(),
        more_volumes: volumes.more,
        volumes_of_other_claims: volumes.of_other_claims,
        taken: taken.iter().map(|volume| text(*volume)).collect(),
    };
    match cause {
        UnboundCause::AtOnce { provisioner } => json.provisioner = Some(text(*provisioner)),
        UnboundCause::NamesVolume { volume, exists } => {
            json.names_volume = Some(NamedObject { name: text(*volume), exists: *exists });
        }
        UnboundCause::ForNode { node, exists, by } => {
            json.selected_node = Some(NamedObject { name: text(*node), exists: *exists });
            json.by_annotation = Some(*by == SelectedBy::Annotation);
        }
        UnboundCause::OtherTopology => json.allowed_topologies = topologies(*class, cluster),
        UnboundCause::NoClass | UnboundCause::ClassMissing | UnboundCause::ByHand => {}
    }
    json
}

/// Where a class provisions volumes. Alternatives that cannot be parsed match nothing and are
/// omitted.
fn topologies(class: Sym, cluster: &Cluster) -> Vec<Vec<LabelValues>> {
    let class = cluster.storage.class(class);
    let alternatives = class.into_iter().flat_map(|class| &class.topologies).flatten();
    let label = |(key, values): &(Sym, Box<[Sym]>)| LabelValues {
        label: cluster.text(*key).to_owned(),
        values: values.iter().map(|value| cluster.text(*value).to_owned()).collect(),
    };
    alternatives.map(|labels| labels.iter().map(label).collect()).collect()
}

fn unsuited_json(
    unsuited: &UnsuitedVolume,
    unbound: &UnboundClaim,
    cluster: &Cluster,
) -> UnsuitedVolumeJson {
    let text = |sym: Sym| cluster.text(sym).to_owned();
    let plain = UnsuitedVolumeJson {
        volume: text(unsuited.volume),
        reason: unsuited.mismatch.name().into(),
        found: None,
        wanted: None,
        unmet: Vec::new(),
        asks: Vec::new(),
        nodes: None,
    };
    let list = |names: &[Sym]| names.iter().map(|name| text(*name)).collect::<Vec<_>>().join(",");
    let (found, wanted) = match &unsuited.mismatch {
        VolumeMismatch::Reserved { namespace, claim } => {
            (Some(format!("{}/{}", cluster.text(*namespace), cluster.text(*claim))), None)
        }
        VolumeMismatch::Size { capacity } => {
            (Some(quantity(*capacity, cluster)), Some(quantity(unbound.wanted, cluster)))
        }
        VolumeMismatch::Mode { found, wanted }
        | VolumeMismatch::AttributesClass { found, wanted } => {
            (Some(text(*found)), Some(text(*wanted)))
        }
        VolumeMismatch::Class { found } => (Some(text(*found)), Some(text(unbound.class))),
        VolumeMismatch::AccessModes { found, missing } => (Some(list(found)), Some(list(missing))),
        VolumeMismatch::Deleting | VolumeMismatch::NotAvailable => (None, None),
        VolumeMismatch::Selector { unmet } => {
            return UnsuitedVolumeJson { unmet: unmet_json(unmet, cluster), ..plain };
        }
        VolumeMismatch::Unreachable { asks, nodes } => {
            let asks = asks.iter().map(|asked| condition_json(asked, cluster)).collect();
            return UnsuitedVolumeJson { asks, nodes: Some(*nodes), ..plain };
        }
    };
    UnsuitedVolumeJson { found, wanted, ..plain }
}

impl Evidence for StorageSpace {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::TooSmall
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let offer = |offer: &StorageOffer| StorageOfferJson {
            room: quantity(offer.room, cluster),
            topology: match &offer.topology {
                Selector::Nothing => Vec::new(),
                Selector::All(requirements) => requirements
                    .iter()
                    .map(|asked| condition_json(&NodeRequirement::Label(asked.clone()), cluster))
                    .collect(),
            },
            nodes: offer.nodes,
        };
        vec![JsonEvidence::StorageSpace {
            claim: cluster.text(self.claim).to_owned(),
            storage_class: cluster.text(self.class).to_owned(),
            wanted_bytes: self.wanted,
            wanted: quantity(self.wanted, cluster),
            here: self.here.map(|here| quantity(here, cluster)),
            offers: self.offers.largest.iter().map(offer).collect(),
            more_offers: self.offers.more,
        }]
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::StorageSpace(self)]
    }
}

fn quantity(bytes: i64, cluster: &Cluster) -> String {
    ResourceId::EphemeralStorage.amount(bytes, cluster)
}
