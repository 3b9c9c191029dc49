//! The value of one YAML document as kubectl reads it.
//!
//! kubectl reads only the first document of a text, and the last value of a repeated key. Keys
//! merged by `<<` replace those before it.
//!
//! Upstream: `parserc.go` and `decode.go` of go.yaml.in/yaml/v2 (2.4), `yaml.go` of
//! sigs.k8s.io/yaml (1.6).

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::scanner::{MAX_DEPTH, Mark, PlacedToken, RefusedYaml, Scanner, Step, YamlToken};
use super::single::Single;

/// Maximum number of values, and of their bytes, that anchors may keep and aliases repeat. kubectl
/// writes no aliases.
const MOST_REPEATED: Size = Size { values: 100_000, bytes: 64 << 20 };

/// The size of values.
#[derive(Default)]
struct Size {
    values: usize,
    bytes: usize,
}

pub(super) struct ReadDocument {
    pub value: Value,
    /// The first repeated key.
    pub repeated: Option<Repeated>,
    /// The line of what follows the document, which is not read.
    pub rest: Option<usize>,
}

/// A repeated key.
#[derive(Debug, Clone)]
pub(super) struct Repeated {
    pub key: String,
    /// From 0.
    pub line: usize,
    /// From 0.
    pub column: i64,
}

/// What an anchor can refer to.
#[derive(Clone)]
enum Node {
    Single(Single),
    List(Vec<Value>),
    Object(Map<String, Value>),
}

impl Node {
    const NULL: Self = Self::Single(Single::Null);

    fn into_value(self) -> Option<Value> {
        match self {
            Self::Single(single) => single.into_value(),
            Self::List(items) => Some(Value::Array(items)),
            Self::Object(fields) => Some(Value::Object(fields)),
        }
    }
}

/// The name of a field whose name JSON cannot represent, and of the only field of a stand-in for a
/// value that JSON cannot represent. kubectl rejects them, unless something else replaces them in
/// the end.
const NO_JSON: &str = "\0none of JSON";

