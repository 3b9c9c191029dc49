//! Reads small files: certificates, tokens, configurations. A file that is named by another file
//! may be a trap: an endless device, or a pipe without a writer.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

/// Size limit, a hundred times the size of the largest kubeconfigs.
const MAX_BYTES: u64 = 16 << 20;

/// The origin of a file name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    /// The user, by a flag or a variable. As in kubectl, it may be a device, such as `/dev/null`,
    /// and the pipe of a shell's `<(…)`.
    User,
    /// Another file, or a default. It has to be a regular file.
    File,
}

/// The bytes of a small file.
///
/// # Errors
/// When it cannot be read, is too large, or has a type that may not be read.
pub fn read(path: &Path, named_by: NamedBy) -> io::Result<Vec<u8>> {
    // Opening a pipe blocks until it has a writer, so its type is checked first.
    if !may_be_read(path, &fs::metadata(path)?, named_by) {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("larger than {} MiB", MAX_BYTES >> 20)));
    }
    Ok(bytes)
}

/// The text of a small file.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path, named_by: NamedBy) -> io::Result<String> {
    String::from_utf8(read(path, named_by)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8"))
}

fn may_be_read(path: &Path, meta: &Metadata, named_by: NamedBy) -> bool {
    // Reading a folder fails with a better message.
    if meta.is_file() || meta.is_dir() {
        return true;
    }
    named_by == NamedBy::User && (is_device(meta) || is_of_shell(path))
}

#[cfg(unix)]
fn is_device(meta: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    meta.file_type().is_char_device()
}

#[cfg(not(unix))]
fn is_device(_: &Metadata) -> bool {
    true
}

/// Whether it is an open pipe of a shell.
fn is_of_shell(path: &Path) -> bool {
    ["/dev/fd", "/dev/stdin", "/proc/self/fd"].iter().any(|prefix| path.starts_with(prefix))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::Command;

    use super::*;

    fn problem(path: &Path, named_by: NamedBy) -> String {
        read(path, named_by).unwrap_err().to_string()
    }

    #[test]
    fn device_without_end_is_refused_by_size_or_by_kind() {
        let endless = Path::new("/dev/zero");
        assert_eq!(problem(endless, NamedBy::File), "not a regular file");
        assert_eq!(problem(endless, NamedBy::User), "larger than 16 MiB");
        assert!(read(Path::new("/dev/null"), NamedBy::User).unwrap().is_empty());
    }

    #[test]
    fn pipe_without_writer_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for named_by in [NamedBy::File, NamedBy::User] {
            assert_eq!(problem(&pipe, named_by), "not a regular file");
        }
    }

    #[test]
    fn regular_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, vec![b'x'; MAX_BYTES as usize]).unwrap();
        assert_eq!(read_text(&path, NamedBy::File).unwrap().len() as u64, MAX_BYTES);
        fs::write(&path, vec![b'x'; MAX_BYTES as usize + 1]).unwrap();
        assert_eq!(problem(&path, NamedBy::File), "larger than 16 MiB");
    }
}
