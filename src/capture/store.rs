//! Writes a snapshot file: a JSON document of our own versioned format, which [`engine::decode`]
//! reads like any list, or the same in the compact form ([`CompactWriter`]), which is open at once.
//! Objects are written as they come, so that a large cluster is not held in memory twice. The file
//! has only the fields of [`engine::snapshot`].

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use tempfile::{NamedTempFile, SpooledTempFile};

use crate::error::Error;
use engine::login::without_logins;
use engine::snapshot::{API_VERSION, DecodeIssue, Header, Kind, Object, SNAPSHOT_KIND, Sink};
use files::{CompactWriter, object_json};

/// Number of bytes for standard output that are held in memory, and not in a file.
const HELD_BYTES: usize = 64 << 20;

/// What the names of files in the compact form end with.
pub const COMPACT_ENDING: &str = "snap";

/// The file that a snapshot is written to. The name decides the form: `.snap` is compact, anything
/// else JSON, which `.zst` or `.gz` compress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SnapshotTarget {
    /// Standard output, uncompressed.
    Stdout,
    /// A file with access only for its owner.
    File(PathBuf),
}

impl SnapshotTarget {
    /// The destination of `-o`; `-` is standard output.
    pub fn new(output: &str) -> Self {
        if output == "-" { Self::Stdout } else { Self::File(PathBuf::from(output)) }
    }

    fn is_compact(&self) -> bool {
        match self {
            Self::Stdout => false,
            Self::File(path) => {
                path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(COMPACT_ENDING))
            }
        }
    }

    fn origin(&self) -> String {
        match self {
            Self::Stdout => "standard output".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }
}

/// Statistics of a written snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub objects: BTreeMap<Kind, usize>,
    /// Parts of the input that could not be decoded.
    pub issues: usize,
    /// Size of the file; 0 for standard output.
    pub bytes: u64,
    pub header: Header,
}

/// A sink that writes a snapshot file. The file gets its name in [`Self::finish`]; an unfinished
/// one is removed.
pub struct SnapshotWriter {
    target: SnapshotTarget,
    force: bool,
    out: Encoder,
    /// What makes the compact form of the JSON and the pods; `None` if JSON is written.
    compact: Option<Box<CompactWriter>>,
    objects: BTreeMap<Kind, usize>,
    /// Whether the JSON has an object yet.
    has_items: bool,
    issues: Vec<DecodeIssue>,
    header: Header,
    has_header: bool,
    failure: Option<io::Error>,
    /// Escapes JSON for a terminal; `None` if nothing has to be escaped.
    visible: fn(&str) -> Option<String>,
}

impl SnapshotWriter {
    /// Starts a snapshot.
    ///
    /// # Errors
    /// When the file exists and `force` is not set, or cannot be created.
    pub fn create(target: SnapshotTarget, force: bool) -> Result<Self, Error> {
        let out = Encoder::open(&target, force)?;
        let compact = target.is_compact().then(Box::default);
        let mut writer = Self {
            target,
            force,
            out,
            compact,
            objects: BTreeMap::new(),
            has_items: false,
            issues: Vec::new(),
            header: Header::default(),
            has_header: false,
            failure: None,
            visible: |_| None,
        };
        let head = format!(r#"{{"apiVersion":"{API_VERSION}","kind":"{SNAPSHOT_KIND}","items":["#);
        writer.write(head.as_bytes());
        Ok(writer)
    }

    /// Escapes characters that a terminal would interpret, with `visible`.
    #[must_use]
    pub fn escaped(self, visible: fn(&str) -> Option<String>) -> Self {
        Self { visible, ..self }
    }

    /// Whether a source said where its objects come from.
    pub fn has_header(&self) -> bool {
        self.has_header
    }

    /// Completes the file and moves it to its name.
    ///
    /// # Errors
    /// When a write failed; then no file is left.
    pub fn finish(mut self) -> Result<Written, Error> {
        let target = self.target.clone();
        self.complete().map_err(|e| write_error(&target, &e))
    }

    fn complete(&mut self) -> io::Result<Written> {
        self.write(b"\n]");
        if !self.issues.is_empty() {
            let issues = serde_json::to_vec(&self.issues)?;
            self.write(b",\n\"flaws\":");
            self.write(&issues);
        }
        let header = serde_json::to_vec(&self.header)?;
        self.write(b",\n\"snapshot\":");
        self.write(&header);
        self.write(b"}\n");
        if let Some(compact) = &mut self.compact
            && self.failure.is_none()
        {
            self.failure = compact.finish(&mut self.out).err();
        }
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let bytes =
            std::mem::replace(&mut self.out, Encoder::Closed).close(&self.target, self.force)?;
        Ok(Written {
            objects: std::mem::take(&mut self.objects),
            issues: self.issues.len(),
            bytes,
            header: std::mem::take(&mut self.header),
        })
    }

    /// Writes JSON, unless an earlier write failed.
    fn write(&mut self, json: &[u8]) {
        if self.failure.is_some() {
            return;
        }
        if let Some(compact) = &mut self.compact {
            self.failure = compact.document(json, &mut self.out).err();
        } else {
            let escaped = str::from_utf8(json).ok().and_then(self.visible);
            self.failure = self.out.write_all(escaped.as_deref().map_or(json, str::as_bytes)).err();
        }
    }

    fn write_object(&mut self, kind: Kind, object: Object<'_>) -> io::Result<()> {
        match (&mut self.compact, object) {
            (Some(compact), Object::Pod(pod)) => compact.pod(*pod, &mut self.out)?,
            (_, object) => {
                let json = object_json(kind, &object)?;
                let separator = if self.has_items { ",\n" } else { "\n" };
                self.write(separator.as_bytes());
                self.write(json.as_bytes());
                self.has_items = true;
            }
        }
        *self.objects.entry(kind).or_default() += 1;
        Ok(())
    }
}

impl Sink for SnapshotWriter {
    fn object(&mut self, object: Object<'_>) {
        let Some(kind) = object.kind() else { return };
        if self.failure.is_none()
            && let Err(e) = self.write_object(kind, object)
        {
            self.failure.get_or_insert(e);
        }
    }

