use engine::profile::SchedulerVersion;
use engine::snapshot::meta::LabelSelector;
use testing::{NOW, budget, cluster, node, objects, pod};
use textwrap::core::display_width;

use crate::page::{Drawn as _, Paper};
use answers::extent::Extent;
use answers::input::{InputFlags, LoadedInput, Wishes};
use answers::origin::InputOrigin;
use answers::questions::node::{NodeRequest, node as ask};
use answers::scheduler::SchedulerChoice;

/// A removal with long names, a pod that fits nowhere, budgets that wait and refuse, and an
/// autoscaler that leaves the node alone.
fn printed(width: Option<u16>) -> String {
    let long = "ip-10-0-0-43.eu-central-1.compute.internal";
    let web = |name: &str, app: &str| {
        pod(name).cpu("1").label("app", app).replica_of(app).ready().on(long)
    };
    let list = objects![
        node(long).cpu("16"),
        node("ip-10-0-0-44.eu-central-1.compute.internal").cpu("6"),
        node("ip-10-0-0-45.eu-central-1.compute.internal").cpu("6"),
        web("frontend-7d4b9c6f5d-x8k2p", "frontend"),
        web("frontend-7d4b9c6f5d-z9q4r", "frontend"),
        web("kafka-0", "kafka"),
        web("huge-6c5b8d7f9c-abcde", "huge").cpu("9"),
        pod("debug").ready().on(long),
        budget("frontend").selects("app", "frontend").allowed(1).healthy(2, 1, 2),
        budget("kafka").selects("app", "kafka").allowed(0).healthy(1, 1, 1),
        budget("kafka-old").selects("app", "kafka").allowed(0).healthy(1, 1, 1),
    ];
    let scheduler =
        SchedulerChoice { version: SchedulerVersion::parse("1.37"), ..SchedulerChoice::default() };
    let (now, selector) = (NOW.parse().expect("a time"), &LabelSelector::default());
    let flags = &InputFlags::default();
    let wishes = Wishes { scheduler: &scheduler, now: Some(now), present: now, selector, flags };
    let (place, namespace) = (InputOrigin::Files(vec!["cluster.json".to_owned()]), String::new());
    let input = LoadedInput::of_cluster(&mut cluster(list), None, place, namespace, &wishes);
    let input = input.expect("a scheduler");
    let request = NodeRequest { nodes: vec![long.to_owned()], surge: 0 };
    let report = ask(&input, &request).expect("the node");
    let text = report.page(Extent::Top).print(Paper { width, ..Paper::PLAIN });
    text.to_string()
}

#[test]
fn page_of_a_drain_fits_terminals_of_any_width() {
    for width in [80, 120, 200] {
        let text = printed(Some(width));
        let widest = text.lines().map(display_width).max().unwrap_or_default();
        assert!(widest <= usize::from(width), "{width}:\n{text}");
        for want in ["cannot be drained", "frontend", "kafka", "nowhere", "stays"] {
            assert!(text.contains(want), "{want}, {width}:\n{text}");
        }
    }
}

#[test]
fn page_of_a_drain_says_all_in_a_pipe() {
    let text = printed(None);
    for want in [
        "ip-10-0-0-43.eu-central-1.compute.internal cannot be drained: 1 pod fits nowhere, default/kafka-0 has several PDBs.",
        "default/kafka-0 is selected by PodDisruptionBudgets default/kafka and default/kafka-old: the server always refuses its eviction",
        "default/debug has no controller: it is lost",
        "cluster-autoscaler leaves the node alone (by default: no controller): default/debug",
    ] {
        assert!(text.contains(want), "{want}:\n{text}");
    }
}
