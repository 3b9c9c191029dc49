//! The files that the browser lends us.

use std::io::{self, Read, Seek, SeekFrom};

use files::RegularFile;

/// Access to the bytes of dropped files, read piece by piece so that no file is in memory as a
/// whole.
pub trait Host: Send + Sync {
    /// Fills `buffer` from byte `offset` of a file on, and returns the number of bytes.
    ///
    /// # Errors
    /// When the browser cannot read the file, for instance because it was changed meanwhile.
    fn read(&self, file: u32, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Receives the number of bytes of a large file that have been read.
    fn progress(&self, file: u32, read: u64);
}

/// A dropped file, as the readers of files want it.
pub(crate) struct HostFile<'h> {
    pub(crate) host: &'h dyn Host,
    pub(crate) index: u32,
    pub(crate) length: u64,
    pub(crate) position: u64,
}

impl Read for HostFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length.saturating_sub(self.position)).unwrap_or(usize::MAX);
        let most = buffer.len().min(left);
        let Some(buffer) = buffer.get_mut(..most).filter(|buffer| !buffer.is_empty()) else {
            return Ok(0);
        };
        let read = self.host.read(self.index, self.position, buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for HostFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let moved = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        let before_file = "a place before the file";
        self.position =
            moved.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, before_file))?;
        Ok(self.position)
    }
}

impl RegularFile for HostFile<'_> {
    fn length(&self) -> u64 {
        self.length
    }
}
