//! Archives of dumps and support bundles, read like directories: tar, optionally compressed with
//! gzip or zstd, and zip. Entries are read one by one and never extracted to disk, so paths in the
//! archive are harmless. Links are followed within the archive: what they name is read when
//! everything else is, in a second pass.

mod links;

use std::borrow::Cow;
use std::io::{self, BufReader, Read, Seek};

use self::links::{ArchiveLinks, LinkTarget, LinkedFiles, WantedLink, place_of};
use crate::zstandard;

/// Maximum number of entries.
const MAX_ENTRIES: usize = 500_000;
/// Maximum length of the name of an entry.
const MAX_NAME: u64 = 64 << 10;
/// Size of the first header of a tar archive; it is enough to know every other format.
pub(super) const HEADER_BYTES: u64 = 512;

/// Archive format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Archive {
    /// tar, with its compression.
    Tar(Packing),
    Zip,
}

/// Compression of a stream, a file of objects as well as an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    None,
    Gzip,
    Zstd,
}

/// An entry that may contain objects.
pub(super) struct ArchiveEntry {
    pub path: String,
    /// Its content, or why it cannot be read.
    pub bytes: Result<Vec<u8>, String>,
}

impl Packing {
    /// Detects the compression by the first bytes.
    pub(super) fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            _ => Self::None,
        }
    }

    /// Name in errors.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    pub(super) fn open<'r>(self, input: impl Read + Send + 'r) -> Box<dyn Read + Send + 'r> {
        match self {
            Self::None => Box::new(BufReader::new(input)),
            Self::Gzip => Box::new(flate2::read::MultiGzDecoder::new(input)),
            Self::Zstd => zstandard::reader(input),
        }
    }
}

/// Detects the archive format by the first bytes; `None` for anything else. What is packed is
/// unpacked from `input`, which begins with `head`, until its own first bytes are known.
pub(super) fn detect(head: &[u8], input: impl Read + Send) -> Option<Archive> {
    let packing = Packing::of(head);
    if packing == Packing::None {
        return plain(head);
    }
    let mut unpacked = Vec::new();
    // What was read before a failure is still there.
    let _ = packing.open(input).take(HEADER_BYTES).read_to_end(&mut unpacked);
    is_tar(&unpacked).then_some(Archive::Tar(packing))
}

/// The name of the unsupported compression of these bytes.
pub(super) fn unread_packing(head: &[u8]) -> Option<&'static str> {
    let packings: [(&[u8], &'static str); 7] = [
        (b"\xfd7zXZ\x00", "xz"),
        (b"BZh", "bzip2"),
        (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
        (b"Rar!", "RAR"),
        (b"\x04\x22\x4d\x18", "lz4"),
        (b"\x1f\x9d", "compress"),
        (b"LZIP", "lzip"),
    ];
    packings.into_iter().find(|(begin, _)| head.starts_with(begin)).map(|(_, name)| name)
}

/// The format of an uncompressed archive that begins with these bytes.
pub(super) fn plain(head: &[u8]) -> Option<Archive> {
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return Some(Archive::Zip);
    }
    is_tar(head).then_some(Archive::Tar(Packing::None))
}

fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}

/// Calls `each` with the entries whose path `wanted` accepts, in archive order. Reads at most
/// `limit` uncompressed bytes in total.
///
/// # Errors
/// When the archive is damaged or too large, and the errors of `each`.
pub(super) fn read<R: Read + Seek + Send, E: From<io::Error>>(
    archive: Archive,
    input: R,
    limit: u64,
    wanted: fn(&str) -> bool,
    each: &mut dyn FnMut(ArchiveEntry) -> Result<(), E>,
) -> Result<(), E> {
    match archive {
        Archive::Tar(packing) => read_tar(input, packing, limit, wanted, each),
        Archive::Zip => read_zip(input, limit, wanted, each),
    }
}

