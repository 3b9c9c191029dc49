//! Decodes files to Kubernetes objects: the output of `kubectl get -o json|yaml` or `kubectl
//! cluster-info dump`, compressed or not, directories of such files, and archives of them.
//! Compressed files and archives are recognized by their first bytes.
//!
//! Nothing is opened here: the plugin passes files from disk, and the page for browsers those that
//! were dropped on it, so both decode the same bytes to the same objects.

mod archive;
mod compact;
mod item;
mod zstandard;

use std::io::{self, Read, Seek};

use self::archive::{Archive, Packing};
use self::compact::is_compact;
use model::decode::{
    Among, ByteSource, DecodeError, Streamed, TextPosition, decode, decode_among,
    decode_among_stream, decode_stream, unread_among, unreadable_among,
};
use model::snapshot::{self, Sink};

pub use self::compact::Compact;
#[cfg(not(target_family = "wasm"))]
pub use self::compact::CompactWriter;
pub use self::item::object_json;

/// Size limit of a file after decompression, larger than the objects of any cluster.
const MAX_BYTES: u64 = 16 << 30;
/// Size limit of a pipe or a device, whose size is not known in advance.
const MAX_PIPED: u64 = 4 << 30;
/// Number of bytes that are read to detect the format.
const HEAD_BYTES: u64 = 64 << 10;
/// Smaller files are decoded as a whole; packed ones are larger than they look.
const STREAMED_BYTES: u64 = 16 << 20;
const STREAMED_PACKED_BYTES: u64 = 512 << 10;

/// Any compressed data may expand to this size.
const MIN_UNPACKED: u64 = 256 << 20;
/// Maximum compression ratio of larger data; lists of objects have ratios of 20 to 50. A higher
/// ratio is an attack or a mistake.
const MAX_RATIO: u64 = 100;

/// A file that cannot be read, or has no objects.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {problem}")]
pub struct FileError {
    /// The file, or `standard input`.
    pub origin: String,
    pub problem: String,
    /// Where in the file the problem is, if it has such a place.
    pub place: Option<TextPosition>,
}

impl FileError {
    /// What is wrong with the file `origin`.
    pub fn new(origin: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { origin: origin.into(), problem: problem.into(), place: None }
    }
}

impl From<DecodeError> for FileError {
    fn from(DecodeError { origin, problem, place, .. }: DecodeError) -> Self {
        Self { origin, problem, place }
    }
}

/// A file that is not a pipe: its size is known, and it can be read from its beginning again.
pub trait RegularFile: Read + Seek + Send {
    /// Its size in bytes.
    fn length(&self) -> u64;

    /// All of its bytes, where a faster way exists than reading in sequence.
    fn read_at_once(&self) -> Option<Vec<u8>> {
        None
    }
}

/// A file that contains objects, or may.
#[derive(Debug, Clone, Copy)]
pub struct FoundFile<'f> {
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
    /// Its text.
    ///
    /// # Errors
    /// If it has none.
    pub fn text(self) -> Result<&'f str, FileError> {
        self.text.map_err(|problem| FileError::new(self.origin, problem))
    }
}

/// Maximum number of files that a warning names.
const MOST_NAMED: usize = 5;

/// Receives the files of a source.
pub trait Visitor {
    /// Offers a file for streaming, so that it need not be held in memory. A visitor that declines
    /// returns what it has read.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn stream(
        &mut self,
        _input: &mut FileInput<'_>,
        _origin: &str,
        _path: Option<&str>,
    ) -> Result<Streamed, FileError> {
        Ok(Streamed::Untouched(Vec::new()))
    }

    /// Takes a whole file.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn file(&mut self, found: FoundFile<'_>) -> Result<(), FileError>;

    /// Takes a file of a directory that cannot be opened, or is none that may be.
    ///
    /// # Errors
    /// That error, unless the visitor goes on without the file.
    fn unopened(&mut self, error: FileError) -> Result<(), FileError> {
        Err(error)
    }

    /// Takes a compact snapshot.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn compact(&mut self, _snapshot: &Compact<'_>, origin: &str) -> Result<(), FileError> {
        Err(FileError::new(origin, "a snapshot of a cluster, not manifests: read it with --from"))
    }
}

