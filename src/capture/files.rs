//! `--from`: files, directories and standard input, in the form of `kubectl get -o json|yaml` or
//! `kubectl cluster-info dump`, and archives of such directories. Compressed files and archives are
//! detected by their first bytes. Uses no cluster, kubeconfig or credentials.

use std::fs;
use std::io::{self, Read, Seek as _};
use std::path::{Path, PathBuf};

use super::archive::{self, Archive, Packing};
use super::compact::{Compact, is_compact};
use crate::error::Error;
use engine::decode::{
    Among, Source, Streamed, decode, decode_among, decode_among_stream, decode_stream,
    unread_among, unreadable_among,
};
use engine::snapshot::{self, Sink};

/// The name of `-` in errors.
pub const STDIN: &str = "standard input";

/// Size limit of a file after decompression, larger than the objects of any cluster.
const MAX_BYTES: u64 = 16 << 30;
/// Size limit of a pipe or a device, whose size is not known in advance.
const MAX_PIPED: u64 = 4 << 30;
/// Number of bytes that are read to detect the format.
const HEAD_BYTES: u64 = 64 << 10;
/// Bytes by which a compact snapshot is known.
const FIRST_BYTES: u64 = 8;
/// Smaller files are decoded as a whole; packed ones are larger than they look.
const STREAMED_BYTES: u64 = 16 << 20;
const STREAMED_PACKED_BYTES: u64 = 512 << 10;
/// Number of bytes of a large file that one thread reads at a time.
#[cfg(unix)]
const CHUNK_BYTES: usize = 8 << 20;

/// Any compressed data may expand to this size.
const MIN_UNPACKED: u64 = 256 << 20;
/// Maximum compression ratio of larger data; lists of objects have ratios of 20 to 50. A higher
/// ratio is an attack or a mistake.
const MAX_RATIO: u64 = 100;

/// A file that contains objects, or may.
#[derive(Clone, Copy)]
pub(super) struct FoundFile<'f> {
    /// Its text, or why it has none.
    pub text: Result<&'f str, &'f str>,
    /// The file, or `standard input`.
    pub origin: &'f str,
    /// Its path relative to the named directory; `None` for a file that was named itself.
    pub path: Option<&'f str>,
    /// A problem found while the file was streamed. The objects before it were accepted.
    pub problem: Option<&'f str>,
}

impl<'f> FoundFile<'f> {
    /// The text of the file.
    ///
    /// # Errors
    /// When the file is not text.
    pub(super) fn text(self) -> Result<&'f str, Error> {
        self.text.map_err(|problem| Error::input(self.origin, problem))
    }
}

/// Maximum number of files that a warning names.
const MOST_NAMED: usize = 5;

/// Receives the files of a source.
pub(super) trait Visitor {
    /// Offers a file for streaming, so that it need not be held in memory. A visitor that declines
    /// returns what it has read.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn stream(
        &mut self,
        _input: &mut Input<'_>,
        _origin: &str,
        _path: Option<&str>,
    ) -> Result<Streamed, Error> {
        Ok(Streamed::Untouched(Vec::new()))
    }

    /// Takes a whole file.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn file(&mut self, found: FoundFile<'_>) -> Result<(), Error>;

    /// Takes a compact snapshot.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn compact(&mut self, _snapshot: &Compact, origin: &str) -> Result<(), Error> {
        Err(Error::input(origin, "a snapshot of a cluster, not manifests: read it with --from"))
    }
}

impl<F: FnMut(FoundFile<'_>) -> Result<(), Error>> Visitor for F {
    fn file(&mut self, found: FoundFile<'_>) -> Result<(), Error> {
        self(found)
    }
}

/// A file's bytes while they are decoded.
pub(super) struct Input<'i> {
    bytes: Box<dyn Read + Send + 'i>,
    packing: Packing,
    /// The limit of bytes to read, and the remainder.
    limit: u64,
    left: u64,
    /// The file, for its read position, and the callback for progress.
    file: Option<&'i fs::File>,
    seen: Option<&'i Seen<'i>>,
}

/// Callback with the number of bytes read so far.
pub type Seen<'s> = dyn Fn(u64) + Send + Sync + 's;

