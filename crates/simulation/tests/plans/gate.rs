use std::collections::{BTreeMap, BTreeSet};

use model::notes::Note;
use simulation::autoscalers::{
    AutoscalerKind, AutoscalingOutlook, AutoscalingVerdict, Can, PoolAnswer,
};
use simulation::document::{ManifestDocument, ManifestDocuments, RefusedPod};
use simulation::gate::*;
use simulation::plan::PodId;
use simulation::planning::Proposal;
use simulation::sequence::Simulation;
use testing::{Pod, budget, node, objects, pod, scene, simulate};

/// A policy that fails on these conditions.
fn policy(fail_on: &[FailCondition]) -> Policy {
    Policy {
        fail_on: fail_on.iter().copied().collect(),
        max_victims: None,
        protected: BTreeMap::new(),
        protected_by: Vec::new(),
        report_only: false,
        ignored: Vec::new(),
    }
}

/// Each finding in a few words: what fails with `!`, its code, the document, pods and victims.
fn found(verdict: &GateVerdict) -> Vec<String> {
    let words = |finding: &PolicyFinding| {
        let victims = finding.evidence.victims().iter();
        let victims: Vec<&str> = victims.map(|victim| victim.name.as_str()).collect();
        let sign = if finding.fails { "!" } else { "" };
        let document = finding.document.map(|index| format!(" {index}")).unwrap_or_default();
        let pods: Vec<&str> =
            finding.pods.iter().map(|pod| pod.trim_start_matches("default/")).collect();
        let victims =
            if victims.is_empty() { String::new() } else { format!(" > {}", victims.join(" ")) };
        let code = finding.evidence.doc().code.trim_start_matches("PRE-");
        format!("{sign}{code}{document} {}{victims}", pods.join(" "))
    };
    verdict.findings.iter().map(words).collect()
}

fn running(name: &str, node: &str) -> Pod {
    pod(name).cpu("2").on(node).replica_of("old").label("app", "old")
}

fn new(name: &str) -> Pod {
    pod(name).cpu("2").priority(10)
}

/// Two pods of a manifest, of which one evicts a pod with a budget and one gets no node.
fn simulation() -> Simulation {
    let objects = objects![
        node("n1").cpu("2"),
        node("n2").cpu("2"),
        running("old-1", "n1"),
        running("high", "n2").priority(100),
        budget("b").selects("app", "old").allowed(0),
        new("a"),
        new("b"),
    ];
    let mut simulation = simulate(objects, &["a", "b"]).0;
    let mut documents = ManifestDocuments::new(vec![ManifestDocument {
        file: "m.yaml".to_owned(),
        line: 3,
        ..ManifestDocument::default()
    }]);
    documents.add_pod("default", "a", None, 0);
    documents.add_pod("default", "b", None, 0);
    simulation.add_documents(documents, Vec::new(), Vec::new());
    simulation
}

#[test]
fn findings_fail_only_on_the_conditions_of_the_policy() {
    use FailCondition::{Pdb, Unschedulable, Victims};
    for (fail_on, expected) in [
        (&[][..], ["982 0 b", "984 0 a > old-1", "986 0 a > old-1"]),
        (&[Unschedulable][..], ["!982 0 b", "984 0 a > old-1", "986 0 a > old-1"]),
        (&[Victims][..], ["!984 0 a > old-1", "982 0 b", "986 0 a > old-1"]),
        (&[Pdb][..], ["!986 0 a > old-1", "982 0 b", "984 0 a > old-1"]),
        (&FailCondition::ALL[..], ["!982 0 b", "!984 0 a > old-1", "!986 0 a > old-1"]),
    ] {
        let verdict = judge(&simulation(), &policy(fail_on));
        assert_eq!(found(&verdict), expected, "{fail_on:?}");
        assert_eq!(verdict.fails(), !fail_on.is_empty(), "{fail_on:?}");
        let report = Policy { report_only: true, ..policy(fail_on) };
        assert!(!judge(&simulation(), &report).fails(), "{fail_on:?}");
    }
}

#[test]
fn max_victims_replaces_what_victims_fail_on() {
    for (most, fails) in [(0, true), (1, false), (2, false)] {
        for fail_on in [&[][..], &[FailCondition::Victims]] {
            let policy = Policy { max_victims: Some(most), ..policy(fail_on) };
            let verdict = judge(&simulation(), &policy);
            assert_eq!(verdict.fails(), fails, "{most} {fail_on:?}: {:?}", found(&verdict));
            assert_eq!(found(&verdict)[0] == "!985 0 ", fails, "{:?}", found(&verdict));
        }
    }
}

