#![expect(clippy::type_complexity, reason = "answers are written where they are used")]

use jiff::Timestamp;
use std::sync::Mutex;

use super::*;
use crate::framework::cluster_view::ClusterView;
use crate::testing::{node, objects, pod};
use model::cluster::Cluster;
use model::cluster::build::Builder;
use model::snapshot::Sink as _;
use profile::{Profile, SchedulerVersion, VersionSource};

/// Returns the answers of a test, by URL, and records the calls.
#[derive(Default)]
struct ScriptedExtender {
    filter: Option<Box<dyn Fn(&str) -> Result<ExtenderFilterResult, String> + Sync>>,
    prioritize: Option<Box<dyn Fn(&str) -> Result<Vec<(String, i64)>, String> + Sync>>,
    preempt: Option<Box<dyn Fn(&str) -> Result<Vec<ExtenderVictims>, String> + Sync>>,
    asked: Mutex<Vec<String>>,
}

impl std::fmt::Debug for ScriptedExtender {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Told")
    }
}

impl ScriptedExtender {
    fn note(&self, extender: &Extender, nodes: usize) {
        self.asked.lock().expect("one thread").push(format!("{} {nodes}", extender.url));
    }
}

impl ExtenderClient for ScriptedExtender {
    fn filter(
        &self,
        extender: &Extender,
        _: PodIx,
        nodes: &[NodeIx],
    ) -> Result<ExtenderFilterResult, String> {
        self.note(extender, nodes.len());
        self.filter.as_ref().expect("not to be asked")(&extender.url)
    }
    fn prioritize(
        &self,
        extender: &Extender,
        _: PodIx,
        nodes: &[NodeIx],
    ) -> Result<Vec<(String, i64)>, String> {
        self.note(extender, nodes.len());
        self.prioritize.as_ref().expect("not to be asked")(&extender.url)
    }
    fn preempt(
        &self,
        extender: &Extender,
        _: PodIx,
        proposed: &[NodeVictims],
    ) -> Result<Vec<ExtenderVictims>, String> {
        self.note(extender, proposed.len());
        self.preempt.as_ref().expect("not to be asked")(&extender.url)
    }
}

fn extender(url: &str) -> Extender {
    Extender {
        url: url.to_owned(),
        filter_verb: "f".to_owned(),
        prioritize_verb: "s".to_owned(),
        preempt_verb: "p".to_owned(),
        weight: 2,
        node_cache_capable: true,
        ..Extender::default()
    }
}

fn ignorable(url: &str) -> Extender {
    Extender { ignorable: true, ..extender(url) }
}

/// Three nodes, a pod on the first one, and the pending pod `p`.
fn cluster() -> Cluster {
    let mut builder = Builder::new();
    let objects = objects![
        node("n1"),
        node("n2"),
        node("n3"),
        pod("v").on("n1").with("/metadata/uid", "u-v"),
        pod("p").priority(9)
    ];
    for object in objects {
        model::decode::decode(&object.to_string(), "test", &mut builder).expect("an object");
    }
    builder.issue(model::snapshot::DecodeIssue::default());
    builder.finish()
}

fn with<T>(version: &str, extenders: &[Extender], look: impl FnOnce(&Cycle) -> T) -> T {
    let version = SchedulerVersion::parse(version).expect("a version");
    let mut profile = Profile::new(version, VersionSource::Flag);
    profile.extenders = extenders.to_vec();
    let cluster = cluster();
    let view = ClusterView::new(&cluster, &profile);
    look(&Cycle::of(
        &view,
        cluster.find_pod("default", "p").expect("it is there"),
        Timestamp::UNIX_EPOCH,
    ))
}

fn all(cycle: &Cycle) -> Vec<NodeIx> {
    cycle.cluster().node_indices().collect()
}

fn names(cycle: &Cycle, nodes: &[NodeIx]) -> Vec<String> {
    nodes.iter().map(|n| cycle.cluster().node_name(*n).to_owned()).collect()
}

