//! Compares with what kube-scheduler said (see `tests/oracle/cel`).

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a recording that cannot be read fails the test"
)]

use kubectl_preempt_cel::{Attribute, CompileError, Device, EvaluationError, Program, Release};
use serde_json::Value;

/// What was compared.
#[derive(Debug, Default)]
pub struct Compared {
    pub selectors: usize,
    /// Those that compile, and so are evaluated for each device.
    pub admitted: usize,
    /// Those that this crate says it does not know.
    pub unsupported: Vec<String>,
    /// Those that are syntax errors, whose texts are not compared.
    pub syntax: usize,
    /// Those that kube-scheduler's compiler panics at, or whose results depend on the order of a
    /// map.
    pub left_out: usize,
    /// What differs.
    pub differences: Vec<String>,
}

/// Compares all lines of a recording; the first says the release and the devices.
pub fn compare<'l>(lines: impl IntoIterator<Item = &'l str>) -> Compared {
    let mut lines =
        lines.into_iter().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let header = lines.next().expect("a header");
    let version = header["version"].as_str().expect("a version");
    let minor =
        version.split('.').nth(1).and_then(|minor| minor.parse().ok()).expect("a minor version");
    let release = Release::new(minor, header["lists"] == true);
    let devices: Vec<Device> =
        header["devices"].as_array().expect("devices").iter().map(device).collect();
    let mut compared = Compared::default();
    for line in lines {
        compared.selectors += 1;
        one(&line, release, &devices, &mut compared);
    }
    compared
}

fn one(line: &Value, release: Release, devices: &[Device], into: &mut Compared) {
    let selector = line["e"].as_str().expect("a selector");
    let compile = line["compile"].as_str().unwrap_or_default();
    if compile.starts_with("PANIC ") {
        into.left_out += 1;
        return;
    }
    let mut differs = |what: &str, ours: &str, theirs: &str| {
        into.differences
            .push(format!("{selector}\n  {what}\n  ours:   {ours}\n  theirs: {theirs}"));
    };
    let program = match Program::compile(selector, release) {
        Err(CompileError::Unsupported(text)) => {
            into.unsupported.push(format!("{selector}\n  {text}"));
            return;
        }
        Err(CompileError::Syntax(_)) if compile.contains(": Syntax error: ") => {
            into.syntax += 1;
            return;
        }
        Err(CompileError::Invalid(text) | CompileError::Syntax(text)) => {
            if numberless(&text) != numberless(compile) {
                differs("compiling", &text, compile);
            }
            return;
        }
        Ok(_) if !compile.is_empty() => return differs("compiling", "", compile),
        Ok(program) => program,
    };
    into.admitted += 1;
    for (index, (device, theirs)) in
        devices.iter().zip(line["d"].as_array().expect("outcomes")).enumerate()
    {
        if theirs.is_null() {
            into.left_out += 1;
            continue;
        }
        let ours = program.evaluate(device);
        let (value, error) = match &ours.result {
            Ok(value) => (Some(*value), None),
            Err(EvaluationError::Failed(text)) => (None, Some(text.as_str())),
            Err(EvaluationError::Unsupported(text)) => {
                into.unsupported.push(format!("{selector}\n  {text}"));
                return;
            }
        };
        let ours = (value, error, ours.cost);
        let theirs = (theirs["v"].as_bool(), theirs["x"].as_str(), theirs["c"].as_u64());
        if ours != theirs {
            return differs(
                &format!("device {index}"),
                &format!("{ours:?}"),
                &format!("{theirs:?}"),
            );
        }
    }
}

/// A text without the numbers of type parameters, which are random in part.
fn numberless(text: &str) -> String {
    let mut parts = text.split("_var");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + "_var" + part.trim_start_matches(|c: char| c.is_ascii_digit())
    })
}

fn device(from: &Value) -> Device {
    let driver = from["Driver"].as_str().expect("a driver");
    let mut device =
        Device::new(driver).allow_multiple_allocations(from["AllowMultipleAllocations"] == true);
    for (name, value) in from["Attributes"].as_object().into_iter().flatten() {
        device = device.attribute(name, attribute(value));
    }
    for (name, value) in from["Capacity"].as_object().into_iter().flatten() {
        device = device.capacity(name, value["value"].as_str().expect("a quantity"));
    }
    device
}

fn attribute(from: &Value) -> Attribute {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let all = |value: &Value| value.as_array().expect("a list").clone();
    match from.as_object().and_then(|fields| fields.iter().next()) {
        None => Attribute::Unsupported,
        Some((kind, value)) => match kind.as_str() {
            "string" => Attribute::Text(text(value)),
            "int" => Attribute::Int(value.as_i64().expect("a number")),
            "bool" => Attribute::Bool(value == true),
            "version" => Attribute::Version(text(value)),
            "strings" => Attribute::Texts(all(value).iter().map(text).collect()),
            "ints" => {
                Attribute::Ints(all(value).iter().map(|v| v.as_i64().expect("a number")).collect())
            }
            "bools" => Attribute::Bools(all(value).iter().map(|v| v == true).collect()),
            "versions" => Attribute::Versions(all(value).iter().map(text).collect()),
            other => panic!("{other} is no type of attributes"),
        },
    }
}
