use serde_json::Value;

use crate::testing::{NOW, at, node, objects, pod, tied};

/// The ends of the other messages, and how many are left out.
fn others(version: &str, objects: Vec<Value>) -> (Vec<String>, usize) {
    let others = at(version).decide(objects, "p").other_messages;
    let end =
        |message: &String| message.split_once("on node ").map_or("", |(_, end)| end).to_owned();
    (others.messages.iter().map(end).collect(), others.left_out)
}

#[test]
fn other_numbers_of_victims() {
    let told = at("1.37").decide(tied(&["1", "2", "1"]), "p");
    let other = if told.condition().ends_with("preempting 1 victims") { "2" } else { "1" };
    assert_eq!(
        others("1.37", tied(&["1", "2", "1"])),
        (vec![format!("n, preempting {other} victims")], 0)
    );
    assert_eq!(others("1.37", tied(&["1", "1", "1"])), (vec![], 0), "other pods, but as many");
    assert_eq!(others("1.37", tied(&["2"])), (vec![], 0));
}

#[test]
fn tied_nodes_are_in_other_messages_up_to_a_limit() {
    let nodes = |count: usize| {
        let mut objects = objects![pod("p").cpu("1").priority(9)];
        for at in 0..count {
            objects.push(node(&format!("n{at:02}")).cpu("1").into());
            objects
                .push(pod(&format!("v{at}")).cpu("1").on(&format!("n{at:02}")).started(NOW).into());
        }
        objects
    };
    assert_eq!(others("1.37", nodes(2)), (vec!["n01, preempting 1 victims".to_owned()], 0));
    let (listed, left_out) = others("1.37", nodes(40));
    assert_eq!((listed.len(), left_out), (32, 7));
}

#[test]
fn versions_that_do_not_tell() {
    assert_eq!(others("1.36", tied(&["1", "2", "1"])), (vec![], 0));
}

#[test]
fn a_pod_that_does_not_preempt_has_none() {
    assert_eq!(others("1.37", objects![node("n").cpu("1"), pod("p").cpu("1")]), (vec![], 0));
    assert_eq!(others("1.37", objects![node("n").cpu("1"), pod("p").cpu("2")]), (vec![], 0));
}
