use std::cell::Cell;
use std::hash::{Hash, Hasher};

use super::*;

thread_local! { static COMPARED: Cell<usize> = const { Cell::new(0) }; }

/// A key that counts how often it is compared.
struct Counted(usize);

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        COMPARED.set(COMPARED.get() + 1);
        self.0 == other.0
    }
}
impl Eq for Counted {}
impl Hash for Counted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

#[test]
fn many_keys_are_not_each_compared_with_all_others() {
    let mut pairs = LastOfEach::new();
    for key in (0..20_000).chain(0..20_000) {
        pairs.insert(Counted(key), key);
    }
    assert_eq!(pairs.finish().len(), 20_000);
    assert!(COMPARED.get() < 100_000, "{} comparisons", COMPARED.get());
}

#[test]
fn a_repeated_key_keeps_its_first_place_and_its_last_value() {
    for keys in [3, FEW, FEW + 1, 5 * FEW] {
        let names: Vec<String> = (0..keys).map(|key| format!("k{key}")).collect();
        let pairs = names
            .iter()
            .map(|name| format!("\"{name}\":\"old\""))
            .chain(["\"k1\":\"new\"".to_owned()]);
        let text = format!("{{{}}}", pairs.collect::<Vec<_>>().join(","));
        let map: Map = serde_json::from_str(&text).unwrap();
        assert_eq!(map.iter().map(|(key, _)| key).collect::<Vec<_>>(), names);
        assert_eq!((map.get("k0"), map.get("k1")), (Some("old"), Some("new")));
        let entries: Entries<Str> = serde_json::from_str(&text).unwrap();
        assert_eq!(
            entries.iter().map(|(key, value)| (&**key, &**value)).collect::<Vec<_>>(),
            map.iter().collect::<Vec<_>>()
        );
    }
}
