use engine::decode::read_cluster;

const NODE: &str = "{kind: Node, apiVersion: v1, metadata: {name: n1}}";
const NAMESPACE: &str = "{kind: Namespace, apiVersion: v1, metadata: {name: default}}";
const WAITS: &str = "{kind: Pod, apiVersion: v1, metadata: {name: p, namespace: default}}";
const BOUND: &str =
    "{kind: Pod, apiVersion: v1, metadata: {name: q, namespace: default}, spec: {nodeName: n1}}";
const BUDGET: &str =
    "{kind: PodDisruptionBudget, apiVersion: policy/v1, metadata: {name: b, namespace: default}}";

fn is_accepted(objects: &[&str]) -> bool {
    let text = format!("---\n{{kind: List, apiVersion: v1, items: [{}]}}", objects.join(", "));
    super::check(&read_cluster(&text, "a file").unwrap(), "a file").is_ok()
}

fn waits(message: &str) -> String {
    let condition = format!(
        "{{type: PodScheduled, status: 'False', reason: Unschedulable, message: '{message}'}}"
    );
    let name = "{name: w, namespace: default}";
    format!(
        "{{kind: Pod, apiVersion: v1, metadata: {name}, status: {{phase: Pending, conditions: [{condition}]}}}}"
    )
}

#[test]
fn missing_nodes_are_distinguished_from_an_empty_cluster() {
    let counts = waits("0/5 nodes are available: 5 Insufficient cpu.");
    let counts_none = waits("no nodes available to schedule pods");
    let counts_zero = waits("0/0 nodes are available: .");
    for (what, objects, accepted) in [
        ("a node", &[NODE, WAITS][..], true),
        ("pods alone", &[WAITS], false),
        ("a pod on a node alone", &[BOUND], false),
        ("objects of namespaces", &[WAITS, BUDGET], false),
        ("namespaces, in a cluster on which nothing runs", &[WAITS, NAMESPACE], true),
        ("namespaces, but a pod is on a node", &[WAITS, BOUND, NAMESPACE], false),
        ("a pod that waits for one of five nodes", &[&counts, NAMESPACE], false),
        ("a pod that waits because there are no nodes", &[&counts_none, WAITS], true),
        ("a pod that waits for one of no nodes", &[&counts_zero], true),
        (
            "pods of which one counts nodes",
            &[&counts_none, &counts.replace("name: w", "name: v")],
            false,
        ),
    ] {
        assert_eq!(is_accepted(objects), accepted, "{what}");
    }
}

#[test]
fn an_empty_list_of_nodes_says_that_there_are_none() {
    let counts = waits("0/5 nodes are available: 5 Insufficient cpu.");
    for list in [
        "{kind: NodeList, apiVersion: v1, items: []}",
        "{items: [], apiVersion: v1, kind: NodeList}",
    ] {
        let text =
            format!("---\n{list}\n---\n{{kind: List, apiVersion: v1, items: [{WAITS}, {counts}]}}");
        assert!(super::check(&read_cluster(&text, "a file").unwrap(), "a file").is_ok(), "{list}");
    }
    let text = format!("---\n{{kind: PodList, apiVersion: v1, items: []}}\n---\n{WAITS}");
    assert!(super::check(&read_cluster(&text, "a file").unwrap(), "a file").is_err());
}

#[test]
fn nodes_that_cannot_be_read_are_not_forgotten() {
    let text = format!("---\n{{kind: Node, apiVersion: v1, metadata: []}}\n---\n{WAITS}");
    let error = super::check(&read_cluster(&text, "a file").unwrap(), "a file").unwrap_err();
    assert!(error.to_string().starts_with("a file: no nodes in it that can be read: "), "{error}");
}

#[test]
fn a_snapshot_says_whether_nodes_were_listed() {
    let snapshot = |lists: &str| {
        let header = format!("{{resourceVersions: {lists}}}");
        let text = format!(
            "---\n{{kind: Snapshot, apiVersion: preempt/v1alpha1, items: [{WAITS}], snapshot: {header}}}"
        );
        super::check(&read_cluster(&text, "a file").unwrap(), "a file").is_ok()
    };
    assert!(snapshot("{nodes: \"7\", pods: \"7\"}"));
    assert!(!snapshot("{pods: \"7\"}"));
}