fn read_tar<R: Read + Seek + Send, E: From<io::Error>>(
    mut input: R,
    packing: Packing,
    limit: u64,
    wanted: fn(&str) -> bool,
    each: &mut dyn FnMut(ArchiveEntry) -> Result<(), E>,
) -> Result<(), E> {
    let mut links = ArchiveLinks::default();
    each_of_tar::<E>(packing.open(&mut input), limit, &mut |head, content| {
        let TarHead { path, kind, link, size, problem } = head;
        match link {
            Some(target) => {
                let is_wanted = wanted(&path);
                links.add(path, target, is_wanted);
            }
            // A directory has no content of its own.
            None if kind.is_dir() || !wanted(&path) => {}
            None => each(ArchiveEntry { path, bytes: tar_bytes(content, size, problem)? })?,
        }
        Ok(())
    })?;

    let mut linked = links.resolve();
    if !linked.by_place.is_empty() {
        input.rewind()?;
        each_of_tar::<E>(packing.open(&mut input), limit, &mut |head, content| {
            let Some(place) = place_of(&head.path) else { return Ok(()) };
            let Some(link) = linked.take(&place) else { return Ok(()) };
            // A file of objects has been read by its own name, and so were those of a folder.
            if head.link.is_some() || head.kind.is_dir() || wanted(&head.path) {
                return Ok(());
            }
            each(ArchiveEntry {
                path: link.path,
                bytes: tar_bytes(content, head.size, head.problem)?,
            })
        })?;
    }
    lost_links(linked, each)
}

/// The head of an entry of a tar archive.
struct TarHead {
    path: String,
    kind: tar::EntryType,
    /// What the entry names, if it is a link.
    link: Option<LinkTarget>,
    /// How long its content is said to be, in bytes.
    size: u64,
    /// Why its content is not that of the file.
    problem: Option<String>,
}

/// Passes the entries of a tar archive to `each`, with their content.
fn each_of_tar<E: From<io::Error>>(
    input: impl Read,
    limit: u64,
    each: &mut dyn FnMut(TarHead, &mut dyn Read) -> Result<(), E>,
) -> Result<(), E> {
    let mut archive = tar::Archive::new(Limited { input, limit, left: limit });
    let mut long = LongFields::default();
    for (index, entry) in archive.entries()?.raw(true).enumerate() {
        let mut entry = entry?;
        if index >= MAX_ENTRIES {
            return Err(too_many().into());
        }
        // Long names are in entries before the one that they belong to.
        let kind = entry.header().entry_type();
        if kind.is_gnu_longname() || kind.is_gnu_longlink() || kind.is_pax_local_extensions() {
            let mut bytes = Vec::new();
            entry.by_ref().take(MAX_NAME).read_to_end(&mut bytes)?;
            if kind.is_gnu_longname() {
                long.path = Some(bytes);
            } else if kind.is_gnu_longlink() {
                long.link = Some(bytes);
            } else {
                long.add_pax(&bytes);
            }
            continue;
        }

        let LongFields { path, link, size, is_sparse } = std::mem::take(&mut long);
        let path = path.unwrap_or_else(|| entry.header().path_bytes().into_owned());
        let link = link.or_else(|| entry.header().link_name_bytes().map(Cow::into_owned));
        let link = match kind {
            tar::EntryType::Symlink => {
                Some(LinkTarget::Symbolic(name_of(&link.unwrap_or_default())))
            }
            tar::EntryType::Link => Some(LinkTarget::Hard(name_of(&link.unwrap_or_default()))),
            _ => None,
        };
        // The entry after this one is where the header says; a size that only the extended header
        // has would make content into headers.
        if let Some(size) = size
            && Ok(size) != entry.header().entry_size().map_err(|_| ())
        {
            return Err(
                io::Error::other("an entry has its size in an extended header alone").into()
            );
        }
        let problem = match kind {
            tar::EntryType::GNUSparse => Some(SPARSE.to_owned()),
            tar::EntryType::Regular | tar::EntryType::Continuous => {
                is_sparse.then(|| SPARSE.to_owned())
            }
            other => {
                let letter = char::from(other.as_byte()).escape_default();
                Some(format!("it is no regular file, but an entry of type {letter} of tar"))
            }
        };
        each(
            TarHead { path: name_of(&path), kind, link, size: entry.size().min(limit), problem },
            &mut entry,
        )?;
    }
    Ok(())
}

/// Memory for what is said to have this many bytes: one that grows while it is read takes
/// half as much again. It is used only as far as bytes come.
pub(super) fn room_for(size: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    // One more shows the end. What is said may be wrong, and more than there is.
    let _ = bytes.try_reserve_exact(usize::try_from(size).unwrap_or(0).saturating_add(1));
    bytes
}

