use super::joined;

#[test]
fn list_changes_are_distinguished() {
    let changes =
        |count: usize| (0..count).map(|at| format!("a{at}, b and 2 more")).collect::<Vec<_>>();
    assert_eq!(joined(&[]), "");
    assert_eq!(joined(&changes(2)), "a0, b and 2 more; a1, b and 2 more");
    assert!(joined(&changes(4)).ends_with("; a2, b and 2 more; and 1 more change"));
    assert!(joined(&changes(5)).ends_with("; and 2 more changes"));
}