impl Source for Input<'_> {
    fn read(&mut self, buffer: &mut Vec<u8>, most: usize) -> Result<(), String> {
        let read = self.bytes.by_ref().take(most as u64).read_to_end(buffer);
        let read = read.map_err(|e| match self.packing {
            Packing::None => format!("cannot be read: {e}"),
            packing => damaged(packing, &e),
        })?;
        self.left = self.left.saturating_sub(read as u64);
        if self.left == 0 {
            let what = if self.packing == Packing::None {
                "is larger than"
            } else {
                "unpacks to more than"
            };
            return Err(too_many_bytes(what, self.limit));
        }
        if let (Some(mut file), Some(seen)) = (self.file, self.seen)
            && let Ok(position) = file.stream_position()
        {
            seen(position);
        }
        Ok(())
    }
}

/// The first bytes of a file; `None` if it cannot be read.
#[must_use]
pub fn head(path: &str) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    fs::File::open(path).ok()?.take(64).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Reads all objects of `source`: a file, a directory, or `-` for standard input. Returns warnings
/// about skipped files.
///
/// A file that is named itself must contain objects. In a directory, files of other kinds are
/// skipped.
///
/// # Errors
/// [`Error::Input`] names the file and what is wrong with it.
pub fn read(source: &str, sink: &mut dyn Sink) -> Result<Vec<String>, Error> {
    read_and_tell(source, sink, None)
}

/// Like [`read`], with progress of large files reported to `seen`.
///
/// # Errors
/// [`Error::Input`] names the file and what is wrong with it.
pub fn read_and_tell(
    source: &str,
    sink: &mut dyn Sink,
    seen: Option<&Seen<'_>>,
) -> Result<Vec<String>, Error> {
    let mut objects = Objects { sink: Remarked { sink, remarks: Vec::new() }, foreign: Vec::new() };
    each_file(source, true, seen, &mut objects)?;
    let mut warnings = objects.sink.remarks;
    warnings.extend(passed_over(&objects.foreign));
    Ok(warnings)
}

struct Objects<'s> {
    sink: Remarked<'s>,
    /// Files of a directory without objects.
    foreign: Vec<String>,
}

impl Visitor for Objects<'_> {
    fn stream(
        &mut self,
        input: &mut Input<'_>,
        origin: &str,
        path: Option<&str>,
    ) -> Result<Streamed, Error> {
        if self.sink.sink.wants_text() {
            return Ok(Streamed::Untouched(Vec::new()));
        }
        if path.is_none() {
            return Ok(decode_stream(input, origin, &mut self.sink)?);
        }
        match decode_among_stream(input, origin, &mut self.sink)? {
            Some(_) => Ok(Streamed::Decoded),
            None => Ok(Streamed::Untouched(Vec::new())),
        }
    }

    fn compact(&mut self, snapshot: &Compact, origin: &str) -> Result<(), Error> {
        if !self.sink.sink.wants_text() {
            return snapshot.decode(origin, &mut self.sink);
        }
        let text = snapshot.to_json().map_err(|problem| Error::input(origin, problem))?;
        self.file(FoundFile { text: Ok(&text), origin, path: None, problem: None })
    }

    fn file(&mut self, found: FoundFile<'_>) -> Result<(), Error> {
        let Self { sink, foreign } = self;
        let Some(path) = found.path else {
            let text = found.text()?;
            sink.sink.text(None, text);
            return Ok(decode(text, found.origin, sink)?);
        };
        let among = match (found.text, found.problem) {
            (Ok(text), Some(problem)) => unread_among(text, problem, found.origin, path, sink),
            (Ok(text), None) => {
                sink.sink.text(None, text);
                decode_among(text, found.origin, path, sink)
            }
            (Err(problem), _) => unreadable_among(problem, found.origin, path, sink),
        };
        if among == Among::Foreign {
            foreign.push(path.to_owned());
        }
        Ok(())
    }
}

/// The warning about files of a directory that are no Kubernetes objects.
fn passed_over(files: &[String]) -> Option<String> {
    let (named, rest) = files.split_at(files.len().min(MOST_NAMED));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    match files.len() {
        0 => None,
        1 => Some(format!("1 file is no Kubernetes object: {}", named.join(", "))),
        count => {
            Some(format!("{count} files are no Kubernetes objects: {}{more}", named.join(", ")))
        }
    }
}

