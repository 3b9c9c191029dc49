//! Archives of dumps and support bundles, read like directories: tar, optionally compressed with
//! gzip or zstd, and zip. Entries are read one by one and never extracted to disk, so paths in the
//! archive are harmless.

use std::io::{self, BufReader, Read, Seek};

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
    let known: [(&[u8], &'static str); 7] = [
        (b"\xfd7zXZ\x00", "xz"),
        (b"BZh", "bzip2"),
        (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
        (b"Rar!", "RAR"),
        (b"\x04\x22\x4d\x18", "lz4"),
        (b"\x1f\x9d", "compress"),
        (b"LZIP", "lzip"),
    ];
    known.into_iter().find(|(begin, _)| head.starts_with(begin)).map(|(_, name)| name)
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
        Archive::Tar(packing) => read_tar(packing.open(input), limit, wanted, each),
        Archive::Zip => read_zip(input, limit, wanted, each),
    }
}

fn read_tar<E: From<io::Error>>(
    input: impl Read,
    limit: u64,
    wanted: fn(&str) -> bool,
    each: &mut dyn FnMut(ArchiveEntry) -> Result<(), E>,
) -> Result<(), E> {
    let mut archive = tar::Archive::new(Limited { input, limit, left: limit });
    let mut long_name = None;
    for (index, entry) in archive.entries()?.raw(true).enumerate() {
        let mut entry = entry?;
        if index >= MAX_ENTRIES {
            return Err(too_many().into());
        }
        let kind = entry.header().entry_type();
        if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
            // The name of the following entry.
            let mut bytes = Vec::new();
            entry.by_ref().take(MAX_NAME).read_to_end(&mut bytes)?;
            long_name =
                if kind.is_gnu_longname() { Some(bytes) } else { pax_path(&bytes).or(long_name) };
            continue;
        }
        let name = long_name.take().unwrap_or_else(|| entry.header().path_bytes().into_owned());
        let path = String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned();
        if kind.is_file() && wanted(&path) {
            let mut bytes = room_for(entry.size().min(limit));
            entry.read_to_end(&mut bytes)?;
            each(ArchiveEntry { path, bytes: Ok(bytes) })?;
        }
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

/// The path in an entry's extended header, which consists of lines `LENGTH KEY=VALUE`.
fn pax_path(header: &[u8]) -> Option<Vec<u8>> {
    tar::PaxExtensions::new(header).filter_map(Result::ok).find_map(|field| {
        match field.key_bytes() {
            b"path" => Some(field.value_bytes().to_vec()),
            _ => None,
        }
    })
}

fn read_zip<R: Read + Seek, E: From<io::Error>>(
    input: R,
    limit: u64,
    wanted: fn(&str) -> bool,
    each: &mut dyn FnMut(ArchiveEntry) -> Result<(), E>,
) -> Result<(), E> {
    let mut buffer = vec![0; rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
    let archive = rawzip::ZipArchive::from_seekable(input, &mut buffer).map_err(of_zip)?;
    let stated = archive.entries_hint();
    if stated > MAX_ENTRIES as u64 {
        return Err(too_many().into());
    }
    let mut left = limit;
    // All entries are before the directory. If many share the same bytes, reading a small archive
    // would take hours, though little may come of it.
    let mut packed_left = archive.directory_offset();
    let mut count = 0;
    let mut entries = archive.entries(&mut buffer);
    while let Some(entry) = entries.next_entry().map_err(of_zip)? {
        count += 1;
        if count > MAX_ENTRIES as u64 {
            return Err(too_many().into());
        }
        let path = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        if entry.is_dir() || entry.mode().is_symlink() || !wanted(&path) {
            continue;
        }
        let packed = match packed_left.checked_sub(entry.compressed_size_hint()) {
            Some(rest) => {
                packed_left = rest;
                archive.get_entry(entry.wayfinder()).map_err(of_zip)
            }
            None => Err(io::Error::other("its bytes are also those of other entries")),
        };
        let read = packed.and_then(|packed| zip_reader(&entry, &packed)).and_then(|input| {
            let size = entry.uncompressed_size_hint().min(left);
            let (mut bytes, mut unpacked) = (room_for(size), Limited { input, limit, left });
            let read = unpacked.read_to_end(&mut bytes);
            left = unpacked.left;
            read.map(|_| bytes)
        });
        // An entry that cannot be read is a problem of that file; too many bytes, of the archive.
        match read {
            Err(too_much) if left == 0 => return Err(too_much.into()),
            read => each(ArchiveEntry { path, bytes: read.map_err(|e| e.to_string()) })?,
        }
    }
    if count < stated {
        let problem = format!("it has {count} entries, and says that it has {stated}");
        return Err(io::Error::other(problem).into());
    }
    Ok(())
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
