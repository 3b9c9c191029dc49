//! Device selectors, and devices as selectors see them.
//!
//! Upstream: `dynamic-resource-allocation/cel/compile.go`.

use cel::{EvaluationError, Program, Release, SelectorLimits};

pub use cel::CompileError;

use model::cluster::devices::{Device, DeviceAttribute, Slice};
use model::cluster::symbols::Symbols;
use model::cluster::{Cluster, Sym};
use profile::history::{DynamicResources, SelectorRelease};

/// A compiled selector.
#[derive(Debug)]
pub struct Expression {
    program: Program,
}

impl Expression {
    /// Compiles a selector.
    ///
    /// # Errors
    /// [`CompileError`].
    pub fn compile(
        text: &str,
        features: &DynamicResources,
        limits: SelectorLimits,
    ) -> Result<Self, CompileError> {
        Ok(Self { program: Program::compile_within(text, release(features), limits)? })
    }

    /// Compiles the expression of a derived attribute.
    ///
    /// # Errors
    /// [`CompileError`].
    pub fn derivation(
        text: &str,
        features: &DynamicResources,
        limits: SelectorLimits,
    ) -> Result<Self, CompileError> {
        Ok(Self { program: Program::compile_attribute(text, release(features), limits)? })
    }

    /// Whether its result for some devices is not known here.
    pub(super) fn may_be_unknown(&self) -> bool {
        self.program.may_be_unknown()
    }

    /// Whether the result for a device of `driver` depends on the iteration order of a map, which
    /// kube-scheduler does not define.
    pub(super) fn depends_on_map_order(
        &self,
        device: &Device,
        driver: Sym,
        symbols: &Symbols,
    ) -> bool {
        self.program.depends_on_map_order(&seen(device, driver, symbols))
    }

    /// Whether a device of `driver` is selected.
    ///
    /// # Errors
    /// [`EvaluationError`].
    pub fn matches(
        &self,
        device: &Device,
        driver: Sym,
        symbols: &Symbols,
    ) -> Result<bool, EvaluationError> {
        self.program.evaluate(&seen(device, driver, symbols)).result
    }

    /// The attribute that it derives from a device of `driver`.
    ///
    /// # Errors
    /// [`EvaluationError`].
    pub(super) fn attribute(
        &self,
        device: &Device,
        driver: Sym,
        symbols: &Symbols,
    ) -> Result<cel::Attribute, EvaluationError> {
        self.program.attribute(&seen(device, driver, symbols))
    }
}

/// The evaluator that the features select.
pub(super) fn release(features: &DynamicResources) -> Release {
    let minor = match features.dra_cel {
        SelectorRelease::V34 => 34,
        SelectorRelease::V36 => 36,
        SelectorRelease::V37 => 37,
        SelectorRelease::V38 => 38,
    };
    Release::new(minor, features.dra_list_attributes)
}

/// All devices of the cluster, each with its slice and its index in the slice.
pub(super) fn devices(cluster: &Cluster) -> impl Iterator<Item = (&Slice, usize, &Device)> {
    let slices = cluster.devices.slices.iter();
    slices.flat_map(|slice| {
        slice.devices.iter().enumerate().map(move |(index, device)| (slice, index, device))
    })
}

/// A device as selectors see it.
fn seen(device: &Device, driver: Sym, symbols: &Symbols) -> cel::Device {
    let mut seen =
        cel::Device::new(symbols.text(driver)).allow_multiple_allocations(device.shareable);
    for (name, value) in &device.attributes {
        seen = seen.attribute(symbols.text(*name), attribute(value, symbols));
    }
    for (name, capacity) in &device.capacity {
        seen = seen.capacity(symbols.text(*name), symbols.text(capacity.text));
    }
    seen
}

/// What is unknown about a result.
pub(super) fn unknown(error: &EvaluationError) -> Option<String> {
    match error {
        EvaluationError::Unsupported(what) => Some(what.clone()),
        EvaluationError::Failed(_) => None,
    }
}

/// An attribute computed by an expression; its strings are interned.
pub(super) fn interned(made: cel::Attribute, symbols: &mut Symbols) -> DeviceAttribute {
    let mut sym = |text: String| symbols.intern(&text);
    match made {
        cel::Attribute::Int(number) => DeviceAttribute::Int(number),
        cel::Attribute::Bool(value) => DeviceAttribute::Bool(value),
        cel::Attribute::Text(text) => DeviceAttribute::Text(sym(text)),
        cel::Attribute::Version(text) => DeviceAttribute::Version(sym(text)),
        cel::Attribute::Ints(numbers) => {
            DeviceAttribute::List(numbers.into_iter().map(DeviceAttribute::Int).collect())
        }
        cel::Attribute::Bools(values) => {
            DeviceAttribute::List(values.into_iter().map(DeviceAttribute::Bool).collect())
        }
        cel::Attribute::Texts(texts) => DeviceAttribute::List(
            texts.into_iter().map(|t| DeviceAttribute::Text(sym(t))).collect(),
        ),
        cel::Attribute::Versions(texts) => DeviceAttribute::List(
            texts.into_iter().map(|t| DeviceAttribute::Version(sym(t))).collect(),
        ),
        cel::Attribute::Unsupported => DeviceAttribute::Unknown,
    }
}

fn attribute(value: &DeviceAttribute, symbols: &Symbols) -> cel::Attribute {
    match value {
        DeviceAttribute::Int(number) => cel::Attribute::Int(*number),
        DeviceAttribute::Bool(value) => cel::Attribute::Bool(*value),
        DeviceAttribute::Text(sym) => cel::Attribute::Text(symbols.text(*sym).to_owned()),
        DeviceAttribute::Version(sym) => cel::Attribute::Version(symbols.text(*sym).to_owned()),
        DeviceAttribute::List(values) => list(values, symbols),
        DeviceAttribute::Unknown => cel::Attribute::Unsupported,
    }
}

/// A list, whose elements have one type.
fn list(values: &[DeviceAttribute], symbols: &Symbols) -> cel::Attribute {
    let (mut texts, mut numbers, mut booleans, mut versions) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for value in values {
        match value {
            DeviceAttribute::Text(sym) => texts.push(symbols.text(*sym).to_owned()),
            DeviceAttribute::Int(number) => numbers.push(*number),
            DeviceAttribute::Bool(value) => booleans.push(*value),
            DeviceAttribute::Version(sym) => versions.push(symbols.text(*sym).to_owned()),
            DeviceAttribute::List(_) | DeviceAttribute::Unknown => {
                return cel::Attribute::Unsupported;
            }
        }
    }
    match values.first() {
        Some(DeviceAttribute::Int(_)) => cel::Attribute::Ints(numbers),
        Some(DeviceAttribute::Bool(_)) => cel::Attribute::Bools(booleans),
        Some(DeviceAttribute::Version(_)) => cel::Attribute::Versions(versions),
        _ => cel::Attribute::Texts(texts),
    }
}

#[cfg(test)]
mod tests {
    //! Devices as selectors see them, in the release that a version is of.

    use serde_json::json;

    use cel::SelectorLimits;

    use super::{CompileError, Expression};
    use builders::cluster;
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
            assert_eq!(
                outcome(expression, 0, SelectorRelease::V37),
                expected,
                "{what}: {expression}"
            );
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
}
