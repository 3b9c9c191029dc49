use serde_json::{Value, json};

use super::{CycleErrorKind, errors};
use crate::framework::failure::StepFailure;
use crate::testing::{assert_begins, assert_has, at, claim, class, decide, node, objects, pod};
use profile::Profile;

#[test]
fn pods_that_never_get_a_cycle_get_a_sentence() {
    for (row, pod, want) in [
        ("bound", pod("p").on("n"), "Pod default/p is already assigned to node n."),
        (
            "succeeded",
            pod("p").on("n").phase("Succeeded"),
            "Pod default/p has finished (Succeeded); there is nothing to schedule.",
        ),
        (
            "failed",
            pod("p").phase("Failed"),
            "Pod default/p has finished (Failed); there is nothing to schedule.",
        ),
        (
            "one gate",
            pod("p").gated("example.com/a"),
            "Pod default/p waits for its scheduling gate [example.com/a]; kube-scheduler ignores it until it is removed.",
        ),
        (
            "two gates",
            pod("p").gated("b").gated("a"),
            "Pod default/p waits for its scheduling gates [b a]; kube-scheduler ignores it until they are removed.",
        ),
        (
            "another scheduler",
            pod("p").scheduler("other"),
            "Pod default/p is left to scheduler \"other\", whose rules are not known here; default-scheduler ignores it.",
        ),
        (
            "being deleted",
            pod("p").terminating(),
            "Pod default/p is being deleted; the scheduler ignores it.",
        ),
    ] {
        let answer = decide(objects![node("n"), pod], "p");
        assert_eq!((answer.outcome(), answer.why()), ("NotInQueue", want), "{row}");
        assert_eq!((&*answer.nodes, answer.message()), (&[][..], ""), "{row}");
    }
    assert_eq!(
        decide(objects![node("n"), pod("p").scheduler("default-scheduler")], "p").outcome(),
        "Schedulable"
    );
}

#[test]
fn bound_pod_with_unbound_claim_gets_a_note() {
    let selected = "/metadata/annotations/volume.kubernetes.io~1selected-node";
    let later = || class("later", "csi.example.com");
    let now = || class("now", "csi.example.com").with("/volumeBindingMode", "Immediate");
    let past = "Pod default/p is already assigned to node n, past kube-scheduler, which alone gets a volume for its claim c: \
                the claim stays unbound (WaitForFirstConsumer).";
    let plain = "Pod default/p is already assigned to node n.";
    for (row, class, claim, want) in [
        ("a claim that waits for a pod", later(), claim("c", "later"), past),
        ("one that is bound", later(), claim("c", "later").bound("pv"), plain),
        ("one whose node is selected", later(), claim("c", "later").with(selected, "n"), plain),
        ("one that is bound at once", now(), claim("c", "now"), plain),
    ] {
        let answer = decide(objects![node("n"), class, claim, pod("p").claim("c").on("n")], "p");
        assert_eq!(answer.why(), want, "{row}");
    }
    let two = objects![
        node("n"),
        later(),
        claim("c", "later"),
        claim("d", "later"),
        pod("p").claim("c").claim("d").on("n")
    ];
    assert!(decide(two, "p").why().contains("its claims c, d: they stay unbound"));
}

#[test]
fn cluster_without_nodes_rejects_every_pod() {
    let answer = decide(objects![pod("p").priority(9)], "p");
    assert_eq!(
        (answer.outcome(), answer.message()),
        ("Unschedulable", "no nodes available to schedule pods")
    );
    assert_eq!(answer.condition(), answer.message());
    assert_eq!(answer.preemption, None);
    let rejected_by_prefilter = decide(objects![pod("p").claim("gone")], "p");
    assert_eq!(rejected_by_prefilter.pre_filter(), "", "no plugin is asked");
}

/// Three nodes that reject a pod of 2 cpus: one has a single cpu, one is full, one is tainted.
fn three() -> Vec<Value> {
    objects![
        node("a").cpu("1"),
        node("b").cpu("2"),
        node("c").cpu("2").taint("k", "v", "NoSchedule"),
        pod("v").cpu("1").priority(9).on("b"),
        pod("p").cpu("2"),
    ]
}