/// Whether a value contains something that JSON cannot represent.
fn is_none_of_json(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(is_none_of_json),
        Value::Object(fields) => {
            fields.contains_key(NO_JSON) || fields.values().any(is_none_of_json)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// A node, and what its value does not show.
struct Parsed {
    node: Node,
    /// Whether it represents the keys of another object.
    is_merge: bool,
    is_alias: bool,
}

impl From<Node> for Parsed {
    fn from(node: Node) -> Self {
        Self { node, is_merge: false, is_alias: false }
    }
}

/// Which blocks may begin where a value is expected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blocks {
    /// None: the value is in brackets.
    None,
    Indented,
    /// Also a list that is not indented further than the key before it.
    Any,
}

/// Reads the first document of a text, which may have `left` values.
pub(super) fn read(text: &str, left: &mut usize) -> Step<ReadDocument> {
    let mut reader = Reader {
        tokens: Scanner::new(text)?,
        handles: Vec::new(),
        anchors: IndexMap::default(),
        depth: 0,
        left,
        repeats: Size::default(),
        repeated: None,
        begun: 0,
        has_none_of_json: false,
    };
    let value = reader.document()?;
    if reader.has_none_of_json && is_none_of_json(&value) {
        return Err(RefusedYaml);
    }
    let rest = reader.rest();
    Ok(ReadDocument { value, repeated: reader.repeated, rest })
}

struct Reader<'t, 'n> {
    tokens: Scanner<'t>,
    /// The prefixes of tag handles.
    handles: Vec<(String, String)>,
    /// The nodes of anchors.
    anchors: IndexMap<&'t str, Anchored, foldhash::fast::RandomState>,
    /// How many anchors there have been.
    begun: usize,
    depth: usize,
    /// How many more values may be read.
    left: &'n mut usize,
    /// How much anchors keep and aliases repeat.
    repeats: Size,
    repeated: Option<Repeated>,
    /// Whether a value could not be represented in JSON.
    has_none_of_json: bool,
}

/// The node of an anchor. If two have the same name, the one that begins later counts, even within
/// the other.
struct Anchored {
    number: usize,
    /// `None` while it is incomplete.
    node: Option<Node>,
}

/// An object that is being read.
#[derive(Default)]
struct Fields {
    map: Map<String, Value>,
    /// Whether some of its fields were merged from another object.
    is_merged: bool,
}

impl<'t> Reader<'t, '_> {
    fn document(&mut self) -> Step<Value> {
        let mut has_directives = false;
        let mut has_version = false;
        loop {
            match &self.tokens.peek()?.token {
                YamlToken::Version { is_1_1: true } if !has_version => has_version = true,
                YamlToken::TagHandle { handle, prefix } => {
                    if self.handles.iter().any(|(other, _)| other == handle) {
                        return Err(RefusedYaml);
                    }
                    self.handles.push((handle.clone(), prefix.clone()));
                }
                YamlToken::Version { .. } => return Err(RefusedYaml),
                _ => break,
            }
            has_directives = true;
            self.tokens.take()?;
        }
        if matches!(self.tokens.peek()?.token, YamlToken::DocumentStart) {
            self.tokens.take()?;
            if self.is_at(|token| {
                matches!(token, YamlToken::DocumentStart | YamlToken::DocumentEnd | YamlToken::End)
            })? {
                return Ok(Value::Null);
            }
        } else if has_directives {
            return Err(RefusedYaml);
        } else if self.is_at(|token| matches!(token, YamlToken::End))? {
            return Ok(Value::Null);
        }
        let value = self.value(Blocks::Indented)?;
        // The document ends before the next token, which must be valid.
        self.tokens.peek()?;
        Ok(value)
    }

    /// The line of what follows the document.
    fn rest(&mut self) -> Option<usize> {
        if self.is_at(|token| matches!(token, YamlToken::DocumentEnd)).ok()? {
            self.tokens.take().ok()?;
        }
        let next = self.tokens.peek().ok()?;
        (!matches!(next.token, YamlToken::End)).then_some(next.place.line)
    }

    fn is_at(&mut self, is_meant: impl Fn(&YamlToken<'_>) -> bool) -> Step<bool> {
        Ok(is_meant(&self.tokens.peek()?.token))
    }

    /// Takes the next token if it satisfies `is_meant`.
    fn took(&mut self, is_meant: impl Fn(&YamlToken<'_>) -> bool) -> Step<bool> {
        let is_there = self.is_at(is_meant)?;
        if is_there {
            self.tokens.take()?;
        }
        Ok(is_there)
    }

    fn value(&mut self, blocks: Blocks) -> Step<Value> {
        let node = self.node(blocks)?.node;
        Ok(self.json(node))
    }

    fn json(&mut self, node: Node) -> Value {
        node.into_value().unwrap_or_else(|| {
            self.has_none_of_json = true;
            json!({NO_JSON: null})
        })
    }

    fn node(&mut self, blocks: Blocks) -> Step<Parsed> {
        self.depth += 1;
        *self.left = self.left.saturating_sub(1);
        if *self.left == 0 || self.depth > MAX_DEPTH {
            return Err(RefusedYaml);
        }
        let parsed = self.shallow_node(blocks);
        self.depth -= 1;
        parsed
    }

    fn shallow_node(&mut self, blocks: Blocks) -> Step<Parsed> {
        if let YamlToken::Alias(name) = self.tokens.peek()?.token {
            self.tokens.take()?;
            return self.alias(name);
        }
        let (anchor, tag) = self.properties()?;
        if let Some(anchor) = anchor {
            // Something that contains itself has no end.
            self.begun += 1;
            self.anchors.insert(anchor, Anchored { number: self.begun, node: None });
        }
        let number = self.begun;
        let parsed = self.content(blocks, tag.as_deref(), anchor.is_some() || tag.is_some())?;
        if let Some(anchor) = anchor {
            self.count(&parsed.node)?;
            if let Some(anchored) =
                self.anchors.get_mut(anchor).filter(|anchored| anchored.number == number)
            {
                anchored.node = Some(parsed.node.clone());
            }
        }
        Ok(parsed)
    }

    fn alias(&mut self, name: &str) -> Step<Parsed> {
        let node =
            self.anchors.get(name).and_then(|anchored| anchored.node.clone()).ok_or(RefusedYaml)?;
        self.count(&node)?;
        Ok(Parsed { node, is_merge: false, is_alias: true })
    }

    /// Anchor and tag in front of a node, in either order.
    fn properties(&mut self) -> Step<(Option<&'t str>, Option<String>)> {
        let (mut anchor, mut tag) = (None, None);
        loop {
            match &self.tokens.peek()?.token {
                YamlToken::Anchor(name) if anchor.is_none() => anchor = Some(*name),
                YamlToken::Tag { handle, suffix } if tag.is_none() => {
                    let prefix = match handle.as_str() {
                        "" => "",
                        handle => prefix(&self.handles, handle)?,
                    };
                    tag = Some(format!("{prefix}{suffix}"));
                }
                _ => return Ok((anchor, tag)),
            }
            self.tokens.take()?;
        }
    }

    fn content(&mut self, blocks: Blocks, tag: Option<&str>, may_be_empty: bool) -> Step<Parsed> {
        let is_block = blocks != Blocks::None;
        match &self.tokens.peek()?.token {
            YamlToken::BlockEntry if blocks == Blocks::Any => {
                self.list_beside_key().map(Parsed::from)
            }
            YamlToken::Scalar { .. } => self.single(tag),
            YamlToken::FlowSequence => self.flow_list().map(Parsed::from),
            YamlToken::FlowMapping => self.flow_object().map(Parsed::from),
            YamlToken::BlockSequence if is_block => self.block_list().map(Parsed::from),
            YamlToken::BlockMapping if is_block => self.block_object().map(Parsed::from),
            _ if may_be_empty => match tag {
                Some(tag) => Ok(Node::Single(Single::of_tagged(tag, "")?).into()),
                None => Ok(Node::NULL.into()),
            },
            _ => Err(RefusedYaml),
        }
    }

    fn single(&mut self, tag: Option<&str>) -> Step<Parsed> {
        let YamlToken::Scalar { text, is_plain } = self.tokens.take()?.token else {
            return Err(RefusedYaml);
        };
        let is_implicit = is_plain && tag.is_none() || tag == Some("!");
        let is_merge = text == "<<" && (is_implicit || tag == Some("tag:yaml.org,2002:merge"));
        let single = match tag {
            Some(tag) => Single::of_tagged(tag, &text)?,
            None if is_plain => Single::of_plain(&text),
            None => Single::Text(text.into_owned()),
        };
        Ok(Parsed { node: Node::Single(single), is_merge, is_alias: false })
    }

    /// A list whose dashes are indented.
    fn block_list(&mut self) -> Step<Node> {
        self.tokens.take()?;
        let mut items = Vec::new();
        while self.took(|token| matches!(token, YamlToken::BlockEntry))? {
            let is_empty =
                self.is_at(|token| matches!(token, YamlToken::BlockEntry | YamlToken::BlockEnd))?;
            items.push(if is_empty { Value::Null } else { self.value(Blocks::Indented)? });
        }
        if self.took(|token| matches!(token, YamlToken::BlockEnd))? {
            Ok(Node::List(items))
        } else {
            Err(RefusedYaml)
        }
    }

    /// A list whose dashes are at the indentation of its key.
    fn list_beside_key(&mut self) -> Step<Node> {
        let mut items = Vec::new();
        while self.took(|token| matches!(token, YamlToken::BlockEntry))? {
            items.push(
                if self.is_at(|token| {
                    matches!(
                        token,
                        YamlToken::BlockEntry
                            | YamlToken::Key
                            | YamlToken::Value
                            | YamlToken::BlockEnd
                    )
                })? {
                    Value::Null
                } else {
                    self.value(Blocks::Indented)?
                },
            );
        }
        Ok(Node::List(items))
    }

    fn block_object(&mut self) -> Step<Node> {
        self.tokens.take()?;
        let mut fields = Fields::default();
        let ends = |token: &YamlToken<'_>| {
            matches!(token, YamlToken::Key | YamlToken::Value | YamlToken::BlockEnd)
        };
        loop {
            let PlacedToken { place, token } = self.tokens.take()?;
            match token {
                YamlToken::BlockEnd => return Ok(Node::Object(fields.map)),
                YamlToken::Key => {}
                _ => return Err(RefusedYaml),
            }
            let key = if self.is_at(ends)? { Node::NULL.into() } else { self.node(Blocks::Any)? };
            let has_value = self.took(|token| matches!(token, YamlToken::Value))?;
            let value = if has_value && !self.is_at(ends)? {
                self.node(Blocks::Any)?
            } else {
                Node::NULL.into()
            };
            self.put(&mut fields, key, value, place)?;
        }
    }

    fn flow_list(&mut self) -> Step<Node> {
        self.tokens.take()?;
        let mut items = Vec::new();
        let is_end = |token: &YamlToken<'_>| matches!(token, YamlToken::FlowSequenceEnd);
        let ends = |token: &YamlToken<'_>| {
            matches!(token, YamlToken::FlowEntry | YamlToken::FlowSequenceEnd)
        };
        loop {
            if self.took(is_end)? {
                return Ok(Node::List(items));
            }
            if !items.is_empty() && !self.took(|token| matches!(token, YamlToken::FlowEntry))? {
                return Err(RefusedYaml);
            }
            if self.is_at(|token| matches!(token, YamlToken::Key))? {
                // An object with one field, without braces.
                let place = self.tokens.take()?.place;
                if self.is_at(|token| matches!(token, YamlToken::Value))? || self.is_at(ends)? {
                    return Err(RefusedYaml);
                }
                let mut fields = Fields::default();
                let key = self.node(Blocks::None)?;
                let value = self.flow_value(ends)?;
                self.put(&mut fields, key, value, place)?;
                items.push(Value::Object(fields.map));
            } else if !self.is_at(is_end)? {
                items.push(self.value(Blocks::None)?);
            }
        }
    }

    fn flow_object(&mut self) -> Step<Node> {
        self.tokens.take()?;
        let mut fields = Fields::default();
        let is_end = |token: &YamlToken<'_>| matches!(token, YamlToken::FlowMappingEnd);
        let ends = |token: &YamlToken<'_>| {
            matches!(token, YamlToken::FlowEntry | YamlToken::FlowMappingEnd)
        };
        let mut is_first = true;
        loop {
            if self.took(is_end)? {
                return Ok(Node::Object(fields.map));
            }
            if !is_first && !self.took(|token| matches!(token, YamlToken::FlowEntry))? {
                return Err(RefusedYaml);
            }
            is_first = false;
            let place = self.tokens.peek()?.place;
            if self.took(|token| matches!(token, YamlToken::Key))? {
                let is_empty =
                    self.is_at(|token| matches!(token, YamlToken::Value))? || self.is_at(ends)?;
                let key = if is_empty { Node::NULL.into() } else { self.node(Blocks::None)? };
                let value = self.flow_value(ends)?;
                self.put(&mut fields, key, value, place)?;
            } else if !self.is_at(is_end)? {
                let key = self.node(Blocks::None)?;
                self.put(&mut fields, key, Node::NULL.into(), place)?;
            }
        }
    }

    /// What follows the colon of a key in brackets, if there is one.
    fn flow_value(&mut self, ends: impl Fn(&YamlToken<'_>) -> bool) -> Step<Parsed> {
        let has_value = self.took(|token| matches!(token, YamlToken::Value))?;
        if has_value && !self.is_at(ends)? {
            self.node(Blocks::None)
        } else {
            Ok(Node::NULL.into())
        }
    }

    fn put(&mut self, fields: &mut Fields, key: Parsed, value: Parsed, place: Mark) -> Step<()> {
        if key.is_merge {
            fields.is_merged = true;
            return merge(&mut fields.map, value);
        }
        let Node::Single(key) = key.node else { return Err(RefusedYaml) };
        // In Go, zero and negative zero are the same key; the last form is kept.
        if let Single::Float(zero @ 0.0) = key {
            fields.map.remove(if zero.is_sign_negative() { "0" } else { "-0" });
        }
        let key = key.into_key().unwrap_or_else(|| {
            self.has_none_of_json = true;
            NO_JSON.to_owned()
        });
        let value = self.json(value.node);
        if self.repeated.is_none() && !fields.is_merged && fields.map.contains_key(&key) {
            self.repeated =
                Some(Repeated { key: key.clone(), line: place.line, column: place.column });
        }
        fields.map.insert(key, value);
        Ok(())
    }

    /// Counts what an anchor keeps or an alias repeats.
    fn count(&mut self, node: &Node) -> Step<()> {
        match node {
            Node::Single(Single::Text(text)) => self.repeats.bytes += text.len(),
            Node::Single(_) => {}
            Node::List(items) => items.iter().for_each(|item| self.repeats.add(item)),
            Node::Object(fields) => {
                fields.iter().for_each(|(key, value)| self.repeats.add_field(key, value));
            }
        }
        self.repeats.values += 1;
        let is_too_much =
            self.repeats.values > MOST_REPEATED.values || self.repeats.bytes > MOST_REPEATED.bytes;
        if is_too_much { Err(RefusedYaml) } else { Ok(()) }
    }
}

