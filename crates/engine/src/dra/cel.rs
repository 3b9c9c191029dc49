//! Device selectors, and devices as selectors see them.
//!
//! Upstream: `dynamic-resource-allocation/cel/compile.go`.

use cel::{EvaluationError, Program, Release};

pub(crate) use cel::CompileError;

use crate::cluster::Cluster;
use crate::cluster::devices::{Attribute, Device, Slice};
use crate::cluster::symbols::{Sym, Symbols};
use crate::profile::history::{DynamicResources, SelectorRelease};

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
    pub(crate) fn compile(text: &str, features: &DynamicResources) -> Result<Self, CompileError> {
        let minor = match features.dra_cel {
            SelectorRelease::V34 => 34,
            SelectorRelease::V36 => 36,
            SelectorRelease::V37 => 37,
        };
        Ok(Self { program: Program::compile(text, Release::new(minor, false))? })
    }

    /// What it does with one of the devices of the cluster, if that is not known here.
    #[must_use]
    pub(crate) fn unknown_result(&self, cluster: &Cluster) -> Option<String> {
        let of_slice = |slice: &Slice| {
            slice.devices.iter().find_map(|device| match self.matches(device, slice.driver, &cluster.symbols) {
                Err(EvaluationError::Unsupported(what)) => Some(what),
                Ok(_) | Err(EvaluationError::Failed(_)) => None,
            })
        };
        let slices = self.program.may_be_unknown().then_some(&cluster.devices.slices);
        slices.into_iter().flatten().find_map(of_slice)
    }

    /// Whether a device of `driver` is selected.
    ///
    /// # Errors
    /// [`EvaluationError`].
    pub(crate) fn matches(&self, device: &Device, driver: Sym, symbols: &Symbols) -> Result<bool, EvaluationError> {
        let mut seen = cel::Device::new(symbols.text(driver)).allow_multiple_allocations(device.shareable);
        for (name, value) in &device.attributes {
            seen = seen.attribute(symbols.text(*name), attribute(value, symbols));
        }
        for (name, capacity) in &device.capacity {
            seen = seen.capacity(symbols.text(*name), symbols.text(capacity.text));
        }
        self.program.evaluate(&seen).result
    }
}

fn attribute(value: &Attribute, symbols: &Symbols) -> cel::Attribute {
    let text = |sym: &Sym| symbols.text(*sym).to_owned();
    match value {
        Attribute::Int(number) => cel::Attribute::Int(*number),
        Attribute::Bool(value) => cel::Attribute::Bool(*value),
        Attribute::Text(sym) => cel::Attribute::Text(text(sym)),
        Attribute::Version(sym) => cel::Attribute::Version(text(sym)),
        Attribute::List(values) => list(values, text),
        Attribute::Unknown => cel::Attribute::Unsupported,
    }
}

/// A list, which has elements of one type.
fn list(values: &[Attribute], text: impl Fn(&Sym) -> String) -> cel::Attribute {
    let (mut texts, mut numbers, mut booleans, mut versions) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for value in values {
        match value {
            Attribute::Text(sym) => texts.push(text(sym)),
            Attribute::Int(number) => numbers.push(*number),
            Attribute::Bool(value) => booleans.push(*value),
            Attribute::Version(sym) => versions.push(text(sym)),
            Attribute::List(_) | Attribute::Unknown => return cel::Attribute::Unsupported,
        }
    }
    match values.first() {
        Some(Attribute::Int(_)) => cel::Attribute::Ints(numbers),
        Some(Attribute::Bool(_)) => cel::Attribute::Bools(booleans),
        Some(Attribute::Version(_)) => cel::Attribute::Versions(versions),
        _ => cel::Attribute::Texts(texts),
    }
}

#[cfg(test)]
mod tests;
