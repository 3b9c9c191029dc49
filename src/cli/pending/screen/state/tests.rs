use engine::cluster::build::Builder;
use engine::decision;
use engine::decode::decode;
use engine::framework::cluster_view::ClusterView;

use answers::questions::pending::{Pending, PodOwner};
use engine::profile::{Profile, SchedulerVersion, VersionSource};

use super::*;

/// Three waiting pods: `a` is the oldest, `c` the most important.
fn rows() -> Vec<PendingRow> {
    let pod = |name: &str, priority: i32, created: &str| {
        format!(
            r#"{{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{name}","namespace":"shop","uid":"u-{name}",
            "creationTimestamp":"{created}"}},"spec":{{"priority":{priority},"schedulerName":"default-scheduler"}}}}"#
        )
    };
    let pods = [
        pod("c", 9, "2026-01-01T00:00:03Z"),
        pod("b", 5, "2026-01-01T00:00:02Z"),
        pod("a", 1, "2026-01-01T00:00:01Z"),
    ];
    let mut builder = Builder::new();
    decode(&format!("[{}]", pods.join(",")), "test", &mut builder).unwrap();
    let cluster = builder.finish();
    let profile = Profile::new(SchedulerVersion::parse("1.37").unwrap(), VersionSource::Flag);
    let view = ClusterView::new(&cluster, &profile);
    let mut pending = Pending::default();
    for name in ["c", "b", "a"] {
        let pod = cluster.find_pod("shop", name).unwrap();
        pending.add(&decision::decide(&view, pod, "2026-01-01T00:01:00Z".parse().unwrap()).into());
    }
    pending.rows
}

fn press(state: &mut ScreenState, rows: &[PendingRow], keys: &[KeyCode]) -> Vec<KeyAction> {
    keys.iter().map(|key| state.key(KeyEvent::new(*key, KeyModifiers::NONE), rows)).collect()
}

fn with_control(state: &mut ScreenState, rows: &[PendingRow], key: char) -> KeyAction {
    state.key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::CONTROL), rows)
}

/// An answer of this text.
fn drawn(text: &str) -> DrawnPodAnswer {
    DrawnPodAnswer { text: Printable::new(text), timeline: None }
}

fn names(state: &ScreenState, rows: &[PendingRow]) -> String {
    state.rows(rows).iter().map(|row| row.name.as_str()).collect::<Vec<_>>().join(" ")
}

fn selected(state: &ScreenState, rows: &[PendingRow]) -> String {
    let shown = state.rows(rows);
    shown[state.selected(&shown)].name.clone()
}

#[test]
fn rows_are_sorted_and_the_selection_stays_with_its_pod() {
    let rows = rows();
    let mut state = ScreenState { height: 2, ..ScreenState::default() };
    assert_eq!((names(&state, &rows), selected(&state, &rows)), ("c b a".into(), "c".into()));
    press(&mut state, &rows, &[KeyCode::Down]);
    assert_eq!(selected(&state, &rows), "b");
    press(&mut state, &rows, &[KeyCode::Char('s')]);
    assert_eq!((names(&state, &rows), selected(&state, &rows)), ("a b c".into(), "b".into()));
    assert_eq!(selected(&state, &rows[..2]), "b", "another row is gone");
    assert_eq!(selected(&state, &rows[..1]), "c", "its own row is gone");
}

#[test]
fn the_selection_stays_in_its_place_when_its_pod_leaves() {
    let rows = rows();
    let mut state = ScreenState { height: 9, ..ScreenState::default() };
    state.follow(&state.rows(&rows));
    assert_eq!(selected(&state, &rows[1..]), "b", "the first row");
    state.follow(&state.rows(&rows[1..]));
    assert_eq!(selected(&state, &rows), "b", "from then on it is selected");
    press(&mut state, &rows, &[KeyCode::End]);
    assert_eq!(selected(&state, &rows[..2]), "b", "the last row");
    let mut other = rows.clone();
    other[2].uid = "new".to_owned();
    assert_eq!(state.selected(&state.rows(&other)), 2, "another pod has its place");
}

