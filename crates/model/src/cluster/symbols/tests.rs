use super::{Interner, Symbols};

#[test]
fn clone_adds_symbols_without_changing_the_original() {
    let mut first = Symbols::default();
    let a = first.intern("a");
    let mut second = first.clone();
    let b = second.intern("b");
    assert_eq!((second.intern("a"), second.get("b"), second.text(b)), (a, Some(b), "b"));
    assert_eq!((first.get("b"), first.text(b)), (None, ""));
    let c = first.intern("c");
    assert_eq!((first.text(c), second.text(b), second.get("c")), ("c", "b", None));
    drop(first);
    let d = second.intern("d");
    assert_eq!(
        (second.text(b), second.text(d)),
        ("b", "d"),
        "what is its own stays behind what was shared"
    );
}

#[test]
fn a_pool_counts_both_parts() {
    let mut first: Interner<i32> = Interner::default();
    let (one, is_new) = first.intern(1);
    assert!(is_new && first.len() == 1);
    let mut second = first.clone();
    let (two, _) = second.intern(2);
    assert_eq!((second.intern(1), second.intern(2)), ((one, false), (two, false)));
    assert_eq!(second.iter().copied().collect::<Vec<_>>(), [1, 2]);
    assert_eq!((first.len(), second.len(), first.get(two)), (1, 2, None));
}
