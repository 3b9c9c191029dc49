//! Pods as a table, as compact snapshot files keep them.
//!
//! The pods of a workload differ in a few fields: name, UID, times, node. These are the columns of
//! a row; the rest of a pod is its *shape* and its labels, which pods share. So a reader decodes
//! each shape once, and only the few columns of every further pod.
//!
//! The table is written in blocks. A block has the texts, labels and shapes that are new in it, and
//! then rows, column by column; numbers continue over all blocks. Shapes are JSON, so a field that
//! a later version of this program reads is simply absent in older files.

mod bytes;
mod encode;

use std::str;

use jiff::Timestamp;

use self::bytes::Bytes;
use super::Kind;
use super::amount::Time;
use super::kind::Object;
use super::pod::{Pod, Volume};
use super::record::is_absent;
use super::text::{Map, Str};

pub use encode::PodEncoder;

/// The prefix of the names of service account token volumes; the rest is random.
const TOKEN_VOLUME: &str = "kube-api-access-";

/// The column of one field, or of several that are read together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Shape,
    Labels,
    Node,
    Name,
    Uid,
    Version,
    Created,
    Started,
    /// The random part after [`TOKEN_VOLUME`] in the names of volumes.
    TokenVolumes,
    /// Names of the claims of volumes.
    Claims,
}

const COLUMNS: usize = Column::Claims as usize + 1;

/// Why a table cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// It is damaged, or was not written by this program.
    Damaged,
    /// Its pods would exceed the memory limit.
    TooLarge,
}
use Unusable::Damaged;

/// All pods of a snapshot file.
#[derive(Debug, Default)]
pub struct PodTable<'a> {
    texts: Vec<&'a str>,
    /// Keys and values of all labels, and where those of each pod end.
    pairs: Vec<(u32, u32)>,
    label_ends: Vec<u32>,
    shapes: Vec<Shape<'a>>,
    blocks: Vec<Rows<'a>>,
}

/// The fields that the pods of a workload share.
#[derive(Debug)]
pub struct Shape<'a> {
    pod: Box<Pod<'a>>,
    /// Whether every required term of its node affinity names the node of the pod, as those of a
    /// `DaemonSet` do.
    is_pinned: bool,
    /// The number of the name of a node with a pod of this shape; `None` if its pods have no node.
    node: Option<usize>,
    token_volumes: usize,
    claims: usize,
    /// Bytes of its JSON.
    size: usize,
}

/// The rows of a block.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    count: usize,
    columns: [&'a [u8]; COLUMNS],
}

#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The number of its shape.
    pub shape: usize,
    /// The number of its labels.
    pub labels: usize,
    /// The number of the name of its node; `None` if it waits for one.
    pub node: Option<usize>,
    /// `metadata.name`.
    pub name: &'a str,
    /// `metadata.uid`.
    pub uid: Uid<'a>,
    /// `metadata.resourceVersion`.
    pub version: Version<'a>,
    /// `metadata.creationTimestamp`.
    pub created: When<'a>,
    /// `status.startTime`.
    pub started: When<'a>,
    token_volumes: Texts<'a>,
    claims: Texts<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uid<'a> {
    /// One in the form of all that an API server makes.
    Uuid([u8; 16]),
    /// Any other text.
    Text(&'a str),
}

/// A resourceVersion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version<'a> {
    /// A number without leading zeros.
    Number(u64),
    /// Any other text.
    Text(&'a str),
}

/// A time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When<'a> {
    /// There is none.
    Never,
    /// A whole second, which is written in UTC.
    At(Timestamp),
    /// Any other text, which may be no time.
    Text(&'a str),
}

/// Concatenated texts.
#[derive(Debug, Clone, Copy)]
struct Texts<'a>(Bytes<'a>);

impl<'a> Texts<'a> {
    /// The next text.
    fn take_first(&mut self) -> Option<&'a str> {
        self.0.text().ok()
    }
}

impl Uid<'_> {
    /// The UID as in the object.
    #[must_use]
    pub fn text(self) -> Box<str> {
        match self {
            Self::Text(text) => Box::from(text),
            Self::Uuid(bytes) => bytes::uuid_text(bytes),
        }
    }
}

impl Version<'_> {
    /// The version as in the object.
    #[must_use]
    pub fn text(self) -> Box<str> {
        match self {
            Self::Text(text) => Box::from(text),
            Self::Number(number) => number.to_string().into(),
        }
    }
}

impl<'a> When<'a> {
    fn written(self) -> Time<'a> {
        Time(match self {
            Self::Never => Str::default(),
            Self::At(time) => time.to_string().into(),
            Self::Text(text) => text.into(),
        })
    }
}

/// A block whose texts are not numbered yet.
#[derive(Debug)]
pub struct Block<'a> {
    texts: Vec<&'a str>,
    pairs: Vec<(u32, u32)>,
    /// How many pairs each label set has.
    lengths: Vec<u32>,
    shapes: Vec<Shape<'a>>,
    rows: Rows<'a>,
}

