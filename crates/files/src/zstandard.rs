//! zstd: reads any file of that format, with a decoder in Rust, which browsers have, too; writes it
//! with the format's own library, in C, which they cannot.

use std::error::Error;
use std::io::{self, BufRead as _, BufReader, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The largest window that a frame may declare, in bytes: the reader keeps as much in memory. That
/// is what the `zstd` command accepts unless it is told otherwise.
const MAX_WINDOW: u64 = 128 << 20;
/// The most bytes per block, by the format; no window need be smaller.
const BLOCK: usize = 128 << 10;

/// Packs bytes into a frame with a checksum.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::new(zstd::DEFAULT_COMPRESSION_LEVEL)?;
    compressor.include_checksum(true)?;
    compressor.compress(bytes)
}

/// Unpacks while it is read: every frame, one after the other.
pub(crate) fn reader<'r>(packed: impl Read + Send + 'r) -> Box<dyn Read + Send + 'r> {
    Box::new(Frames::new(packed, MAX_WINDOW))
}

/// Unpacks a frame of `length` bytes into `buffer`, whose content it replaces.
pub(crate) fn unpack(frame: &[u8], length: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    buffer.reserve(length);
    // No frame of that length needs a larger window. A damaged one could declare any, and as much is
    // unpacked before its first byte is seen, on every processor at once.
    let window = length.next_power_of_two().max(BLOCK);
    let frames = Frames::new(frame, window as u64);
    frames.take(length as u64 + 1).read_to_end(buffer)?;
    Ok(())
}

/// The frames of a file, unpacked block by block.
struct Frames<R> {
    packed: BufReader<R>,
    decoder: FrameDecoder,
    frame: Option<Frame>,
}

/// The frame that is being read.
struct Frame {
    /// Its unpacked size as it declares it; 0: it does not.
    declared: u64,
    /// How much of it has been read.
    read: u64,
}

impl<R: Read> Frames<R> {
    fn new(packed: R, max_window: u64) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(max_window);
        Self { packed: BufReader::new(packed), decoder, frame: None }
    }

    /// Reads the header of the next frame, or passes over a frame that has no content.
    fn begin(&mut self) -> io::Result<()> {
        match self.decoder.init(&mut self.packed) {
            Ok(()) => {
                self.frame = Some(Frame { declared: self.decoder.content_size(), read: 0 });
                Ok(())
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let length = u64::from(length);
                let skipped = io::copy(&mut self.packed.by_ref().take(length), &mut io::sink())?;
                if skipped == length { Ok(()) } else { Err(cut_off()) }
            }
            Err(error) => Err(problem(&error)),
        }
    }

    /// Checks a frame that was read completely; the decoder computes the checksum but does not
    /// compare it.
    fn end(&mut self, frame: &Frame) -> io::Result<()> {
        let stated = self.decoder.get_checksum_from_data();
        if stated.is_some() && stated != self.decoder.get_calculated_checksum() {
            return Err(io::Error::other("the checksum is another one"));
        }
        if frame.declared != 0 && frame.declared != frame.read {
            return Err(io::Error::other(format!(
                "a frame of {} bytes has {}",
                frame.declared, frame.read
            )));
        }
        Ok(())
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(mut frame) = self.frame.take() else {
                if self.packed.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.begin()?;
                continue;
            };
            // What the decoder still needs for the blocks that follow cannot be collected yet.
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let block = BlockDecodingStrategy::UptoBlocks(1);
                if let Err(error) = self.decoder.decode_blocks(&mut self.packed, block) {
                    return Err(problem(&error));
                }
            }
            let read = self.decoder.read(buffer)?;
            if read == 0 {
                self.end(&frame)?;
                continue;
            }
            frame.read += read as u64;
            self.frame = Some(frame);
            return Ok(read);
        }
    }
}

/// Says why a frame cannot be unpacked.
fn problem(error: &FrameDecoderError) -> io::Error {
    match error {
        FrameDecoderError::DictNotProvided { .. } => {
            return io::Error::new(
                io::ErrorKind::Unsupported,
                "packed with a dictionary of zstd, which is not read: unpack it first",
            );
        }
        FrameDecoderError::WindowSizeTooBig { requested, max } => {
            let problem = format!(
                "packed with a zstd window of {} MiB, more than {}: pack it without --long",
                requested >> 20,
                max >> 20
            );
            return io::Error::new(io::ErrorKind::Unsupported, problem);
        }
        _ => {}
    }
    // The innermost cause says most.
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    match cause.downcast_ref::<io::Error>() {
        Some(error) if error.kind() == io::ErrorKind::UnexpectedEof => cut_off(),
        Some(error) => io::Error::new(error.kind(), error.to_string()),
        None => io::Error::other(cause.to_string()),
    }
}

fn cut_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it ends in the middle of a frame")
}

#[cfg(test)]
mod tests;
