//! Shrinks a case: removes objects, then parts of objects, while the disagreement persists.

use anyhow::{Context, Result};
use serde_json::Value;

/// Attempts per case.
const PATIENCE: usize = 3_000;

/// Fields that an object cannot do without; they go only with what holds them.
const NEEDED: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "creationTimestamp",
    "resourceVersion",
    "count",
    "name",
    "namespace",
    "uid",
    "spec",
    "status",
    "containers",
    "image",
    "key",
    "operator",
    "values",
    "effect",
    "topologyKey",
    "whenUnsatisfiable",
    "maxSkew",
    "weight",
    "preference",
    "podAffinityTerm",
    "phase",
    "containerPort",
    "driver",
    "pool",
    "generation",
    "resourceSliceCount",
    "device",
    "request",
    "deviceClassName",
    "allocationMode",
    "provisioner",
    "accessModes",
    "allocatable",
    "capacity",
    "schedulerName",
];

/// What a case must preserve while it is shrunk.
pub type Keeps<'k> = dyn FnMut(&Value) -> Result<bool> + 'k;

/// Where a part of an object is.
type Path = Vec<Step>;

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

/// Makes `case` as small as it gets: takes away objects of its `cluster`, then parts of them, as
/// long as `keeps` holds.
pub fn shrink(case: &mut Value, keeps: &mut Keeps) -> Result<()> {
    let mut shrinker = Shrinker { keeps, asked: 0 };
    shrinker.objects(case)?;
    shrinker.parts(case)
}

/// The same with whole objects only.
#[allow(dead_code, reason = "of the two programs that share this file, one needs it")]
pub fn objects(case: &mut Value, keeps: &mut Keeps) -> Result<()> {
    Shrinker { keeps, asked: 0 }.objects(case)
}

struct Shrinker<'s, 'k> {
    keeps: &'s mut Keeps<'k>,
    asked: usize,
}

impl Shrinker<'_, '_> {
    fn keeps(&mut self, case: &Value) -> Result<bool> {
        self.asked += 1;
        (self.keeps)(case)
    }

    /// Takes away objects: halves first, then single ones.
    fn objects(&mut self, case: &mut Value) -> Result<()> {
        let pod = case["pod"].clone();
        let mut items = case["cluster"]["items"].as_array().context("no items")?.clone();
        let mut size = items.len().div_ceil(2);
        loop {
            let mut start = 0;
            while start < items.len() && self.asked < PATIENCE {
                let end = (start + size).min(items.len());
                // The pod in question stays, whichever part it is in.
                let mut fewer = items.clone();
                let gone: Vec<Value> = fewer.drain(start..end).collect();
                fewer.extend(gone.into_iter().filter(|item| is_pod(item, &pod)));
                let mut smaller = case.clone();
                smaller["cluster"]["items"] = fewer.clone().into();
                if fewer.len() < items.len() && self.keeps(&smaller)? {
                    (items, *case) = (fewer, smaller);
                } else {
                    start = end;
                }
            }
            if size == 1 || self.asked >= PATIENCE {
                return Ok(());
            }
            size = size.div_ceil(2);
        }
    }

    /// Takes away fields and elements, large ones first, until nothing more can go.
    fn parts(&mut self, case: &mut Value) -> Result<()> {
        loop {
            let mut paths = Vec::new();
            collect(&case["cluster"]["items"], &mut Vec::new(), &mut paths);
            paths.sort_by_key(Vec::len);
            let mut progress = false;
            for path in paths {
                if self.asked >= PATIENCE {
                    return Ok(());
                }
                let mut smaller = case.clone();
                if remove(&mut smaller["cluster"]["items"], &path) && self.keeps(&smaller)? {
                    (*case, progress) = (smaller, true);
                }
            }
            if !progress {
                return Ok(());
            }
        }
    }
}

/// Whether an object is the pod with this `namespace/name`.
fn is_pod(item: &Value, full_name: &Value) -> bool {
    let text = |field: &str| item["metadata"][field].as_str().unwrap_or_default();
    item["kind"] == "Pod" && *full_name == format!("{}/{}", text("namespace"), text("name"))
}

/// Every part below that an object can do without. Elements come last first, so that taking one
/// away leaves the paths of those before it as they are.
fn collect(value: &Value, path: &mut Path, paths: &mut Vec<Path>) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                path.push(Step::Key(name.clone()));
                // What is in it may go although it stays itself.
                if !NEEDED.contains(&name.as_str()) {
                    paths.push(path.clone());
                }
                collect(inner, path, paths);
                path.pop();
            }
        }
        Value::Array(elements) => {
            for (i, inner) in elements.iter().enumerate().rev() {
                path.push(Step::Index(i));
                if path.len() > 1 {
                    paths.push(path.clone());
                }
                collect(inner, path, paths);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Whether there was anything at the path to take away.
fn remove(value: &mut Value, path: &[Step]) -> bool {
    let Some((last, way)) = path.split_last() else { return false };
    let mut holder = value;
    for step in way {
        let next = match step {
            Step::Key(name) => holder.get_mut(name),
            Step::Index(i) => holder.get_mut(i),
        };
        let Some(next) = next else { return false };
        holder = next;
    }
    match (last, holder) {
        (Step::Key(name), Value::Object(fields)) => fields.remove(name).is_some(),
        (Step::Index(i), Value::Array(elements)) if *i < elements.len() => {
            elements.remove(*i);
            true
        }
        _ => false,
    }
}