impl<'a> Block<'a> {
    /// Reads a block, apart from the rows. Its memory is proportional to its bytes.
    ///
    /// # Errors
    /// [`Unusable`].
    pub fn read(block: &'a [u8]) -> Result<Self, Unusable> {
        // Texts, labels and shapes come first, since the rows refer to them by number.
        let mut bytes = Bytes(block);
        let mut texts = Vec::new();
        for _ in 0..bytes.count()? {
            texts.push(bytes.text()?);
        }
        let (mut pairs, mut lengths) = (Vec::new(), Vec::new());
        for _ in 0..bytes.count()? {
            let length = bytes.count()?;
            for _ in 0..length {
                pairs.push((bytes.number32()?, bytes.number32()?));
            }
            lengths.push(u32::try_from(length).map_err(|_| Damaged)?);
        }
        let mut shapes = Vec::new();
        for _ in 0..bytes.count()? {
            shapes.push(Shape::read(bytes.text()?, bytes.number()?)?);
        }
        // The rows are read column by column, once they are needed.
        let count = bytes.count()?;
        let mut columns = [&[][..]; COLUMNS];
        for column in &mut columns {
            *column = bytes.slice()?;
        }
        if bytes.0.is_empty() {
            Ok(Self { texts, pairs, lengths, shapes, rows: Rows { count, columns } })
        } else {
            Err(Damaged)
        }
    }
}

impl Rows<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl<'a> PodTable<'a> {
    /// The table of these blocks, in the order in which they were written. A few bytes can stand for
    /// many pods that share something large, so once they are no longer in the table they may take
    /// at most `limit` bytes.
    ///
    /// # Errors
    /// [`Unusable`].
    pub fn of_blocks(blocks: Vec<Block<'a>>, limit: usize) -> Result<Self, Unusable> {
        let mut table = Self::default();
        for block in blocks {
            table.texts.extend(block.texts);
            table.pairs.extend(block.pairs);
            let mut end = table.label_ends.last().copied().unwrap_or_default();
            for length in block.lengths {
                end = end.checked_add(length).ok_or(Damaged)?;
                table.label_ends.push(end);
            }
            table.shapes.extend(block.shapes);
            table.blocks.push(block.rows);
        }
        let texts = table.texts.len();
        let is_text = |number: u32| (number as usize) < texts;
        let has_labels = table.pairs.iter().all(|(key, value)| is_text(*key) && is_text(*value));
        let mut nodes = table.shapes.iter().filter_map(|shape| shape.node);
        if !has_labels || !nodes.all(|node| node < texts) {
            return Err(Damaged);
        }
        if table.size(limit)? > limit { Err(Unusable::TooLarge) } else { Ok(table) }
    }

    /// The approximate size of its pods outside the table; stops counting beyond `limit`.
    fn size(&self, limit: usize) -> Result<usize, Unusable> {
        let length = |number: &u32| self.texts.get(*number as usize).map_or(0, |text| text.len());
        let labels: Vec<usize> = self
            .label_sets()
            .map(|pairs| pairs.iter().map(|(key, value)| length(key) + length(value) + 8).sum())
            .collect();
        let mut size = 0usize;
        for rows in &self.blocks {
            let [shapes, label_sets, ..] = &rows.columns;
            let (mut shapes, mut label_sets) = (Bytes(shapes), Bytes(label_sets));
            size += rows.columns.iter().map(|column| column.len()).sum::<usize>();
            for _ in 0..rows.count {
                let shape = self.shapes.get(shapes.number()?).ok_or(Damaged)?;
                size += shape.size + labels.get(label_sets.number()?).ok_or(Damaged)?;
                if size > limit {
                    return Ok(size);
                }
            }
        }
        Ok(size)
    }

