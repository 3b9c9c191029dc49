//! `VolumeBinding`: the pod's claims are bound to volumes that the node can use, or can be bound there.

mod find;
mod score;

use crate::cluster::storage::{BindingMode, Claim, StorageClass};
use crate::cluster::symbols::Sym;
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc};
use crate::framework::status::{Code, Evidence, Rejection, Text, Verdict};
use crate::framework::world::NodeInfo;

use find::{Binder, Offer};

/// Upstream's reason for claims that should have been bound before the pod.
const UNBOUND: &str = "pod has unbound immediate PersistentVolumeClaims";

/// The plugin.
pub struct VolumeBinding;

static DOC: RuleDoc = RuleDoc {
    name: "VolumeBinding",
    summary: "The node can use the volumes of bound claims, and has volumes or room for the others.",
    preemption: "Never helps: evicting a pod frees no volume.",
    source: "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.37)",
};

impl Plugin for VolumeBinding {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        match Sorted::of(cycle) {
            Ok(None) => Prepared::Skip,
            Ok(Some(claims)) => Prepared::ready(Bindable(Binder::new(cycle, claims))),
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
        let mut sorted = Self::default();
        let mut immediate = false;
        for claim in claims {
            if claim.is_bound() {
                sorted.bound.push(claim);
                continue;
            }
            match waiting(cycle, claim)? {
                None => immediate = true,
                Some(waiting) => match claim.selected_node {
                    Some(node) => sorted.selected.push((node, waiting)),
                    None => sorted.waiting.push(waiting),
                },
            }
        }
        if immediate {
            return Err(Problem::Refused(Text::Fixed(UNBOUND)));
        }
        let size = |w: &Waiting| w.claim.request.unwrap_or_default();
        sorted.waiting.sort_by(|a, b| size(a).compare(size(b)));
        Ok(Some(sorted))
    }
}

/// The claims of the pod, or what is wrong with the first that cannot be used.
fn claims<'c>(cycle: &Cycle<'c>) -> Result<Vec<&'c Claim>, String> {
    let cluster = cycle.cluster();
    let usable = cluster.claims_of(cycle.pod).map(|used| {
        let name = &used.name;
        let Some(claim) = used.claim else {
            let wait = if used.ephemeral {
                format!("waiting for ephemeral volume controller to create the persistentvolumeclaim {name:?}")
            } else {
                format!("persistentvolumeclaim {name:?} not found")
            };
            return Err(wait);
        };
        if claim.lost {
            let volume = cluster.text(claim.volume_name);
            return Err(format!("persistentvolumeclaim {name:?} bound to non-existent persistentvolume {volume:?}"));
        }
        if claim.deleting {
            return Err(format!("persistentvolumeclaim {name:?} is being deleted"));
        }
        used.check_owner(cycle.pod, cluster).map(|()| claim)
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
#[path = "volume_binding/tests.rs"]
mod tests;