impl<F: FnMut(FoundFile<'_>) -> Result<(), FileError>> Visitor for F {
    fn file(&mut self, found: FoundFile<'_>) -> Result<(), FileError> {
        self(found)
    }
}

/// A file's bytes while they are decoded.
pub struct FileInput<'i> {
    bytes: Box<dyn Read + Send + 'i>,
    packing: Packing,
    /// The limit of bytes to read, and the remainder.
    limit: u64,
    left: u64,
}

/// Callback with the number of bytes read so far.
pub type Seen<'s> = dyn Fn(u64) + Send + Sync + 's;

impl ByteSource for FileInput<'_> {
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
        Ok(())
    }
}

/// The bytes of a file, counted for [`Seen`] before they are unpacked.
struct Counted<'i, R> {
    bytes: R,
    read: u64,
    seen: Option<&'i Seen<'i>>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.read += read as u64;
        if let Some(seen) = self.seen {
            seen(self.read);
        }
        Ok(read)
    }
}

/// Decodes the objects of files into a sink.
///
/// A file that is named itself must contain objects. In a directory, files of other kinds are
/// skipped.
pub struct FileDecoder<'s> {
    sink: Remarked<'s>,
    /// Files of a directory without objects.
    foreign: Vec<String>,
    /// Those whose content is unknown, each with the reason.
    unread: Vec<String>,
}

impl<'s> FileDecoder<'s> {
    /// Objects go to `sink`.
    pub fn new(sink: &'s mut dyn Sink) -> Self {
        Self {
            sink: Remarked { sink, remarks: Vec::new() },
            foreign: Vec::new(),
            unread: Vec::new(),
        }
    }

    /// Warnings about what was passed over.
    #[must_use]
    pub fn warnings(self) -> Vec<String> {
        let mut warnings = self.sink.remarks;
        warnings.extend(passed_over(
            &self.foreign,
            "file is no Kubernetes object",
            "files are no Kubernetes objects",
        ));
        warnings.extend(passed_over(
            &self.unread,
            "file cannot be read, and what it holds is left out",
            "files cannot be read, and what they hold is left out",
        ));
        warnings
    }
}

impl Visitor for FileDecoder<'_> {
    fn stream(
        &mut self,
        input: &mut FileInput<'_>,
        origin: &str,
        path: Option<&str>,
    ) -> Result<Streamed, FileError> {
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

    fn compact(&mut self, snapshot: &Compact<'_>, origin: &str) -> Result<(), FileError> {
        if !self.sink.sink.wants_text() {
            return snapshot.decode(origin, &mut self.sink);
        }
        let text = snapshot.to_json().map_err(|problem| FileError::new(origin, problem))?;
        self.file(FoundFile { text: Ok(&text), origin, path: None, problem: None })
    }

    fn file(&mut self, found: FoundFile<'_>) -> Result<(), FileError> {
        let Self { sink, foreign, unread } = self;
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
            match found.text {
                Ok(_) => foreign.push(path.to_owned()),
                Err(problem) => unread.push(format!("{path} ({problem})")),
            }
        }
        Ok(())
    }
}

