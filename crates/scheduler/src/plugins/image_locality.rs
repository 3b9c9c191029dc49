//! `ImageLocality`: prefers nodes that already have the pod's images.

use std::collections::{BTreeMap, BTreeSet};

use crate::framework::cluster_view::NodeInfo;
use crate::framework::failure::StepFailure;
use crate::framework::plugin::{Cycle, RuleDoc, Signer};
use crate::framework::score::{PreparedScore, Score, ScorePlugin};
use model::cluster::{NodeIx, Pod, Sym, Template};
use profile::history::ImageVolumes;

/// Bytes per mebibyte.
const MIB: i64 = 1024 * 1024;
/// Up to this many bytes a node scores 0.
const MINIMUM: i64 = 23 * MIB;
/// From this many bytes per image on, a node gets the maximum score.
const MAXIMUM_PER_IMAGE: i64 = 1000 * MIB;

pub struct ImageLocality;

static DOC: RuleDoc = RuleDoc {
    name: "ImageLocality",
    code: "PRE-132",
    summary: "Prefers nodes that hold the pod's images, large and widespread ones above all.",
    preemption: "Does not take part: it only scores.",
    scores: None,
    messages: &[],
    retried_on: None,
    source: "pkg/scheduler/framework/plugins/imagelocality/image_locality.go (1.37)",
};

impl Signer for ImageLocality {
    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        let images = |template: &Template| -> BTreeSet<Sym> {
            template.images.iter().chain(&template.init_images).copied().collect()
        };
        images(cycle.template) == images(cycle.cluster().template(other))
    }
}

impl ScorePlugin for ImageLocality {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, _: &[NodeIx]) -> PreparedScore<'c> {
        let (template, features) = (cycle.template, cycle.features());
        let init =
            if features.image_locality.init_images_score { &*template.init_images } else { &[] };
        let mut images: Vec<Sym> = init.iter().chain(&template.images).copied().collect();
        let mut counted = images.len();
        if features.image_locality.image_volumes != ImageVolumes::NotCounted {
            images.extend(&template.image_volumes);
        }
        if features.image_locality.image_volumes == ImageVolumes::ScoreAndMaximum {
            counted = images.len();
        }
        let maximum = if features.image_locality.image_maximum_per_container {
            MAXIMUM_PER_IMAGE.saturating_mul(i64::try_from(counted).unwrap_or(i64::MAX))
        } else {
            MAXIMUM_PER_IMAGE
        };
        let holders = images.iter().map(|image| (*image, holders(cycle, *image))).collect();
        // Parity: 1.12 and 1.13 count removed nodes as long as they still have pods.
        let gone = features
            .cycle
            .gone_nodes_kept
            .then(|| cycle.cluster().pods_on_gone_nodes())
            .into_iter()
            .flatten();
        let gone: BTreeSet<Sym> = gone.map(|pod| cycle.cluster().pod(pod).node_name).collect();
        let nodes = cycle.cluster().nodes.len() + gone.len();
        PreparedScore::ready(ImageScore { cycle: *cycle, images, holders, maximum, nodes })
    }
}

/// The nodes that have an image, by name, with the size that each reports, in bytes.
fn holders(cycle: &Cycle, image: Sym) -> Vec<(NodeIx, i64)> {
    let cluster = cycle.cluster();
    let nodes = cluster.node_indices().filter(|_| cycle.view.knows_images);
    nodes.filter_map(|node| Some((node, cluster.image_size(cluster.node(node), image)?))).collect()
}

struct ImageScore<'c> {
    cycle: Cycle<'c>,
    images: Vec<Sym>,
    holders: BTreeMap<Sym, Vec<(NodeIx, i64)>>,
    maximum: i64,
    /// Number of nodes.
    nodes: usize,
}

impl ImageScore<'_> {
    /// The weight in bytes of an image on a node that has it: its size, scaled by the share of
    /// nodes that have it.
    #[expect(clippy::cast_precision_loss, reason = "upstream multiplies as float64, too")]
    fn worth(&self, image: Sym, node: NodeIx) -> Option<i64> {
        let holders = self.holders.get(&image)?;
        let position = holders.binary_search_by_key(&node, |(holder, _)| *holder).ok()?;
        // Upstream keeps the size that the first node reports. Parity: up to 1.28 a node also keeps
        // the number of nodes that had the image when it was added; when the scheduler starts,
        // nodes are added by name.
        let spread = if self.cycle.features().image_locality.image_spread_live {
            holders.len()
        } else {
            position + 1
        };
        let share = spread as f64 / self.nodes as f64;
        holders.first().map(|(_, size)| (*size as f64 * share) as i64)
    }
}

impl Score for ImageScore<'_> {
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        let held = self
            .images
            .iter()
            .filter(|_| !node.bare)
            .filter_map(|image| self.worth(*image, node.node));
        let sum: i64 = held.sum();
        let counted = if sum < MINIMUM { MINIMUM } else { sum.min(self.maximum) };
        Ok(self.cycle.max_score() * (counted - MINIMUM) / (self.maximum - MINIMUM))
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

#[cfg(test)]
mod tests;
