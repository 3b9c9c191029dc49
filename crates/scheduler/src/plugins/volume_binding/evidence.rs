//! The evidence of rejections because of the volumes of bound claims, and because of too little
//! storage.

use json::evidence::{Evidence as JsonEvidence, StorageOffer as StorageOfferJson, UnmetExpression};

use super::mismatch::bytes;
use crate::framework::asked_label::{AskedLabel, condition_json, expression, unmet_json};
use crate::framework::evidence::{Evidence, Fact, Nearness, Obstruction, RejectedOn};
use crate::framework::storage_evidence::StorageSpace;
use model::cluster::node_selector::NodeRequirement;
use model::cluster::node_selector::unmet::Unmet;
use model::cluster::selector::Selector;
use model::cluster::{Cluster, Sym};
use model::words;

/// Maximum number of hosts that a sentence names.
const HOSTS_NAMED: usize = 3;

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

/// A bound volume that only some hosts have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HostedVolume {
    /// Name of the claim.
    pub(super) claim: Sym,
    pub(super) volume: Sym,
    pub(super) hosts: Box<[Sym]>,
}

impl HostedVolume {
    /// Which hosts have the volume, and whether such nodes exist.
    fn text(&self, cluster: &Cluster) -> String {
        let hosts: Vec<&str> = self.hosts.iter().map(|host| cluster.text(*host)).collect();
        let (host, is_there) =
            if hosts.len() == 1 { ("host", "that") } else { ("hosts", "such a") };
        let exists = cluster.nodes.iter().any(|node| {
            cluster
                .labels(node.labels)
                .iter()
                .any(|label| label.0 == Sym::HOSTNAME && self.hosts.contains(&label.1))
        });
        let gone =
            if exists { String::new() } else { format!(": no node has {is_there} hostname") };
        let (claim, name) = (cluster.text(self.claim), cluster.text(self.volume));
        format!(
            "volume {name} (claim {claim}) is only on {host} {}{gone}",
            words::list(&hosts, HOSTS_NAMED)
        )
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
        self.volumes
            .iter()
            .map(|volume| {
                bound_json(volume.claim, volume.volume, Vec::new(), &volume.hosts, cluster)
            })
            .collect()
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let volumes: Vec<String> = self.volumes.iter().map(|volume| volume.text(cluster)).collect();
        vec![Fact::Words(volumes.join("; "))]
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

impl Evidence for StorageSpace {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::TooSmall
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        vec![JsonEvidence::StorageSpace {
            claim: cluster.text(self.claim).to_owned(),
            storage_class: cluster.text(self.class).to_owned(),
            wanted_bytes: self.wanted,
            wanted: bytes(self.wanted, cluster),
            here: self.here.map(|here| bytes(here, cluster)),
            offers: self
                .offers
                .largest
                .iter()
                .map(|offer| StorageOfferJson {
                    room: bytes(offer.room, cluster),
                    topology: match &offer.topology {
                        Selector::Nothing => Vec::new(),
                        Selector::All(requirements) => requirements
                            .iter()
                            .map(|asked| {
                                condition_json(&NodeRequirement::Label(asked.clone()), cluster)
                            })
                            .collect(),
                    },
                    nodes: offer.nodes,
                })
                .collect(),
            more_offers: self.offers.more,
        }]
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::StorageSpace(self)]
    }
}