/// The warning about files of a directory, which begins with `one` or `several` after their number.
fn passed_over(files: &[String], one: &str, several: &str) -> Option<String> {
    let (named, rest) = files.split_at(files.len().min(MOST_NAMED));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    match files.len() {
        0 => None,
        1 => Some(format!("1 {one}: {}", named.join(", "))),
        count => Some(format!("{count} {several}: {}{more}", named.join(", "))),
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

/// Passes a file that was named itself to `visitor`, or the files in it if it is an archive. `seen`
/// is called with the progress of large files.
///
/// # Errors
/// What is wrong with the file.
pub fn each_of_file(
    file: &mut dyn RegularFile,
    origin: &str,
    seen: Option<&Seen<'_>>,
    visitor: &mut dyn Visitor,
) -> Result<(), FileError> {
    let head = file_head(file, origin)?;
    let archive = archive::detect(&head, &mut *file);
    rewind(file, origin)?;
    if let Some(archive) = archive {
        let length = file.length();
        return each_of_archive(archive, file, length, origin, visitor);
    }
    if is_compact(&head) {
        let bytes = all_bytes(file, origin)?;
        return visitor.compact(&frames_of(&bytes, MAX_BYTES, origin)?, origin);
    }
    if stream(file, Packing::of(&head), origin, None, seen, visitor)? == Streamed::Decoded {
        return Ok(());
    }
    rewind(file, origin)?;
    let text = file_text(file, origin)?;
    visitor.file(FoundFile { text: Ok(&text), origin, path: None, problem: None })
}

/// Passes a file of a directory to `visitor`; `within` is its path in the directory.
///
/// # Errors
/// What the visitor finds wrong with the file.
pub fn member_of_directory(
    file: &mut dyn RegularFile,
    origin: &str,
    within: &str,
    seen: Option<&Seen<'_>>,
    visitor: &mut dyn Visitor,
) -> Result<(), FileError> {
    let head = file_head(file, origin)?;
    if is_compact(&head) {
        let bytes = all_bytes(file, origin)?;
        return visitor.compact(&frames_of(&bytes, MAX_BYTES, origin)?, origin);
    }
    let packing = Packing::of(&head);
    let problem = match stream(file, packing, origin, Some(within), seen, visitor) {
        Ok(Streamed::Decoded) => return Ok(()),
        Ok(Streamed::Untouched(_)) => None,
        Err(error) => Some(error.problem),
    };
    rewind(file, origin)?;
    let text = file_text(file, origin);
    let text = match &text {
        Ok(text) => Ok(text.as_str()),
        Err(error) => Err(error.problem.as_str()),
    };
    let problem = problem.as_deref();
    visitor.file(FoundFile { text, origin, path: Some(within), problem })
}

/// The error about a directory without a file that may contain objects.
pub fn empty_directory(origin: &str) -> FileError {
    FileError::new(origin, "the directory holds no .json, .yaml, .yml, .ndjson or .snap file")
}

fn rewind(file: &mut dyn RegularFile, origin: &str) -> Result<(), FileError> {
    file.rewind().map_err(|e| FileError::new(origin, e.to_string()))
}

/// The first bytes of a file, which identify its format. Rewinds the file.
fn file_head(file: &mut dyn RegularFile, origin: &str) -> Result<Vec<u8>, FileError> {
    let mut head = Vec::new();
    let read = file.take(archive::HEADER_BYTES).read_to_end(&mut head);
    read.map_err(|e| FileError::new(origin, format!("cannot be read: {e}")))?;
    rewind(file, origin)?;
    Ok(head)
}

/// A compact snapshot that may unpack to at most `left` bytes.
fn frames_of<'f>(bytes: &'f [u8], left: u64, origin: &str) -> Result<Compact<'f>, FileError> {
    let limit = most_unpacked(bytes.len() as u64).min(left);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Compact::read(bytes, limit).map_err(|problem| FileError::new(origin, problem))
}

/// Passes a large file to `visitor` while it is read.
fn stream(
    file: &mut dyn RegularFile,
    packing: Packing,
    origin: &str,
    path: Option<&str>,
    seen: Option<&Seen<'_>>,
    visitor: &mut dyn Visitor,
) -> Result<Streamed, FileError> {
    let untouched = Ok(Streamed::Untouched(Vec::new()));
    let length = file.length();
    let (least, limit) = match packing {
        Packing::None => (STREAMED_BYTES, MAX_BYTES),
        Packing::Gzip | Packing::Zstd => (STREAMED_PACKED_BYTES, most_unpacked(length)),
    };
    if length < least {
        return untouched;
    }
    let counted = Counted { bytes: file, read: 0, seen };
    let bytes: Box<dyn Read + Send + '_> = match packing {
        // The decoder asks for large blocks, which another buffer would only copy.
        Packing::None => Box::new(counted),
        Packing::Gzip | Packing::Zstd => packing.open(counted),
    };
    let mut input = FileInput { bytes, packing, limit, left: limit };
    visitor.stream(&mut input, origin, path)
}

