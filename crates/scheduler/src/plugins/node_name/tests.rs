use crate::testing::{assert_ends, assert_has, at, node, objects, pod};

/// Pods that name a node never get a cycle of their own, so the cycle is looked at directly.
fn verdicts(version: &str, names: &str) -> (Vec<String>, String) {
    use crate::framework::cycle::NodeVerdict;
    let objects = objects![
        node("a"),
        node("b").cpu("1"),
        node("c").cordoned(),
        pod("p").cpu("2").with("/spec/nodeName", names)
    ];
    at(version).with_cycle(objects, "p", |cycle| {
        let cluster = cycle.cycle.cluster();
        let texts = cycle.filter_all().into_iter().map(|verdict| match verdict {
            NodeVerdict::Filtered { plugin, rejection } => {
                format!(
                    "{} {plugin}: {}",
                    rejection.code.name(),
                    rejection.texts(cluster).join("; ")
                )
            }
            other => format!("{other:?}"),
        });
        (texts.collect(), format!("{:?}", cycle.pre_filter))
    })
}

const OTHER: &str =
    "UnschedulableAndUnresolvable NodeName: node(s) didn't match the requested node name";

#[test]
fn up_to_1_36_every_other_node_is_rejected() {
    let (nodes, pre_filter) = verdicts("1.36", "b");
    assert_eq!(pre_filter, "AllNodes");
    assert_eq!(nodes[0], OTHER);
    assert_ends(&nodes[1], "NodeResourcesFit: Insufficient cpu");
    assert_ends(&nodes[2], "NodeUnschedulable: node(s) were unschedulable");
}

#[test]
fn since_1_37_other_nodes_are_not_even_filtered() {
    let (nodes, pre_filter) = verdicts("1.37", "b");
    assert_has(&pre_filter, r#"by: ["NodeName"]"#);
    assert_eq!(nodes[0], "ExcludedByPreFilter");
    assert_ends(&nodes[1], "NodeResourcesFit: Insufficient cpu");
    assert_eq!(nodes[2], "ExcludedByPreFilter");
}

#[test]
fn a_name_that_is_no_node_leaves_none() {
    assert_eq!(
        verdicts("1.37", "gone").0,
        ["ExcludedByPreFilter", "ExcludedByPreFilter", "ExcludedByPreFilter"]
    );
    assert_eq!(verdicts("1.36", "gone").0[..2], [OTHER, OTHER]);
}

#[test]
fn a_pod_without_a_name_may_go_anywhere() {
    assert!(
        verdicts("1.37", "")
            .0
            .iter()
            .all(|v| !v.contains("NodeName") && v != "ExcludedByPreFilter")
    );
}
