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
    let nodes =
        vec![with_images("a", &[("reg:5000/web:latest", LARGE)]).into(), node("b").cpu("4").into()];
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
    let init = || wants(&[]).push("/spec/initContainers", json!({"name": "i", "image": "web:1"}));
    assert_eq!((of("1.29", init()).0, of("1.30", init()).0), (0, 48));
}
