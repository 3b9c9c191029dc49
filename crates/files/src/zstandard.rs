//! Decompresses zstd: with its C library, and in browsers with a decoder written in Rust.

#[cfg(not(target_family = "wasm"))]
pub(crate) use by_its_library::{reader, unpack};
#[cfg(target_family = "wasm")]
pub(crate) use in_browsers::{reader, unpack};

#[cfg(not(target_family = "wasm"))]
mod by_its_library {
    use std::io::{self, Read};

    /// Unpacks while it is read.
    pub(crate) fn reader<'r>(
        packed: impl Read + Send + 'r,
    ) -> io::Result<Box<dyn Read + Send + 'r>> {
        Ok(Box::new(zstd::Decoder::new(packed)?))
    }

    /// Unpacks a frame of `length` bytes into `buffer`, whose content it replaces.
    pub(crate) fn unpack(frame: &[u8], length: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.clear();
        buffer.reserve(length);
        zstd::bulk::Decompressor::new()?.decompress_to_buffer(frame, buffer).map(drop)
    }
}

#[cfg(target_family = "wasm")]
mod in_browsers {
    use std::io::{self, BufRead as _, BufReader, Read};

    use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

    /// Unpacks while it is read.
    pub(crate) fn reader<'r>(
        packed: impl Read + Send + 'r,
    ) -> io::Result<Box<dyn Read + Send + 'r>> {
        let frame = StreamingDecoder::new(BufReader::new(packed)).map_err(io::Error::other)?;
        Ok(Box::new(Frames { frame: Some(frame) }))
    }

    /// Unpacks a frame of `length` bytes into `buffer`, whose content it replaces.
    pub(crate) fn unpack(frame: &[u8], length: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.clear();
        buffer.reserve(length);
        reader(frame)?.take(length as u64 + 1).read_to_end(buffer)?;
        Ok(())
    }

    /// The frames of a file one after the other; the decoder knows one alone.
    struct Frames<R: Read> {
        frame: Option<StreamingDecoder<BufReader<R>, FrameDecoder>>,
    }

    impl<R: Read> Read for Frames<R> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            while let Some(mut frame) = self.frame.take() {
                let read = frame.read(buffer)?;
                if read > 0 || buffer.is_empty() {
                    self.frame = Some(frame);
                    return Ok(read);
                }
                // The decoder computes the checksum but does not compare it.
                let stated = frame.decoder.get_checksum_from_data();
                if stated.is_some() && stated != frame.decoder.get_calculated_checksum() {
                    return Err(io::Error::other("the checksum is another one"));
                }
                let mut packed = frame.into_inner();
                if !packed.fill_buf()?.is_empty() {
                    self.frame = Some(StreamingDecoder::new(packed).map_err(io::Error::other)?);
                }
            }
            Ok(0)
        }
    }
}
