//! `VolumeBinding`: the pod's claims are bound to volumes that the node can use, or can be bound there.

mod find;
mod score;

use std::collections::BTreeSet;

use crate::cluster::storage::{BindingMode, Claim, PersistentVolume, StorageClass};
use crate::cluster::symbols::Sym;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc};
use crate::framework::status::{Code, Evidence, Rejection, Text, Verdict};

use find::{Binder, Offer};

/// Upstream's reason for claims that should have been bound before the pod.
const UNBOUND: &str = "pod has unbound immediate PersistentVolumeClaims";

/// The plugin.
pub struct VolumeBinding;

static DOC: RuleDoc = RuleDoc {
    name: "VolumeBinding",
    code: "PRE-109",
    summary: "The node can use the volumes of bound claims, and has volumes or room for the others.",
    preemption: "Never helps: evicting a pod frees no volume.",
    scores: Some("Prefers nodes whose storage fits the claims best, where StorageCapacityScoring is on."),
    source: "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.37)",
};

impl Plugin for VolumeBinding {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        match Sorted::of(cycle) {
            Ok(None) => Prepared::Skip,
            Ok(Some(claims)) => {
                let only = claims.hosts(cycle);
                Prepared::Ready { only, filter: Box::new(Bindable(Binder::new(cycle, claims))) }
            }
            Err(Problem::Failed(error)) => Prepared::Failed(error),
            Err(Problem::Refused(text)) => {
                Prepared::Reject(Rejection::new(Code::UnschedulableAndUnresolvable, text, Evidence::None))
            }
        }
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some("not found")
    }
}

/// Why the claims of a pod cannot be told apart.
enum Problem {
    /// The pod cannot go anywhere for now.
    Refused(Text),
    /// The scheduler gives up the cycle.
    Failed(String),
}

/// A claim that is bound when a pod needs it, and its class.
#[derive(Clone, Copy)]
struct Waiting<'c> {
    claim: &'c Claim,
    class: &'c StorageClass,
}

/// The claims of a pod by how far their binding is.
#[derive(Default)]
struct Sorted<'c> {
    /// Bound ones.
    bound: Vec<&'c Claim>,
    /// Those being provisioned for a node.
    selected: Vec<(Sym, Waiting<'c>)>,
    /// The others, smallest first.
    waiting: Vec<Waiting<'c>>,
}

impl<'c> Sorted<'c> {
    /// `None` for a pod without claims.
    fn of(cycle: &Cycle<'c>) -> Result<Option<Self>, Problem> {
        let claims = claims(cycle).map_err(|text| Problem::Refused(Text::Owned(text.into())))?;
        if claims.is_empty() {
            return Ok(None);
        }
        let (features, mut sorted, mut immediate) = (&cycle.features().volume_binding, Self::default(), false);
        for claim in claims {
            if claim.is_bound() {
                sorted.bound.push(claim);
                continue;
            }
            match waiting(cycle, claim)? {
                None => immediate = true,
                Some(waiting) => match claim.selected_node {
                    Some(_) if !features.provisioning_claims_wait => immediate = true,
                    Some(node) => sorted.selected.push((node, waiting)),
                    None => sorted.waiting.push(waiting),
                },
            }
        }
        match immediate {
            true if features.unbound_claims_refused => return Err(Problem::Refused(Text::Fixed(UNBOUND))),
            true => return Err(Problem::Failed(UNBOUND.to_owned())),
            false => {}
        }
        let size = |w: &Waiting| w.claim.request.unwrap_or_default();
        sorted.waiting.sort_by(|a, b| size(a).compare(size(b)));
        Ok(Some(sorted))
    }

    /// The only nodes that may have the volumes of bound claims, as far as these name hosts; `None` for all nodes.
    ///
    /// Parity: what volumes say of hosts is taken for names of nodes, and a volume that is not there says so of none.
    /// Upstream: `GetEligibleNodes`, `pkg/volume/util/util.go` `GetLocalPersistentVolumeNodeNames` (1.31).
    fn hosts(&self, cycle: &Cycle) -> Option<BTreeSet<Sym>> {
        let storage = &cycle.cluster().storage;
        let find = |claim: &&Claim| storage.volume(claim.volume_name);
        let bound = Some(&self.bound).filter(|_| cycle.features().volume_binding.bound_volumes_narrow)?;
        let volumes: Vec<&PersistentVolume> = bound.iter().map(find).collect::<Option<_>>()?;
        let hosts = volumes.into_iter().map(PersistentVolume::hosts).filter(|hosts| !hosts.is_empty());
        hosts.reduce(|one, other| one.intersection(&other).copied().collect())
    }
}

/// The claims of the pod, or what is wrong with the first that cannot be used.
fn claims<'c>(cycle: &Cycle<'c>) -> Result<Vec<&'c Claim>, String> {
    let (cluster, features) = (cycle.cluster(), &cycle.features().volume_binding);
    let counted = cluster.claims_of(cycle.pod).filter(|used| !used.ephemeral || features.ephemeral_volumes);
    let usable = counted.map(|used| {
        let name = &used.name;
        let Some(claim) = used.claim else {
            let wait = if used.ephemeral && features.ephemeral_claims_explained {
                format!("waiting for ephemeral volume controller to create the persistentvolumeclaim {name:?}")
            } else {
                format!("persistentvolumeclaim {name:?} not found")
            };
            return Err(wait);
        };
        if claim.lost && features.lost_claims_refused {
            let volume = cluster.text(claim.volume_name);
            return Err(format!("persistentvolumeclaim {name:?} bound to non-existent persistentvolume {volume:?}"));
        }
        if claim.deleting {
            return Err(format!("persistentvolumeclaim {name:?} is being deleted"));
        }
        let owned = used.check_owner(cycle.pod, cluster).map_err(|why| {
            let explained = features.ephemeral_claims_explained;
            if explained { why } else { format!("persistentvolumeclaim {name:?} was not created for the pod") }
        });
        owned.map(|()| claim)
    });
    usable.collect()
}

/// The class of an unbound claim if it waits for a pod; `None` if it should be bound by now.
fn waiting<'c>(cycle: &Cycle<'c>, claim: &'c Claim) -> Result<Option<Waiting<'c>>, Problem> {
    if claim.class.is_empty() {
        return Ok(None);
    }
    let Some(class) = cycle.cluster().storage.class(claim.class) else { return Ok(None) };
    match class.mode {
        BindingMode::Unset => {
            let name = cycle.cluster().text(claim.class);
            Err(Problem::Failed(format!("VolumeBindingMode not set for StorageClass {name:?}")))
        }
        BindingMode::WaitForFirstConsumer if claim.volume_name.is_empty() => Ok(Some(Waiting { claim, class })),
        BindingMode::WaitForFirstConsumer | BindingMode::Immediate => Ok(None),
    }
}

struct Bindable<'c>(Binder<'c>);

impl Filter for Bindable<'_> {
    fn check(&self, node: &NodeInfo) -> Verdict {
        match self.0.find(node.node) {
            Offer::Bindings(_) => Verdict::Fits,
            Offer::Refused(reasons) => {
                Verdict::Rejected(Rejection { code: Code::UnschedulableAndUnresolvable, reasons })
            }
            Offer::Failed(error) => Verdict::Failed(error),
        }
    }
}

#[cfg(test)]
mod tests;
