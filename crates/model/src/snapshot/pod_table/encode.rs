//! Makes a table of pods.

use indexmap::IndexMap;

use super::bytes::{put_number, put_slice, put_uid, put_version, put_when};
use super::{COLUMNS, Column, TOKEN_VOLUME, is_token_volume};
use crate::snapshot::pod::Pod;
use crate::snapshot::{Map, Str};

/// A placeholder for the name of the node, which is in the row.
const IN_ROW: &str = "*";
/// Marks, in place of the version of an object, a shape that is pinned to the node of its pod.
pub(super) const PINNED: &str = "pinned";
/// Rows of a block. A reader decodes blocks in parallel.
const BLOCK_ROWS: usize = 8 << 10;
/// Bytes of a block, about.
const BLOCK_BYTES: usize = 8 << 20;
/// Bytes of texts, labels or shapes that are remembered for reuse. Beyond that, they are forgotten,
/// and written again when they recur.
const MOST_REMEMBERED: usize = 32 << 20;

/// Takes pods one by one, and writes them in blocks.
#[derive(Debug, Default)]
pub struct PodEncoder {
    texts: Numbered<Box<str>>,
    labels: Numbered<Box<[(u32, u32)]>>,
    shapes: Numbered<String>,
    rows: usize,
    columns: [Vec<u8>; COLUMNS],
}

/// Numbered values, in order of first occurrence.
#[derive(Debug)]
struct Numbered<T> {
    known: IndexMap<T, u32, foldhash::fast::RandomState>,
    /// Bytes of the known values.
    bytes: usize,
    count: u32,
    /// The values that are in no block yet: their bytes and their number.
    new: Vec<u8>,
    new_count: usize,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        let known = IndexMap::default();
        Self { known, bytes: 0, count: 0, new: Vec::new(), new_count: 0 }
    }
}

impl<T: std::hash::Hash + Eq> Numbered<T> {
    /// The number of a value, which `put` writes if it is new.
    fn number(&mut self, value: T, put: impl FnOnce(&T, &mut Vec<u8>)) -> u32 {
        if let Some(number) = self.known.get(&value) {
            return *number;
        }
        let before = self.new.len();
        put(&value, &mut self.new);
        self.new_count += 1;
        self.bytes += self.new.len() - before;
        if self.bytes > MOST_REMEMBERED {
            self.known.clear();
            self.bytes = 0;
        }
        let number = self.count;
        self.known.insert(value, number);
        // No cluster has four billion pods.
        self.count = self.count.saturating_add(1);
        number
    }

    fn take_new(&mut self, block: &mut Vec<u8>) {
        put_number(block, std::mem::take(&mut self.new_count) as u64);
        block.append(&mut self.new);
    }
}

impl PodEncoder {
    /// Adds a pod. Returns a block when one is full.
    ///
    /// # Errors
    /// Those of the encoder of JSON.
    pub fn add(&mut self, mut pod: Pod<'_>) -> serde_json::Result<Option<Vec<u8>>> {
        let name = std::mem::take(&mut pod.metadata.name);
        let uid = std::mem::take(&mut pod.metadata.uid);
        let version = std::mem::take(&mut pod.metadata.resource_version);
        let created = std::mem::take(&mut pod.metadata.creation_timestamp);
        let started = std::mem::take(&mut pod.status.start_time);
        let labels = std::mem::take(&mut pod.metadata.labels);
        let node = take_node(&mut pod);
        for volume in &mut pod.spec.volumes {
            if is_token_volume(volume) {
                let suffix = volume.name.strip_prefix(TOKEN_VOLUME).unwrap_or_default();
                put_slice(self.column(Column::TokenVolumes), suffix.as_bytes());
                volume.name = TOKEN_VOLUME.into();
            } else if let Some(claim) = &mut volume.persistent_volume_claim {
                put_slice(self.column(Column::Claims), claim.claim_name.as_bytes());
                claim.claim_name = Str::default();
            }
        }
        // The remaining fields are its shape.
        let shape = serde_json::to_string(&pod)?;
        let labels = self.labels(&labels);
        let node = node.map_or(0, |node| u64::from(self.text(&node)) + 1);
        let shape = self.shapes.number(shape, |json, bytes| {
            put_slice(bytes, json.as_bytes());
            put_number(bytes, node);
        });
        put_number(self.column(Column::Shape), u64::from(shape));
        put_number(self.column(Column::Labels), u64::from(labels));
        put_number(self.column(Column::Node), node);
        put_slice(self.column(Column::Name), name.as_bytes());
        put_uid(self.column(Column::Uid), &uid);
        put_version(self.column(Column::Version), &version);
        put_when(self.column(Column::Created), &created);
        put_when(self.column(Column::Started), &started);
        self.rows += 1;
        let bytes: usize = self.columns.iter().map(Vec::len).sum();
        let bytes = bytes + self.texts.new.len() + self.labels.new.len() + self.shapes.new.len();
        Ok((self.rows >= BLOCK_ROWS || bytes >= BLOCK_BYTES).then(|| self.block()))
    }