    fn issue(&mut self, issue: DecodeIssue) {
        self.issues.push(issue);
    }

    fn header(&mut self, mut header: Header) {
        if let Some(map) =
            header.scheduler.as_mut().and_then(|scheduler| scheduler.config_map.as_mut())
        {
            map.text = without_logins(&map.text);
        }
        self.header = header;
        self.has_header = true;
    }
}

/// The output and its compression.
enum Encoder {
    /// Held until the end: what was read of a source that turns out not to be a snapshot, or of a
    /// cluster that fails half-way, would look like a snapshot.
    Stdout(BufWriter<SpooledTempFile>),
    Plain(BufWriter<NamedTempFile>),
    Gzip(GzEncoder<NamedTempFile>),
    Zstd(zstd::Encoder<'static, NamedTempFile>),
    Closed,
}

impl Encoder {
    fn open(target: &SnapshotTarget, force: bool) -> Result<Self, Error> {
        let SnapshotTarget::File(path) = target else {
            return Ok(Self::Stdout(BufWriter::new(SpooledTempFile::new(HELD_BYTES))));
        };
        if fs::symlink_metadata(path).is_ok_and(|m| m.is_dir()) {
            return Err(Error::input(target.origin(), "is a folder; name a file"));
        }
        if !force && fs::symlink_metadata(path).is_ok() {
            return Err(exists(path));
        }
        let file = tempfile::Builder::new().prefix(".preempt-snapshot-").tempfile_in(folder(path));
        let file = file.map_err(|e| write_error(target, &e))?;
        Ok(match path.extension().and_then(|e| e.to_str()) {
            Some("zst") => Self::Zstd(zstd_encoder(file).map_err(|e| write_error(target, &e))?),
            Some("gz") => Self::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            _ => Self::Plain(BufWriter::new(file)),
        })
    }

    /// Flushes everything and moves the file to its name. Returns its size in bytes.
    fn close(self, target: &SnapshotTarget, force: bool) -> io::Result<u64> {
        let file = match self {
            Self::Stdout(out) => {
                let mut held = out.into_inner().map_err(io::IntoInnerError::into_error)?;
                held.rewind()?;
                let mut stdout = io::stdout().lock();
                io::copy(&mut held, &mut stdout)?;
                return stdout.flush().map(|()| 0);
            }
            Self::Plain(out) => out.into_inner().map_err(io::IntoInnerError::into_error)?,
            Self::Gzip(out) => out.finish()?,
            Self::Zstd(out) => out.finish()?,
            Self::Closed => return Ok(0),
        };
        let SnapshotTarget::File(path) = target else { return Ok(0) };
        file.as_file().sync_all()?;
        let written: File = if force { file.persist(path) } else { file.persist_noclobber(path) }
            .map_err(|e| e.error)?;
        written.metadata().map(|m| m.len())
    }
}

impl Write for Encoder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Plain(out) => out.write(bytes),
            Self::Gzip(out) => out.write(bytes),
            Self::Zstd(out) => out.write(bytes),
            Self::Closed => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Plain(out) => out.flush(),
            Self::Gzip(out) => out.flush(),
            Self::Zstd(out) => out.flush(),
            Self::Closed => Ok(()),
        }
    }
}

/// Packs with a checksum.
fn zstd_encoder(file: NamedTempFile) -> io::Result<zstd::Encoder<'static, NamedTempFile>> {
    let mut encoder = zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?;
    encoder.include_checksum(true)?;
    Ok(encoder)
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn exists(path: &Path) -> Error {
    let problem = format!("{}: the file exists", path.display());
    Error::Usage {
        problem,
        hint: Some("choose another name, or overwrite it with --force".to_owned()),
    }
}

fn write_error(target: &SnapshotTarget, e: &io::Error) -> Error {
    match (target, e.kind()) {
        (SnapshotTarget::File(path), io::ErrorKind::AlreadyExists) => exists(path),
        (SnapshotTarget::File(path), _) => Error::io(path, "cannot write the snapshot", e),
        (SnapshotTarget::Stdout, _) => {
            Error::input(target.origin(), format!("cannot write the snapshot: {e}"))
        }
    }
}

#[cfg(test)]
mod tests;