/// Passes the content of a pipe or a device to `visitor`: the files of an archive, or one file.
///
/// # Errors
/// What is wrong with what comes.
pub fn each_of_pipe(
    mut input: impl Read + Send,
    origin: &str,
    visitor: &mut dyn Visitor,
) -> Result<(), FileError> {
    let head = read_head(&mut input, MAX_PIPED, origin)?;
    let is_plain = is_plain(&head);
    let mut bytes: Box<dyn Read + Send + '_> = Box::new(io::Cursor::new(head).chain(input));
    if is_plain {
        let (packing, limit) = (Packing::None, MAX_PIPED);
        let mut input = FileInput { bytes, packing, limit, left: limit };
        match visitor.stream(&mut input, origin, None)? {
            Streamed::Decoded => return Ok(()),
            Streamed::Untouched(read) => {
                bytes = Box::new(io::Cursor::new(read).chain(input.bytes));
            }
        }
    }
    let bytes = read_bytes(&mut bytes, MAX_PIPED, origin)?;
    if is_compact(&bytes) {
        return visitor.compact(&frames_of(&bytes, MAX_PIPED, origin)?, origin);
    }
    if let Some(archive) = archive::detect(&bytes, bytes.as_slice()) {
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
) -> Result<(), FileError> {
    let limit = most_unpacked(packed);
    // Files in the archive may themselves be compressed.
    let (mut found, mut left) = (false, limit);
    archive::read(archive, input, limit, is_object_file, &mut |entry| {
        found = true;
        let origin = format!("{source}/{}", entry.path);
        if let Ok(bytes) = &entry.bytes
            && is_compact(bytes)
        {
            let snapshot = frames_of(bytes, left, &origin)?;
            left -= snapshot.len() as u64;
            return Ok(visitor.compact(&snapshot, &origin)?);
        }
        let text =
            entry.bytes.and_then(|bytes| to_text(bytes, &origin).map_err(|error| error.problem));
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
            FileError::new(source, format!("the archive is damaged, truncated or too large: {e}"))
        }
    })?;
    if found {
        return Ok(());
    }
    Err(FileError::new(source, "the archive holds no .json, .yaml, .yml, .ndjson or .snap file"))
}

/// Why an archive was not read completely.
enum Failure {
    /// A problem of the archive.
    Archive(io::Error),
    /// A problem of a file in it.
    Ours(FileError),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Archive(error)
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::Ours(error)
    }
}

fn file_text(file: &mut dyn RegularFile, origin: &str) -> Result<String, FileError> {
    to_text(all_bytes(file, origin)?, origin)
}

fn all_bytes(file: &mut dyn RegularFile, origin: &str) -> Result<Vec<u8>, FileError> {
    let all = if file.length() < MAX_BYTES { file.read_at_once() } else { None };
    match all {
        Some(bytes) => Ok(bytes),
        None => read_bytes(file, MAX_BYTES, origin),
    }
}

/// Reads up to `limit` bytes of text, which may be compressed, or of an archive.
fn read_bytes(
    input: &mut (impl Read + ?Sized),
    limit: u64,
    origin: &str,
) -> Result<Vec<u8>, FileError> {
    let mut bytes = read_head(input, limit, origin)?;
    let rest = input.take(limit.saturating_sub(HEAD_BYTES)).read_to_end(&mut bytes);
    rest.map_err(|e| FileError::new(origin, format!("cannot be read: {e}")))?;
    if bytes.len() as u64 >= limit {
        return Err(too_large(origin, "is larger than", limit));
    }
    Ok(bytes)
}

