use engine::decode::read_cluster;

const NODE: &str = "{kind: Node, apiVersion: v1, metadata: {name: n1}}";
const NAMESPACE: &str = "{kind: Namespace, apiVersion: v1, metadata: {name: default}}";
const WAITS: &str = "{kind: Pod, apiVersion: v1, metadata: {name: p, namespace: default}}";
const BOUND: &str = "{kind: Pod, apiVersion: v1, metadata: {name: q, namespace: default}, spec: {nodeName: n1}}";
const BUDGET: &str = "{kind: PodDisruptionBudget, apiVersion: policy/v1, metadata: {name: b, namespace: default}}";

fn is_accepted(objects: &[&str]) -> bool {
    let text = format!("---\n{{kind: List, apiVersion: v1, items: [{}]}}", objects.join(", "));
    super::check(&read_cluster(&text, "a file").unwrap(), "a file").is_ok()
}

#[test]
fn forgotten_nodes_are_told_from_none() {
    for (what, objects, accepted) in [
        ("a node", &[NODE, WAITS][..], true),
        ("pods alone", &[WAITS], false),
        ("a pod on a node alone", &[BOUND], false),
        ("objects of namespaces", &[WAITS, BUDGET], false),
        ("a cluster on which nothing runs", &[WAITS, NAMESPACE], true),
        ("namespaces, but a pod is on a node", &[WAITS, BOUND, NAMESPACE], false),
    ] {
        assert_eq!(is_accepted(objects), accepted, "{what}");
    }
}

#[test]
fn a_snapshot_says_whether_nodes_were_listed() {
    let snapshot = |lists: &str| {
        let header = format!("{{resourceVersions: {lists}}}");
        let text =
            format!("---\n{{kind: Snapshot, apiVersion: preempt/v1alpha1, items: [{WAITS}], snapshot: {header}}}");
        super::check(&read_cluster(&text, "a file").unwrap(), "a file").is_ok()
    };
    assert!(snapshot("{nodes: \"7\", pods: \"7\"}"));
    assert!(!snapshot("{pods: \"7\"}"));
}