    /// How many pods it has.
    pub fn len(&self) -> usize {
        self.blocks.iter().map(|rows| rows.count).sum()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Names of nodes, keys and values of labels.
    pub fn texts(&self) -> &[&'a str] {
        &self.texts
    }

    /// The labels that pods have, each as the numbers of keys and values.
    pub fn label_sets(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        (0..self.label_ends.len()).map(|number| self.label_set(number))
    }

    fn label_set(&self, number: usize) -> &[(u32, u32)] {
        let end = self.label_ends.get(number).map_or(0, |end| *end as usize);
        let before = number.checked_sub(1).and_then(|before| self.label_ends.get(before));
        self.pairs.get(before.map_or(0, |start| *start as usize)..end).unwrap_or_default()
    }

    pub fn shapes(&self) -> &[Shape<'a>] {
        &self.shapes
    }

    pub fn blocks(&self) -> &[Rows<'a>] {
        &self.blocks
    }

    /// The rows of a block, one by one.
    pub fn rows<'t>(
        &'t self,
        rows: &'t Rows<'a>,
    ) -> impl Iterator<Item = Result<Row<'a>, Unusable>> {
        let mut columns = rows.columns.map(Bytes);
        let rows = (0..rows.count).map(move |_| self.next_row(&mut columns));
        // After damage, no later value is where it should be.
        let mut is_damaged = false;
        rows.take_while(move |row| !std::mem::replace(&mut is_damaged, row.is_err()))
    }

    fn next_row(&self, columns: &mut [Bytes<'a>; COLUMNS]) -> Result<Row<'a>, Unusable> {
        let [shape, labels, node, name, uid, version, created, started, volumes, claims] = columns;
        let number = shape.number()?;
        let shape = self.shapes.get(number).ok_or(Damaged)?;
        let row = Row {
            shape: number,
            labels: labels.number()?,
            node: node.number()?.checked_sub(1),
            name: name.text()?,
            uid: uid.uid()?,
            version: version.version()?,
            created: created.when()?,
            started: started.when()?,
            token_volumes: Texts(volumes.texts(shape.token_volumes)?),
            claims: Texts(claims.texts(shape.claims)?),
        };
        let is_known = row.labels < self.label_ends.len()
            && row.node.is_none_or(|node| node < self.texts.len())
            && row.node.is_some() == shape.node.is_some();
        if is_known { Ok(row) } else { Err(Damaged) }
    }

    fn node(&self, number: Option<usize>) -> &'a str {
        number.and_then(|number| self.texts.get(number).copied()).unwrap_or_default()
    }

    /// A pod of this shape, on a node that has one, without the other columns.
    pub fn model(&self, shape: &Shape<'a>) -> Box<Pod<'a>> {
        shape.with_node(self.node(shape.node))
    }

    pub fn pod(&self, row: &Row<'a>) -> Box<Pod<'a>> {
        let Some(shape) = self.shapes.get(row.shape) else { return Box::default() };
        let mut pod = shape.with_node(self.node(row.node));
        pod.metadata.name = row.name.into();
        pod.metadata.uid = row.uid.text().into_string().into();
        pod.metadata.resource_version = row.version.text().into_string().into();
        pod.metadata.creation_timestamp = row.created.written();
        pod.status.start_time = row.started.written();
        let text = |number: u32| self.texts.get(number as usize).copied().unwrap_or_default();
        let labels = self.label_set(row.labels).iter();
        pod.metadata.labels =
            Map(labels.map(|(key, value)| (text(*key).into(), text(*value).into())).collect());
        let (mut suffixes, mut claims) = (row.token_volumes, row.claims);
        for volume in &mut pod.spec.volumes {
            if let Some(claim) = &mut volume.persistent_volume_claim {
                claim.claim_name = claims.take_first().unwrap_or_default().into();
            } else if is_token_volume(volume) {
                let name = [TOKEN_VOLUME, suffixes.take_first().unwrap_or_default()].concat();
                volume.name = name.into();
            }
        }
        pod
    }
}

impl<'a> Shape<'a> {
    fn read(json: &'a str, node: usize) -> Result<Self, Unusable> {
        let Ok(Object::Pod(mut pod)) = Kind::Pod.decode_json(json) else { return Err(Damaged) };
        let node = node.checked_sub(1);
        if node.is_some() == pod.spec.node_name.is_empty() {
            return Err(Damaged);
        }
        // The version of the object says whether it is pinned: nothing else is read of it.
        let is_pinned =
            std::mem::take(&mut pod.metadata.resource_version).as_str() == encode::PINNED;
        let token_volumes =
            pod.spec.volumes.iter().filter(|volume| is_token_volume(volume)).count();
        let claims =
            pod.spec.volumes.iter().filter(|v| v.persistent_volume_claim.is_some()).count();
        Ok(Self { pod, is_pinned, node, token_volumes, claims, size: json.len() })
    }

    /// Whether every required term of its node affinity names the node of the pod.
    pub fn is_pinned(&self) -> bool {
        self.is_pinned
    }

    /// Whether its pods have claims of their own.
    pub fn has_claims(&self) -> bool {
        self.claims > 0
    }

    fn with_node(&self, node: &'a str) -> Box<Pod<'a>> {
        let mut pod = self.pod.clone();
        pod.spec.node_name = node.into();
        if self.is_pinned {
            encode::pins(&mut pod).for_each(|value| *value = node.into());
        }
        pod
    }
}

impl<'a> Row<'a> {
    /// Names of the claims of its volumes, in order.
    pub fn claims(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut rest = self.claims;
        std::iter::from_fn(move || rest.take_first())
    }
}

/// Whether it is a service account's token volume, of which only the name is kept.
fn is_token_volume(volume: &Volume<'_>) -> bool {
    volume.name.starts_with(TOKEN_VOLUME)
        && is_absent(&Volume { name: Str::default(), ..volume.clone() })
}

#[cfg(test)]
mod tests;