#[test]
fn protected_victims_fail_with_what_protects_them() {
    let protected = BTreeMap::from([("default/old-1".to_owned(), "app=old".to_owned())]);
    let verdict = judge(&simulation(), &Policy { protected, ..policy(&[]) });
    assert_eq!(found(&verdict)[0], "!987 0 a > old-1");
}

#[test]
fn outcome_counts_pods_nodes_and_evictions_of_a_document() {
    let verdict = judge(&simulation(), &policy(&[]));
    let [outcome] = verdict.outcomes.as_slice() else { panic!("{verdict:?}") };
    assert_eq!((outcome.pods, outcome.placed, outcome.evicted), (2, 1, 1));
    assert_eq!((outcome.nodes.join(" ").as_str(), verdict.evicted), ("n1", 1));
}

#[test]
fn refused_pods_are_unschedulable_and_count_as_pods() {
    let mut simulation = simulation();
    let pod = PodId { namespace: "default".to_owned(), name: "c".to_owned(), uid: String::new() };
    simulation.refused.push(RefusedPod { pod, document: 0, why: "no class".to_owned() });
    let verdict = judge(&simulation, &policy(&[FailCondition::Unschedulable]));
    assert_eq!(found(&verdict)[..2], ["!981 0 c", "!982 0 b"]);
    assert_eq!((verdict.outcomes[0].pods, simulation.totals().pods), (3, 3));
    assert!(!simulation.all_placed());
}

#[test]
fn pod_that_a_pool_takes_does_not_fail() {
    let mut simulation = simulation();
    let pool = |can| PoolAnswer {
        name: "workers".to_owned(),
        of: AutoscalerKind::Karpenter,
        can,
        causes: Vec::new(),
        precedent: None,
    };
    for (told, can, fails, code) in [
        (AutoscalingVerdict::WouldCome, Can::Would, false, "989 0 b"),
        (AutoscalingVerdict::MayCome, Can::May, false, "991 0 b"),
        (AutoscalingVerdict::Refused, Can::Would, true, "!982 0 b"),
    ] {
        simulation.steps[1].autoscaling = Some(Box::new(AutoscalingOutlook {
            found: Vec::new(),
            verdict: told,
            excluded: Vec::new(),
            answers: Vec::new(),
            pools: vec![pool(can)],
            coming: None,
            failure: None,
            arrived: None,
            fits_on: None,
            remedies: Vec::new(),
            marked_for: None,
            unread: Vec::new(),
            buffers: Vec::new(),
            contradictions: Vec::new(),
            overlays: Vec::new(),
        }));
        let fail_on = [FailCondition::Unschedulable, FailCondition::Uncertain];
        let verdict = judge(&simulation, &policy(&fail_on));
        assert_eq!(verdict.fails(), fails, "{told:?}");
        assert!(found(&verdict).contains(&code.to_owned()), "{told:?}: {verdict:?}");
        // Who does not want new nodes says so.
        let verdict = judge(&simulation, &policy(&[FailCondition::NewNode]));
        assert_eq!(verdict.fails(), told != AutoscalingVerdict::Refused, "{told:?}");
    }
}

#[test]
fn evictions_for_replacements_belong_to_the_document_that_evicts_the_replaced() {
    let objects = objects![
        node("n1").cpu("2").label("n", "1"),
        node("n2").cpu("2"),
        running("middle", "n1").priority(5),
        running("low", "n2").priority(1),
        node("n3").cpu("4"),
        pod("never").cpu("4").on("n3").priority(100),
        pod("top").cpu("2").priority(10).selects_nodes("n", "1"),
    ];
    let mut simulation = scene(objects).run(&["top"]).0;
    let mut documents = ManifestDocuments::new(vec![ManifestDocument::default()]);
    documents.add_pod("default", "top", None, 0);
    simulation.add_documents(documents, Vec::new(), Vec::new());
    let verdict = judge(&simulation, &policy(&[]));
    assert_eq!(found(&verdict), ["984 0 top middle > middle low"]);
    assert_eq!((verdict.evicted, verdict.outcomes[0].evicted), (2, 1));
}

#[test]
fn uncertain_answers_fail_only_where_the_policy_says_so() {
    let mut simulation = simulation();
    simulation.steps[1].proposal = Proposal::Unknown("of another scheduler".to_owned());
    simulation.notes = vec![Note::error(&NOT_KNOWN, "something"), Note::info(&NO_NODE, "other")];
    let verdict = judge(&simulation, &policy(&[FailCondition::Uncertain]));
    assert_eq!(found(&verdict)[..2], ["!988 0 b", "!988 "]);
    assert!(verdict.fails_as_uncertain());
    let others: BTreeSet<FailCondition> = [FailCondition::Unschedulable].into();
    let verdict = judge(&simulation, &Policy { fail_on: others, ..policy(&[]) });
    assert!(!verdict.fails() && !verdict.fails_as_uncertain());
}
