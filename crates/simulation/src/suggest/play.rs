//! Plays moves through on a copy of the cluster: each pod leaves its node and is decided as its
//! controller recreates it, and finally the waiting pod.
//!
//! While a pod moves, its node is cordoned so that it does not return; the node that is freed for
//! the waiting pod stays cordoned until all have moved. The suggested commands do the same.

use dra::device_selectors::DeviceSelectors;
use model::cluster::{Cluster, NodeIx, PodIx};
use model::notes::Severity;
use profile::doubts::is_about_scheduler;
use scheduler::decision::{Decision, decide};
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::reserved::Reserved;
use scheduler::groups::cycle::assume_and_reserve;

use super::SuggestSettings;

/// A move that was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedMove {
    pub pod: PodIx,
    /// The node that it left.
    pub from: NodeIx,
    /// The node that it got.
    pub to: NodeIx,
    /// Whether it may also get another one.
    pub is_open: bool,
}

/// Moves that were played successfully.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedMoves {
    /// The moves, in order.
    pub steps: Vec<PlayedMove>,
    /// The node that was kept free.
    pub freed: NodeIx,
    /// The node that the waiting pod then gets.
    pub node: NodeIx,
}

/// Why a play failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlayFailure {
    /// A moved pod gets no node.
    Lost,
    /// The waiting pod does not fit.
    NoRoom,
}

/// Plays the moves of `pods`, in this order, with `freed` kept free for `goal`.
pub(super) fn play(
    cluster: &Cluster,
    goal: PodIx,
    pods: &[PodIx],
    freed: NodeIx,
    settings: SuggestSettings,
    selectors: &DeviceSelectors,
) -> Result<PlayedMoves, PlayFailure> {
    let mut stage = Stage {
        cluster: cluster.clone(),
        reserved: Reserved::default(),
        settings,
        selectors: selectors.clone(),
    };
    let was_cordoned = |node: NodeIx| cluster.node(node).unschedulable;
    stage.cluster.cordon(freed, true);
    let mut steps = Vec::with_capacity(pods.len());
    for pod in pods {
        let from = stage.cluster.node_of(*pod).ok_or(PlayFailure::Lost)?;
        stage.cluster.cordon(from, true);
        stage.cluster.restart(*pod, settings.now);
        let place = stage.place(*pod).ok_or(PlayFailure::Lost)?;
        if from != freed {
            stage.cluster.cordon(from, was_cordoned(from));
        }
        steps.push(PlayedMove { pod: *pod, from, to: place.node, is_open: place.is_open });
    }
    stage.cluster.cordon(freed, was_cordoned(freed));
    let place = stage.place(goal).ok_or(PlayFailure::NoRoom)?;
    Ok(PlayedMoves { steps, freed, node: place.node })
}

/// The cluster in the middle of a play.
struct Stage<'s> {
    cluster: Cluster,
    /// Devices and volumes held by the moved pods.
    reserved: Reserved,
    settings: SuggestSettings<'s>,
    selectors: DeviceSelectors,
}

/// The node that a pod gets.
struct Place {
    node: NodeIx,
    is_open: bool,
}

impl Stage<'_> {
    /// Decides a waiting pod and binds it; `None` if it fits on no node without evictions, or if
    /// that is uncertain.
    fn place(&mut self, pod: PodIx) -> Option<Place> {
        let now = self.settings.now;
        let mut view = ClusterView::with_selectors(
            &self.cluster,
            self.settings.profile,
            self.selectors.clone(),
        );
        view.reserve(self.reserved.clone());
        let decision = decide(&view, pod, now);
        if !decision.fits() || !is_certain(&decision) {
            return None;
        }
        let node = *decision.selected().first()?;
        let is_open = decision.selected().len() > 1;
        drop(decision);
        assume_and_reserve(pod, node, &mut view, now);
        self.reserved = view.reserved().clone();
        drop(view);
        self.cluster.bind(pod, node);
        Some(Place { node, is_open })
    }
}

/// Whether a decision is certain, apart from unknown settings of the scheduler, which make every
/// answer equally uncertain.
fn is_certain(decision: &Decision) -> bool {
    let mut notes = decision.notes.iter();
    notes.all(|note| note.severity != Severity::Error || is_about_scheduler(note))
}
