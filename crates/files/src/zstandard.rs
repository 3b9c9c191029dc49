//! Decompresses zstd: with its C library, and in browsers with a decoder written in Rust.

#[cfg(not(target_family = "wasm"))]
pub(crate) use by_its_library::{reader, unpack, unpack_into};
#[cfg(target_family = "wasm")]
pub(crate) use in_browsers::{reader, unpack, unpack_into};

#[cfg(not(target_family = "wasm"))]
mod by_its_library {
    use std::io::{self, Read};

    /// Unpacks while it is read.
    pub(crate) fn reader<'r>(
        packed: impl Read + Send + 'r,
    ) -> io::Result<Box<dyn Read + Send + 'r>> {
        Ok(Box::new(zstd::Decoder::new(packed)?))
    }

    /// A frame of `length` bytes when it is unpacked.
    pub(crate) fn unpack(frame: &[u8], length: usize) -> io::Result<Vec<u8>> {
        zstd::bulk::decompress(frame, length)
    }

    /// The same in a buffer, whose content it replaces.
    pub(crate) fn unpack_into(frame: &[u8], length: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.resize(length, 0);
        let unpacked = zstd::bulk::decompress_to_buffer(frame, buffer)?;
        buffer.truncate(unpacked);
        Ok(())
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

    /// A frame of `length` bytes when it is unpacked.
    pub(crate) fn unpack(frame: &[u8], length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length);
        unpack_into(frame, length, &mut bytes)?;
        Ok(bytes)
    }

    /// The same in a buffer, whose content it replaces.
    pub(crate) fn unpack_into(frame: &[u8], length: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.clear();
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
