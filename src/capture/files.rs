//! `--from`: opens files, directories and standard input. What is in them the crate `files` reads.
//! No cluster, kubeconfig or credentials are used.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::Error;
use engine::snapshot::Sink;
use files::{FileDecoder, FileError, RegularFile, Visitor, is_dump, is_object_file};

pub use files::Seen;

/// The name of `-` in errors.
pub const STDIN: &str = "standard input";

/// Number of bytes of a large file that one thread reads at a time.
#[cfg(unix)]
const CHUNK_BYTES: usize = 8 << 20;

/// The first bytes of a file; `None` if it cannot be read.
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
    let mut objects = FileDecoder::new(sink);
    each_file(source, true, seen, &mut objects)?;
    Ok(objects.warnings())
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
        return Ok(files::each_of_pipe(io::stdin(), STDIN, visitor)?);
    }
    let path = Path::new(source);
    let meta = fs::metadata(path).map_err(|e| io_error(path, &e))?;
    if !meta.is_dir() {
        let file = fs::File::open(path).map_err(|e| io_error(path, &e))?;
        if !meta.is_file() {
            return Ok(files::each_of_pipe(file, source, visitor)?);
        }
        let mut file = DiskFile { file, length: meta.len() };
        return Ok(files::each_of_file(&mut file, source, seen, visitor)?);
    }
    let mut found = object_files(path, deep)?;
    if found.is_empty() {
        found = dumps(path)?;
    }
    if found.is_empty() {
        return Err(files::empty_directory(source).into());
    }
    for file in &found {
        let origin = file.display().to_string();
        let within = file.strip_prefix(path).unwrap_or(file).display().to_string();
        match regular_file(file, &origin) {
            Ok(mut opened) => {
                files::member_of_directory(&mut opened, &origin, &within, seen, visitor)?;
            }
            Err(error) => visitor.unopened(error)?,
        }
    }
    Ok(())
}

/// Opens a file of a directory. A pipe or a device is refused before that: it may be endless, and
/// so a trap when a whole directory is read.
fn regular_file(file: &Path, origin: &str) -> Result<DiskFile, FileError> {
    let meta = fs::metadata(file).map_err(|e| unopened(file, &e))?;
    if !meta.is_file() {
        return Err(FileError::new(
            origin,
            "not a regular file; of a directory, only those are read",
        ));
    }
    let opened = fs::File::open(file).map_err(|e| unopened(file, &e))?;
    Ok(DiskFile { file: opened, length: meta.len() })
}

/// A regular file of a disk.
struct DiskFile {
    file: fs::File,
    length: u64,
}

impl Read for DiskFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Seek for DiskFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

impl RegularFile for DiskFile {
    fn length(&self) -> u64 {
        self.length
    }

    /// All threads read at once. `None` if the file is small, or cannot be read so.
    #[cfg(unix)]
    fn read_at_once(&self) -> Option<Vec<u8>> {
        use rayon::prelude::*;
        use std::os::unix::fs::FileExt;

        let length = usize::try_from(self.length).ok()?;
        if length < CHUNK_BYTES * 2 {
            return None;
        }
        let mut bytes = vec![0; length];
        let parts = bytes.par_chunks_mut(CHUNK_BYTES).enumerate();
        parts
            .try_for_each(|(index, part)| {
                self.file.read_exact_at(part, (index * CHUNK_BYTES) as u64)
            })
            .ok()?;
        Some(bytes)
    }
}

/// The files of a directory that may contain objects, sorted by path, so that the result is
/// deterministic.
fn object_files(directory: &Path, deep: bool) -> Result<Vec<PathBuf>, Error> {
    let (mut files, mut linked_folders, mut has_linked_files) = (Vec::new(), Vec::new(), false);
    let mut todo = vec![directory.to_owned()];
    // The real paths of folders that are reached by links, so that a circle of them ends.
    let mut reached = vec![fs::canonicalize(directory).map_err(|e| io_error(directory, &e))?];
    loop {
        while let Some(directory) = todo.pop() {
            for entry in fs::read_dir(&directory).map_err(|e| io_error(&directory, &e))? {
                let entry = entry.map_err(|e| io_error(&directory, &e))?;
                let kind = entry.file_type().map_err(|e| io_error(&entry.path(), &e))?;
                let is_link = kind.is_symlink();
                if kind.is_dir() {
                    todo.extend(deep.then(|| entry.path()));
                } else if is_link && fs::metadata(entry.path()).is_ok_and(|meta| meta.is_dir()) {
                    linked_folders.extend(deep.then(|| entry.path()));
                } else if is_object_file(&entry.file_name().to_string_lossy()) {
                    has_linked_files |= is_link;
                    files.push(entry.path());
                }
            }
        }

        // A link to a folder is followed when all others are read: unless it leads into one that
        // is read by another name, or to one around it.
        linked_folders.sort();
        linked_folders.reverse();
        while todo.is_empty()
            && let Some(link) = linked_folders.pop()
        {
            let real = fs::canonicalize(&link).map_err(|e| io_error(&link, &e))?;
            if !reached.iter().any(|one| real.starts_with(one) || one.starts_with(&real)) {
                reached.push(real);
                has_linked_files = true;
                todo.push(link);
            }
        }
        if todo.is_empty() {
            break;
        }
    }
    files.sort();
    if has_linked_files {
        once_each(&mut files);
    }
    Ok(files)
}

/// Keeps the first of the paths that lead to the same file.
fn once_each(files: &mut Vec<PathBuf>) {
    let mut seen = BTreeSet::new();
    files.retain(|file| fs::canonicalize(file).map_or(true, |real| seen.insert(real)));
}

/// The files of a directory without such files that begin as a dump of a cluster does.
fn dumps(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut dumps = Vec::new();
    for entry in fs::read_dir(directory).map_err(|e| io_error(directory, &e))? {
        let path = entry.map_err(|e| io_error(directory, &e))?.path();
        let mut head = Vec::new();
        let is_file = fs::metadata(&path).is_ok_and(|meta| meta.is_file());
        // A file that cannot be read is none.
        let opened = if is_file { fs::File::open(&path).ok() } else { None };
        let read = opened.map(|file| file.take(files::DUMP_HEAD).read_to_end(&mut head));
        if read.is_some_and(|read| read.is_ok()) && is_dump(&path.to_string_lossy(), &head) {
            dumps.push(path);
        }
    }
    dumps.sort();
    Ok(dumps)
}

fn io_error(path: &Path, e: &io::Error) -> Error {
    Error::io(path, "", e)
}

fn unopened(path: &Path, e: &io::Error) -> FileError {
    FileError::new(path.display().to_string(), Error::io_problem(e))
}
