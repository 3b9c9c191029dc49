//! Compact snapshot files: the contents of a JSON snapshot in a form that loads much faster.
//!
//! Eight bytes name the format and its version. Frames follow: each is a tag, its packed and
//! unpacked lengths, and a zstd frame with a checksum. Concatenated, the document frames are a JSON
//! snapshot without its pods; the other frames are blocks of a [`PodTable`]. The last frame has the
//! number of frames and pods, so a truncated file is recognized by its absence.

#[cfg(not(target_family = "wasm"))]
mod write;

use model::decode::{ByteSource, MOST_OBJECTS, Streamed, TOO_MANY_OBJECTS, decode, decode_stream};
use model::snapshot::pod_table::{Block, PodTable, Unusable};
use model::snapshot::{Kind, Object, Sink};
use rayon::prelude::*;

use crate::FileError;
use crate::item::object_json;
use crate::zstandard;
#[cfg(not(target_family = "wasm"))]
pub use write::CompactWriter;

/// The first bytes of every such file, before the version. No text begins with them.
const MAGIC: &[u8; 7] = b"\x89KPSNAP";
/// The version that is written, and the only one there is.
const VERSION: u8 = 1;

/// The most bytes of a frame. The writer exceeds it only for a single pod that is larger.
const MAX_FRAME: usize = 256 << 20;
/// The memory of a pod, as a multiple of the unpacked size limit.
const MAX_EXPANSION: usize = 4;

/// The content of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Document,
    Pods,
    End,
}

impl Tag {
    const fn byte(self) -> u8 {
        match self {
            Self::Document => b'D',
            Self::Pods => b'P',
            Self::End => b'E',
        }
    }

    fn of(byte: u8) -> Option<Self> {
        [Self::Document, Self::Pods, Self::End].into_iter().find(|tag| tag.byte() == byte)
    }
}

/// Whether a file with these first bytes is a compact snapshot, of any version.
pub(super) fn is_compact(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// A frame of a file, still packed.
#[derive(Debug, Clone, Copy)]
struct Packed<'f> {
    tag: Tag,
    bytes: &'f [u8],
    /// Its unpacked size in bytes.
    length: usize,
}

impl Packed<'_> {
    /// Replaces the content of `buffer` by that of the frame.
    fn unpack(&self, buffer: &mut Vec<u8>) -> Result<(), String> {
        let unpacked = zstandard::unpack(self.bytes, self.length, buffer);
        if unpacked.is_err() || buffer.len() != self.length {
            return Err(DAMAGED.to_owned());
        }
        Ok(())
    }
}

/// A compact snapshot whose frames are unpacked when they are needed, so that never all of it is
/// in memory beside the cluster.
#[derive(Debug)]
pub struct Compact<'f> {
    frames: Vec<Packed<'f>>,
    /// The number of pods according to its last frame.
    pods: u64,
    /// All of its bytes, unpacked.
    length: usize,
    /// The most bytes that the pods may take.
    limit: usize,
}

const DAMAGED: &str = "the snapshot is damaged; write it again";
const TRUNCATED: &str = "the snapshot ends in the middle: the file is truncated; write it again";

impl<'f> Compact<'f> {
    /// Finds the frames of a file that unpacks to at most `limit` bytes.
    ///
    /// # Errors
    /// Says in one line what is wrong with it.
    pub(super) fn read(file: &'f [u8], limit: usize) -> Result<Self, String> {
        let frames = frames(file)?;
        let length: usize = frames.iter().map(|frame| frame.length).sum();
        if length >= limit {
            return Err(format!(
                "unpacks to more than {} MiB, as no list of objects is",
                limit >> 20
            ));
        }
        let end = frames.last().ok_or(TRUNCATED)?;
        let counts = unpacked(end)?;
        let before_end = frames.len() as u64 - 1;
        if counts.get(..8) != Some(before_end.to_le_bytes().as_slice()) || counts.len() != 16 {
            return Err(DAMAGED.to_owned());
        }
        let pods = counts.last_chunk().map_or(0, |pods| u64::from_le_bytes(*pods));
        Ok(Self { frames, pods, length, limit: limit.saturating_mul(MAX_EXPANSION) })
    }

