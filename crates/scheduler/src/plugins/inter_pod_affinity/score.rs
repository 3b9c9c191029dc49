//! Score of InterPodAffinity: preferred terms of the pod and of running pods.
//!
//! Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/scoring.go` (1.37).

use std::collections::BTreeSet;

use indexmap::IndexMap;
use smallvec::SmallVec;

use super::domains::Domain;
use super::term::{OwnTerm, is_about};
use crate::framework::cluster_view::NodeInfo;
use crate::framework::failure::StepFailure;
use crate::framework::plugin::Cycle;
use crate::framework::score::{PreparedScore, Score};
use model::cluster::symbols::PoolIx;
use model::cluster::template::{AffinityTerm, Weighted};
use model::cluster::{NodeIx, Pod, PodIx, Sym, Template};

/// PreScore.
pub(super) fn prepare<'c>(cycle: &Cycle<'c>) -> PreparedScore<'c> {
    let mut attraction = Attraction::new(cycle);
    if attraction.own.is_empty() && cycle.view.profile.args.ignore_preferred_terms_of_existing_pods
    {
        return PreparedScore::Skip;
    }
    attraction.sum_up();
    // No preference applies here, which differs from preferences that cancel out.
    if attraction.by_domain.is_empty() {
        PreparedScore::Skip
    } else {
        PreparedScore::ready(attraction)
    }
}

/// Topology keys of terms with their weights, negative for anti-affinity.
type Pulls = SmallVec<[(Sym, i64); 2]>;

struct Attraction<'c> {
    cycle: Cycle<'c>,
    /// The pod's own preferred terms, with their weight.
    own: Vec<(OwnTerm<'c>, i64)>,
    by_domain: IndexMap<Domain, i64, foldhash::fast::RandomState>,
    /// The topology keys of `by_domain`.
    keys: BTreeSet<Sym>,
}

impl<'c> Attraction<'c> {
    fn new(cycle: &Cycle<'c>) -> Self {
        let template = cycle.template;
        let sides = [(&template.preferred_affinity, 1), (&template.preferred_anti_affinity, -1)];
        let own = sides.into_iter().flat_map(|(terms, sign)| {
            terms.iter().flatten().map(move |t| (OwnTerm::new(&t.term, cycle), sign * t.weight))
        });
        Self {
            cycle: *cycle,
            own: own.collect(),
            by_domain: IndexMap::default(),
            keys: BTreeSet::new(),
        }
    }

    fn sum_up(&mut self) {
        let cluster = self.cycle.cluster();
        let mut pulls: IndexMap<(PoolIx, Sym), Pulls, foldhash::fast::RandomState> =
            IndexMap::default();
        let everywhere = !self.own.is_empty();
        // There are far fewer templates than pods.
        if !everywhere && !cluster.templates.iter().any(Template::has_affinity) {
            return;
        }
        let infos = self.cycle.view.infos().iter();
        for info in
            infos.filter(|info| everywhere || self.cycle.view.lists_affinity(info.node, false))
        {
            for pod in info.pods.iter().map(|ix: &PodIx| cluster.pod(*ix)) {
                let theirs = pulls
                    .entry((pod.template, pod.namespace))
                    .or_insert_with(|| self.pulls_of(pod))
                    .iter()
                    .copied();
                let own = self.own.iter().filter(|(term, _)| term.matches(pod));
                let own = own.map(|(term, weight)| (term.spec.topology_key, *weight));
                for (key, weight) in theirs.chain(own) {
                    if let Some(value) = self.cycle.view.node_label(info.node, key) {
                        *self.by_domain.entry((key, value)).or_default() += weight;
                    }
                }
            }
        }
        self.keys = self.by_domain.keys().map(|(key, _)| *key).collect();
    }

    /// The weights of the terms of a running pod that match the incoming one, by topology key.
    fn pulls_of(&self, pod: &Pod) -> Pulls {
        let args = &self.cycle.view.profile.args;
        let cluster = self.cycle.cluster();
        let template = cluster.template(pod);
        let is_about = |term: &AffinityTerm| is_about(term, pod.namespace, &self.cycle);
        let required = template.affinity.iter().flatten().filter(|t| is_about(t));
        let mut pulls: Pulls =
            required.map(|t| (t.topology_key, args.hard_pod_affinity_weight)).collect();
        pulls.retain(|(_, weight)| *weight > 0);
        for (preferred, sign) in
            [(&template.preferred_affinity, 1), (&template.preferred_anti_affinity, -1)]
        {
            for Weighted { term, weight } in preferred.iter().flatten() {
                if is_about(term) {
                    pulls.push((term.topology_key, sign * weight));
                }
            }
        }
        pulls
    }
}

impl Score for Attraction<'_> {
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        Ok(self
            .keys
            .iter()
            .filter_map(|key| {
                self.by_domain.get(&(*key, self.cycle.view.node_label(node.node, *key)?)).copied()
            })
            .sum())
    }

    /// The best node scores 100, the worst 0; all score 0 if they are equal.
    #[expect(clippy::cast_precision_loss, reason = "upstream divides as float64, too")]
    fn normalize(&self, raw: &[i64]) -> Vec<i64> {
        let (Some(least), Some(most)) = (raw.iter().min(), raw.iter().max()) else {
            return Vec::new();
        };
        let extremes = self.cycle.features().inter_pod_affinity.affinity_score_spans_extremes;
        let (least, most) =
            if extremes { (*least, *most) } else { ((*least).min(0), (*most).max(0)) };
        let (range, best) = (most - least, self.cycle.max_score());
        raw.iter()
            .map(|score| {
                if range == 0 {
                    0
                } else {
                    (best as f64 * ((score - least) as f64 / range as f64)) as i64
                }
            })
            .collect()
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

#[cfg(test)]
mod tests;