#[test]
fn messages_of_each_version() {
    let named =
        "0/3 nodes are available: 1 node(s) had untolerated taint {k: v}, 2 Insufficient cpu.";
    let fixed = "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.";
    let nested = |reasons: &str| format!("preemption: 0/3 nodes are available: {reasons}.");
    let two = nested(
        "1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling",
    );
    let one = nested(
        "1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod",
    );
    for (version, want) in [
        ("1.33.13", format!("{named} {one}")),
        ("1.34.1", format!("{named} no new claims to deallocate, {two}")),
        ("1.34.2", format!("{fixed} no new claims to deallocate, {two}")),
        ("1.36.3", format!("{fixed} no new claims to deallocate, {two}")),
        ("1.37.1", format!("{fixed} {two}")),
    ] {
        let answer = at(version).decide(three(), "p");
        assert_eq!(
            (answer.message(), answer.condition()),
            (want.as_str(), want.as_str()),
            "{version}"
        );
    }
}

#[test]
fn a_success_is_reported_since_1_37() {
    let objects =
        || objects![node("n").cpu("1"), pod("v").cpu("1").on("n"), pod("p").cpu("1").priority(9)];
    let plain = "0/1 nodes are available: 1 Insufficient cpu.";
    let found = format!(
        "{plain} preemption: found a potential placement for pod on node n, preempting 1 victims"
    );
    for (version, condition) in [("1.36", plain), ("1.37", found.as_str())] {
        let answer = at(version).decide(objects(), "p");
        assert_eq!((answer.outcome(), answer.selected().as_str()), ("Preempt", "n"), "{version}");
        assert_eq!((answer.message(), answer.condition()), (plain, condition), "{version}");
    }
}

#[test]
fn a_narrowed_pod_counts_the_other_nodes_apart() {
    let term =
        json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]});
    let objects =
        objects![node("a").pods(0), node("b"), node("c"), node("d"), pod("p").node_term(term)];
    let want = "0/4 nodes are available: 1 Too many pods, 3 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to \
                deallocate, preemption: 0/4 nodes are available: 1 No preemption victims found for incoming pod, 3 Preemption \
                is not helpful for scheduling.";
    assert_eq!(at("1.36").decide(objects, "p").message(), want);
}

#[test]
fn reasons_are_counted_over_nodes_not_nodes_over_reasons() {
    let mut objects = objects![pod("p").memory("2")];
    for i in 0..4 {
        objects.push(node(&format!("n{i}")).memory("2").pods(if i == 0 { 1 } else { 9 }).into());
        objects.push(pod(&format!("v{i}")).memory("1").on(&format!("n{i}")).into());
    }
    let want = "0/4 nodes are available: 1 Too many pods, 4 Insufficient memory. preemption: 0/4 nodes are available: 4 No \
                preemption victims found for incoming pod.";
    assert_eq!(decide(objects, "p").message(), want);
}

#[test]
fn reasons_stand_in_byte_order() {
    let mut objects = objects![pod("p").cpu("1")];
    objects.extend(
        (0..10).map(|i| node(&format!("t{i}")).cpu("1").taint("k", "", "NoSchedule").into()),
    );
    objects.extend((0..2).map(|i| node(&format!("s{i}")).cpu("500m").into()));
    let message = decide(objects, "p").message().to_owned();
    assert_begins(
        &message,
        "0/12 nodes are available: 10 node(s) had untolerated taint(s), 2 Insufficient cpu. ",
    );
}

#[test]
fn pod_of_unmodelled_group_gets_error_note() {
    let grouped = pod("p").with("/spec/schedulingGroup/podGroupName", "gang");
    let notes = decide(objects![node("n"), grouped], "p").notes();
    let said =
        |n: &String| n.starts_with("error Pod default/p: ") && n.contains("belongs to group gang");
    assert!(notes.iter().any(said), "{notes:?}");
    let harmless = pod("p").push("/spec/volumes", json!({"name": "c", "configMap": {"name": "c"}}));
    assert_eq!(decide(objects![node("n"), harmless], "p").notes(), [""; 0]);
}

#[test]
fn a_version_out_of_range_is_reported() {
    for (version, used) in [
        ("1.11.9", "those of 1.12 were used for 1.11.9"),
        ("1.39.0", "those of 1.38 were used for 1.39.0"),
    ] {
        let notes = at(version).decide(objects![node("n"), pod("p")], "p").notes();
        assert!(
            notes
                .iter()
                .any(|n| n.starts_with("error rules are known for kube-scheduler ")
                    && n.contains(used)),
            "{notes:?}"
        );
    }
    for version in ["1.34.9", "1.38"] {
        let notes = at(version).decide(objects![node("n"), pod("p")], "p").notes();
        assert_eq!(notes, [""; 0], "{version}");
    }
}

