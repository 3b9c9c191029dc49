//! Caveats: what a plugin knows that makes an answer uncertain.

use super::cycle::NodeVerdict;
use super::plugin::{Cycle, RuleDoc};
use model::cluster::storage::VolumeClaim;
use model::cluster::{Kind, NodeIx};
use model::notes::{Note, NoteDoc, Severity};

/// The input for a plugin's caveats: the cycle and its result.
#[derive(Debug, Clone, Copy)]
pub struct DoubtContext<'d> {
    /// The pod and the cluster.
    pub cycle: &'d Cycle<'d>,
    /// The result of filtering by node, in the order of names; empty if the pod is not in the
    /// queue.
    pub verdicts: &'d [NodeVerdict],
    /// Whether a node takes the pod.
    pub fits: bool,
}

/// How a rule depends on a kind of object, in a decision about one pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reliance {
    /// The severity if the kind could not be read.
    pub unreadable: Severity,
    /// The severity if the input has no object of the kind although the cluster may have some;
    /// `None`: it does not matter.
    pub absent: Option<Severity>,
    /// What may differ then, as a clause; `None`: the rule's whole verdict.
    pub effect: Option<&'static str>,
}

impl Reliance {
    /// The rule's verdict is unreliable without the kind.
    pub const fn whole(absent: Option<Severity>) -> Self {
        Self { unreadable: Severity::Error, absent, effect: None }
    }

    /// Without the kind, `effect` is possible.
    pub const fn partial(unreadable: Severity, effect: &'static str) -> Self {
        Self { unreadable, absent: None, effect: Some(effect) }
    }
}

impl<'d> DoubtContext<'d> {
    /// The nodes on which the pod fits, by name.
    pub fn feasible(&self) -> impl Iterator<Item = NodeIx> + use<'d> {
        let nodes = self.cycle.cluster().node_indices().zip(self.verdicts);
        nodes.filter(|(_, verdict)| **verdict == NodeVerdict::Feasible).map(|(node, _)| node)
    }

    /// Whether scores choose between several nodes.
    pub fn scores_decide(&self) -> bool {
        self.fits && self.feasible().nth(1).is_some()
    }

    /// The claims of the pod that are in the input.
    pub fn claims(&self) -> Vec<&'d VolumeClaim> {
        self.cycle.cluster().claims_of(self.cycle.pod).filter_map(|used| used.claim).collect()
    }

    /// The pod's claims that have a storage class and are not bound yet.
    pub fn waiting_claims(&self) -> impl Iterator<Item = &'d VolumeClaim> + use<'d> {
        self.claims()
            .into_iter()
            .filter(|claim| claim.volume_name.is_empty() && !claim.class.is_empty())
    }

    /// How a rule about the pod's volumes depends on the objects behind them; a pod without volumes
    /// needs none.
    pub fn reliance_of_volumes(&self, kind: Kind) -> Option<Reliance> {
        let cluster = self.cycle.cluster();
        let needed = match kind {
            Kind::PersistentVolumeClaim => cluster.claims_of(self.cycle.pod).next().is_some(),
            Kind::PersistentVolume => {
                self.claims().iter().any(|claim| !claim.volume_name.is_empty())
            }
            Kind::StorageClass => self.waiting_claims().next().is_some(),
            _ => false,
        };
        let volumes = !self.cycle.template.volumes.is_empty();
        volumes.then_some(Reliance::whole(needed.then_some(Severity::Error)))
    }
}

/// A plugin that may have caveats. Plugins without any do not implement it.
pub trait Doubts: Sync {
    /// The plugin's documentation.
    fn doc(&self) -> &'static RuleDoc;

    /// What its notes mean.
    fn notes(&self) -> &'static [&'static NoteDoc] {
        &[]
    }

    /// What makes its answer uncertain. Called for every pod that is in the queue.
    fn doubts(&self, context: &DoubtContext) -> Vec<Note> {
        let _ = context;
        Vec::new()
    }

    /// How it depends on a kind of object; `None` if its verdict about this pod does not. Called if
    /// the profile runs it.
    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        let _ = (kind, context);
        None
    }
}
