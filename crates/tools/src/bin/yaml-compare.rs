//! Reads texts and what kubectl reads of them, as tests/recorded/yaml/record writes them, from
//! standard input, and shows what is read otherwise here. (A text that kubectl refuses may be
//! read.)

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::allow_attributes, reason = "a tool")]

use std::io::BufRead as _;
use std::process::ExitCode;

use model::decode::yaml_documents;
use serde_json::Value;

fn main() -> ExitCode {
    let (mut texts, mut refused, mut read_all_the_same, mut different) = (0, 0, 0, 0);
    for line in std::io::stdin().lock().lines() {
        let record: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let text = record.get("text").and_then(Value::as_str).unwrap();
        let read = yaml_documents(text);
        texts += 1;
        // kubectl refuses more than is wrong in YAML, so reading it all the same is no difference.
        if record.get("refused").is_some() {
            refused += 1;
            read_all_the_same += usize::from(read.is_ok());
            continue;
        }
        let expected = record.get("values").and_then(Value::as_array).cloned().unwrap_or_default();
        let is_same = read.as_ref().is_ok_and(|values| same_list(values, &expected));
        if !is_same {
            different += 1;
            let expected = Value::Array(expected);
            let ours = read
                .map_or_else(|error| error.to_string(), |values| Value::Array(values).to_string());
            println!("{text:?}\n  kubectl: {expected}\n  here:    {ours}");
        }
    }
    println!(
        "{texts} texts: kubectl reads {}, of which {different} are read otherwise here; it refuses {refused}, of which \
         {read_all_the_same} are read here",
        texts - refused
    );
    if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether two values are the same; negative zero is zero.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => same_list(one, other),
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| same(value, other)))
        }
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == Some(0.0) && other.as_f64() == Some(0.0)
        }
        _ => one == other,
    }
}

fn same_list(one: &[Value], other: &[Value]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
}
