//! Makes a disagreement small, as long as the scheduler still decides the case and we still
//! disagree in one of the same fields.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::compare::{Case, Difference, Verdict};
use super::oracle::Oracle;
use super::shrink::shrink;

/// The smallest case found that disagrees in one of these fields, as a file; `None` when the
/// disagreement disappears as the scheduler decides more often.
pub fn make_small(
    oracle: &mut Oracle,
    line: &str,
    differences: &[Difference],
) -> Result<Option<String>> {
    let fields: Vec<&str> = differences.iter().map(|(field, ..)| *field).collect();
    let mut case: Value = serde_json::from_str(line)?;
    let Some(mut best) = disagrees(oracle, &case, &fields)? else { return Ok(None) };
    shrink(&mut case, &mut |smaller| {
        let answer = disagrees(oracle, smaller, &fields)?;
        let still = answer.is_some();
        best = answer.unwrap_or_else(|| std::mem::take(&mut best));
        Ok(still)
    })?;
    let mut small: Value = serde_json::from_str(&best)?;
    if let Some(case) = small.as_object_mut() {
        case.insert("found".to_owned(), json!(format!("disagreed in {}", fields.join(", "))));
    }
    Ok(Some(serde_json::to_string_pretty(&small)? + "\n"))
}

/// Whether the API server would not have taken some object of the case.
pub fn is_refused(oracle: &mut Oracle, line: &str) -> Result<bool> {
    let Ok(answer) = oracle.ask(line) else { return Ok(false) };
    Ok(Case::read(&answer).context("not a case")?.failed.starts_with("refused: "))
}

/// The decided case if we disagree with it in one of the fields.
fn disagrees(oracle: &mut Oracle, case: &Value, fields: &[&str]) -> Result<Option<String>> {
    let Ok(answer) = oracle.ask(&case.to_string()) else { return Ok(None) };
    let decided = Case::read(&answer).context("not a case")?;
    let Verdict::Differs(differences) = decided.compare() else { return Ok(None) };
    let same = differences.iter().any(|(field, ..)| fields.contains(field));
    Ok(same.then_some(answer))
}