#[test]
fn odd_input_is_noted_and_used_as_the_scheduler_would() {
    let note = |objects: Vec<Value>, part: &str| {
        let answer = decide(objects, "p");
        assert!(answer.notes().iter().any(|n| n.contains(part)), "{part}: {:?}", answer.notes());
        answer
    };
    let twice =
        note(objects![node("n").pods(0), node("n").pods(1), pod("p")], "Node n: is given twice");
    assert_eq!(twice.node("n"), "fits", "the later one counts");
    note(
        objects![node("n"), pod("v").on("gone"), pod("p")],
        "Pod default/v: is on node gone, which is not in the input",
    );
    note(objects![node("n"), pod("p").with("/spec/priority", "high")], "spec.priority");
    note(objects![node("n").cpu("1Gx"), pod("p")], "status.allocatable[cpu] `1Gx` is read as 0");
    note(objects![node("n"), pod("v").cpu("-1").on("n"), pod("p")], "is negative");
}

#[test]
fn dynamic_resources_off_leaves_the_message_alone() {
    let objects = || objects![node("n").cpu("1"), pod("p").cpu("2")];
    let gate =
        "DynamicResourceAllocation=false,DRAPrioritizedList=false,DRASchedulerFilterTimeout=false";
    let (on, off) =
        (at("1.34").decide(objects(), "p"), at("1.34").gates(gate).decide(objects(), "p"));
    assert!(on.message().contains("no new claims to deallocate, preemption: "));
    assert_eq!(off.message(), on.message().replace("no new claims to deallocate, ", ""));
}

#[test]
fn dynamic_resources_without_pre_filter_keeps_the_pod_from_preempting() {
    let off = |profile: &mut Profile| {
        profile.plugins.pre_filter.retain(|plugin| *plugin != "DynamicResources");
    };
    let all_off = |profile: &mut Profile| {
        let plugins = &mut profile.plugins;
        for point in [&mut plugins.pre_filter, &mut plugins.filter, &mut plugins.post_filter] {
            point.retain(|plugin| *plugin != "DynamicResources");
        }
    };
    let objects =
        || objects![node("n").cpu("1"), pod("v").cpu("1").on("n"), pod("p").cpu("1").priority(9)];
    let on: fn(&mut Profile) = |_| {};
    let plain = "0/1 nodes are available: 1 Insufficient cpu.";
    let failed = format!("{plain} not found");
    for (row, version, adjust, outcome, message) in [
        ("every point", "1.37", on, "Preempt", plain),
        ("no PreFilter", "1.37", off, "Unschedulable", &*failed),
        ("no PreFilter", "1.34", off, "Unschedulable", &*failed),
        ("no PreFilter, and no PostFilter yet", "1.33", off, "Preempt", plain),
        ("no point", "1.37", all_off, "Preempt", plain),
    ] {
        let answer = at(version).with(adjust).decide(objects(), "p");
        assert_eq!((answer.outcome(), answer.message()), (outcome, message), "{row}, {version}");
    }
}

#[test]
fn post_filter_plugins_run_in_the_order_of_the_profile() {
    let reversed = |profile: &mut Profile| profile.plugins.post_filter.reverse();
    let stateless = |profile: &mut Profile| {
        profile.plugins.post_filter.reverse();
        profile.plugins.pre_filter.retain(|plugin| *plugin != "DynamicResources");
        profile.plugins.filter.retain(|plugin| *plugin != "DynamicResources");
    };
    let as_is: fn(&mut Profile) = |_| {};
    let objects = |cpu: &str| {
        objects![node("n").cpu("1"), pod("v").cpu("1").on("n"), pod("p").cpu(cpu).priority(9)]
    };
    let plain = "0/1 nodes are available: 1 Insufficient cpu.";
    let not_helpful =
        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
    let claims = "no new claims to deallocate";
    for (row, version, adjust, cpu, outcome, message) in [
        (
            "claims first",
            "1.36",
            as_is,
            "9",
            "Unschedulable",
            format!("{plain} {claims}, {not_helpful}."),
        ),
        (
            "preemption first",
            "1.36",
            reversed,
            "9",
            "Unschedulable",
            format!("{plain} {not_helpful}, {claims}"),
        ),
        (
            "preemption first",
            "1.37",
            reversed,
            "9",
            "Unschedulable",
            format!("{plain} {not_helpful}"),
        ),
        (
            "an error is all that is left",
            "1.37",
            stateless,
            "9",
            "Unschedulable",
            format!("{plain} not found"),
        ),
        ("preemption ends it", "1.37", stateless, "1", "Preempt", plain.to_owned()),
    ] {
        let answer = at(version).with(adjust).decide(objects(cpu), "p");
        let got = (answer.outcome(), answer.message().trim_end_matches('.'));
        assert_eq!(got, (outcome, message.trim_end_matches('.')), "{row}, {version}");
    }
}

