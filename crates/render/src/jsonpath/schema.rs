//! Which fields a path can find: it is followed through a JSON Schema instead of a value.

use serde_json::Value;

use super::{Path, PathStep, PathTemplate, TemplatePart};

/// A field that no value of a schema has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    pub name: String,
    /// The fields that exist there instead.
    pub known: Vec<String>,
}

/// The parts of a schema that describe the values at some path. Empty if these can be anything.
type Parts<'s> = Vec<&'s Value>;

impl PathTemplate {
    /// The first field of the template that values of `of`, a part of `schema`, never have.
    pub fn unknown_field(&self, schema: &Value, of: &Value) -> Option<UnknownField> {
        check(&self.0, &expanded(schema, of), schema).err()
    }
}

fn check(parts: &[TemplatePart], here: &Parts, schema: &Value) -> Result<(), UnknownField> {
    for part in parts {
        match part {
            TemplatePart::Text(_) => {}
            TemplatePart::Path(path) => {
                follow(path, here.clone(), schema)?;
            }
            TemplatePart::Range(path, body) => {
                check(body, &follow(path, here.clone(), schema)?, schema)?;
            }
        }
    }
    Ok(())
}

fn follow<'s>(
    path: &Path,
    mut here: Parts<'s>,
    schema: &'s Value,
) -> Result<Parts<'s>, UnknownField> {
    for step in path {
        // Nothing is known about this value.
        if here.is_empty() {
            return Ok(here);
        }
        here = match step {
            PathStep::Keys(keys) => {
                let mut next = Vec::new();
                for key in keys {
                    next.extend(field(key, &here, schema)?);
                }
                next
            }
            PathStep::All
            | PathStep::Indices(_)
            | PathStep::Slice { .. }
            | PathStep::PathFilter(_) => {
                let items = here.iter().filter_map(|part| part.get("items"));
                items.flat_map(|items| expanded(schema, items)).collect()
            }
            PathStep::Below => Vec::new(),
        };
    }
    Ok(here)
}

/// The value of a field of values that `here` describes.
fn field<'s>(key: &str, here: &Parts<'s>, schema: &'s Value) -> Result<Parts<'s>, UnknownField> {
    let mut known = Vec::new();
    let mut found = Vec::new();
    for part in here {
        if let Some(any) = part.get("additionalProperties").filter(|any| any.is_object()) {
            return Ok(expanded(schema, any));
        }
        let Some(fields) = part.get("properties").and_then(Value::as_object) else { continue };
        known.extend(fields.keys().cloned());
        found.extend(fields.get(key));
    }
    if found.is_empty() {
        known.sort();
        known.dedup();
        return Err(UnknownField { name: key.to_owned(), known });
    }
    Ok(found.into_iter().flat_map(|part| expanded(schema, part)).collect())
}

/// The parts that a part of the schema refers to or chooses from, without null.
fn expanded<'s>(schema: &'s Value, part: &'s Value) -> Parts<'s> {
    if let Some(name) =
        part.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix("#/$defs/"))
    {
        let named = schema.get("$defs").and_then(|defs| defs.get(name));
        return named.into_iter().flat_map(|part| expanded(schema, part)).collect();
    }
    let choices: Vec<&Value> = ["anyOf", "oneOf", "allOf"]
        .iter()
        .filter_map(|key| part.get(key)?.as_array())
        .flatten()
        .filter(|choice| choice.get("type").and_then(Value::as_str) != Some("null"))
        .collect();
    let own = part.get("properties").is_some() || choices.is_empty();
    let own = own.then_some(part).into_iter();
    own.chain(choices.into_iter().flat_map(|choice| expanded(schema, choice))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::PathTemplate;

    fn schema() -> Value {
        json!({"$defs": {
            "Pod": {"type": "object", "properties": {
                "name": {"type": "string"},
                "nodes": {"type": "array", "items": {"type": "string"}},
                "owner": {"anyOf": [{"$ref": "#/$defs/Owner"}, {"type": "null"}]},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "victims": {"type": "array", "items": {"$ref": "#/$defs/Pod"}},
            }},
            "Owner": {"oneOf": [
                {"type": "object", "properties": {"kind": {"type": "string"}}},
                {"type": "object", "properties": {"uid": {"type": "string"}}},
            ]},
        }})
    }

    #[test]
    fn fields_that_no_value_has_are_found() {
        let schema = schema();
        let pod = schema.pointer("/$defs/Pod").unwrap();
        let unknown = |path: &str| {
            PathTemplate::parse(path)
                .unwrap()
                .unknown_field(&schema, pod)
                .map(|unknown| unknown.name)
        };
        for known in [
            ".name",
            ".nodes[0]",
            ".nodes[*]",
            ".owner.kind",
            ".owner.uid",
            ".labels.app",
            ".victims[0].victims[1:2].name",
            "{range .victims[*]}{.name}{end}",
            "..anything",
            "{'a text'}",
        ] {
            assert_eq!(unknown(known), None, "{known}");
        }
        for (path, name) in [
            (".node", "node"),
            (".owner.name", "name"),
            (".name.first", "first"),
            (".victims[0].pod", "pod"),
            ("{range .victims[*]}{.pod}{end}", "pod"),
        ] {
            assert_eq!(unknown(path).as_deref(), Some(name), "{path}");
        }
        let known =
            PathTemplate::parse(".owner.x").unwrap().unknown_field(&schema, pod).unwrap().known;
        assert_eq!(known, ["kind", "uid"]);
    }
}
