//! Attributes that a request derives from those of devices, for its constraints.
//!
//! Upstream: `experimental/allocator_experimental.go` `lookupAttribute`,
//! `dynamic-resource-allocation/cel/compile.go` `EvaluateDerivedAttribute` (1.37).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use cel::EvaluationError;
use indexmap::IndexMap;

use super::cel::{CompileError, interned};
use super::device_selectors::Derivation;
use super::pools::PoolDevice;
use model::cluster::Sym;
use model::cluster::devices::{DeviceAttribute, DeviceId, Want};
use model::cluster::symbols::Symbols;
use profile::history::DynamicResources;

/// Expressions of derived attributes, compiled.
pub type Derivations = BTreeMap<Sym, Arc<Derivation>>;

/// The attributes of devices as requests see them during a search.
pub(super) struct AttributeLookup<'c> {
    features: &'c DynamicResources,
    derivations: &'c Derivations,
    /// The strings of the cluster, and those that expressions make.
    symbols: Cow<'c, Symbols>,
    /// Evaluated expressions; `None` if the result is not known here.
    known: IndexMap<(DeviceId, Sym), Option<DeviceAttribute>, foldhash::fast::RandomState>,
}

impl<'c> AttributeLookup<'c> {
    pub(super) fn new(
        features: &'c DynamicResources,
        derivations: &'c Derivations,
        symbols: &'c Symbols,
    ) -> Self {
        let symbols = Cow::Borrowed(symbols);
        Self { features, derivations, symbols, known: IndexMap::default() }
    }

    /// The attribute of a qualified name: the one that the request derives, or else the device's
    /// own. An error ends the cycle.
    pub(super) fn find(
        &mut self,
        want: &Want,
        place: &PoolDevice<'c>,
        name: Sym,
    ) -> Result<Option<Cow<'c, DeviceAttribute>>, String> {
        let derived = want.derived_attributes.iter().rfind(|(known, _)| *known == name);
        let Some((_, text)) = derived else {
            let own = self.own(place, name);
            return Ok(own.map(|value| match value {
                DeviceAttribute::List(values)
                    if values.is_empty() && self.features.dra_constraints_need_values =>
                {
                    Cow::Owned(DeviceAttribute::Unknown)
                }
                value => self.compared(value).map_or(Cow::Borrowed(value), Cow::Owned),
            }));
        };
        if let Some(known) = self.known.get(&(place.id, *text)) {
            return Ok(known.clone().map(Cow::Owned));
        }
        let name = self.symbols.text(name).to_owned();
        let derivation = self.derivations.get(text);
        let value = match derivation.map(|derivation| (derivation, &derivation.expression)) {
            Some((derivation, Ok(expression))) => {
                match derivation.attribute(expression, place, &self.symbols) {
                    Ok(value) => {
                        let value = interned(value, self.symbols.to_mut());
                        Some(self.compared(&value).unwrap_or(value))
                    }
                    // A note says that the attribute is unknown.
                    Err(EvaluationError::Unsupported(_)) => None,
                    Err(EvaluationError::Failed(e)) => {
                        let device = place.id.text(&self.symbols);
                        return Err(format!(
                            "evaluate derived attribute {name} on device {device} failed: {e}"
                        ));
                    }
                }
            }
            Some((_, Err(CompileError::Invalid(e) | CompileError::Syntax(e)))) => {
                return Err(format!("compile derived attribute {name} failed: {e}"));
            }
            // A note says that the attribute is unknown.
            Some((_, Err(CompileError::Unsupported(_)))) | None => None,
        };
        self.known.insert((place.id, *text), value.clone());
        Ok(value.map(Cow::Owned))
    }

    /// What is compared instead of a value: since 1.38 versions are parsed, so one that cannot be is
    /// of no known type, and what follows `+` does not count.
    fn compared(&mut self, value: &DeviceAttribute) -> Option<DeviceAttribute> {
        if !self.features.dra_versions_without_build {
            return None;
        }
        match value {
            DeviceAttribute::Version(sym) => {
                let text = self.symbols.text(*sym);
                if !cel::is_version(text) {
                    return Some(DeviceAttribute::Unknown);
                }
                let (version, _) = text.split_once('+')?;
                let version = version.to_owned();
                Some(DeviceAttribute::Version(self.symbols.to_mut().intern(&version)))
            }
            DeviceAttribute::List(values) => {
                let mut elements = Vec::with_capacity(values.len());
                for value in values {
                    match self.compared(value) {
                        Some(DeviceAttribute::Unknown) => return Some(DeviceAttribute::Unknown),
                        element => elements.push(element.unwrap_or_else(|| value.clone())),
                    }
                }
                Some(DeviceAttribute::List(elements.into()))
            }
            _ => None,
        }
    }

    /// The strings of the cluster, and those that expressions make.
    pub(super) fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The device's own attribute; those of the driver may be unqualified.
    fn own(&self, place: &PoolDevice<'c>, name: Sym) -> Option<&'c DeviceAttribute> {
        let attributes = &place.device.attributes;
        let find = |name: &str| {
            attributes.iter().find(|(n, _)| self.symbols.text(*n) == name).map(|(_, a)| a)
        };
        let full = self.symbols.text(name);
        find(full).or_else(|| {
            let (domain, name) = full.split_once('/')?;
            if domain == self.symbols.text(place.slice.driver) { find(name) } else { None }
        })
    }
}