    /// The last block; `None` if all pods are in blocks.
    pub fn finish(&mut self) -> Option<Vec<u8>> {
        (self.rows > 0).then(|| self.block())
    }

    fn block(&mut self) -> Vec<u8> {
        let mut block = Vec::new();
        self.texts.take_new(&mut block);
        self.labels.take_new(&mut block);
        self.shapes.take_new(&mut block);
        put_number(&mut block, std::mem::take(&mut self.rows) as u64);
        for column in &mut self.columns {
            put_slice(&mut block, column);
            column.clear();
        }
        block
    }

    #[expect(clippy::indexing_slicing, reason = "there is a column for each value")]
    fn column(&mut self, column: Column) -> &mut Vec<u8> {
        &mut self.columns[column as usize]
    }

    fn text(&mut self, text: &str) -> u32 {
        self.texts.number(Box::from(text), |text, bytes| put_slice(bytes, text.as_bytes()))
    }

    fn labels(&mut self, labels: &Map<'_>) -> u32 {
        let pairs: Box<[(u32, u32)]> =
            labels.iter().map(|(key, value)| (self.text(key), self.text(value))).collect();
        self.labels.number(pairs, |pairs, bytes| {
            put_number(bytes, pairs.len() as u64);
            for (key, value) in pairs {
                put_number(bytes, u64::from(*key));
                put_number(bytes, u64::from(*value));
            }
        })
    }
}

/// Removes the name of its node from a pod, also from its affinity.
fn take_node<'a>(pod: &mut Pod<'a>) -> Option<Str<'a>> {
    if pod.spec.node_name.is_empty() {
        return None;
    }
    let node = std::mem::replace(&mut pod.spec.node_name, IN_ROW.into());
    if is_pinned(pod, &node) {
        pins(pod).for_each(|value| *value = IN_ROW.into());
        pod.metadata.resource_version = PINNED.into();
    }
    Some(node)
}

/// Whether every required term of the node affinity names this node, as those of a `DaemonSet` do.
fn is_pinned(pod: &Pod<'_>, node: &str) -> bool {
    let affinity = pod.spec.affinity.as_ref();
    let Some(required) = affinity.and_then(|a| a.node_affinity.as_ref()?.required.as_ref()) else {
        return false;
    };
    !required.node_selector_terms.is_empty()
        && required.node_selector_terms.iter().all(|term| {
            !term.match_fields.is_empty()
                && term.match_fields.iter().all(|field| {
                    field.key.as_str() == "metadata.name"
                        && matches!(field.values.as_slice(), [value] if value.as_str() == node)
                })
        })
}

/// The names of the node in the affinity of a pod that is pinned.
pub(super) fn pins<'p, 'a>(pod: &'p mut Pod<'a>) -> impl Iterator<Item = &'p mut Str<'a>> {
    let affinity = pod.spec.affinity.as_mut();
    let required = affinity.and_then(|a| a.node_affinity.as_mut()?.required.as_mut());
    let terms = required.into_iter().flat_map(|required| &mut required.node_selector_terms);
    terms.flat_map(|term| &mut term.match_fields).flat_map(|field| &mut field.values)
}
