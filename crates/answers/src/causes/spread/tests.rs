use serde_json::{Value, json};

use crate::causes;
use testing::{Pod, at, cluster, node, objects, pod};

fn web(name: &str) -> Pod {
    pod(name).label("app", "web")
}

fn spread(min_domains: usize) -> Pod {
    web("p").constraint(json!({"topologyKey": "zone", "maxSkew": 1, "minDomains": min_domains,
        "labelSelector": {"matchLabels": {"app": "web"}}}))
}

/// What is said of the nodes that pod `p` cannot be spread to.
fn cause(objects: Vec<Value>) -> String {
    at("1.37").look(&cluster(objects), "p", |decision| {
        let causes = causes::first_causes(decision).1;
        let spread = causes.iter().find(|cause| cause.group.plugin == "PodTopologySpread");
        spread.map(|cause| cause.group.details.join("; ")).unwrap_or_default()
    })
}

#[test]
fn domains_are_said_with_their_counts_and_the_emptiest() {
    let head = "spread over zone: one pod more would exceed maxSkew 1; ";
    let full = || objects![node("a").zone("a").cpu("4"), web("v").on("a"), web("w").on("a")];
    for (row, want, objects) in [
        (
            "a tainted node that counts",
            "a has 2 matching pods, the emptiest domain, cp, has 0 (cp has taint k:NoSchedule, which the pod does not tolerate; it \
             counts because of nodeTaintsPolicy: Ignore)",
            objects![node("cp").zone("cp").taint("k", "", "NoSchedule"), spread(1)],
        ),
        (
            "two full domains and several empty ones",
            "a has 2 matching pods, b has 1, the emptiest domain, c, has 0, as 1 more",
            objects![
                node("b").zone("b").cpu("4"),
                node("c").zone("c").cpu("0"),
                node("d").zone("d").cpu("0"),
                web("x").on("b"),
                spread(1).cpu("1")
            ],
        ),
        (
            "too few domains",
            "a has 2 matching pods, the emptiest domain counts as 0, since there is 1 domain and minDomains is 2",
            objects![spread(2)],
        ),
    ] {
        assert_eq!(cause([full(), objects].concat()), format!("{head}{want}"), "{row}");
    }
}
