use super::{section, shell_word};
use crate::testing::{at, cluster, node, objects, pod};
use engine::decision::decide;
use engine::framework::cluster_view::ClusterView;

/// The head, the lines and the command about pod `p`.
fn told(objects: Vec<serde_json::Value>, most: usize) -> Option<(String, Vec<String>, String)> {
    let cluster = cluster(objects);
    let profile = at("1.37").profile();
    let view = ClusterView::new(&cluster, &profile);
    let mut decision = decide(&view, cluster.find_pod("default", "p")?, crate::testing::NOW.parse().ok()?);
    decision.seek_remedies(&["simulate", "p"].map(str::to_owned));
    section(&decision, most).map(|section| (section.head, section.lines, section.check))
}

#[test]
fn what_helps_is_said_with_a_command() {
    let objects = objects![node("n1").cpu("2"), pod("a").cpu("1").on("n1"), pod("p").cpu("2")];
    let (head, lines, check) = told(objects.clone(), 2).expect("remedies");
    assert_eq!(head, "What helps (each was tried)");
    assert_eq!(
        lines,
        ["request cpu=1 instead of 2: it fits on n1", "add a node like n1: it fits on n1-copy", "3 more with -o wide"]
    );
    assert_eq!(check, "kubectl preempt simulate p --requests cpu=1");
    let (_, all, _) = told(objects, usize::MAX).expect("remedies");
    assert_eq!(all.len(), 5);
}

#[test]
fn that_nothing_helps_is_said_too() {
    let objects = objects![node("n1").cpu("2"), pod("p").requests("example.com/gpu", "1").cpu("9")];
    let (head, lines, check) = told(objects, 3).unwrap_or_default();
    assert_eq!((head.as_str(), lines.len(), check.as_str()), ("", 0, ""));
    assert_eq!(told(objects![node("n1"), pod("p")], 3), None, "it fits");
}

#[test]
fn words_of_a_shell() {
    for (word, want) in [("a-b/c:d=1,e", "a-b/c:d=1,e"), ("", "''"), ("a b", "'a b'"), ("it's $x", r"'it'\''s $x'")] {
        assert_eq!(shell_word(word), want);
    }
}