/// Why a file that tar stores without its zeros is not read.
const SPARSE: &str = "it is stored as a sparse file, which is not read: pack it without --sparse";

fn name_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}

/// The content of an entry, or why it is not read.
///
/// # Errors
/// When the archive cannot be read.
fn tar_bytes(
    content: &mut dyn Read,
    size: u64,
    problem: Option<String>,
) -> io::Result<Result<Vec<u8>, String>> {
    if let Some(problem) = problem {
        return Ok(Err(problem));
    }
    let mut bytes = room_for(size);
    content.read_to_end(&mut bytes)?;
    Ok(Ok(bytes))
}

/// Fields of an entry of tar that are too long for its header.
#[derive(Default)]
struct LongFields {
    path: Option<Vec<u8>>,
    /// What a link names.
    link: Option<Vec<u8>>,
    size: Option<u64>,
    /// Whether the content is a map of a sparse file, and its parts.
    is_sparse: bool,
}

impl LongFields {
    /// Reads an extended header, which consists of lines `LENGTH KEY=VALUE`.
    fn add_pax(&mut self, header: &[u8]) {
        let mut sparse_path = None;
        for field in tar::PaxExtensions::new(header).filter_map(Result::ok) {
            let value = field.value_bytes().to_vec();
            match field.key_bytes() {
                b"path" => self.path = Some(value),
                b"linkpath" => self.link = Some(value),
                b"size" => self.size = field.value().ok().and_then(|size| size.parse().ok()),
                b"GNU.sparse.name" => sparse_path = Some(value),
                key if key.starts_with(b"GNU.sparse.") => self.is_sparse = true,
                _ => {}
            }
        }
        // The path of a sparse file is only that of a stand-in for programs that do not know them.
        self.is_sparse |= sparse_path.is_some();
        self.path = sparse_path.or_else(|| self.path.take());
    }
}

/// Names the links of which the archive has no file.
fn lost_links<E: From<io::Error>>(
    linked: LinkedFiles,
    each: &mut dyn FnMut(ArchiveEntry) -> Result<(), E>,
) -> Result<(), E> {
    for WantedLink { path, text } in linked.into_lost() {
        let problem = format!("it is a link to {text}, which is not in the archive");
        each(ArchiveEntry { path, bytes: Err(problem) })?;
    }
    Ok(())
}

