//! Score of InterPodAffinity: preferred terms of the pod and of running pods.
//!
//! Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/scoring.go` (1.37).

use std::sync::Arc;

use indexmap::IndexMap;
use smallvec::SmallVec;

use super::term::{OwnTerm, is_about};
use crate::framework::cluster_view::known_nodes::Pulls as NodePulls;
use crate::framework::cluster_view::{ClusterView, NodeDomains, NodeInfo};
use crate::framework::failure::StepFailure;
use crate::framework::plugin::Cycle;
use crate::framework::score::{PreparedScore, Score};
use model::cluster::symbols::PoolIx;
use model::cluster::template::{AffinityTerm, Weighted};
use model::cluster::{NodeIx, Pod, PodIx, Sym};

/// PreScore.
pub(super) fn prepare<'c>(cycle: &Cycle<'c>) -> PreparedScore<'c> {
    let mut attraction = Attraction::new(cycle);
    if attraction.own.is_empty() && cycle.view.profile.args.ignore_preferred_terms_of_existing_pods
    {
        return PreparedScore::Skip;
    }
    attraction.sum_up();
    // No preference applies here, which differs from preferences that cancel out.
    if attraction.is_indifferent() { PreparedScore::Skip } else { PreparedScore::ready(attraction) }
}

/// Topology keys of terms with their weights, negative for anti-affinity.
type Pulls = SmallVec<[(Sym, i64); 2]>;

struct Attraction<'c> {
    cycle: Cycle<'c>,
    /// The pod's own preferred terms, with their weight.
    own: Vec<(OwnTerm<'c>, i64)>,
    by_key: SmallVec<[PullsByDomain; 2]>,
}

/// The weights by which running pods pull the incoming one into the domains of a topology key.
struct PullsByDomain {
    key: Sym,
    domains: NodeDomains,
    /// By number of the domain.
    sums: Vec<i64>,
    /// Whether any domain has such a weight.
    are_any: bool,
}

impl PullsByDomain {
    fn new(key: Sym, view: &ClusterView) -> Self {
        let domains = view.node_domains(key);
        let sums = vec![0; domains.count];
        Self { key, domains, sums, are_any: false }
    }

    fn add(&mut self, node: NodeIx, weight: i64) {
        if let Some(sum) = self.domains.of(node).and_then(|number| self.sums.get_mut(number)) {
            *sum += weight;
            self.are_any = true;
        }
    }

    fn on(&self, node: NodeIx) -> i64 {
        let sum = self.domains.of(node).and_then(|number| self.sums.get(number));
        sum.copied().unwrap_or(0)
    }
}

impl<'c> Attraction<'c> {
    fn new(cycle: &Cycle<'c>) -> Self {
        let template = cycle.template;
        let sides = [(&template.preferred_affinity, 1), (&template.preferred_anti_affinity, -1)];
        let own = sides.into_iter().flat_map(|(terms, sign)| {
            terms.iter().flatten().map(move |t| (OwnTerm::new(&t.term, cycle), sign * t.weight))
        });
        Self { cycle: *cycle, own: own.collect(), by_key: SmallVec::new() }
    }

    /// Whether no preference is about the incoming pod.
    fn is_indifferent(&self) -> bool {
        !self.by_key.iter().any(|pulls| pulls.are_any)
    }

    fn sum_up(&mut self) {
        let view = self.cycle.view;
        if self.own.is_empty() && !view.any_has_affinity() {
            return;
        }
        let known = view.known_nodes.as_ref().filter(|_| !view.has_frozen_lists());
        let known = known.and_then(|known| {
            known.pulls(view, self.cycle.ix, |infos| {
                self.pulls_on(infos.iter().map(|info| &***info))
            })
        });
        let found = known
            .unwrap_or_else(|| Arc::new(self.pulls_on(view.infos().iter().map(|info| &**info))));
        for (info, pulls) in view.infos().iter().zip(found.iter()) {
            for (key, weight) in pulls.iter().flatten() {
                let at = self.by_key.iter().position(|pulls| pulls.key == *key);
                let at = at.unwrap_or_else(|| {
                    self.by_key.push(PullsByDomain::new(*key, view));
                    self.by_key.len() - 1
                });
                if let Some(pulls) = self.by_key.get_mut(at) {
                    pulls.add(info.node, *weight);
                }
            }
        }
    }