/// Reads the first bytes; the input may be an endless device.
fn read_head(
    input: &mut (impl Read + ?Sized),
    limit: u64,
    origin: &str,
) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    let read = input.take(HEAD_BYTES.min(limit)).read_to_end(&mut bytes);
    read.map_err(|e| FileError::new(origin, format!("cannot be read: {e}")))?;
    if is_plain(&bytes)
        && archive::unread_packing(&bytes).is_none()
        && let Some(place) = bytes.iter().position(|byte| *byte == 0)
    {
        bytes.truncate(place);
        return Err(to_text(bytes, origin)
            .err()
            .unwrap_or_else(|| FileError::new(origin, format!("not text: byte {place} is 0"))));
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

fn too_large(origin: &str, what: &str, limit: u64) -> FileError {
    FileError::new(origin, too_many_bytes(what, limit))
}

fn too_many_bytes(what: &str, limit: u64) -> String {
    format!("{what} {} MiB, as no list of objects is", limit >> 20)
}

fn damaged(packing: Packing, e: &io::Error) -> String {
    if e.kind() == io::ErrorKind::Unsupported {
        return e.to_string();
    }
    format!("the {} data is damaged or truncated: {e}", packing.name())
}

fn to_text(bytes: Vec<u8>, origin: &str) -> Result<String, FileError> {
    let bytes = match Packing::of(&bytes) {
        Packing::None => bytes,
        packing => unpack(packing, &bytes, origin)?,
    };
    if let Some((units, order)) = utf16(&bytes) {
        return decoded(units, order)
            .ok_or_else(|| FileError::new(origin, "not text: its UTF-16 is damaged"));
    }
    if let Some(name) = archive::unread_packing(&bytes) {
        let problem = format!("it is packed with {name}, which is not read: unpack it first");
        return Err(FileError::new(origin, problem));
    }
    String::from_utf8(bytes).map_err(|e| {
        let place = e.utf8_error().valid_up_to();
        FileError::new(origin, format!("not text: byte {place} is not UTF-8"))
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
fn unpack(packing: Packing, packed: &[u8], origin: &str) -> Result<Vec<u8>, FileError> {
    let failed = |e: io::Error| FileError::new(origin, damaged(packing, &e));
    let open = || packing.open(packed);
    let limit = most_unpacked(packed.len() as u64);
    // The data ends with its size, of which there are 32 bits.
    let said = match packing {
        Packing::Gzip => packed.last_chunk().map_or(0, |size| u32::from_le_bytes(*size).into()),
        Packing::Zstd | Packing::None => 0,
    };
    let (mut input, mut bytes) = (open(), archive::room_for(MIN_UNPACKED.min(said)));
    input.by_ref().take(MIN_UNPACKED).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 == MIN_UNPACKED {
        let size = io::copy(&mut open().take(limit), &mut io::sink()).map_err(failed)?;
        if size == limit {
            return Err(too_large(origin, "unpacks to more than", limit));
        }
        bytes.reserve_exact(usize::try_from(size - MIN_UNPACKED).unwrap_or_default());
        input.take(size - MIN_UNPACKED).read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok(bytes)
}

/// Number of bytes that identify a dump.
pub const DUMP_HEAD: u64 = 4 << 10;

/// Whether a file of another name begins as `kubectl cluster-info dump > dump.txt` or `kubectl describe`
/// writes it.
pub fn is_dump(path: &str, head: &[u8]) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    let may_be = !name.contains('.')
        || [".txt", ".log", ".out", ".dump"].iter().any(|ending| name.ends_with(ending));
    let head = String::from_utf8_lossy(head);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    may_be
        && (head.starts_with('{') && head.contains("\"apiVersion\"")
            || head.starts_with("apiVersion:")
            || head.lines().any(|line| line.starts_with("Name:  ") || line.contains("LAST SEEN")))
}

/// Whether a file with this path may contain objects.
pub fn is_object_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
    [".json", ".yaml", ".yml", ".ndjson", ".jsonl", ".snap"]
        .iter()
        .any(|ending| name.ends_with(ending))
}