fn keep(names: &[&str]) -> ExtenderFilterResult {
    ExtenderFilterResult {
        names: Some(names.iter().map(ToString::to_string).collect()),
        ..ExtenderFilterResult::default()
    }
}

fn because(list: &[(&str, &str)]) -> BTreeMap<String, String> {
    list.iter().map(|(node, text)| ((*node).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn non_ignorable_extenders_come_first_and_each_gets_the_remaining_nodes() {
    let told = ScriptedExtender {
        filter: Some(Box::new(|_| Ok(keep(&["n1", "n3"])))),
        ..ScriptedExtender::default()
    };
    with("1.37", &[ignorable("a"), extender("b"), extender("c")], |cycle| {
        let outcome = filter(cycle, &told, all(cycle), BTreeMap::new()).expect("an answer");
        assert_eq!(names(cycle, &outcome.feasible), ["n1", "n3"]);
    });
    assert_eq!(*told.asked.lock().expect("done"), ["b 3", "c 2", "a 2"]);
}

#[test]
fn version_decides_extender_order_codes_and_scores() {
    let told = || ScriptedExtender {
        filter: Some(Box::new(|_| {
            Ok(ExtenderFilterResult { unresolvable: because(&[("n2", "broken")]), ..keep(&["n1"]) })
        })),
        prioritize: Some(Box::new(|_| Ok(vec![("n2".to_owned(), 7)]))),
        ..ScriptedExtender::default()
    };
    // Version; the extender that is called first; the codes of a node that is left out with and
    // without a reason; scores.
    for (version, first, broken, silent, score) in [
        ("1.14", "a 3", Code::Unschedulable, Code::Unschedulable, 14),
        ("1.16", "b 3", Code::Unschedulable, Code::Unschedulable, 14),
        ("1.17", "b 3", Code::Unschedulable, Code::Unschedulable, 140),
        ("1.21", "b 3", Code::UnschedulableAndUnresolvable, Code::Unschedulable, 140),
        (
            "1.30",
            "b 3",
            Code::UnschedulableAndUnresolvable,
            Code::UnschedulableAndUnresolvable,
            140,
        ),
    ] {
        let told = told();
        with(version, &[ignorable("a"), extender("b")], |cycle| {
            let outcome = filter(cycle, &told, all(cycle), BTreeMap::new()).expect("an answer");
            let codes: Vec<_> = outcome.rejected.values().map(|r| r.code).collect();
            assert_eq!(codes, [broken, silent], "{version}");
            assert_eq!(scores(cycle, &told, &all(cycle))[0].added[1], score, "{version}");
        });
        assert_eq!(told.asked.lock().expect("done")[0], first, "{version}");
    }
    let said = ExtenderVictims {
        node: "n1".to_owned(),
        victims: Some(vec!["u-v".to_owned()]),
        violations: 1,
    };
    for (version, violations) in [("1.23", 0), ("1.24", 1)] {
        let said = said.clone();
        let told = ScriptedExtender {
            preempt: Some(Box::new(move |_| Ok(vec![said.clone()]))),
            ..ScriptedExtender::default()
        };
        with(version, &[extender("a")], |cycle| {
            let ExtenderPreemption::Left(left) = preempt(cycle, &told, proposal(vec![])) else {
                panic!("{version}")
            };
            assert_eq!(left[0].violations, violations, "{version}");
        });
    }
    let empty = || ScriptedExtender {
        preempt: Some(Box::new(|_| {
            Ok(vec![ExtenderVictims {
                node: "n1".to_owned(),
                victims: Some(Vec::new()),
                violations: 0,
            }])
        })),
        ..ScriptedExtender::default()
    };
    with("1.21", &[extender("a")], |cycle| {
        let ExtenderPreemption::Left(left) = preempt(cycle, &empty(), proposal(vec![])) else {
            panic!("nobody need be evicted")
        };
        assert!(left[0].victims.is_empty());
    });
}

#[test]
fn no_extender_is_called_without_nodes() {
    let told = ScriptedExtender {
        filter: Some(Box::new(|_| Ok(keep(&[])))),
        ..ScriptedExtender::default()
    };
    with("1.37", &[extender("a"), extender("b")], |cycle| {
        assert!(
            filter(cycle, &told, all(cycle), BTreeMap::new())
                .expect("an answer")
                .feasible
                .is_empty()
        );
    });
    assert_eq!(*told.asked.lock().expect("done"), ["a 3"]);
}

#[test]
fn extender_is_called_only_for_managed_resources() {
    let managing =
        Extender { managed_resources: vec!["example.com/x".to_owned()], ..extender("a") };
    with("1.37", &[managing, extender("b")], |cycle| {
        assert_eq!(interested(cycle).iter().map(|e| e.url.as_str()).collect::<Vec<_>>(), ["b"]);
    });
}

#[test]
fn refusals_have_the_codes_of_their_lists() {
    let answer = || {
        Ok(ExtenderFilterResult {
            failed: because(&[("n1", "hot"), ("n2", "hot")]),
            unresolvable: because(&[("n2", "broken")]),
            ..keep(&[])
        })
    };
    let told = ScriptedExtender {
        filter: Some(Box::new(move |_| answer())),
        ..ScriptedExtender::default()
    };
    with("1.37", &[extender("a")], |cycle| {
        let outcome = filter(cycle, &told, all(cycle), BTreeMap::new()).expect("an answer");
        let said: Vec<_> =
            outcome.rejected.values().map(|r| (r.code, r.texts(cycle.cluster()))).collect();
        let expected = [
            (Code::Unschedulable, vec!["hot".to_owned()]),
            (Code::UnschedulableAndUnresolvable, vec!["broken".to_owned()]),
            // Left out without a reason.
            (Code::UnschedulableAndUnresolvable, vec![]),
        ];
        assert_eq!(said, expected);
    });
}

#[test]
fn an_answer_about_a_rejected_node_replaces_its_reasons() {
    let told = ScriptedExtender {
        filter: Some(Box::new(|_| {
            Ok(ExtenderFilterResult { failed: because(&[("n3", "too")]), ..keep(&["n1"]) })
        })),
        ..ScriptedExtender::default()
    };
    with("1.37", &[extender("a")], |cycle| {
        let before = BTreeMap::from([(
            NodeIx(2),
            Rejection::unresolvable(WORDS_OF_EXTENDER.with(["first"])),
        )]);
        let outcome = filter(cycle, &told, vec![NodeIx(0), NodeIx(1)], before).expect("an answer");
        let third = outcome.rejected.get(&NodeIx(2)).expect("rejected");
        assert_eq!(
            (third.code, third.texts(cycle.cluster())),
            (Code::Unschedulable, vec!["too".to_owned()])
        );
    });
    with("1.31", &[extender("a")], |cycle| {
        let before = BTreeMap::from([(
            NodeIx(2),
            Rejection::unresolvable(WORDS_OF_EXTENDER.with(["first"])),
        )]);
        let outcome = filter(cycle, &told, vec![NodeIx(0), NodeIx(1)], before).expect("an answer");
        let third = outcome.rejected.get(&NodeIx(2)).expect("rejected");
        assert_eq!(third.texts(cycle.cluster()), ["first", "too"]);
        assert_eq!(third.code, Code::UnschedulableAndUnresolvable);
    });
}

#[test]
fn errors_end_the_cycle_unless_ignorable() {
    for (answer, problem) in [
        (Err("no answer".to_owned()), "no answer"),
        (
            Ok(ExtenderFilterResult {
                error: "I am broken".to_owned(),
                ..ExtenderFilterResult::default()
            }),
            "I am broken",
        ),
        (
            Ok(keep(&["n1", "nx"])),
            "extender \"a\" claims a filtered node \"nx\" which is not found in the input node list",
        ),
    ] {
        let told = ScriptedExtender {
            filter: Some(Box::new(move |_| answer.clone())),
            ..ScriptedExtender::default()
        };
        with("1.37", &[extender("a")], |cycle| {
            assert_eq!(
                filter(cycle, &told, all(cycle), BTreeMap::new()).expect_err("an error"),
                problem
            );
        });
        with("1.37", &[ignorable("a")], |cycle| {
            let outcome = filter(cycle, &told, all(cycle), BTreeMap::new()).expect("passed over");
            assert_eq!(outcome.feasible.len(), 3);
            assert_eq!(outcome.skipped.len(), 1);
        });
    }
}

#[test]
fn names_count_for_those_that_know_nodes_and_nodes_for_the_others() {
    let both = || Ok(ExtenderFilterResult { nodes: Some(vec!["n2".to_owned()]), ..keep(&["n1"]) });
    let told =
        ScriptedExtender { filter: Some(Box::new(move |_| both())), ..ScriptedExtender::default() };
    for (capable, want) in [(true, "n1"), (false, "n2")] {
        with("1.37", &[Extender { node_cache_capable: capable, ..extender("a") }], |cycle| {
            let outcome = filter(cycle, &told, all(cycle), BTreeMap::new()).expect("an answer");
            assert_eq!(names(cycle, &outcome.feasible), [want]);
        });
    }
}

#[test]
fn scores_are_weighed_and_errors_add_nothing() {
    let told = ScriptedExtender {
        prioritize: Some(Box::new(|url| match url {
            "bad" => Err("no".to_owned()),
            _ => Ok(vec![("n2".to_owned(), 7), ("nx".to_owned(), 9)]),
        })),
        ..ScriptedExtender::default()
    };
    with("1.37", &[extender("bad"), extender("good")], |cycle| {
        let scores = scores(cycle, &told, &all(cycle));
        assert_eq!(scores, [ExtenderScores { name: "good".to_owned(), added: vec![0, 140, 0] }]);
    });
}

#[test]
fn extender_score_that_overflows_wraps() {
    let told = ScriptedExtender {
        prioritize: Some(Box::new(|_| Ok(vec![("n2".to_owned(), 1 << 40), ("n3".to_owned(), 3)]))),
        ..ScriptedExtender::default()
    };
    with("1.37", &[Extender { weight: 1 << 60, ..extender("a") }], |cycle| {
        let scores = scores(cycle, &told, &all(cycle));
        // 2^100 * 10 leaves nothing, and 30 * 2^60 what is left of it in 64 bits.
        assert_eq!(scores, [ExtenderScores { name: "a".to_owned(), added: vec![0, 0, -2 << 60] }]);
    });
}

fn proposal(victims: Vec<PodIx>) -> Vec<NodeVictims> {
    vec![NodeVictims { node: NodeIx(0), victims, violations: 3 }]
}

#[test]
fn victims_are_those_of_the_answer() {
    let said = |node: &str, victims: &[&str]| ExtenderVictims {
        node: node.to_owned(),
        victims: Some(victims.iter().map(ToString::to_string).collect()),
        violations: 1,
    };
    let url = "a";
    for (answer, strict, lenient) in [
        (Ok(vec![said("n1", &["u-v"])]), Ok(1), Ok(1)),
        (Ok(vec![]), Ok(0), Ok(0)),
        (
            Ok(vec![said("nx", &["u-v"])]),
            Err("nodeinfo not found for node name \"nx\"".to_owned()),
            Ok(9),
        ),
        (
            Ok(vec![said("n1", &[])]),
            Err("expected at least one victim pod on node \"n1\"".to_owned()),
            Ok(0),
        ),
        (
            Ok(vec![said("n1", &["u-x"])]),
            Err(format!(
                "extender: {url} claims to preempt pod (UID: &{{u-x}}) on node: n1, but the pod is not found on that node"
            )),
            Ok(9),
        ),
        // A name that is unknown is reported before a node without victims.
        (
            Ok(vec![said("n1", &[]), said("nx", &["u-v"])]),
            Err("nodeinfo not found for node name \"nx\"".to_owned()),
            Ok(9),
        ),
        (Err("late".to_owned()), Err("late".to_owned()), Ok(9)),
    ] {
        let told = ScriptedExtender {
            preempt: Some(Box::new(move |_| answer.clone())),
            ..ScriptedExtender::default()
        };
        for (extender, want) in [(extender(url), strict), (ignorable(url), lenient)] {
            with("1.37", &[extender], |cycle| {
                let victim = cycle.cluster().find_pod("default", "v").expect("it is there");
                let expected = match want {
                    // The proposal remains as it is.
                    Ok(9) => ExtenderPreemption::NotAsked,
                    Ok(0) => ExtenderPreemption::Left(vec![]),
                    Ok(_) => ExtenderPreemption::Left(vec![NodeVictims {
                        violations: 1,
                        ..proposal(vec![victim]).remove(0)
                    }]),
                    Err(error) => ExtenderPreemption::Failed(error.into()),
                };
                assert_eq!(preempt(cycle, &told, proposal(vec![victim])), expected);
            });
        }
    }
}

/// Since 1.38 a node that needs no eviction by plugins is proposed without victims.
#[test]
fn a_node_without_victims_may_stay_without_them() {
    let said = |victims: &[&str]| ExtenderVictims {
        node: "n1".to_owned(),
        victims: Some(victims.iter().map(ToString::to_string).collect()),
        violations: 0,
    };
    for (row, version, victims, left) in [
        ("it gets a victim", "1.38", &["u-v"][..], Ok(1)),
        ("it stays as it is", "1.38", &[][..], Ok(0)),
        (
            "before, that was an error",
            "1.37",
            &[][..],
            Err("expected at least one victim pod on node \"n1\"".to_owned()),
        ),
    ] {
        let answer = said(victims);
        let told = ScriptedExtender {
            preempt: Some(Box::new(move |_| Ok(vec![answer.clone()]))),
            ..ScriptedExtender::default()
        };
        with(version, &[extender("a")], |cycle| {
            let found = match preempt(cycle, &told, proposal(vec![])) {
                ExtenderPreemption::Left(left) => {
                    Ok(left.iter().map(|node| node.victims.len()).sum::<usize>())
                }
                ExtenderPreemption::Failed(error) => Err(error.text().to_owned()),
                ExtenderPreemption::NotAsked => Err("not asked".to_owned()),
            };
            assert_eq!(found, left, "{row}");
        });
    }
}

#[test]
fn extender_answer_about_unknown_nodes_counts_in_the_message() {
    let strange = || ExtenderFilterResult {
        failed: because(&[("n1", "no room"), ("ghost", "who else")]),
        unresolvable: because(&[("wraith", "who is it")]),
        ..keep(&[])
    };
    let told = ScriptedExtender {
        filter: Some(Box::new(move |_| Ok(strange()))),
        ..ScriptedExtender::default()
    };
    with("1.37", &[extender("a")], |cycle| {
        let outcome = filter(cycle, &told, all(cycle), BTreeMap::new()).expect("an answer");
        let strangers: Vec<(&str, Vec<String>)> = outcome
            .strangers
            .iter()
            .map(|(name, r)| (name.as_str(), r.texts(cycle.cluster())))
            .collect();
        assert_eq!(
            strangers,
            [("ghost", vec!["who else".to_owned()]), ("wraith", vec!["who is it".to_owned()])]
        );
    });
}

#[test]
fn extender_answer_with_objects_leaves_nodes_without_pods_since_1_33() {
    let answer = || ExtenderFilterResult {
        nodes: Some(["n2", "n1", "ghost"].map(str::to_owned).to_vec()),
        ..ExtenderFilterResult::default()
    };
    let told = ScriptedExtender {
        filter: Some(Box::new(move |_| Ok(answer()))),
        ..ScriptedExtender::default()
    };
    for (version, bare) in [("1.32", false), ("1.33", true)] {
        with(version, &[Extender { node_cache_capable: false, ..extender("a") }], |cycle| {
            let outcome =
                filter(cycle, &told, vec![NodeIx(1)], BTreeMap::new()).expect("an answer");
            assert_eq!(outcome.bare, bare, "{version}");
            // Nobody asked about the first node, and the last one does not exist.
            assert_eq!(
                (names(cycle, &outcome.feasible), outcome.invented),
                (vec!["n2".into(), "n1".into()], vec!["ghost".to_owned()])
            );
        });
    }
}
