//! `--from`: files, directories and standard input, as `kubectl get -o json|yaml` or `kubectl
//! cluster-info dump` wrote them, and archives of such directories. Compressed files and archives
//! are known by their first bytes. No cluster, kubeconfig or credentials are used.

use std::fs;
use std::io::{self, Read, Seek as _};
use std::path::{Path, PathBuf};

use super::archive::{self, Archive, Packing};
use crate::error::Error;
use engine::decode::{Among, decode, decode_among, unreadable_among};
use engine::snapshot::{self, Sink};

/// The name of `-` in errors.
pub const STDIN: &str = "standard input";

/// The most bytes of a file that are read or unpacked, more than any cluster's objects take.
const MAX_BYTES: u64 = 16 << 30;
/// The most bytes of a pipe or a device, whose size is not known before.
const MAX_PIPED: u64 = 4 << 30;
/// Bytes that are read before it is known whether they are text.
const HEAD_BYTES: u64 = 64 << 10;
/// Bytes of a large file that one thread reads at a time.
#[cfg(unix)]
const CHUNK_BYTES: usize = 8 << 20;

/// Any compressed data may unpack to this many bytes.
const MIN_UNPACKED: u64 = 256 << 20;
/// Larger ones may unpack to this many times their size; lists of objects are compressed to a
/// twentieth or a fiftieth. More is an attack or a mistake.
const MAX_RATIO: u64 = 100;

/// A file with objects, or one that may have them.
#[derive(Clone, Copy)]
pub(super) struct FoundFile<'f> {
    /// Its text, or why it has none.
    pub text: Result<&'f str, &'f str>,
    /// The file, or `standard input`.
    pub origin: &'f str,
    /// Its path in the directory that was named; `None` for a file that was named itself.
    pub path: Option<&'f str>,
}

impl<'f> FoundFile<'f> {
    /// Its text.
    ///
    /// # Errors
    /// If it has none.
    pub(super) fn text(self) -> Result<&'f str, Error> {
        self.text.map_err(|problem| Error::input(self.origin, problem))
    }
}

/// Files that are named in a warning; of more, the number is given.
const MOST_NAMED: usize = 5;

