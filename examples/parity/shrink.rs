//! Makes a disagreement small: takes away objects, then parts of objects, as long as the scheduler still decides the case
//! and we still disagree in one of the same fields.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::compare::{Case, Difference, Verdict};
use super::oracle::Oracle;

/// Questions to the oracle per disagreement.
const PATIENCE: usize = 3_000;

/// Fields that an object cannot do without; they go only with what holds them.
const NEEDED: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
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

/// Asks an oracle again and again.
pub struct Shrinker {
    oracle: Oracle,
    asked: usize,
}

/// Where a part of an object is.
type Path = Vec<Step>;

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

impl Shrinker {
    /// With an oracle of its own.
    pub fn new(oracle: Oracle) -> Self {
        Self { oracle, asked: 0 }
    }

    /// The smallest case found that disagrees in one of these fields, as a file; `None` when there is no disagreement once
    /// the scheduler is asked more often.
    pub fn shrink(&mut self, line: &str, differences: &[Difference]) -> Result<Option<String>> {
        self.asked = 0;
        let fields: Vec<&str> = differences.iter().map(|(field, ..)| *field).collect();
        let mut case: Value = serde_json::from_str(line)?;
        // A disagreement that needs objects which the API server refuses is one as well.
        let Some(mut best) = self.disagrees(&case, &fields)? else { return Ok(None) };
        self.objects(&mut case, &fields, &mut best)?;
        self.parts(&mut case, &fields, &mut best)?;
        let mut small: Value = serde_json::from_str(&best)?;
        if let Some(case) = small.as_object_mut() {
            case.insert("found".to_owned(), json!(format!("disagreed in {}", fields.join(", "))));
        }
        Ok(Some(serde_json::to_string_pretty(&small)? + "\n"))
    }

    /// The decided case if we disagree with it in one of the fields.
    fn disagrees(&mut self, case: &Value, fields: &[&str]) -> Result<Option<String>> {
        self.asked += 1;
        let Ok(answer) = self.oracle.ask(&case.to_string()) else { return Ok(None) };
        let decided = Case::read(&answer).context("not a case")?;
        let Verdict::Differs(differences) = decided.compare() else { return Ok(None) };
        let same = differences.iter().any(|(field, ..)| fields.contains(field));
        Ok(same.then_some(answer))
    }

    /// Takes away objects: halves first, then single ones.
    fn objects(&mut self, case: &mut Value, fields: &[&str], best: &mut String) -> Result<()> {
        let pod = case["pod"].clone();
        let is_pod = |item: &Value| {
            let meta = &item["metadata"];
            item["kind"] == "Pod"
                && json!(format!(
                    "{}/{}",
                    meta["namespace"].as_str().unwrap_or_default(),
                    meta["name"].as_str().unwrap_or_default()
                )) == pod
        };
        let mut items = case["cluster"]["items"].as_array().context("no items")?.clone();
        let mut size = items.len().div_ceil(2);
        loop {
            let mut start = 0;
            while start < items.len() && self.asked < PATIENCE {
                let end = (start + size).min(items.len());
                let mut fewer = items.clone();
                let gone: Vec<Value> = fewer.drain(start..end).collect();
                fewer.extend(gone.into_iter().filter(|item| is_pod(item)));
                let mut smaller = case.clone();
                smaller["cluster"]["items"] = fewer.clone().into();
                match if fewer.len() < items.len() { self.disagrees(&smaller, fields)? } else { None } {
                    Some(answer) => (items, *case, *best) = (fewer, smaller, answer),
                    None => start = end,
                }
            }
            if size == 1 || self.asked >= PATIENCE {
                return Ok(());
            }
            size = size.div_ceil(2);
        }
    }

    /// Takes away fields and elements, large ones first, until nothing more can go.
    fn parts(&mut self, case: &mut Value, fields: &[&str], best: &mut String) -> Result<()> {
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
                if !remove(&mut smaller["cluster"]["items"], &path) {
                    continue;
                }
                if let Some(answer) = self.disagrees(&smaller, fields)? {
                    (*case, *best, progress) = (smaller, answer, true);
                }
            }
            if !progress {
                return Ok(());
            }
        }
    }
}

/// Every part below that an object can do without. Elements come last first, so that taking one away leaves the paths of
/// those before it as they are.
fn collect(value: &Value, path: &mut Path, paths: &mut Vec<Path>) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                path.push(Step::Key(name.clone()));
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