    /// The sums of the weights by which the pods of each node pull the incoming one.
    fn pulls_on<'i>(&self, infos: impl Iterator<Item = &'i NodeInfo>) -> Vec<NodePulls> {
        let mut of_kinds: IndexMap<(PoolIx, Sym), Pulls, foldhash::fast::RandomState> =
            IndexMap::default();
        let cluster = self.cycle.cluster();
        let everywhere = !self.own.is_empty();
        let mut found = Vec::new();
        for info in infos {
            let mut sums = Pulls::new();
            let counting: &[PodIx] = if everywhere {
                &info.pods
            } else if self.cycle.view.lists_affinity(info.node, false) {
                info.with_affinity(cluster)
            } else {
                &[]
            };
            for ix in counting {
                let pod = cluster.pod(*ix);
                let theirs = of_kinds
                    .entry((pod.template, pod.namespace))
                    .or_insert_with(|| self.pulls_of(pod))
                    .iter()
                    .copied();
                let own = self.own.iter().filter(|(term, _)| term.matches(pod));
                let own = own.map(|(term, weight)| (term.spec.topology_key, *weight));
                for (key, weight) in theirs.chain(own) {
                    match sums.iter_mut().find(|(known, _)| *known == key) {
                        Some((_, sum)) => *sum += weight,
                        None => sums.push((key, weight)),
                    }
                }
            }
            found.push((!sums.is_empty()).then(|| sums.as_slice().into()));
        }
        found
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
        Ok(self.by_key.iter().map(|pulls| pulls.on(node.node)).sum())
    }

    /// The best node scores 100, the worst 0; all score 0 if they are equal.
    #[expect(clippy::cast_precision_loss, reason = "upstream divides as float64, too")]
    fn normalize(&self, raw: &[i64]) -> Option<Vec<i64>> {
        let (Some(least), Some(most)) = (raw.iter().min(), raw.iter().max()) else {
            return Some(Vec::new());
        };
        let extremes = self.cycle.features().inter_pod_affinity.affinity_score_spans_extremes;
        let (least, most) =
            if extremes { (*least, *most) } else { ((*least).min(0), (*most).max(0)) };
        let (range, best) = (most - least, self.cycle.max_score());
        let scaled = raw.iter().map(|score| {
            if range == 0 {
                0
            } else {
                (best as f64 * ((score - least) as f64 / range as f64)) as i64
            }
        });
        Some(scaled.collect())
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{Pod, decide, labels, node, objects, pod};

    const NAME: &str = "InterPodAffinity";

    fn zones() -> Vec<Value> {
        objects![node("a1").zone("a"), node("a2").zone("a"), node("b").zone("b"), node("c")]
    }

    fn prefers(pod: Pod, side: &str, weight: i64, app: &str) -> Pod {
        let term = json!({"topologyKey": "zone", "labelSelector": labels("app", app)});
        let weighted = json!({"weight": weight, "podAffinityTerm": term});
        pod.push(
            &format!("/spec/affinity/{side}/preferredDuringSchedulingIgnoredDuringExecution"),
            weighted,
        )
    }

    fn db(name: &str, node: &str) -> Pod {
        pod(name).label("app", "db").on(node)
    }

    fn web() -> Pod {
        pod("p").label("app", "web")
    }

    #[test]
    fn preferences_of_the_pod_and_of_the_running_ones_add_up() {
        let (near, away) = ("podAffinity", "podAntiAffinity");
        for (row, objects, want) in [
            (
                "the pod likes two in zone a",
                objects![db("d", "a1"), db("e", "a2"), prefers(web(), near, 5, "db")],
                [(10, 100), (0, 0), (0, 0)],
            ),
            (
                "the pod dislikes one",
                objects![db("d", "a1"), prefers(web(), away, 5, "db")],
                [(-5, 0), (0, 100), (0, 100)],
            ),
            (
                "a running pod likes it",
                objects![prefers(db("d", "b"), near, 3, "web"), web()],
                [(0, 0), (3, 100), (0, 0)],
            ),
            (
                "a running pod dislikes it, less than another likes it",
                objects![
                    prefers(db("d", "b"), away, 3, "web"),
                    prefers(db("e", "a1"), near, 4, "web"),
                    web()
                ],
                [(4, 100), (-3, 0), (0, 42)],
            ),
            (
                "what a running pod requires counts one",
                objects![db("d", "a1").near("zone", "app", "web"), web()],
                [(1, 100), (0, 0), (0, 0)],
            ),
            (
                "likes and dislikes that cancel out are still an opinion",
                objects![db("d", "a1"), prefers(prefers(web(), near, 5, "db"), away, 5, "db")],
                [(0, 0), (0, 0), (0, 0)],
            ),
        ] {
            let answer = decide([zones(), objects].concat(), "p");
            assert_eq!(["a1", "b", "c"].map(|n| answer.score(n, NAME)), want, "{row}");
        }
    }

    #[test]
    fn without_any_preference_that_applies_there_is_no_score() {
        for (row, objects) in [
            ("nobody prefers anything", objects![db("d", "a1"), web()]),
            ("nobody to prefer", objects![prefers(web(), "podAffinity", 5, "db")]),
            (
                "only on a node without the label",
                objects![db("d", "c"), prefers(web(), "podAffinity", 5, "db")],
            ),
            (
                "in another namespace",
                objects![db("d", "a1").ns("other"), prefers(web(), "podAffinity", 5, "db")],
            ),
        ] {
            let answer = decide([zones(), objects].concat(), "p");
            assert!(!answer.score_plugins("a1").iter().any(|p| p == NAME), "{row}");
        }
    }
}