/// Forwards objects, and collects the remarks for the warnings.
struct Remarked<'s> {
    sink: &'s mut dyn Sink,
    remarks: Vec<String>,
}

impl snapshot::Layer for Remarked<'_> {
    fn behind(&mut self) -> &mut dyn Sink {
        self.sink
    }

    fn remark(&mut self, text: String) {
        self.remarks.push(text);
    }
}

/// Passes every file of `source` to `visitor`: a file, a directory (with `deep` also its
/// subdirectories), or `-` for standard input.
pub(super) fn each_file(
    source: &str,
    deep: bool,
    seen: Option<&Seen<'_>>,
    visitor: &mut dyn Visitor,
) -> Result<(), Error> {
    if source == "-" {
        return each_of_pipe(io::stdin(), STDIN, visitor);
    }
    let path = Path::new(source);
    let meta = fs::metadata(path).map_err(|e| io_error(path, &e))?;
    if !meta.is_dir() {
        let mut file = fs::File::open(path).map_err(|e| io_error(path, &e))?;
        if !meta.is_file() {
            return each_of_pipe(file, source, visitor);
        }
        let archive = archive::detect(&file);
        file.rewind().map_err(|e| io_error(path, &e))?;
        if let Some(archive) = archive {
            return each_of_archive(archive, file, meta.len(), source, visitor);
        }
        if let Some(snapshot) = compact_of(&mut file, source)? {
            return visitor.compact(&snapshot, source);
        }
        if stream(&file, source, None, seen, visitor)? == Streamed::Decoded {
            return Ok(());
        }
        file.rewind().map_err(|e| io_error(path, &e))?;
        let text = file_text(file, source)?;
        return visitor.file(FoundFile {
            text: Ok(&text),
            origin: source,
            path: None,
            problem: None,
        });
    }
    let files = object_files(path, deep)?;
    if files.is_empty() {
        return Err(Error::input(
            source,
            "the directory holds no .json, .yaml, .yml, .ndjson or .snap file",
        ));
    }
    for file in &files {
        let origin = file.display().to_string();
        if !fs::metadata(file).map_err(|e| io_error(file, &e))?.is_file() {
            // A pipe or a device may be endless, and so a trap when a whole directory is read.
            return Err(Error::input(
                origin,
                "not a regular file; of a directory, only those are read",
            ));
        }
        let within = file.strip_prefix(path).unwrap_or(file).display().to_string();
        let mut opened = fs::File::open(file).map_err(|e| io_error(file, &e))?;
        if let Some(snapshot) = compact_of(&mut opened, &origin)? {
            visitor.compact(&snapshot, &origin)?;
            continue;
        }
        let problem = match stream(&opened, &origin, Some(&within), seen, visitor) {
            Ok(Streamed::Decoded) => continue,
            Ok(Streamed::Untouched(_)) => None,
            Err(Error::Input { problem, .. }) => Some(problem),
            Err(other) => return Err(other),
        };
        opened.rewind().map_err(|e| io_error(file, &e))?;
        let text = file_text(opened, &origin);
        let text = match &text {
            Ok(text) => Ok(text.as_str()),
            Err(Error::Input { problem, .. }) => Err(problem.as_str()),
            Err(_) => return text.map(drop),
        };
        let problem = problem.as_deref();
        visitor.file(FoundFile { text, origin: &origin, path: Some(&within), problem })?;
    }
    Ok(())
}

/// The compact snapshot in a regular file; `None` for any other file, which is as it was.
fn compact_of(file: &mut fs::File, origin: &str) -> Result<Option<Compact>, Error> {
    let failed = |e: &io::Error| Error::input(origin, format!("cannot be read: {e}"));
    let mut head = Vec::new();
    file.by_ref().take(FIRST_BYTES).read_to_end(&mut head).map_err(|e| failed(&e))?;
    file.rewind().map_err(|e| failed(&e))?;
    if !is_compact(&head) {
        return Ok(None);
    }
    let bytes = match read_in_parallel(file) {
        Some(bytes) => bytes,
        None => read_bytes(file, MAX_BYTES, origin)?,
    };
    unpacked(&bytes, MAX_BYTES, origin).map(Some)
}

