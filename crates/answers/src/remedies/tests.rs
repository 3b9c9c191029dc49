use super::section;
use crate::commands::add_checks;
use crate::words::shell_word;
use engine::decision::{Explanation, decide};
use engine::framework::cluster_view::ClusterView;
use testing::{at, cluster, node, objects, pod};

/// The head, the lines and the command about pod `p`.
fn told(objects: Vec<serde_json::Value>) -> Option<(String, Vec<String>, String)> {
    let cluster = cluster(objects);
    let profile = at("1.37").profile();
    let view = ClusterView::new(&cluster, &profile);
    let decision = decide(&view, cluster.find_pod("default", "p")?, testing::NOW.parse().ok()?);
    let mut decision = Explanation::from(decision);
    decision.seek_remedies();
    add_checks(&mut decision, &["simulate", "p"].map(str::to_owned));
    section(&decision).map(|section| (section.head, section.lines, section.check))
}

#[test]
fn remedies_come_with_a_command_to_check_them() {
    let objects = objects![node("n1").cpu("2"), pod("a").cpu("1").on("n1"), pod("p").cpu("2")];
    let (head, lines, check) = told(objects).expect("remedies");
    assert_eq!(head, "What would help (checked)");
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!(lines[..2], ["add one more node like n1", "lower cpu from 2 to 1: fits on n1"]);
    assert_eq!(check, "simulate p --add-node-like n1");
}

#[test]
fn that_nothing_helps_is_said_too() {
    let objects = objects![node("n1").cpu("2"), pod("p").requests("example.com/gpu", "1").cpu("9")];
    let (head, lines, check) = told(objects).unwrap_or_default();
    assert_eq!((head.as_str(), lines.len(), check.as_str()), ("", 0, ""));
    assert_eq!(told(objects![node("n1"), pod("p")]), None, "it fits");
}

#[test]
fn words_of_a_shell() {
    for (word, want) in
        [("a-b/c:d=1,e", "a-b/c:d=1,e"), ("", "''"), ("a b", "'a b'"), ("it's $x", r"'it'\''s $x'")]
    {
        assert_eq!(shell_word(word), want);
    }
}
