//! Device selectors: their results and their errors.

use serde_json::json;

use super::{CompileError, Expression, SelectorError};
use crate::cluster::Cluster;
use crate::testing::cluster;

fn gpu() -> Cluster {
    cluster(vec![json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
        "spec": {
            "driver": "gpu.example.com", "nodeName": "n1",
            "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
            "devices": [{
                "name": "d0",
                "attributes": {
                    "model": {"string": "a100"}, "index": {"int": 3}, "healthy": {"bool": true},
                    "firmware": {"version": "1.10.0-rc.1"}, "example.com/socket": {"int": 1},
                },
                "capacity": {"memory": {"value": "40Gi"}},
            }],
        },
    })])
}

/// The result of an expression: `true`, `false`, or an error with its kind.
fn outcome(expression: &str) -> String {
    let cluster = gpu();
    let slice = &cluster.devices.slices[0];
    match Expression::compile(expression) {
        Err(CompileError::Invalid(e)) => format!("invalid: {e}"),
        Err(CompileError::Unsupported(e)) => format!("unsupported: {e}"),
        Ok(compiled) => match compiled.matches(&slice.devices[0], slice.driver, &cluster.symbols) {
            Ok(selected) => selected.to_string(),
            Err(SelectorError::Runtime(e)) => format!("error: {e}"),
            Err(SelectorError::Unsupported(e)) => format!("unsupported: {e}"),
        },
    }
}

