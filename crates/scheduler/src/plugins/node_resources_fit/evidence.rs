//! The evidence of rejections for lack of a resource.

use json::evidence::{Evidence as JsonEvidence, RequestPart as RequestPartJson};

use crate::framework::evidence::{
    Evidence, Fact, InsufficientResource, Nearness, Obstruction, RejectedOn,
};
use crate::framework::operands::{RequestOrigin, RequestPart, ResourceId};
use model::cluster::{Cluster, Sym};

impl Evidence for InsufficientResource {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        if self.is_enough_when_empty() {
            return Nearness::Full;
        }
        match (self.resource, self.allocatable) {
            // A node without any of an extended resource belongs to a pool without the device.
            (ResourceId::Scalar(_), 0) => Nearness::OtherPool,
            _ => Nearness::TooSmall,
        }
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Lack(self)
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let amount = |value: i64| self.resource.amount(value, cluster);
        let parts = self.parts.iter().flat_map(|parts| parts.iter());
        vec![JsonEvidence::Resource {
            resource: self.resource.name(cluster).to_owned(),
            requested: amount(self.requested),
            used: amount(self.used),
            allocatable: amount(self.allocatable),
            parts: parts.map(|part| part_json(self.resource, part, cluster)).collect(),
        }]
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::Lack(self)]
    }
}

fn part_json(resource: ResourceId, part: &RequestPart, cluster: &Cluster) -> RequestPartJson {
    let names = |names: &[Sym]| {
        let given = names.iter().filter(|name| !name.is_empty());
        given.map(|name| cluster.text(*name).to_owned()).collect()
    };
    let (origin, names) = match &part.origin {
        RequestOrigin::Containers => ("Containers", Vec::new()),
        RequestOrigin::Sidecars { names: sidecars } => ("Sidecars", names(sidecars)),
        RequestOrigin::InitContainer { name } => ("InitContainer", names(&[*name])),
        RequestOrigin::PodLevel => ("PodLevel", Vec::new()),
        RequestOrigin::Overhead { runtime_class } => ("Overhead", names(&[*runtime_class])),
    };
    RequestPartJson { amount: resource.amount(part.amount, cluster), origin: origin.into(), names }
}