#[test]
fn a_page_that_comes_again_keeps_its_place() {
    let rows = rows();
    let mut state = ScreenState { height: 2, ..ScreenState::default() };
    press(&mut state, &rows, &[KeyCode::Enter]);
    let question = state.question().unwrap();
    state.answered(question.clone(), drawn("1\n2\n3\n4\n5"));
    press(&mut state, &rows, &[KeyCode::Down, KeyCode::Down]);
    for (text, top) in [("1\n2\n3\n4", 2), ("1\n2\n3", 1), ("1", 0)] {
        state.answered(question.clone(), drawn(text));
        let shown = state.answer().map(|answer| answer.text.to_string());
        assert_eq!((shown.as_deref(), state.detail.as_ref().unwrap().top), (Some(text), top));
    }
}

#[test]
fn verdicts_are_shown_one_after_the_other_and_all_again() {
    let mut rows = rows();
    rows[0].verdict = PendingVerdict::Fits;
    let mut state = ScreenState { height: 9, ..ScreenState::default() };
    let mut shown = Vec::new();
    for _ in 0..3 {
        press(&mut state, &rows, &[KeyCode::Char('v')]);
        shown.push(names(&state, &rows));
    }
    assert_eq!(shown, ["c", "b a", "c b a"]);
    press(&mut state, &rows, &[KeyCode::Char('v'), KeyCode::Esc]);
    assert!(!state.is_filtered());
}

#[test]
fn keys_of_less_and_k9s_move() {
    let rows = rows();
    let mut state = ScreenState { height: 2, ..ScreenState::default() };
    for (key, selects) in [('G', "a"), ('k', "b"), ('g', "c"), ('j', "b")] {
        press(&mut state, &rows, &[KeyCode::Char(key)]);
        assert_eq!(selected(&state, &rows), selects, "{key}");
    }
    for (key, selects) in [('d', "a"), ('u', "b"), ('b', "c"), ('f', "b")] {
        assert_eq!(with_control(&mut state, &rows, key), KeyAction::Draw);
        assert_eq!(selected(&state, &rows), selects, "ctrl-{key}");
    }
    assert_eq!(with_control(&mut state, &rows, 'k'), KeyAction::Nothing);
}

#[test]
fn questions_are_about_the_selected_pod_or_the_one_that_is_shown() {
    let mut rows = rows();
    rows[1].nodes = vec!["n1".to_owned(), "n2".to_owned()];
    let mut state = ScreenState { height: 9, ..ScreenState::default() };
    assert_eq!(state.question(), None, "before the first drawing");
    state.follow(&state.rows(&rows));
    let kind = |state: &ScreenState| state.question().unwrap().kind;
    assert_eq!(kind(&state), QuestionKind::Explain, "beside the list");
    press(&mut state, &rows, &[KeyCode::Char('n')]);
    assert_eq!(kind(&state), QuestionKind::Node(None));
    press(&mut state, &rows, &[KeyCode::Esc, KeyCode::Down, KeyCode::Char('n')]);
    assert_eq!(kind(&state), QuestionKind::Node(Some("n1".to_owned())));
    press(&mut state, &rows, &[KeyCode::Char('h')]);
    assert_eq!(kind(&state), QuestionKind::Headroom);
    press(&mut state, &rows, &[KeyCode::Char('?')]);
    assert!(state.helps);
    press(&mut state, &rows, &[KeyCode::Enter]);
    assert_eq!((state.helps, kind(&state)), (false, QuestionKind::Headroom), "any key: back");
    press(&mut state, &rows, &[KeyCode::Enter]);
    assert_eq!(state.question().unwrap().pod.name, "b");
    assert_eq!(kind(&state), QuestionKind::Explain);
}

#[test]
fn filter_searches_the_columns_of_a_row() {
    let rows = rows();
    let filtered = |filter: &str| {
        names(&ScreenState { filter: filter.to_owned(), ..ScreenState::default() }, &rows)
    };
    assert_eq!(filtered("BLOCKED"), "c b a", "the verdict");
    assert_eq!(filtered("no nodes"), "c b a", "the cause");
    assert_eq!(filtered("preempts"), "");
}

#[test]
fn the_selected_row_is_always_shown() {
    let rows = rows();
    let mut state = ScreenState { height: 2, ..ScreenState::default() };
    for (key, selects, top) in [
        (KeyCode::End, "a", 1),
        (KeyCode::Up, "b", 1),
        (KeyCode::Home, "c", 0),
        (KeyCode::PageDown, "b", 0),
        (KeyCode::PageDown, "a", 1),
        (KeyCode::Down, "a", 1),
        (KeyCode::PageUp, "b", 1),
    ] {
        press(&mut state, &rows, &[key]);
        let shown = state.rows(&rows);
        state.follow(&shown);
        assert_eq!((selected(&state, &rows).as_str(), state.top), (selects, top), "{key:?}");
    }
}