#[test]
fn expressions_have_the_values_that_cel_gives_them() {
    let table = [
        ("the driver", r#"device.driver == "gpu.example.com""#, "true"),
        ("an attribute of the driver's domain", r#"device.attributes["gpu.example.com"].model == "a100""#, "true"),
        ("an attribute of another domain", r#"device.attributes["example.com"].socket == 1"#, "true"),
        ("an index instead of a field", r#"device.attributes["gpu.example.com"]["index"] > 2"#, "true"),
        ("a truth value by itself", r#"device.attributes["gpu.example.com"].healthy"#, "true"),
        ("numbers of different types", r#"device.attributes["gpu.example.com"].index < 3.5"#, "true"),
        ("a missing attribute", r#"device.attributes["gpu.example.com"].nope"#, "error: no such key: nope"),
        ("an unknown domain is empty", r#"has(device.attributes["nope"].x)"#, "false"),
        ("a domain that is not there", r#""nope" in device.attributes"#, "false"),
        ("a domain that is there", r#""example.com" in device.attributes"#, "true"),
        ("an optional field that is missing", r#"device.attributes["x"].?y.orValue(7) == 7"#, "true"),
        ("an optional field that is there", r#"device.attributes["gpu.example.com"].?index.orValue(7) == 3"#, "true"),
        ("a guard", r#"has(device.attributes["x"].y) && device.attributes["x"].y > 1"#, "false"),
        ("an error that || does not need", r#"device.attributes["x"].y > 1 || true"#, "true"),
        ("an error that && does not need", r#"device.attributes["x"].y > 1 && false"#, "false"),
        ("the wrong type at run time", r#"device.attributes["gpu.example.com"].model > 3"#, "error: no such overload"),
        ("types that differ are not equal", r#"device.attributes["gpu.example.com"].model == 3"#, "false"),
        ("cel.bind", r#"cel.bind(g, device.attributes["gpu.example.com"], g.index == 3 && g.healthy)"#, "true"),
        ("exists", r#"["h100", "a100"].exists(m, m == device.attributes["gpu.example.com"].model)"#, "true"),
        ("all, with an error that does not matter", "[1, 0].all(x, 1 / x > 2)", "false"),
        ("in", r#"device.attributes["gpu.example.com"].model in ["h100"]"#, "false"),
        ("regular expressions", r#"device.attributes["gpu.example.com"].model.matches("^a[0-9]+$")"#, "true"),
        ("texts", r#"device.driver.split(".")[0].upperAscii() == "GPU""#, "true"),
        ("size counts characters", r#"size("äöü") == 3 && "äöü".size() == 3"#, "true"),
        ("a condition", r#"device.attributes["gpu.example.com"].index > 2 ? true : false"#, "true"),
        ("sharing", "device.allowMultipleAllocations", "false"),
        ("sets", "sets.contains([1, 2], [2])", "true"),
        ("division by zero", "1 / 0 == 1", "error: division by zero"),
        ("a list's end", "[1][3] == 1", "error: index out of bounds: 3"),
    ];
    for (what, expression, expected) in table {
        assert_eq!(outcome(expression), expected, "{what}: {expression}");
    }
}

#[test]
fn quantities_and_versions_compare_by_method() {
    let memory = r#"device.capacity["gpu.example.com"].memory"#;
    let firmware = r#"device.attributes["gpu.example.com"].firmware"#;
    let table = [
        (format!(r#"{memory}.compareTo(quantity("40960Mi")) == 0"#), "true"),
        (format!(r#"{memory}.isGreaterThan(quantity("39.9Gi"))"#), "true"),
        (format!(r#"{memory} == quantity("40Gi")"#), "true"),
        (format!(r#"{memory}.add(quantity("1Gi")).sub(1).isLessThan(quantity("41Gi"))"#), "true"),
        (format!("{memory}.asInteger() == 42949672960"), "true"),
        (r#"isQuantity("1.5Gi") && !isQuantity("many")"#.to_owned(), "true"),
        (format!(r#"{firmware}.compareTo(semver("1.10.0")) < 0"#), "true"),
        (format!(r#"{firmware}.isGreaterThan(semver("1.9.9"))"#), "true"),
        (format!("{firmware}.minor() == 10"), "true"),
        (r#"semver("v1.2", true) == semver("1.2.0")"#.to_owned(), "true"),
        (r#"isSemver("1.2")"#.to_owned(), "false"),
        (r#"semver("1.2") == semver("1.2.0")"#.to_owned(), "error: No Major.Minor.Patch elements found"),
    ];
    for (expression, expected) in table {
        assert_eq!(outcome(&expression), expected, "{expression}");
    }
}

#[test]
fn invalid_and_unsupported_expressions_are_distinguished() {
    let table = [
        ("undeclared", "gadget == 1", "invalid: undeclared reference to 'gadget' (in container '')"),
        ("no field", "device.gadget == 1", "invalid: undefined field 'gadget'"),
        ("no bool", "device.driver", "invalid: must evaluate to bool or the unknown type, not string"),
        ("types", "device.driver > 1", "invalid: found no matching overload for '_>_' applied to '(string, int)'"),
        (
            "quantities have no operators",
            r#"device.capacity["x"].y > quantity("1")"#,
            "invalid: found no matching overload for '_>_' applied to '(kubernetes.Quantity, kubernetes.Quantity)'",
        ),
        ("no function", "frobnicate(1)", "invalid: undeclared reference to 'frobnicate' (in container '')"),
        ("networks", r#"isIP("1.2.3.4")"#, "unsupported: uses isIP"),
        ("times", r#"duration("1s") == duration("1s")"#, "unsupported: uses duration"),
        ("two variables", r#"device.attributes["x"].exists(k, v, v == 1)"#, "unsupported: uses exists()"),
    ];
    for (what, expression, expected) in table {
        assert!(outcome(expression).starts_with(expected), "{what}: {}", outcome(expression));
    }
    assert!(outcome("1 +").starts_with("invalid: ERROR: <input>:1:"), "{}", outcome("1 +"));
}

#[test]
fn hostile_expressions_end_soon() {
    let deep = [
        "(".repeat(9000),
        "[".repeat(3000) + &"]".repeat(3000),
        "!".repeat(9000) + "true",
        "a.".repeat(4900) + "b",
        "true ? 1 : ".repeat(900) + "1",
        "1".to_owned() + &"+1".repeat(4900),
        "-".repeat(9000) + "1 == 1",
        "x".repeat(20_000),
        "\"".to_owned(),
        String::new(),
    ];
    for expression in &deep {
        let outcome = outcome(expression);
        assert_ne!(outcome, "false", "{}", &expression[..expression.len().min(20)]);
    }
    let hundred = format!("[{}]", vec!["1"; 100].join(","));
    let nested = format!("{hundred}.all(a, {hundred}.all(b, {hundred}.all(c, {hundred}.all(d, a == b))))");
    assert_eq!(outcome(&nested), "error: operation cancelled: actual cost limit exceeded");
}
