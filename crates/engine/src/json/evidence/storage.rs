//! The evidence of a rejection because of storage as JSON.

use json::evidence::{
    Evidence as JsonEvidence, Expression, LabelValues, NamedObject,
    StorageOffer as JsonStorageOffer, UnboundClaim as JsonUnboundClaim,
    UnsuitedVolume as JsonUnsuitedVolume,
};

use super::super::DecisionJson;
use model::cluster::node_selector::NodeRequirement;
use model::cluster::selector::Selector;
use model::cluster::symbols::Sym;
use scheduler::framework::status::ResourceId;
use scheduler::framework::storage_evidence::{
    HostedVolume, SelectedBy, StorageEvidence, StorageOffer, StorageSpace, UnboundCause,
    UnboundClaim, UnsuitedVolume, VolumeLimit, VolumeMismatch,
};

impl DecisionJson<'_> {
    pub(super) fn storage_evidence(&self, evidence: &StorageEvidence) -> Vec<JsonEvidence> {
        let text = |sym: Sym| self.text(sym);
        let one = match evidence {
            StorageEvidence::Disk { volume, pod } => {
                JsonEvidence::Disk { volume: text(*volume), used_by: self.cluster.pod_name(*pod) }
            }
            StorageEvidence::ClaimInUse { claim, pod } => JsonEvidence::ClaimInUse {
                claim: text(*claim),
                used_by: self.cluster.pod_name(*pod),
            },
            StorageEvidence::VolumeLimit(VolumeLimit { driver, limit, attached, wanted }) => {
                JsonEvidence::VolumeLimit {
                    driver: driver.name(self.cluster).to_owned(),
                    limit: *limit,
                    attached: *attached,
                    wanted: *wanted,
                }
            }
            StorageEvidence::VolumeGone { claim, volume } => {
                self.volume_elsewhere(*claim, *volume, &[])
            }
            StorageEvidence::StorageSpace(space) => self.storage_space(space),
            StorageEvidence::VolumeZone { volume, key, place, found } => JsonEvidence::VolumeZone {
                volume: text(*volume),
                label: text(*key),
                volume_value: Some(text(*place)),
                found: found.map(text),
            },
            StorageEvidence::Unbound(claims) => {
                let of_claim = |unbound: &UnboundClaim| JsonEvidence::Claim {
                    claim: text(unbound.claim),
                    volume: None,
                    unmet: Vec::new(),
                    hosts: Vec::new(),
                    unbound: Some(self.unbound(unbound)),
                };
                return claims.iter().map(of_claim).collect();
            }
            StorageEvidence::OnHosts(volumes) => {
                let of_volume = |volume: &HostedVolume| JsonEvidence::Claim {
                    claim: text(volume.claim),
                    volume: Some(text(volume.volume)),
                    unmet: Vec::new(),
                    hosts: volume.hosts.iter().map(|host| text(*host)).collect(),
                    unbound: None,
                };
                return volumes.iter().map(of_volume).collect();
            }
        };
        vec![one]
    }

    fn storage_space(&self, space: &StorageSpace) -> JsonEvidence {
        let offer = |offer: &StorageOffer| JsonStorageOffer {
            room: self.quantity(offer.room),
            topology: match &offer.topology {
                Selector::Nothing => Vec::new(),
                Selector::All(requirements) => {
                    let of_labels = requirements
                        .iter()
                        .map(|requirement| NodeRequirement::Label(requirement.clone()));
                    of_labels.map(|requirement| self.expression(&requirement)).collect()
                }
            },
            nodes: offer.nodes,
        };
        JsonEvidence::StorageSpace {
            claim: self.text(space.claim),
            storage_class: self.text(space.class),
            wanted_bytes: space.wanted,
            wanted: self.quantity(space.wanted),
            here: space.here.map(|here| self.quantity(here)),
            offers: space.offers.largest.iter().map(offer).collect(),
            more_offers: space.offers.more,
        }
    }

    fn unbound(&self, unbound: &UnboundClaim) -> JsonUnboundClaim {
        let UnboundClaim { claim: _, class, wanted, cause, volumes, taken } = unbound;
        let mut json = JsonUnboundClaim {
            storage_class: (!class.is_empty()).then(|| self.text(*class)),
            wanted: self.quantity(*wanted),
            cause: cause.name().into(),
            provisioner: None,
            allowed_topologies: Vec::new(),
            names_volume: None,
            selected_node: None,
            by_annotation: None,
            volumes: volumes.unsuited.iter().map(|volume| self.unsuited(volume, unbound)).collect(),
            more_volumes: volumes.more,
            volumes_of_other_claims: volumes.of_other_claims,
            taken: taken.iter().map(|volume| self.text(*volume)).collect(),
        };
        match cause {
            UnboundCause::AtOnce { provisioner } => {
                json.provisioner = Some(self.text(*provisioner));
            }
            UnboundCause::NamesVolume { volume, exists } => {
                json.names_volume = Some(NamedObject { name: self.text(*volume), exists: *exists });
            }
            UnboundCause::ForNode { node, exists, by } => {
                json.selected_node = Some(NamedObject { name: self.text(*node), exists: *exists });
                json.by_annotation = Some(*by == SelectedBy::Annotation);
            }
            UnboundCause::OtherTopology => json.allowed_topologies = self.topologies(*class),
            UnboundCause::NoClass | UnboundCause::ClassMissing | UnboundCause::ByHand => {}
        }
        json
    }

    /// Where a class provisions volumes. Alternatives that cannot be parsed match nothing and are
    /// left out.
    fn topologies(&self, class: Sym) -> Vec<Vec<LabelValues>> {
        let class = self.cluster.storage.class(class);
        let alternatives = class.into_iter().flat_map(|class| &class.topologies).flatten();
        let label = |(key, values): &(Sym, Box<[Sym]>)| LabelValues {
            label: self.text(*key),
            values: values.iter().map(|value| self.text(*value)).collect(),
        };
        alternatives.map(|labels| labels.iter().map(label).collect()).collect()
    }

    fn unsuited(&self, unsuited: &UnsuitedVolume, unbound: &UnboundClaim) -> JsonUnsuitedVolume {
        let plain = JsonUnsuitedVolume {
            volume: self.text(unsuited.volume),
            reason: unsuited.mismatch.name().into(),
            found: None,
            wanted: None,
            unmet: Vec::new(),
            asks: Vec::new(),
            nodes: None,
        };
        let of_two = |found: String, wanted: String| (Some(found), Some(wanted));
        let list =
            |names: &[Sym]| names.iter().map(|name| self.text(*name)).collect::<Vec<_>>().join(",");
        let (found, wanted) = match &unsuited.mismatch {
            VolumeMismatch::Reserved { namespace, claim } => {
                (Some(format!("{}/{}", self.text(*namespace), self.text(*claim))), None)
            }
            VolumeMismatch::Size { capacity } => {
                of_two(self.quantity(*capacity), self.quantity(unbound.wanted))
            }
            VolumeMismatch::Mode { found, wanted }
            | VolumeMismatch::AttributesClass { found, wanted } => {
                of_two(self.text(*found), self.text(*wanted))
            }
            VolumeMismatch::Class { found } => of_two(self.text(*found), self.text(unbound.class)),
            VolumeMismatch::AccessModes { found, missing } => of_two(list(found), list(missing)),
            VolumeMismatch::Deleting | VolumeMismatch::NotAvailable => (None, None),
            VolumeMismatch::Selector { unmet } => {
                return JsonUnsuitedVolume { unmet: self.unmet(unmet), ..plain };
            }
            VolumeMismatch::Unreachable { asks, nodes } => {
                let asks = asks.iter().map(|requirement| self.expression(requirement)).collect();
                return JsonUnsuitedVolume { asks, nodes: Some(*nodes), ..plain };
            }
        };
        JsonUnsuitedVolume { found, wanted, ..plain }
    }

    fn expression(&self, requirement: &NodeRequirement) -> Expression {
        Expression {
            key: self.text(requirement.key()),
            operator: requirement.comparison().name().into(),
            values: requirement.values(self.cluster),
        }
    }

    /// Bytes as a quantity.
    fn quantity(&self, bytes: i64) -> String {
        ResourceId::EphemeralStorage.amount(bytes, self.cluster)
    }
}