#[test]
fn a_filter_is_typed_kept_and_cleared() {
    let rows = rows();
    let mut state = ScreenState { height: 9, ..ScreenState::default() };
    press(
        &mut state,
        &rows,
        &[KeyCode::Char('/'), KeyCode::Char('P'), KeyCode::Char('/'), KeyCode::Char('b')],
    );
    assert_eq!(
        (state.typing, names(&state, &rows).as_str()),
        (true, "b"),
        "namespace and name, whatever the case"
    );
    assert_eq!(
        press(&mut state, &rows, &[KeyCode::Char('q')]),
        [KeyAction::Draw],
        "typed, and no command"
    );
    assert_eq!(names(&state, &rows), "");
    assert_eq!(
        press(&mut state, &rows, &[KeyCode::Enter, KeyCode::Enter]),
        [KeyAction::Draw, KeyAction::Nothing]
    );
    press(&mut state, &rows, &[KeyCode::Char('/'), KeyCode::Backspace, KeyCode::Enter]);
    assert_eq!(names(&state, &rows), "b");
    press(&mut state, &rows, &[KeyCode::Esc]);
    assert_eq!(names(&state, &rows), "c b a");
}

#[test]
fn a_row_is_explained_scrolled_and_left() {
    let rows = rows();
    let mut state = ScreenState { height: 2, ..ScreenState::default() };
    press(&mut state, &rows, &[KeyCode::Down, KeyCode::Enter]);
    let question = state.question().unwrap();
    assert_eq!((question.pod.name.as_str(), question.pod.uid.as_str()), ("b", "u-b"));
    let other = PodId { name: "c".to_owned(), ..question.pod.clone() };
    state.answered(PodQuestion { pod: other, ..question.clone() }, drawn("late"));
    assert!(state.answer().is_none(), "of another pod");
    state.answered(question, drawn("1\n2\n3\n4"));
    for (key, top) in
        [(KeyCode::Down, 1), (KeyCode::End, 2), (KeyCode::Down, 2), (KeyCode::Home, 0)]
    {
        press(&mut state, &rows, &[key]);
        assert_eq!(state.detail.as_ref().unwrap().top, top, "{key:?}");
    }
    press(&mut state, &rows, &[KeyCode::Esc]);
    assert_eq!((state.detail.is_none(), selected(&state, &rows).as_str()), (true, "b"));
}

#[test]
fn the_program_is_left_and_stopped() {
    let mut state = ScreenState::default();
    assert_eq!(press(&mut state, &[], &[KeyCode::Char('q')]), [KeyAction::Quit]);
    for (key, action) in [
        ('c', KeyAction::Interrupt),
        ('z', KeyAction::Suspend),
        ('l', KeyAction::Clear),
        ('x', KeyAction::Nothing),
    ] {
        assert_eq!(
            state.key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::CONTROL), &[]),
            action
        );
    }
    assert_eq!(
        press(&mut state, &[], &[KeyCode::Enter, KeyCode::Down, KeyCode::End]).len(),
        3,
        "without rows"
    );
}

#[test]
fn pods_of_one_owner_with_the_same_answer_share_a_row() {
    let owner =
        PodOwner { kind: "ReplicaSet".to_owned(), name: "web".to_owned(), uid: "u".to_owned() };
    let mut rows = rows();
    for row in &mut rows {
        (row.owner, row.priority) = (Some(owner.clone()), 5);
    }
    let layout = |wide| Layout {
        actors: false,
        answered: false,
        namespaces: false,
        wide,
        headers: true,
        now: "2026-01-01T00:01:00Z".parse().unwrap(),
    };
    let mut state = ScreenState { height: 9, ..ScreenState::default() };
    assert_eq!(names(&state, &rows), "c b a", "before the first list");
    state.layout = Some(layout(false));
    assert_eq!((names(&state, &rows), selected(&state, &rows)), ("c".into(), "c".into()));
    state.layout = Some(layout(true));
    assert_eq!(names(&state, &rows), "c b a", "with -o wide each has its own");
}
