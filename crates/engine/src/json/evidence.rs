//! The evidence of a rejection as JSON.

mod storage;

use json::evidence::{
    DeviceHolder as JsonDeviceHolder, EmptiestDomain as JsonEmptiestDomain,
    Evidence as JsonEvidence, MissingPair as JsonMissingPair, RequestPart as JsonRequestPart,
    TooFewDomains, UnmetExpression,
};

use super::DecisionJson;
use model::cluster::node_selector::unmet::Unmet;
use model::cluster::pod::PodIx;
use model::cluster::symbols::Sym;
use scheduler::dra::Shortage;
use scheduler::framework::status::{
    ClosedBy, ClosedNode, DeviceHolder, EmptiestDomain, Evidence, Fewest, MissingPair, Rejection,
    RequestOrigin, RequestPart, ResourceId,
};

impl DecisionJson<'_> {
    pub(super) fn evidence(&self, rejection: &Rejection) -> Vec<JsonEvidence> {
        rejection.reasons.iter().flat_map(|reason| self.each_evidence(&reason.evidence)).collect()
    }

    /// The evidence of one reason: several items for a reason that is about several claims.
    pub(super) fn each_evidence(&self, evidence: &Evidence) -> Vec<JsonEvidence> {
        match evidence {
            Evidence::Storage(storage) => self.storage_evidence(storage),
            other => self.one_evidence(other).into_iter().collect(),
        }
    }

    fn one_evidence(&self, evidence: &Evidence) -> Option<JsonEvidence> {
        let text = |sym: Sym| self.text(sym);
        let pod = |ix: &Option<PodIx>| ix.map(|p| self.cluster.pod_name(p));
        Some(match evidence {
            Evidence::None | Evidence::TimedOut | Evidence::Storage(_) => return None,
            Evidence::Devices { shortage: None, .. } => {
                JsonEvidence::ClaimsTogether { claims_together: true }
            }
            Evidence::NodeName { wanted } => JsonEvidence::NodeName { node_name: text(*wanted) },
            Evidence::Cordoned => JsonEvidence::Cordoned { unschedulable: true },
            Evidence::Taint { key, value, effect } => {
                JsonEvidence::Taint { taint: effect.taint(*key, *value, self.cluster) }
            }
            Evidence::NodeSelector { key, value, found, also } => {
                let first = self.pair(&MissingPair { key: *key, value: *value, found: *found });
                let also = also.iter().map(|pair| self.pair(pair)).collect();
                JsonEvidence::NodeSelector {
                    label: first.label,
                    wanted: first.wanted,
                    found: first.found,
                    also,
                }
            }
            Evidence::NodeAffinity { terms, unmet } => {
                JsonEvidence::NodeAffinity { required_terms: *terms, unmet: self.unmet(unmet) }
            }
            Evidence::Port { wanted, used, pod: by } => JsonEvidence::Port {
                host_port: wanted.text(self.cluster),
                used_by: pod(by),
                used_port: used.text(self.cluster),
            },
            Evidence::Resource { resource, requested, used, allocatable, parts } => {
                let amount = |value: &i64| resource.amount(*value, self.cluster);
                JsonEvidence::Resource {
                    resource: resource.name(self.cluster).to_owned(),
                    requested: amount(requested),
                    used: amount(used),
                    allocatable: amount(allocatable),
                    parts: parts
                        .iter()
                        .flat_map(|parts| parts.iter())
                        .map(|part| self.part(*resource, part))
                        .collect(),
                }
            }
            Evidence::MissingLabel { key } => {
                JsonEvidence::MissingLabel { missing_label: text(*key) }
            }
            Evidence::Spread { key, domain, matching, minimum, incoming, max_skew, fewest } => {
                JsonEvidence::Spread {
                    topology_key: text(*key),
                    domain: text(*domain),
                    matching_pods: *matching,
                    minimum: *minimum,
                    incoming: *incoming,
                    max_skew: *max_skew,
                    emptiest: fewest.and_then(|fewest| self.emptiest(fewest)),
                    too_few_domains: fewest.and_then(too_few_domains),
                }
            }
            Evidence::Affinity { key, domain } => JsonEvidence::Affinity {
                topology_key: text(*key),
                domain: domain.map(text),
                matching_pods: 0,
            },
            Evidence::AntiAffinity { key, domain, pod: by, pods } => {
                self.anti_affinity(*key, *domain, "incoming pod", *pods, pod(by))
            }
            Evidence::ExistingAntiAffinity { key, domain, pod: by, pods } => {
                self.anti_affinity(*key, *domain, "existing pod", *pods, pod(by))
            }
            Evidence::MissingDrivers { drivers } => JsonEvidence::MissingDrivers {
                missing_drivers: drivers.iter().map(|driver| text(*driver)).collect(),
            },
            Evidence::VolumeElsewhere { claim, volume, unmet } => {
                self.volume_elsewhere(*claim, *volume, unmet)
            }
            Evidence::Feature { name } => JsonEvidence::Feature { feature: (*name).into() },
            Evidence::Devices { claim, shortage: Some(shortage), holders } => {
                self.devices(*claim, shortage, holders)
            }
            Evidence::ClaimElsewhere { claims } => JsonEvidence::ClaimElsewhere {
                claims: claims
                    .iter()
                    .filter_map(|ix| self.cluster.devices.get(*ix))
                    .map(|c| text(c.name))
                    .collect(),
            },
        })
    }

    fn emptiest(&self, fewest: Fewest) -> Option<JsonEmptiestDomain> {
        let Fewest::Domain(EmptiestDomain { domain, others, closed }) = fewest else { return None };
        let mut emptiest = JsonEmptiestDomain {
            domain: self.text(domain),
            others,
            closed_node: None,
            closed_by: None,
            taint: None,
        };
        if let Some(ClosedNode { node, by }) = closed {
            emptiest.closed_node = Some(self.text(self.cluster.node(node).name));
            emptiest.closed_by = Some(by.name().into());
            if let ClosedBy::Taint { key, value, effect } = by {
                emptiest.taint = Some(effect.taint(key, value, self.cluster));
            }
        }
        Some(emptiest)
    }

    fn pair(&self, pair: &MissingPair) -> JsonMissingPair {
        JsonMissingPair {
            label: self.text(pair.key),
            wanted: self.text(pair.value),
            found: pair.found.map(|found| self.text(found)),
        }
    }

    fn volume_elsewhere(&self, claim: Sym, volume: Sym, unmet: &[Unmet]) -> JsonEvidence {
        JsonEvidence::Claim {
            claim: self.text(claim),
            volume: Some(self.text(volume)),
            unmet: self.unmet(unmet),
            hosts: Vec::new(),
            unbound: None,
        }
    }

    fn unmet(&self, unmet: &[Unmet]) -> Vec<UnmetExpression> {
        let expression = |unmet: &Unmet| UnmetExpression {
            key: unmet.key(self.cluster).to_owned(),
            operator: unmet.comparison().name().into(),
            values: unmet.values(self.cluster),
            found: unmet.found().map(|found| self.text(found)),
        };
        unmet.iter().map(expression).collect()
    }

    fn part(&self, resource: ResourceId, part: &RequestPart) -> JsonRequestPart {
        let names = |names: &[Sym]| {
            names.iter().filter(|name| !name.is_empty()).map(|name| self.text(*name)).collect()
        };
        let (origin, names) = match &part.origin {
            RequestOrigin::Containers => ("Containers", Vec::new()),
            RequestOrigin::Sidecars { names: sidecars } => ("Sidecars", names(sidecars)),
            RequestOrigin::InitContainer { name } => ("InitContainer", names(&[*name])),
            RequestOrigin::PodLevel => ("PodLevel", Vec::new()),
            RequestOrigin::Overhead { runtime_class } => ("Overhead", names(&[*runtime_class])),
        };
        JsonRequestPart {
            amount: resource.amount(part.amount, self.cluster),
            origin: origin.into(),
            names,
        }
    }

    fn devices(
        &self,
        claim: Option<Sym>,
        shortage: &Shortage,
        holders: &[DeviceHolder],
    ) -> JsonEvidence {
        let holder = |holder: &DeviceHolder| JsonDeviceHolder {
            pod: self.cluster.pod_name(holder.pod),
            priority: self.cluster.pod(holder.pod).priority,
            devices: holder.devices,
        };
        JsonEvidence::Devices {
            claim: claim.map(|claim| self.text(claim)),
            request: self.text(shortage.request),
            wanted: shortage.wanted,
            devices: shortage.devices,
            selected: shortage.selected,
            in_use: shortage.held,
            tainted: shortage.tainted,
            holders: holders.iter().map(holder).collect(),
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
        JsonEvidence::AntiAffinity {
            topology_key,
            domain,
            direction: direction.into(),
            matching_pods,
            pod,
        }
    }
}

const fn too_few_domains(fewest: Fewest) -> Option<TooFewDomains> {
    match fewest {
        Fewest::Domain(_) => None,
        Fewest::TooFewDomains { domains, min_domains } => {
            Some(TooFewDomains { domains, min_domains })
        }
    }
}

#[cfg(test)]
mod tests;
