//! `ImageLocality`: nodes that hold the pod's images already.

use std::collections::BTreeMap;

use crate::cluster::node::{Node, NodeIx};
use crate::cluster::symbols::Sym;
use crate::framework::plugin::{Cycle, RuleDoc};
use crate::framework::score::{MAX_NODE_SCORE, PreparedScore, Score, ScorePlugin};
use crate::framework::world::NodeInfo;

/// Bytes of a mebibyte.
const MIB: i64 = 1024 * 1024;
/// Up to this many bytes a node scores nothing.
const MINIMUM: i64 = 23 * MIB;
/// From this many bytes per image on a node scores best.
const MAXIMUM_PER_IMAGE: i64 = 1000 * MIB;

/// The plugin.
pub struct ImageLocality;

static DOC: RuleDoc = RuleDoc {
    name: "ImageLocality",
    summary: "Prefers nodes that hold the pod's images, large and widespread ones above all.",
    preemption: "Does not take part: it only scores.",
    source: "pkg/scheduler/framework/plugins/imagelocality/image_locality.go (1.37)",
};

impl ScorePlugin for ImageLocality {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, _: &[NodeIx]) -> PreparedScore<'c> {
        let (template, features) = (cycle.template, cycle.features());
        let mut images = template.images.to_vec();
        let mut counted = images.len();
        if features.image_volumes_score {
            images.extend(&template.image_volumes);
        }
        if features.image_volumes_raise_maximum {
            counted = images.len();
        }
        let maximum = MAXIMUM_PER_IMAGE.saturating_mul(i64::try_from(counted).unwrap_or(i64::MAX));
        PreparedScore::ready(Held { worth: worth(cycle, &images), cycle: *cycle, images, maximum })
    }
}

/// Bytes that each image counts for on a node that has it: its size, scaled by the share of nodes that have it.
#[expect(clippy::cast_precision_loss, reason = "upstream multiplies as float64, too")]
fn worth(cycle: &Cycle, images: &[Sym]) -> BTreeMap<Sym, i64> {
    let nodes = &cycle.cluster().nodes;
    let of_image = |image: &Sym| {
        let mut sizes = nodes.iter().filter_map(|node| size(node, *image));
        // Upstream remembers the size that the first node tells.
        let first = sizes.next()?;
        let share = (1 + sizes.count()) as f64 / nodes.len() as f64;
        Some((*image, (first as f64 * share) as i64))
    };
    images.iter().filter_map(of_image).collect()
}

fn size(node: &Node, image: Sym) -> Option<i64> {
    let index = node.images.binary_search_by_key(&image, |(name, _)| *name).ok()?;
    node.images.get(index).map(|(_, size)| *size)
}

struct Held<'c> {
    cycle: Cycle<'c>,
    images: Vec<Sym>,
    worth: BTreeMap<Sym, i64>,
    maximum: i64,
}

impl Score for Held<'_> {
    fn score(&self, node: &NodeInfo) -> Result<i64, String> {
        let node = self.cycle.world.node(node.node);
        let held = self.images.iter().filter(|image| size(node, **image).is_some());
        let sum: i64 = held.filter_map(|image| self.worth.get(image)).sum();
        let counted = if sum < MINIMUM { MINIMUM } else { sum.min(self.maximum) };
        Ok(MAX_NODE_SCORE * (counted - MINIMUM) / (self.maximum - MINIMUM))
    }
}

#[cfg(test)]
#[path = "image_locality/tests.rs"]
mod tests;
