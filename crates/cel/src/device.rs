//! A device as selectors see it.
//!
//! Upstream: `dynamic-resource-allocation/cel/compile.go` (`DeviceMatches`).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::release::Release;
use crate::values::{Holds, Map, MapKind, QuantityValue, SemanticVersion, Value};

/// The value of an attribute of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    Text(String),
    /// A number.
    Int(i64),
    /// A boolean.
    Bool(bool),
    /// A semantic version, as text.
    Version(String),
    Texts(Vec<String>),
    /// Numbers.
    Ints(Vec<i64>),
    /// Booleans.
    Bools(Vec<bool>),
    /// Semantic versions, as texts.
    Versions(Vec<String>),
    /// A value of no known type: selectors fail, since 1.38 those that read it.
    Unsupported,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    driver: String,
    multiple: bool,
    attributes: BTreeMap<String, Attribute>,
    capacity: BTreeMap<String, String>,
}

impl Device {
    /// A device of a driver, with nothing else.
    pub fn new(driver: &str) -> Self {
        Self {
            driver: driver.into(),
            multiple: false,
            attributes: BTreeMap::new(),
            capacity: BTreeMap::new(),
        }
    }

    /// Sets `allowMultipleAllocations`.
    #[must_use]
    pub fn allow_multiple_allocations(self, multiple: bool) -> Self {
        Self { multiple, ..self }
    }

    /// Adds an attribute. A name without a domain gets the driver's.
    #[must_use]
    pub fn attribute(mut self, name: &str, value: Attribute) -> Self {
        self.attributes.insert(name.into(), value);
        self
    }

    /// Adds a capacity, a quantity as text. A name without a domain gets the driver's.
    #[must_use]
    pub fn capacity(mut self, name: &str, quantity: &str) -> Self {
        self.capacity.insert(name.into(), quantity.into());
        self
    }

    /// The value of the variable `device`, or why it cannot be built.
    pub(crate) fn value(&self, release: &Release) -> Result<Value, String> {
        let mut attributes = Vec::new();
        for (name, attribute) in &self.attributes {
            let value = match attribute.value(release) {
                Err(_) if release.attributes_are_read_late => {
                    let (_, id) = name.split_once('/').unwrap_or(("", name));
                    Value::error(format!(
                        "attribute {id}: value is invalid or its type is not supported by this version"
                    ))
                }
                value => value.map_err(|e| format!("attribute {name}: {e}"))?,
            };
            attributes.push((name.as_str(), value));
        }
        let mut capacity = Vec::new();
        for (name, text) in &self.capacity {
            let quantity =
                QuantityValue::parse(text, release).map_err(|e| format!("capacity {name}: {e}"))?;
            capacity.push((name.as_str(), Value::Quantity(quantity)));
        }
        let kind = if release.attributes_are_read_late {
            MapKind::ToTexts(Holds::Attributes)
        } else {
            MapKind::Texts
        };
        let fields = vec![
            ("driver".into(), Value::text(&self.driver)),
            ("allowMultipleAllocations".into(), Value::Bool(self.multiple)),
            ("attributes".into(), self.by_domain(attributes, kind, Holds::Attributes)),
            (
                "capacity".into(),
                self.by_domain(capacity, MapKind::ToTexts(Holds::Capacity), Holds::Capacity),
            ),
        ];
        Ok(Value::Map(Arc::new(Map::texts(MapKind::Texts, fields))))
    }

    /// Values by domain and name. Of a name with and without the driver's domain, the former counts.
    fn by_domain(&self, values: Vec<(&str, Value)>, kind: MapKind, holds: Holds) -> Value {
        let mut domains: BTreeMap<&str, Vec<(Arc<str>, Value)>> = BTreeMap::new();
        for (name, value) in values {
            let (domain, id) = name.split_once('/').unwrap_or((&self.driver, name));
            let values = domains.entry(domain).or_default();
            match values.iter_mut().find(|(known, _)| **known == *id) {
                Some((_, known)) if name.contains('/') => *known = value,
                Some(_) => {}
                None => values.push((id.into(), value)),
            }
        }
        let mut by_domain = Vec::new();
        for (domain, values) in domains {
            by_domain.push((domain.into(), Value::Map(Arc::new(Map::texts(kind, values)))));
        }
        Value::Map(Arc::new(Map::texts(MapKind::Defaulting(holds), by_domain)))
    }
}

impl Attribute {
    const fn is_empty_list(&self) -> bool {
        match self {
            Self::Texts(texts) | Self::Versions(texts) => texts.is_empty(),
            Self::Ints(numbers) => numbers.is_empty(),
            Self::Bools(values) => values.is_empty(),
            _ => false,
        }
    }

    fn value(&self, release: &Release) -> Result<Value, String> {
        let lists = release.list_attributes;
        if release.attributes_are_read_late && self.is_empty_list() {
            return Err("unsupported attribute value".into());
        }
        Ok(match self {
            Self::Text(text) => Value::text(text),
            Self::Int(number) => Value::Int(*number),
            Self::Bool(value) => Value::Bool(*value),
            Self::Version(text) => version(text)?,
            Self::Texts(texts) if lists => {
                Value::slice("string", texts.iter().map(|text| Value::text(text)).collect())
            }
            Self::Ints(numbers) if lists => {
                Value::slice("int64", numbers.iter().copied().map(Value::Int).collect())
            }
            Self::Bools(values) if lists => {
                Value::slice("bool", values.iter().copied().map(Value::Bool).collect())
            }
            Self::Versions(texts) if lists => Value::slice(
                "uint8",
                texts.iter().map(|text| version(text)).collect::<Result<_, _>>()?,
            ),
            _ => return Err("unsupported attribute value".into()),
        })
    }
}

fn version(text: &str) -> Result<Value, String> {
    match SemanticVersion::parse(text) {
        Ok(version) => Ok(Value::SemanticVersion(Arc::new(version))),
        Err(e) => Err(format!("parse semantic version: {e}")),
    }
}
