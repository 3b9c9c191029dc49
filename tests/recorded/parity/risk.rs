//! Every pod that the recorded scheduler evicts is one that `risk` says can be preempted.

use std::collections::BTreeSet;

use engine::risk::{self, Exposure, Risk};

use super::compare::Case;

/// What was found about one case.
pub struct Found {
    /// How many running pods are said to be safe from the preemptor.
    pub safe: usize,
    /// Victims that are said to be safe.
    pub wrong: Vec<String>,
}

/// The pods that the recorded scheduler would evict, on any candidate node.
pub fn victims(case: &Case) -> BTreeSet<String> {
    let candidates = case.expect["preemption"]["candidates"].as_object().into_iter().flatten();
    let victims =
        candidates.flat_map(|(_, found)| found["victims"].as_array().into_iter().flatten());
    victims.filter_map(|name| name.as_str().map(ToOwned::to_owned)).collect()
}

/// Asks both about every priority class and about the recorded preemptor alone.
pub fn of(case: &Case) -> Result<Found, String> {
    let victims = victims(case);
    case.with(|decision, _| {
        let cluster = decision.view.cluster;
        let running: Vec<_> =
            cluster.pod_indices().filter(|pod| !cluster.pod(*pod).node_name.is_empty()).collect();
        let views = std::slice::from_ref(decision.view);
        let mut found = Found { safe: 0, wrong: Vec::new() };
        for declared in [&[][..], &[decision.pod]] {
            let risk = risk::assess(views, &|_| 0, &running, declared, decision.now);
            let safe = pods(&risk, Exposure::Safe);
            found.wrong.extend(
                victims.intersection(&safe).map(|pod| format!("{pod} (named: {})", declared.len())),
            );
            if !declared.is_empty() {
                found.safe = safe.len();
                let mut ours = pods(&risk, Exposure::Victim);
                ours.extend(pods(&risk, Exposure::Candidate));
                found
                    .wrong
                    .extend(victims.difference(&ours).map(|pod| format!("{pod} is no victim")));
            }
        }
        found
    })
}

fn pods(risk: &Risk, exposure: Exposure) -> BTreeSet<String> {
    risk.pods().filter(|pod| pod.exposure == exposure).map(|pod| pod.pod.full_name()).collect()
}