#[test]
fn dynamic_resources_before_the_plugin_that_rejects_the_pod_has_its_state() {
    let first = |profile: &mut Profile| {
        let order = &mut profile.plugins.pre_filter;
        order.retain(|plugin| *plugin != "DynamicResources");
        order.insert(0, "DynamicResources");
    };
    let objects = || objects![node("n"), pod("p").claim("gone")];
    let by_default: fn(&mut Profile) = |_| {};
    let said = |adjust| at("1.36").with(adjust).decide(objects(), "p").message().to_owned();
    assert_has(&said(by_default), "not found. not found");
    assert_has(&said(first), "not found. no new claims to deallocate, preemption: ");
}

#[test]
fn the_plugin_that_rejects_the_nominated_node_is_named_among_those_that_exclude() {
    let to_n = || {
        let term =
            json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]});
        pod("p").cpu("2").node_term(term)
    };
    let nodes = |cpu: &str| objects![node("m").cpu("1"), node("n").cpu(cpu), node("o").cpu("1")];
    let excluded = |plugins: &str| format!("UU: node(s) didn't satisfy plugin(s) [{plugins}]");
    for (row, cpu, pod, at_m, at_o) in [
        ("no nomination", "1", to_n(), excluded("NodeAffinity"), excluded("NodeAffinity")),
        (
            "nominated to the one that is left",
            "1",
            to_n().nominated("n"),
            excluded("NodeAffinity NodeResourcesFit"),
            excluded("NodeAffinity NodeResourcesFit"),
        ),
        (
            "nominated elsewhere",
            "1",
            to_n().nominated("m"),
            "UU NodeAffinity: node(s) didn't match Pod's node affinity/selector".to_owned(),
            excluded("NodeAffinity"),
        ),
        (
            "another node takes it",
            "4",
            to_n().nominated("m"),
            excluded("NodeAffinity"),
            excluded("NodeAffinity"),
        ),
    ] {
        let answer = decide([nodes(cpu), objects![pod]].concat(), "p");
        assert_eq!((answer.node("m"), answer.node("o")), (at_m, at_o), "{row}");
    }
}

#[test]
fn errors_of_all_nodes_ended_the_cycle_together_before_1_17() {
    let ask = |version: &str, nodes: &[&str]| {
        let nodes = nodes
            .iter()
            .map(|name| node(name).label("failure-domain.beta.kubernetes.io/zone", "a").into());
        let objects = objects![claim("c", "").bound("pv"), pod("p").claim("c")];
        at(version).decide(nodes.chain(objects).collect(), "p").message().to_owned()
    };
    let error = "could not find v1.PersistentVolume \"pv\"";
    assert_eq!(ask("1.16", &["a"]), error);
    assert_eq!(ask("1.16", &["a", "b", "c"]), format!("{error} (repeated 3 times)"));
    let one = format!("running \"VolumeBinding\" filter plugin for pod \"p\": {error}");
    assert_eq!(ask("1.17", &["a", "b", "c"]), one);
}

#[test]
fn different_errors_are_listed() {
    let failures = ["b", "a", "b"].map(|error| StepFailure::Error(error.to_owned()));
    let error = errors::of_nodes(failures.iter(), true).expect("an error");
    assert_eq!(
        (error.kind, &*error.text),
        (CycleErrorKind::CycleError, "[a, b (repeated 2 times)]")
    );
    assert_eq!(errors::of_nodes([].iter(), true), None);
    let slow = [StepFailure::Error("a".to_owned()), StepFailure::TimedOut("b".to_owned())];
    assert_eq!(
        errors::of_nodes(slow.iter(), true).expect("an error").kind,
        CycleErrorKind::Timeout
    );
    assert_eq!(
        errors::of_nodes(slow.iter(), false).expect("an error").kind,
        CycleErrorKind::CycleError
    );
}
