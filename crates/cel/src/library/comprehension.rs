//! The internal functions of two-variable comprehensions that build maps.
//!
//! Upstream: cel-go `ext/comprehensions.go`.

use std::sync::Arc;

use super::declare::{Function, Run, function, global};
use crate::release::Release;
use crate::values::{EvalResult, EvaluationStop, Map, Value, fail, show, unhashable};

pub(super) const FUNCTIONS: &[Function] = &[function(
    "cel.@mapInsert",
    &[
        global("@mapInsert_map_key_value", "map(K, V), K, V -> map(K, V)", Run::InTurn(entry)),
        global("@mapInsert_map_map", "map(K, V), map(K, V) -> map(K, V)", Run::Direct(entries)),
    ],
)];

fn entry(_: &Release, args: &[Value]) -> EvalResult {
    match args {
        [Value::Map(map), key, value] => insert(map, vec![(key.clone(), value.clone())]),
        _ => fail("no such overload"),
    }
}

fn entries(_: &Release, args: &[Value]) -> EvalResult {
    match args {
        [Value::Map(map), Value::Map(more)] => insert(map, more.entries.clone()),
        _ => fail("no such overload"),
    }
}

fn insert(map: &Map, more: Vec<(Value, Value)>) -> EvalResult {
    let mut all = Map::new(map.entries.clone());
    for (key, value) in more {
        if all.get(&key)?.is_some() {
            return fail(format!("insert failed: key {} already exists", show(&key)));
        }
        if let Some(name) = unhashable(&key) {
            return Err(EvaluationStop::Panic(format!(
                "runtime error: hash of unhashable type {name}"
            )));
        }
        all.entries.push((key, value));
    }
    Ok(Value::Map(Arc::new(all)))
}