fn read_zip<R: Read + Seek, E: From<io::Error>>(
    input: R,
    limit: u64,
    wanted: fn(&str) -> bool,
    each: &mut dyn FnMut(ArchiveEntry) -> Result<(), E>,
) -> Result<(), E> {
    let mut buffer = vec![0; rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
    let archive = rawzip::ZipArchive::from_seekable(input, &mut buffer).map_err(of_zip)?;
    // All entries are before the directory. If many share the same bytes, reading a small archive
    // would take hours, though little may come of it.
    let mut budget = ZipBudget { limit, left: limit, packed_left: archive.directory_offset() };
    let mut links = ArchiveLinks::default();
    each_of_zip::<_, E>(&archive, &mut buffer, &mut |entry| {
        let path = zip_path(entry);
        if entry.is_dir() {
            return Ok(());
        }
        if entry.mode().is_symlink() {
            // What a link names is its content.
            let target = budget.bytes(&archive, entry)?.unwrap_or_default();
            let target = String::from_utf8_lossy(&target).into_owned();
            let is_wanted = wanted(&path);
            links.add(path, LinkTarget::Symbolic(target), is_wanted);
            return Ok(());
        }
        if !wanted(&path) {
            return Ok(());
        }
        each(ArchiveEntry { path, bytes: budget.bytes(&archive, entry)? })
    })?;

    let mut linked = links.resolve();
    if !linked.by_place.is_empty() {
        each_of_zip::<_, E>(&archive, &mut buffer, &mut |entry| {
            let path = zip_path(entry);
            let Some(link) = place_of(&path).and_then(|place| linked.take(&place)) else {
                return Ok(());
            };
            // A file of objects has been read by its own name, and so were those of a folder.
            if entry.is_dir() || entry.mode().is_symlink() || wanted(&path) {
                return Ok(());
            }
            each(ArchiveEntry { path: link.path, bytes: budget.bytes(&archive, entry)? })
        })?;
    }
    lost_links(linked, each)
}

fn zip_path(entry: &rawzip::ZipFileHeaderRecord<'_>) -> String {
    String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned()
}

/// Passes the entries of a zip archive to `each`.
fn each_of_zip<R: rawzip::ReaderAt, E: From<io::Error>>(
    archive: &rawzip::ZipArchive<R>,
    buffer: &mut [u8],
    each: &mut dyn FnMut(&rawzip::ZipFileHeaderRecord<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let stated = archive.entries_hint();
    if stated > MAX_ENTRIES as u64 {
        return Err(too_many().into());
    }
    let mut count = 0;
    let mut entries = archive.entries(buffer);
    while let Some(entry) = entries.next_entry().map_err(of_zip)? {
        count += 1;
        if count > MAX_ENTRIES as u64 {
            return Err(too_many().into());
        }
        each(&entry)?;
    }
    if count < stated {
        let problem = format!("it has {count} entries, and says that it has {stated}");
        return Err(io::Error::other(problem).into());
    }
    Ok(())
}

/// How much of a zip archive may still be read.
struct ZipBudget {
    /// Unpacked bytes of the whole archive, and what is left of them.
    limit: u64,
    left: u64,
    /// Packed bytes that no entry has used yet.
    packed_left: u64,
}

impl ZipBudget {
    /// The content of an entry, or why it cannot be read: a problem of that file.
    ///
    /// # Errors
    /// When the archive unpacks to too many bytes.
    fn bytes<R: rawzip::ReaderAt>(
        &mut self,
        archive: &rawzip::ZipArchive<R>,
        entry: &rawzip::ZipFileHeaderRecord<'_>,
    ) -> io::Result<Result<Vec<u8>, String>> {
        let Some(rest) = self.packed_left.checked_sub(entry.compressed_size_hint()) else {
            return Ok(Err("its bytes are also those of other entries".to_owned()));
        };
        self.packed_left = rest;
        let packed = archive.get_entry(entry.wayfinder()).map_err(of_zip);
        let read = packed.and_then(|packed| {
            let input = zip_reader(entry, &packed)?;
            let mut bytes = room_for(entry.uncompressed_size_hint().min(self.left));
            let mut unpacked = Limited { input, limit: self.limit, left: self.left };
            let read = unpacked.read_to_end(&mut bytes);
            self.left = unpacked.left;
            read.map(|_| bytes)
        });
        match read {
            Err(too_much) if self.left == 0 => Err(too_much),
            read => Ok(read.map_err(|e| e.to_string())),
        }
    }
}

/// The content of an entry of a zip archive. Its end is an error if the checksum or the size is
/// another one than the archive says.
fn zip_reader<'a, R: rawzip::ReaderAt>(
    entry: &rawzip::ZipFileHeaderRecord<'_>,
    packed: &rawzip::ZipEntry<'a, R>,
) -> io::Result<Box<dyn Read + 'a>> {
    if entry.flags().is_encrypted() {
        return Err(io::Error::other("it is encrypted: decrypt it first"));
    }
    // Each read of a file takes several calls of the system.
    let bytes = BufReader::with_capacity(64 << 10, packed.reader());
    match entry.compression_method() {
        rawzip::CompressionMethod::STORE => Ok(Box::new(packed.verifying_reader(bytes))),
        rawzip::CompressionMethod::DEFLATE => {
            Ok(Box::new(packed.verifying_reader(flate2::bufread::DeflateDecoder::new(bytes))))
        }
        method => Err(io::Error::other(format!(
            "it is packed by method {} of zip, which is not read: unpack it first",
            method.as_u16()
        ))),
    }
}

fn of_zip(error: rawzip::Error) -> io::Error {
    match error.into_kind() {
        rawzip::ErrorKind::IO(error) => error,
        kind => io::Error::other(kind.to_string()),
    }
}

fn too_many() -> io::Error {
    io::Error::other(format!("it has more than {MAX_ENTRIES} entries"))
}

/// Fails when more than the limit is read.
struct Limited<R> {
    input: R,
    limit: u64,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.left = self.left.saturating_sub(count as u64);
        if self.left == 0 && count > 0 {
            return Err(io::Error::other(format!(
                "it unpacks to more than {} MiB, as no dump does",
                self.limit >> 20
            )));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests;
