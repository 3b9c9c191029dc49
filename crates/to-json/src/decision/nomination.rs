//! The state of a pod's nomination as JSON.

use std::collections::BTreeMap;

use engine::decision::Decision;
use engine::decision::lingering::{Lingering, LingersBy};
use engine::decision::nominated::{NominationState, STUCK};
use json::decision::{Nomination, StuckPod};

use super::DecisionJson;

impl DecisionJson<'_> {
    /// The state of the pod's nomination.
    pub(super) fn nomination(&self, decision: &Decision) -> Option<Nomination> {
        let found = decision.nomination()?;
        let (mut taken_by, mut stuck) = (Vec::new(), Vec::new());
        match &found.state {
            NominationState::DoesNotFit { takers, .. } => {
                taken_by = takers.iter().map(|pod| self.cluster.pod_name(*pod)).collect();
            }
            NominationState::Stuck(victims) => {
                stuck = victims.iter().map(|victim| self.stuck_pod(victim)).collect();
            }
            NominationState::Used
            | NominationState::Waits
            | NominationState::NodeGone
            | NominationState::OtherNode => {}
        }
        let reserves = match &found.state {
            NominationState::NodeGone => BTreeMap::new(),
            _ => decision.requested().into_iter().collect(),
        };
        Some(Nomination {
            node: self.text(found.node),
            state: found.state.name().into(),
            reserves,
            taken_by,
            stuck,
            ends: found.ends.name().into(),
            stops_autoscalers: found.stops_autoscalers(),
            code: found.is_stuck().then(|| STUCK.code.into()),
        })
    }

    fn stuck_pod(&self, victim: &Lingering) -> StuckPod {
        let finalizers = victim.by.iter().flat_map(|by| match by {
            LingersBy::Finalizers(names) => &**names,
            LingersBy::NodeGone | LingersBy::SilentKubelet | LingersBy::GracePeriod(_) => &[],
        });
        StuckPod {
            pod: self.cluster.pod_name(victim.pod),
            overdue_seconds: victim.overdue,
            kept_by: victim.by.iter().map(|by| by.name().into()).collect(),
            finalizers: finalizers.map(|name| self.text(*name)).collect(),
        }
    }
}