/// Unpacks a compact snapshot, of which `left` bytes at most may come.
fn unpacked(bytes: &[u8], left: u64, origin: &str) -> Result<Compact, Error> {
    let limit = most_unpacked(bytes.len() as u64).min(left);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Compact::read(bytes, limit).map_err(|problem| Error::input(origin, problem))
}

/// Hands a large regular file to `visitor` while it is read.
fn stream(
    mut file: &fs::File,
    origin: &str,
    path: Option<&str>,
    seen: Option<&Seen<'_>>,
    visitor: &mut dyn Visitor,
) -> Result<Streamed, Error> {
    let untouched = Ok(Streamed::Untouched(Vec::new()));
    let Ok(length) = file.metadata().map(|meta| meta.len()) else { return untouched };
    if length < STREAMED_PACKED_BYTES {
        return untouched;
    }
    let mut first = [0; 4];
    let packing =
        if file.read_exact(&mut first).is_ok() { Packing::of(&first) } else { Packing::None };
    if file.rewind().is_err() || packing == Packing::None && length < STREAMED_BYTES {
        return untouched;
    }
    let limit = if packing == Packing::None { MAX_BYTES } else { most_unpacked(length) };
    let bytes: Box<dyn Read + Send + '_> = if packing == Packing::None {
        Box::new(file)
    } else {
        let Ok(bytes) = packing.open(file) else { return untouched };
        bytes
    };
    let mut input = Input { bytes, packing, limit, left: limit, file: Some(file), seen };
    visitor.stream(&mut input, origin, path)
}

/// Passes the content of a pipe or a device to `visitor`: the files of an archive, or one file.
fn each_of_pipe(
    mut input: impl Read + Send,
    origin: &str,
    visitor: &mut dyn Visitor,
) -> Result<(), Error> {
    let head = read_head(&mut input, MAX_PIPED, origin)?;
    let is_plain = is_plain(&head);
    let mut bytes: Box<dyn Read + Send + '_> = Box::new(io::Cursor::new(head).chain(input));
    if is_plain {
        let (packing, limit) = (Packing::None, MAX_PIPED);
        let mut input = Input { bytes, packing, limit, left: limit, file: None, seen: None };
        match visitor.stream(&mut input, origin, None)? {
            Streamed::Decoded => return Ok(()),
            Streamed::Untouched(read) => {
                bytes = Box::new(io::Cursor::new(read).chain(input.bytes));
            }
        }
    }
    let bytes = read_bytes(&mut bytes, MAX_PIPED, origin)?;
    if is_compact(&bytes) {
        return visitor.compact(&unpacked(&bytes, MAX_PIPED, origin)?, origin);
    }
    if let Some(archive) = archive::detect(bytes.as_slice()) {
        let packed = bytes.len() as u64;
        return each_of_archive(archive, io::Cursor::new(bytes), packed, origin, visitor);
    }
    let text = to_text(bytes, origin)?;
    visitor.file(FoundFile { text: Ok(&text), origin, path: None, problem: None })
}

/// Passes the files of an archive of `packed` bytes to `visitor`, like those of a directory.
fn each_of_archive(
    archive: Archive,
    input: impl Read + io::Seek + Send,
    packed: u64,
    source: &str,
    visitor: &mut dyn Visitor,
) -> Result<(), Error> {
    let limit = most_unpacked(packed);
    // Files in the archive may themselves be compressed.
    let (mut found, mut left) = (false, limit);
    archive::read(archive, input, limit, is_object_file, &mut |entry| {
        found = true;
        let origin = format!("{source}/{}", entry.path);
        if let Ok(bytes) = &entry.bytes
            && is_compact(bytes)
        {
            let snapshot = unpacked(bytes, left, &origin)?;
            left -= snapshot.len() as u64;
            return Ok(visitor.compact(&snapshot, &origin)?);
        }
        let text = entry.bytes.and_then(|bytes| {
            to_text(bytes, &origin).map_err(|error| match error {
                Error::Input { problem, .. } => problem,
                other => other.to_string(),
            })
        });
        left = left.saturating_sub(text.as_ref().map_or(0, String::len) as u64);
        if left == 0 {
            return Err(too_large(source, "unpacks to more than", limit).into());
        }
        let text = text.as_deref().map_err(String::as_str);
        Ok(visitor.file(FoundFile {
            text,
            origin: &origin,
            path: Some(&entry.path),
            problem: None,
        })?)
    })
    .map_err(|failure| match failure {
        Failure::Ours(error) => error,
        Failure::Archive(e) => {
            Error::input(source, format!("the archive is damaged, truncated or too large: {e}"))
        }
    })?;
    if found {
        return Ok(());
    }
    Err(Error::input(source, "the archive holds no .json, .yaml, .yml, .ndjson or .snap file"))
}