/// Reads all objects of `source`: a file, a directory, or `-` for standard input. Returns warnings
/// about what was passed over.
///
/// A file that is named itself has to hold objects. In a directory are also files of other kinds,
/// which are passed over.
///
/// # Errors
/// [`Error::Input`] names the file and what is wrong with it.
pub fn read(source: &str, sink: &mut dyn Sink) -> Result<Vec<String>, Error> {
    let mut sink = Remarked { sink, remarks: Vec::new() };
    let mut foreign: Vec<String> = Vec::new();
    each_file(source, true, &mut |found| {
        let Some(path) = found.path else {
            let text = found.text()?;
            sink.text(None, text);
            return Ok(decode(text, found.origin, &mut sink)?);
        };
        let among = match found.text {
            Ok(text) => {
                sink.text(None, text);
                decode_among(text, found.origin, path, &mut sink)
            }
            Err(problem) => unreadable_among(problem, found.origin, path, &mut sink),
        };
        if among == Among::Foreign {
            foreign.push(path.to_owned());
        }
        Ok(())
    })?;
    let mut warnings = sink.remarks;
    warnings.extend(passed_over(&foreign));
    Ok(warnings)
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

/// Passes objects on, and keeps the remarks for the warnings.
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

/// Calls `each` with every file of `source`: a file, a directory (with `deep` also its
/// subdirectories), or `-` for standard input.
pub(super) fn each_file(
    source: &str,
    deep: bool,
    each: &mut dyn FnMut(FoundFile<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    if source == "-" {
        let bytes = read_bytes(&mut io::stdin().lock(), MAX_PIPED, STDIN)?;
        return each_of_bytes(bytes, STDIN, each);
    }
    let path = Path::new(source);
    let meta = fs::metadata(path).map_err(|e| io_error(path, &e))?;
    if !meta.is_dir() {
        let mut file = fs::File::open(path).map_err(|e| io_error(path, &e))?;
        if !meta.is_file() {
            return each_of_bytes(read_bytes(&mut file, MAX_PIPED, source)?, source, each);
        }
        let archive = archive::detect(&file);
        file.rewind().map_err(|e| io_error(path, &e))?;
        if let Some(archive) = archive {
            return each_of_archive(archive, file, meta.len(), source, each);
        }
        let text = file_text(file, source)?;
        return each(FoundFile { text: Ok(&text), origin: source, path: None });
    }
    let files = object_files(path, deep)?;
    if files.is_empty() {
        return Err(Error::input(
            source,
            "the directory holds no .json, .yaml, .yml or .ndjson file",
        ));
    }
    for file in &files {
        let origin = file.display().to_string();
        if !fs::metadata(file).map_err(|e| io_error(file, &e))?.is_file() {
            // A pipe or a device may have no end, and may be a trap for whoever reads all of a
            // directory.
            return Err(Error::input(
                origin,
                "not a regular file; of a directory, only those are read",
            ));
        }
        let within = file.strip_prefix(path).unwrap_or(file).display().to_string();
        let text = file_text(fs::File::open(file).map_err(|e| io_error(file, &e))?, &origin);
        let text = match &text {
            Ok(text) => Ok(text.as_str()),
            Err(Error::Input { problem, .. }) => Err(problem.as_str()),
            Err(_) => return text.map(drop),
        };
        each(FoundFile { text, origin: &origin, path: Some(&within) })?;
    }
    Ok(())
}

/// The files of bytes that are held: those of an archive, or one.
fn each_of_bytes(
    bytes: Vec<u8>,
    origin: &str,
    each: &mut dyn FnMut(FoundFile<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    if let Some(archive) = archive::detect(bytes.as_slice()) {
        let packed = bytes.len() as u64;
        return each_of_archive(archive, io::Cursor::new(bytes), packed, origin, each);
    }
    let text = to_text(bytes, origin)?;
    each(FoundFile { text: Ok(&text), origin, path: None })
}

/// Calls `each` with the files of an archive of `packed` bytes, as with those of a directory.
fn each_of_archive(
    archive: Archive,
    input: impl Read + io::Seek,
    packed: u64,
    source: &str,
    each: &mut dyn FnMut(FoundFile<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let limit = most_unpacked(packed);
    // Files in the archive may be packed once more.
    let (mut found, mut left) = (false, limit);
    archive::read(archive, input, limit, is_object_file, &mut |entry| {
        found = true;
        let origin = format!("{source}/{}", entry.path);
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
        Ok(each(FoundFile { text, origin: &origin, path: Some(&entry.path) })?)
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
    Err(Error::input(source, "the archive holds no .json, .yaml, .yml or .ndjson file"))
}

/// Why an archive was not read to its end.
enum Failure {
    /// What is wrong with the archive itself.
    Archive(io::Error),
    /// What is wrong with a file in it.
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

/// The bytes of a large file, read by all threads at once. `None` if it is small, not a regular
/// file, or cannot be read so.
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

/// Reads up to `limit` bytes of text, which may be packed.
fn read_text(input: &mut dyn Read, limit: u64, origin: &str) -> Result<String, Error> {
    to_text(read_bytes(input, limit, origin)?, origin)
}

/// Reads up to `limit` bytes of text, which may be packed, or of an archive.
fn read_bytes(input: &mut dyn Read, limit: u64, origin: &str) -> Result<Vec<u8>, Error> {
    let failed = |e: io::Error| Error::input(origin, format!("cannot be read: {e}"));
    let mut bytes = Vec::new();
    input.take(HEAD_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    if Packing::of(&bytes) == Packing::None
        && archive::plain(&bytes).is_none()
        && utf16(&bytes).is_none()
        && let Some(place) = bytes.iter().position(|byte| *byte == 0)
    {
        bytes.truncate(place);
        return Err(to_text(bytes, origin)
            .err()
            .unwrap_or_else(|| Error::input(origin, format!("not text: byte {place} is 0"))));
    }
    input.take(limit.saturating_sub(HEAD_BYTES)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 >= limit {
        return Err(too_large(origin, "is larger than", limit));
    }
    Ok(bytes)
}

fn too_large(origin: &str, what: &str, limit: u64) -> Error {
    Error::input(origin, format!("{what} {} MiB, as no list of objects is", limit >> 20))
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

/// The number of two bytes.
type ByteOrder = fn([u8; 2]) -> u16;

/// The units and the byte order of UTF-16, as `>` writes it in Windows PowerShell: known by its
/// mark, or because every other byte of what JSON and YAML begin with is 0.
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

/// The most bytes that so many packed ones may unpack to.
fn most_unpacked(packed: u64) -> u64 {
    packed.saturating_mul(MAX_RATIO).clamp(MIN_UNPACKED, MAX_BYTES)
}

/// Unpacks a file. What is larger than [`MIN_UNPACKED`] is measured before it is held.
fn unpack(packing: Packing, packed: &[u8], origin: &str) -> Result<Vec<u8>, Error> {
    let what = packing.name();
    let failed = |e: io::Error| {
        Error::input(origin, format!("the {what} data is damaged or truncated: {e}"))
    };
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

/// The files of a directory that may hold objects, sorted by path, so that the result does not
/// depend on the order of the directory.
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

/// Whether a file of that path may hold objects.
fn is_object_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
    [".json", ".yaml", ".yml", ".ndjson", ".jsonl"].iter().any(|ending| name.ends_with(ending))
}
