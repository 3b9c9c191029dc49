//! Devices as selectors see them, in the release that a version is of.

use serde_json::json;

use cel::SelectorLimits;

use super::{CompileError, Expression};
use crate::testing::cluster;
use model::cluster::Cluster;
use profile::history::{DynamicResources, SelectorRelease};

fn gpu() -> Cluster {
    cluster(vec![json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
        "spec": {
            "driver": "gpu.example.com", "nodeName": "n1",
            "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
            "devices": [
                {
                    "name": "d0",
                    "attributes": {
                        "model": {"string": "a100"}, "index": {"int": 3}, "healthy": {"bool": true},
                        "firmware": {"version": "1.10.0-rc.1"}, "example.com/socket": {"int": 1},
                    },
                    "capacity": {"memory": {"value": "40Gi"}},
                },
                {"name": "d1", "attributes": {"modes": {"strings": ["a", "b"]}}, "allowMultipleAllocations": true},
            ],
        },
    })])
}

/// The result of an expression for a device: `true`, `false`, or the error.
fn outcome(expression: &str, device: usize, release: SelectorRelease) -> String {
    let cluster = gpu();
    let slice = &cluster.devices.slices[0];
    let features = DynamicResources { dra_cel: release, ..DynamicResources::default() };
    match Expression::compile(expression, &features, SelectorLimits::LARGEST) {
        Err(CompileError::Invalid(e)) => e,
        Err(other) => format!("{other:?}"),
        Ok(compiled) => {
            match compiled.matches(&slice.devices[device], slice.driver, &cluster.symbols) {
                Ok(selected) => selected.to_string(),
                Err(e) => format!("{e:?}"),
            }
        }
    }
}

#[test]
fn devices_have_the_attributes_of_their_slices() {
    let table = [
        ("the driver", r#"device.driver == "gpu.example.com""#, "true"),
        ("a text", r#"device.attributes["gpu.example.com"].model == "a100""#, "true"),
        ("a number", r#"device.attributes["gpu.example.com"].index < 3.5"#, "true"),
        ("a boolean", r#"device.attributes["gpu.example.com"].healthy"#, "true"),
        (
            "a version",
            r#"device.attributes["gpu.example.com"].firmware.isLessThan(semver("1.10.0"))"#,
            "true",
        ),
        ("another domain", r#"device.attributes["example.com"].socket == 1"#, "true"),
        (
            "a capacity",
            r#"device.capacity["gpu.example.com"].memory.compareTo(quantity("40960Mi")) == 0"#,
            "true",
        ),
        ("sharing", "device.allowMultipleAllocations", "false"),
        (
            "nothing",
            r#"device.attributes["gpu.example.com"].nope"#,
            r#"Failed("no such key: nope")"#,
        ),
    ];
    for (what, expression, expected) in table {
        assert_eq!(outcome(expression, 0, SelectorRelease::V37), expected, "{what}: {expression}");
    }
}

#[test]
fn releases_differ_in_the_lists_and_functions_that_they_know() {
    let modes = r#""b" in device.attributes["gpu.example.com"].modes"#;
    let old = r#"Failed("attribute modes: unsupported attribute value")"#;
    assert_eq!(outcome(modes, 1, SelectorRelease::V37), "true");
    assert_eq!(outcome(modes, 1, SelectorRelease::V34), old);
    assert_eq!(outcome("device.allowMultipleAllocations", 1, SelectorRelease::V37), "true");
    let includes = r#"device.attributes["gpu.example.com"].model.includes("a100")"#;
    assert_eq!(outcome(includes, 0, SelectorRelease::V36), "true");
    let unknown = "compilation failed: ERROR: <input>:1:52: undeclared reference to 'includes' (in container '')";
    assert!(outcome(includes, 0, SelectorRelease::V34).starts_with(unknown));
}