/// Why an archive was not read completely.
enum Failure {
    /// A problem of the archive.
    Archive(io::Error),
    /// A problem of a file in it.
    Ours(Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Archive(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

fn file_text(mut file: fs::File, origin: &str) -> Result<String, Error> {
    if let Some(bytes) = read_in_parallel(&file) {
        return to_text(bytes, origin);
    }
    let regular = file.metadata().is_ok_and(|meta| meta.is_file());
    read_text(&mut file, if regular { MAX_BYTES } else { MAX_PIPED }, origin)
}

/// The bytes of a large file, read by all threads in parallel. `None` if it is small, not a regular
/// file, or does not support this.
#[cfg(unix)]
fn read_in_parallel(file: &fs::File) -> Option<Vec<u8>> {
    use rayon::prelude::*;
    use std::os::unix::fs::FileExt;

    let length = file.metadata().ok().filter(fs::Metadata::is_file)?.len();
    if !(CHUNK_BYTES as u64 * 2..MAX_BYTES).contains(&length) {
        return None;
    }
    let mut bytes = vec![0; usize::try_from(length).ok()?];
    let parts = bytes.par_chunks_mut(CHUNK_BYTES).enumerate();
    parts
        .try_for_each(|(index, part)| file.read_exact_at(part, (index * CHUNK_BYTES) as u64))
        .ok()?;
    Some(bytes)
}

#[cfg(not(unix))]
fn read_in_parallel(_: &fs::File) -> Option<Vec<u8>> {
    None
}

fn io_error(path: &Path, e: &io::Error) -> Error {
    Error::io(path, "", e)
}

/// Reads up to `limit` bytes of text, which may be compressed.
fn read_text(input: &mut dyn Read, limit: u64, origin: &str) -> Result<String, Error> {
    to_text(read_bytes(input, limit, origin)?, origin)
}

/// Reads up to `limit` bytes of text, which may be compressed, or of an archive.
fn read_bytes(input: &mut dyn Read, limit: u64, origin: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = read_head(input, limit, origin)?;
    let rest = input.take(limit.saturating_sub(HEAD_BYTES)).read_to_end(&mut bytes);
    rest.map_err(|e| Error::input(origin, format!("cannot be read: {e}")))?;
    if bytes.len() as u64 >= limit {
        return Err(too_large(origin, "is larger than", limit));
    }
    Ok(bytes)
}

/// Reads the first bytes; the input may be an endless device.
fn read_head(input: &mut dyn Read, limit: u64, origin: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = input.take(HEAD_BYTES.min(limit)).read_to_end(&mut bytes);
    read.map_err(|e| Error::input(origin, format!("cannot be read: {e}")))?;
    if is_plain(&bytes)
        && let Some(place) = bytes.iter().position(|byte| *byte == 0)
    {
        bytes.truncate(place);
        return Err(to_text(bytes, origin)
            .err()
            .unwrap_or_else(|| Error::input(origin, format!("not text: byte {place} is 0"))));
    }
    Ok(bytes)
}

/// Whether data with these first bytes is neither compressed nor an archive nor UTF-16.
fn is_plain(head: &[u8]) -> bool {
    Packing::of(head) == Packing::None
        && archive::plain(head).is_none()
        && utf16(head).is_none()
        && !is_compact(head)
}

fn too_large(origin: &str, what: &str, limit: u64) -> Error {
    Error::input(origin, too_many_bytes(what, limit))
}

fn too_many_bytes(what: &str, limit: u64) -> String {
    format!("{what} {} MiB, as no list of objects is", limit >> 20)
}

fn damaged(packing: Packing, e: &io::Error) -> String {
    format!("the {} data is damaged or truncated: {e}", packing.name())
}

fn to_text(bytes: Vec<u8>, origin: &str) -> Result<String, Error> {
    let bytes = match Packing::of(&bytes) {
        Packing::None => bytes,
        packing => unpack(packing, &bytes, origin)?,
    };
    if let Some((units, order)) = utf16(&bytes) {
        return decoded(units, order)
            .ok_or_else(|| Error::input(origin, "not text: its UTF-16 is damaged"));
    }
    String::from_utf8(bytes).map_err(|e| {
        let place = e.utf8_error().valid_up_to();
        Error::input(origin, format!("not text: byte {place} is not UTF-8"))
    })
}

/// Decodes a code unit.
type ByteOrder = fn([u8; 2]) -> u16;

/// The code units and byte order of UTF-16, as written by `>` in Windows PowerShell: detected by
/// the BOM, or because every other byte at the start of JSON and YAML is 0.
fn utf16(bytes: &[u8]) -> Option<(&[u8], ByteOrder)> {
    match bytes {
        [0xff, 0xfe, units @ ..] => Some((units, u16::from_le_bytes)),
        [0xfe, 0xff, units @ ..] => Some((units, u16::from_be_bytes)),
        [1..=127, 0, 1..=127, 0, ..] => Some((bytes, u16::from_le_bytes)),
        [0, 1..=127, 0, 1..=127, ..] => Some((bytes, u16::from_be_bytes)),
        _ => None,
    }
}

fn decoded(units: &[u8], order: ByteOrder) -> Option<String> {
    let (pairs, rest) = units.as_chunks::<2>();
    let text: Result<String, _> =
        char::decode_utf16(pairs.iter().map(|pair| order(*pair))).collect();
    text.ok().filter(|_| rest.is_empty())
}

/// The decompressed size limit for this many compressed bytes.
fn most_unpacked(packed: u64) -> u64 {
    packed.saturating_mul(MAX_RATIO).clamp(MIN_UNPACKED, MAX_BYTES)
}

/// Decompresses a file. Beyond [`MIN_UNPACKED`], the size is measured before memory is allocated.
fn unpack(packing: Packing, packed: &[u8], origin: &str) -> Result<Vec<u8>, Error> {
    let failed = |e: io::Error| Error::input(origin, damaged(packing, &e));
    let open = || packing.open(packed);
    let limit = most_unpacked(packed.len() as u64);
    let (mut input, mut bytes) = (open().map_err(failed)?, Vec::new());
    input.by_ref().take(MIN_UNPACKED).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 == MIN_UNPACKED {
        let size =
            io::copy(&mut open().map_err(failed)?.take(limit), &mut io::sink()).map_err(failed)?;
        if size == limit {
            return Err(too_large(origin, "unpacks to more than", limit));
        }
        bytes.reserve_exact(usize::try_from(size - MIN_UNPACKED).unwrap_or_default());
        input.take(size - MIN_UNPACKED).read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok(bytes)
}

/// The files of a directory that may contain objects, sorted by path, so that the result is
/// deterministic.
fn object_files(directory: &Path, deep: bool) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    let mut todo = vec![directory.to_owned()];
    while let Some(directory) = todo.pop() {
        for entry in fs::read_dir(&directory).map_err(|e| io_error(&directory, &e))? {
            let entry = entry.map_err(|e| io_error(&directory, &e))?;
            let kind = entry.file_type().map_err(|e| io_error(&entry.path(), &e))?;
            if kind.is_dir() {
                todo.extend(deep.then(|| entry.path()));
            } else if is_object_file(&entry.file_name().to_string_lossy()) {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a file with this path may contain objects.
fn is_object_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
    [".json", ".yaml", ".yml", ".ndjson", ".jsonl", ".snap"]
        .iter()
        .any(|ending| name.ends_with(ending))
}
