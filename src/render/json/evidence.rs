//! The operands of a rejection as JSON.

use super::View;
use super::types::JsonEvidence;
use crate::cluster::Cluster;
use crate::cluster::pod::PodIx;
use crate::cluster::symbols::Sym;
use crate::cluster::template::HostPort;
use crate::framework::status::{Evidence, Rejection, StorageEvidence};
use crate::render::words;

impl View<'_> {
    pub(super) fn evidence(&self, rejection: &Rejection) -> Vec<JsonEvidence> {
        rejection.reasons.iter().filter_map(|r| self.one_evidence(&r.evidence)).collect()
    }

    fn one_evidence(&self, evidence: &Evidence) -> Option<JsonEvidence> {
        let text = |sym: Sym| self.text(sym);
        let pod = |ix: &Option<PodIx>| ix.map(|p| self.cluster.pod_name(p));
        Some(match evidence {
            Evidence::None | Evidence::Devices { shortage: None, .. } => return None,
            Evidence::NodeName { wanted } => JsonEvidence::NodeName { node_name: text(*wanted) },
            Evidence::Cordoned => JsonEvidence::Cordoned { unschedulable: true },
            Evidence::Taint { key, value, effect } => {
                JsonEvidence::Taint { taint: taint(self.cluster, *key, *value, effect.name()) }
            }
            Evidence::NodeSelector { key, value, found } => {
                JsonEvidence::NodeSelector { label: text(*key), wanted: text(*value), found: found.map(text) }
            }
            Evidence::NodeAffinity { terms } => JsonEvidence::NodeAffinity { required_terms: *terms },
            Evidence::Port { wanted, used, pod: by } => JsonEvidence::Port {
                host_port: host_port(self.cluster, *wanted),
                used_by: pod(by),
                used_port: host_port(self.cluster, *used),
            },
            Evidence::Resource { resource, requested, used, allocatable } => {
                let amount = |value: &i64| words::amount(*resource, *value, self.cluster);
                JsonEvidence::Resource {
                    resource: words::resource_name(*resource, self.cluster).to_owned(),
                    requested: amount(requested),
                    used: amount(used),
                    allocatable: amount(allocatable),
                }
            }
            Evidence::MissingLabel { key } => JsonEvidence::MissingLabel { missing_label: text(*key) },
            Evidence::Spread { key, domain, matching, minimum, incoming, max_skew } => JsonEvidence::Spread {
                topology_key: text(*key),
                domain: text(*domain),
                matching_pods: *matching,
                minimum: *minimum,
                incoming: *incoming,
                max_skew: *max_skew,
            },
            Evidence::Affinity { key, domain } => {
                JsonEvidence::Affinity { topology_key: text(*key), domain: domain.map(text), matching_pods: 0 }
            }
            Evidence::AntiAffinity { key, domain, pod: by, pods } => {
                self.anti_affinity(*key, *domain, "incoming pod", *pods, pod(by))
            }
            Evidence::ExistingAntiAffinity { key, domain, pod: by, pods } => {
                self.anti_affinity(*key, *domain, "existing pod", *pods, pod(by))
            }
            Evidence::Storage(storage) => self.storage_evidence(*storage),
            Evidence::Feature { name } => JsonEvidence::Feature { feature: name },
            Evidence::Devices { claim, shortage: Some(shortage) } => JsonEvidence::Devices {
                claim: claim.map(text),
                request: text(shortage.request),
                wanted: shortage.wanted,
                devices: shortage.devices,
                selected: shortage.selected,
                in_use: shortage.held,
                tainted: shortage.tainted,
            },
            Evidence::ClaimElsewhere { claims } => JsonEvidence::ClaimElsewhere {
                claims: claims.iter().filter_map(|ix| self.cluster.devices.get(*ix)).map(|c| text(c.name)).collect(),
            },
        })
    }

    fn storage_evidence(&self, evidence: StorageEvidence) -> JsonEvidence {
        let text = |sym: Sym| self.text(sym);
        match evidence {
            StorageEvidence::Disk { volume, pod } => {
                JsonEvidence::Disk { volume: text(volume), used_by: self.cluster.pod_name(pod) }
            }
            StorageEvidence::ClaimInUse { claim, pod } => {
                JsonEvidence::ClaimInUse { claim: text(claim), used_by: self.cluster.pod_name(pod) }
            }
            StorageEvidence::VolumeLimit { driver, limit, attached, wanted } => {
                JsonEvidence::VolumeLimit { driver: text(driver), limit, attached, wanted }
            }
            StorageEvidence::MissingDriver { driver } => JsonEvidence::MissingDriver { missing_driver: text(driver) },
            StorageEvidence::Claim { claim, volume } => {
                JsonEvidence::Claim { claim: text(claim), volume: volume.map(text) }
            }
            StorageEvidence::StorageSpace { claim, class, wanted } => {
                JsonEvidence::StorageSpace { claim: text(claim), storage_class: text(class), wanted_bytes: wanted }
            }
            StorageEvidence::VolumeZone { volume, key, found } => {
                JsonEvidence::VolumeZone { volume: text(volume), label: text(key), found: found.map(text) }
            }
        }
    }

    fn anti_affinity(
        &self,
        key: Sym,
        domain: Sym,
        direction: &'static str,
        matching_pods: i64,
        pod: Option<String>,
    ) -> JsonEvidence {
        let (topology_key, domain) = (self.text(key), self.text(domain));
        JsonEvidence::AntiAffinity { topology_key, domain, direction, matching_pods, pod }
    }
}

/// `key=value:Effect`, or `key:Effect` without a value.
#[must_use]
pub fn taint(cluster: &Cluster, key: Sym, value: Sym, effect: &str) -> String {
    let (key, value) = (cluster.text(key), cluster.text(value));
    if value.is_empty() { format!("{key}:{effect}") } else { format!("{key}={value}:{effect}") }
}

/// `8080/TCP`, or `10.0.0.1:8080/TCP` on one address.
#[must_use]
pub fn host_port(cluster: &Cluster, port: HostPort) -> String {
    let (ip, protocol) = (cluster.text(port.ip), cluster.text(port.protocol));
    if ip == "0.0.0.0" { format!("{}/{protocol}", port.port) } else { format!("{ip}:{}/{protocol}", port.port) }
}
