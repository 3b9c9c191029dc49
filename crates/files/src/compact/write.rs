//! Writes compact snapshots, frame by frame.

use std::io::{self, Write};

use super::{MAGIC, Tag, VERSION};
use crate::zstandard;
use model::snapshot::pod::Pod;
use model::snapshot::pod_table::PodEncoder;

/// Bytes of the document per frame.
const DOCUMENT_BYTES: usize = 1 << 20;

/// Writes a compact snapshot.
#[derive(Debug, Default)]
pub struct CompactWriter {
    pods: PodEncoder,
    document: Vec<u8>,
    pod_count: u64,
    frames: u64,
}

impl CompactWriter {
    /// Adds to the JSON document.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn document(&mut self, json: &[u8], out: &mut impl Write) -> io::Result<()> {
        self.document.extend_from_slice(json);
        if self.document.len() < DOCUMENT_BYTES {
            return Ok(());
        }
        let document = std::mem::take(&mut self.document);
        self.frame(Tag::Document, &document, out)
    }

    /// Adds a pod.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn pod(&mut self, pod: Pod<'_>, out: &mut impl Write) -> io::Result<()> {
        self.pod_count += 1;
        match self.pods.add(pod)? {
            Some(block) => self.frame(Tag::Pods, &block, out),
            None => Ok(()),
        }
    }

    /// Writes the remainder.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn finish(&mut self, out: &mut impl Write) -> io::Result<()> {
        let document = std::mem::take(&mut self.document);
        self.frame(Tag::Document, &document, out)?;
        if let Some(block) = self.pods.finish() {
            self.frame(Tag::Pods, &block, out)?;
        }
        let counts = [self.frames.to_le_bytes(), self.pod_count.to_le_bytes()].concat();
        self.frame(Tag::End, &counts, out)
    }

    fn frame(&mut self, tag: Tag, bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
        if self.frames == 0 {
            out.write_all(MAGIC)?;
            out.write_all(&[VERSION])?;
        }
        let packed = zstandard::pack(bytes)?;
        let length = |length: usize| u32::try_from(length).map_err(io::Error::other);
        out.write_all(&[tag.byte()])?;
        out.write_all(&length(packed.len())?.to_le_bytes())?;
        out.write_all(&length(bytes.len())?.to_le_bytes())?;
        self.frames += 1;
        out.write_all(&packed)
    }
}