impl Size {
    fn add(&mut self, value: &Value) {
        self.values += 1;
        match value {
            Value::String(text) => self.bytes += text.len(),
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(fields) => {
                fields.iter().for_each(|(key, value)| self.add_field(key, value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn add_field(&mut self, key: &str, value: &Value) {
        self.bytes += key.len();
        self.add(value);
    }
}

/// Merges the fields of an object, or of several, of which the first takes precedence.
fn merge(fields: &mut Map<String, Value>, value: Parsed) -> Step<()> {
    match value.node {
        Node::Object(other) => fields.extend(other),
        Node::List(others) if !value.is_alias => {
            for other in others.into_iter().rev() {
                let Value::Object(other) = other else { return Err(RefusedYaml) };
                fields.extend(other);
            }
        }
        Node::List(_) | Node::Single(_) => return Err(RefusedYaml),
    }
    Ok(())
}

/// The prefix of a tag handle.
fn prefix<'h>(handles: &'h [(String, String)], handle: &str) -> Step<&'h str> {
    let own = handles
        .iter()
        .find(|(own_handle, _)| own_handle == handle)
        .map(|(_, prefix)| prefix.as_str());
    let usual = match handle {
        "!" => Some("!"),
        "!!" => Some("tag:yaml.org,2002:"),
        _ => None,
    };
    own.or(usual).ok_or(RefusedYaml)
}
