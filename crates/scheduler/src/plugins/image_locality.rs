//! `ImageLocality`: prefers nodes that already have the pod's images.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
        let mut of_images: BTreeMap<Sym, Vec<(NodeIx, i64)>> = BTreeMap::new();
        for image in &images {
            of_images.entry(*image).or_insert_with(|| holders(cycle, *image));
        }
        of_images.retain(|_, holders| !holders.is_empty());
        images.retain(|image| of_images.contains_key(image));
        // Parity: 1.12 and 1.13 count removed nodes as long as they still have pods.
        let gone = features
            .cycle
            .gone_nodes_kept
            .then(|| cycle.cluster().pods_on_gone_nodes())
            .into_iter()
            .flatten();
        let gone: BTreeSet<Sym> = gone.map(|pod| cycle.cluster().pod(pod).node_name).collect();
        let nodes = cycle.cluster().nodes.len() + gone.len();
        PreparedScore::ready(ImageScore {
            cycle: *cycle,
            images,
            holders: of_images,
            maximum,
            nodes,
        })
    }
}

/// The nodes that have an image, by name, with the size that each reports, in bytes.
fn holders(cycle: &Cycle, image: Sym) -> Vec<(NodeIx, i64)> {
    let cluster = cycle.cluster();
    if !cycle.view.knows_images {
        return Vec::new();
    }
    let size = |node: NodeIx| cluster.image_size(cluster.node(node), image);
    let known = cycle.view.known_nodes.as_ref().and_then(|known| {
        known.image_sizes(cycle.view, image, |infos| {
            infos.iter().map(|info| size(info.node)).collect()
        })
    });
    let sizes = known.unwrap_or_else(|| Arc::new(cluster.node_indices().map(size).collect()));
    let sizes = cluster.node_indices().zip(sizes.iter());
    sizes.filter_map(|(node, size)| Some((node, (*size)?))).collect()
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
mod tests {
    use crate::testing::{self, Answer, at, node, pod};
    use serde_json::{Value, json};

    /// 500 MiB.
    const LARGE: i64 = 500 * 1024 * 1024;

    fn with_images(name: &str, images: &[(&str, i64)]) -> testing::Node {
        let list = images.iter().map(|(image, size)| json!({"names": [image], "sizeBytes": size}));
        node(name).cpu("4").with("/status/images", list.collect::<Vec<Value>>())
    }

    fn wants(images: &[&str]) -> testing::Pod {
        let containers = images
            .iter()
            .enumerate()
            .map(|(i, image)| json!({"name": format!("c{i}"), "image": image}));
        pod("p").containers(containers.collect())
    }

    fn score(answer: &Answer, node: &str) -> i64 {
        answer.raw_score(node, "ImageLocality")
    }

    #[test]
    fn an_image_counts_by_size_and_by_the_share_of_nodes_that_have_it() {
        // On one of two nodes: 250 of 23 to 1000 MiB.
        let objects = |image: &str| {
            vec![
                with_images("a", &[(image, LARGE)]).into(),
                node("b").cpu("4").into(),
                wants(&["web"]).into(),
            ]
        };
        for (name, at_a) in
            [("web:latest", 23), ("web", 0), ("web:1", 0), ("registry:5000/web:latest", 0)]
        {
            let answer = testing::decide(objects(name), "p");
            assert_eq!((score(&answer, "a"), score(&answer, "b")), (at_a, 0), "{name}");
        }
    }

    #[test]
    fn a_port_is_no_tag() {
        let nodes = vec![
            with_images("a", &[("reg:5000/web:latest", LARGE)]).into(),
            node("b").cpu("4").into(),
        ];
        let answer = testing::decide([nodes, vec![wants(&["reg:5000/web"]).into()]].concat(), "p");
        assert_eq!(score(&answer, "a"), 23);
    }

    #[test]
    fn the_first_node_tells_the_size() {
        let nodes = vec![
            with_images("a", &[("web:1", LARGE)]).into(),
            with_images("b", &[("web:1", 2 * LARGE)]).into(),
        ];
        let answer = testing::decide([nodes, vec![wants(&["web:1"]).into()]].concat(), "p");
        assert_eq!((score(&answer, "a"), score(&answer, "b")), (48, 48));
    }

    #[test]
    fn image_volumes_count_since_1_36_and_raise_the_maximum_since_1_37() {
        let mounting = || {
            wants(&["web:1"])
                .push("/spec/volumes", json!({"name": "model", "image": {"reference": "model:1"}}))
        };
        let objects = || -> Vec<Value> {
            let both = [("web:1", LARGE), ("model:1", LARGE)];
            vec![with_images("a", &both).into(), with_images("b", &both).into(), mounting().into()]
        };
        for (version, expected) in [("1.35", 48), ("1.36", 100), ("1.37", 49)] {
            assert_eq!(score(&at(version).decide(objects(), "p"), "a"), expected, "{version}");
        }
    }

    #[test]
    fn eras_know_less_of_images() {
        let two = || {
            vec![
                with_images("a", &[("web:1", LARGE)]).into(),
                with_images("b", &[("web:1", LARGE)]).into(),
            ]
        };
        let of = |version: &str, incoming: testing::Pod| {
            let answer = at(version).decide([two(), vec![incoming.into()]].concat(), "p");
            let name = if version == "1.16" { "ImageLocalityPriority" } else { "ImageLocality" };
            (answer.raw_score("a", name), answer.raw_score("b", name))
        };
        assert_eq!(of("1.16", wants(&["web:1"])), (2, 4));
        assert_eq!(
            of("1.28", wants(&["web:1"])),
            (23, 48),
            "a was added first, when nobody else had the image"
        );
        assert_eq!(of("1.29", wants(&["web:1"])), (48, 48));
        assert_eq!(of("1.18", wants(&["web:1", "db:1"])).1, 48, "one maximum for all containers");
        assert_eq!(of("1.19", wants(&["web:1", "db:1"])).1, 24);
        let init =
            || wants(&[]).push("/spec/initContainers", json!({"name": "i", "image": "web:1"}));
        assert_eq!((of("1.29", init()).0, of("1.30", init()).0), (0, 48));
    }
}