    /// Its unpacked size in bytes.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    fn with_tag(&self, tag: Tag) -> impl Iterator<Item = &Packed<'f>> {
        self.frames.iter().filter(move |frame| frame.tag == tag)
    }

    /// The blocks of the table of pods.
    fn blocks(&self) -> Result<Vec<Vec<u8>>, String> {
        let frames: Vec<&Packed<'_>> = self.with_tag(Tag::Pods).collect();
        frames.into_par_iter().map(unpacked).collect()
    }

    fn table<'b>(&self, blocks: &'b [Vec<u8>]) -> Result<PodTable<'b>, String> {
        let blocks = blocks.par_iter().map(|block| Block::read(block));
        let blocks: Result<Vec<_>, _> = blocks.collect();
        let table = blocks.and_then(|blocks| PodTable::of_blocks(blocks, self.limit));
        let table = table.map_err(|problem| self.problem(problem))?;
        if table.len() > MOST_OBJECTS {
            return Err(TOO_MANY_OBJECTS.to_owned());
        }
        if table.len() as u64 == self.pods { Ok(table) } else { Err(DAMAGED.to_owned()) }
    }

    fn problem(&self, problem: Unusable) -> String {
        match problem {
            Unusable::Damaged => DAMAGED.to_owned(),
            Unusable::TooLarge => {
                format!("its pods take more than {} MiB, as no cluster's do", self.limit >> 20)
            }
        }
    }

    /// Passes the objects to a sink as a JSON snapshot would; the pods come first.
    ///
    /// # Errors
    /// Says what is wrong with the file.
    pub(super) fn decode(&self, origin: &str, sink: &mut dyn Sink) -> Result<(), FileError> {
        self.decode_pods(sink).map_err(|problem| FileError::new(origin, problem))?;
        let frames = self.with_tag(Tag::Document);
        let mut document = Document { frames, frame: Vec::new(), read: 0 };
        let Streamed::Untouched(mut text) = decode_stream(&mut document, origin, sink)? else {
            return Ok(());
        };
        // A short document is decoded as a whole.
        let read = document.read(&mut text, self.length);
        let text = read.and_then(|()| String::from_utf8(text).map_err(|_| DAMAGED.to_owned()));
        let text = text.map_err(|problem| FileError::new(origin, problem))?;
        Ok(decode(&text, origin, sink)?)
    }

    fn decode_pods(&self, sink: &mut dyn Sink) -> Result<(), String> {
        let blocks = self.blocks()?;
        let table = self.table(&blocks)?;
        sink.pods(&table).map_err(|problem| self.problem(problem))
    }

    /// The JSON snapshot of the same objects.
    ///
    /// # Errors
    /// Says in one line what is wrong with the file.
    pub(super) fn to_json(&self) -> Result<String, String> {
        let document: Result<Vec<Vec<u8>>, String> =
            self.with_tag(Tag::Document).map(unpacked).collect();
        let document = String::from_utf8(document?.concat()).map_err(|_| DAMAGED)?;
        // The document begins with the header of the snapshot; the items follow.
        let (head, items) = document.split_once('[').ok_or(DAMAGED)?;
        let blocks = self.blocks()?;
        let table = self.table(&blocks)?;
        let mut json = format!("{head}[");
        for row in table.blocks().iter().flat_map(|rows| table.rows(rows)) {
            let row = row.map_err(|problem| self.problem(problem))?;
            let pod = object_json(Kind::Pod, &Object::Pod(table.pod(&row)));
            json.push('\n');
            json.push_str(&pod.map_err(|_| DAMAGED)?);
            json.push(',');
        }
        if items.trim_start().starts_with(']') && json.ends_with(',') {
            json.pop();
        }
        json.push_str(items);
        Ok(json)
    }
}

/// The JSON document of a snapshot, unpacked one frame at a time.
struct Document<F> {
    frames: F,
    /// The frame that is being read.
    frame: Vec<u8>,
    /// How much of it has been read.
    read: usize,
}

impl<'a, F: Iterator<Item = &'a Packed<'a>> + Send> ByteSource for Document<F> {
    fn read(&mut self, buffer: &mut Vec<u8>, most: usize) -> Result<(), String> {
        let mut left = most;
        loop {
            let unread = self.frame.get(self.read..).unwrap_or_default();
            let taken = unread.get(..left).unwrap_or(unread);
            buffer.extend_from_slice(taken);
            self.read += taken.len();
            left -= taken.len();
            if left == 0 {
                return Ok(());
            }
            let Some(next) = self.frames.next() else { return Ok(()) };
            self.read = 0;
            next.unpack(&mut self.frame)?;
        }
    }
}

fn unpacked(frame: &Packed<'_>) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    frame.unpack(&mut bytes)?;
    Ok(bytes)
}

fn frames(file: &[u8]) -> Result<Vec<Packed<'_>>, String> {
    let (version, mut rest) = match file.strip_prefix(MAGIC).and_then(<[u8]>::split_first) {
        Some((version, rest)) => (*version, rest),
        None => return Err(TRUNCATED.to_owned()),
    };
    if version != VERSION {
        return Err(format!(
            "a compact snapshot of version {version}; this program reads version {VERSION}: use the one that wrote it"
        ));
    }
    let mut frames = Vec::new();
    loop {
        let (tag, behind) = rest.split_first().ok_or(TRUNCATED)?;
        let tag = Tag::of(*tag).ok_or(DAMAGED)?;
        let (packed, behind) = behind.split_first_chunk().ok_or(TRUNCATED)?;
        let (length, behind) = behind.split_first_chunk().ok_or(TRUNCATED)?;
        let packed = u32::from_le_bytes(*packed) as usize;
        let length = u32::from_le_bytes(*length) as usize;
        let (bytes, behind) = behind.split_at_checked(packed).ok_or(TRUNCATED)?;
        if length > MAX_FRAME {
            return Err(DAMAGED.to_owned());
        }
        frames.push(Packed { tag, bytes, length });
        rest = behind;
        if tag == Tag::End {
            return if rest.is_empty() { Ok(frames) } else { Err(DAMAGED.to_owned()) };
        }
    }
}
