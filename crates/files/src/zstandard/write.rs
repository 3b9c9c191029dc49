//! Writes zstd. The library turns sequences of literals and matches into blocks; the matches are
//! found here, because the library looks for them within a single block of 128 KiB, which makes
//! lists of objects, whose items resemble each other over long distances, nearly twice as large.

use std::io::{self, Write};

use ruzstd::encoding::{CompressionLevel, FrameCompressor, Matcher, Sequence};

use super::unpack;

/// Unpacked bytes per frame of a file.
pub(super) const FRAME: usize = 4 << 20;
/// The most bytes per block, by the format.
pub(super) const BLOCK: usize = 128 << 10;
/// The farthest distance of a match, which is the memory that reading takes; the format advises
/// every reader to support as much.
const MAX_WINDOW: usize = 8 << 20;

/// Binary logarithm of the number of places that are remembered by the eight bytes at them.
const LONG_LOG: u32 = 17;
/// The same for five bytes.
const SHORT_LOG: u32 = 16;
/// The shortest match. Sequences of five bytes are hashed, but what tells where such a match is
/// takes as much as the bytes.
const SHORTEST: usize = 6;

/// A file that is packed while it is written, in frames that are complete in themselves.
#[derive(Debug)]
pub struct ZstdWriter<W: Write> {
    out: W,
    /// What is not packed yet.
    pending: Vec<u8>,
}

impl<W: Write> ZstdWriter<W> {
    /// Packed bytes go to `out`.
    pub fn new(out: W) -> Self {
        Self { out, pending: Vec::new() }
    }

    /// Packs the remainder.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&pack(&self.pending))?;
        Ok(self.out)
    }
}

impl<W: Write> Write for ZstdWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = FRAME - self.pending.len();
        let taken = bytes.get(..room).unwrap_or(bytes);
        self.pending.extend_from_slice(taken);
        if self.pending.len() == FRAME {
            self.out.write_all(&pack(&self.pending))?;
            self.pending.clear();
        }
        Ok(taken.len())
    }

    /// Passes on what is packed; a frame is written when it is full.
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Packs bytes into a frame with a checksum.
pub(crate) fn pack(bytes: &[u8]) -> Vec<u8> {
    let packed = frame(bytes, CompressionLevel::Fastest);
    // A snapshot may be all that is left of a cluster, and the encoder is younger than the decoder:
    // what does not unpack to the same bytes is stored as it is.
    let mut unpacked = Vec::new();
    match unpack(&packed, bytes.len(), &mut unpacked) {
        Ok(()) if unpacked == bytes => packed,
        _ => frame(bytes, CompressionLevel::Uncompressed),
    }
}

fn frame(bytes: &[u8], level: CompressionLevel) -> Vec<u8> {
    let mut compressor = FrameCompressor::new_with_matcher(Matches::new(bytes.len()), level);
    compressor.set_source(bytes);
    compressor.set_drain(Vec::new());
    // Neither a slice nor a vector fails, which the compressor would not survive.
    compressor.compress();
    compressor.take_drain().unwrap_or_default()
}

/// Finds parts of a frame that occurred in it before, as fast compressors do: for the bytes at each
/// place it remembers only the last place where they occurred.
struct Matches {
    window: usize,
    /// The frame so far.
    bytes: Vec<u8>,
    /// Where its last block begins.
    block: usize,
    long: Table<LONG_LOG>,
    short: Table<SHORT_LOG>,
}

/// A part of the frame, beginning at `to`, that is also at `from`.
#[derive(Debug, Clone, Copy)]
struct Match {
    from: usize,
    to: usize,
    length: usize,
}

impl Matches {
    /// For a frame of `length` bytes.
    fn new(length: usize) -> Self {
        Self {
            window: length.clamp(BLOCK, MAX_WINDOW).next_power_of_two(),
            bytes: Vec::with_capacity(length),
            block: 0,
            long: Table::new(),
            short: Table::new(),
        }
    }

    /// The match of the bytes at a place, which is remembered.
    fn find(&mut self, to: usize) -> Option<Match> {
        let key = key(&self.bytes, to)?;
        let long = self.long.replace(key, to);
        let short = self.short.replace(key << 24, to);
        for (from, least) in [(long, size_of::<u64>()), (short, SHORTEST)] {
            if from >= to || to - from > self.window {
                continue;
            }
            let length = common(&self.bytes, from, to);
            if length >= least {
                return Some(Match { from, to, length });
            }
        }
        None
    }

    /// Remembers the bytes at a place.
    fn remember(&mut self, place: usize) {
        if let Some(key) = key(&self.bytes, place) {
            self.long.replace(key, place);
            self.short.replace(key << 24, place);
        }
    }

    /// The match with the equal bytes before it, as far as `first`.
    fn extended(&self, mut found: Match, first: usize) -> Match {
        while found.from > 0
            && found.to > first
            && self.bytes.get(found.from - 1) == self.bytes.get(found.to - 1)
        {
            found.from -= 1;
            found.to -= 1;
            found.length += 1;
        }
        found
    }

    /// Where the first match of the block may begin. The library has no code for literals that are
    /// all the same, nor for sequences that all have none, so a block begins with two that differ.
    fn first(&self) -> usize {
        let block = self.bytes.get(self.block..).unwrap_or_default();
        let differs = block.iter().position(|byte| Some(byte) != block.first());
        differs.map_or(self.bytes.len(), |at| self.block + at + 1)
    }
}

impl Matcher for Matches {
    fn get_next_space(&mut self) -> Vec<u8> {
        vec![0; BLOCK]
    }

    fn get_last_space(&mut self) -> &[u8] {
        self.bytes.get(self.block..).unwrap_or_default()
    }

    fn commit_space(&mut self, space: Vec<u8>) {
        self.block = self.bytes.len();
        self.bytes.extend_from_slice(&space);
    }

    fn skip_matching(&mut self) {}

    fn start_matching(&mut self, mut handle_sequence: impl for<'a> FnMut(Sequence<'a>)) {
        // Everything before this place is part of a sequence.
        let mut done = self.block;
        let first = self.first();
        let mut at = first;
        while at < self.bytes.len() {
            let Some(found) = self.find(at) else {
                // The longer nothing matches, the less likely it is that something will.
                at += 1 + ((at - done) >> 8);
                continue;
            };
            let found = self.extended(found, first.max(done));
            handle_sequence(Sequence::Triple {
                literals: self.bytes.get(done..found.to).unwrap_or_default(),
                offset: found.to - found.from,
                match_len: found.length,
            });

            // Two places within the match are enough to find it again.
            done = found.to + found.length;
            self.remember(found.to + 2);
            self.remember(done - 2);
            at = done;
        }
        let literals = self.bytes.get(done..).unwrap_or_default();
        if !literals.is_empty() {
            handle_sequence(Sequence::Literals { literals });
        }
    }

    fn reset(&mut self, _level: CompressionLevel) {
        self.bytes.clear();
        self.block = 0;
        self.long = Table::new();
        self.short = Table::new();
    }

    fn window_size(&self) -> u64 {
        self.window as u64
    }
}

/// The last place of each hash.
struct Table<const LOG: u32>(Vec<u32>);

impl<const LOG: u32> Table<LOG> {
    fn new() -> Self {
        Self(vec![0; 1 << LOG])
    }

    /// Remembers the place of a key, and returns that of the last key with the same hash.
    fn replace(&mut self, key: u64, place: usize) -> usize {
        // 2^64 divided by the golden ratio.
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let hash = key.wrapping_mul(FACTOR) >> (u64::BITS - LOG);
        match self.0.get_mut(hash as usize) {
            Some(last) => std::mem::replace(last, place as u32) as usize,
            None => place,
        }
    }
}

/// The eight bytes at a place.
fn key(bytes: &[u8], place: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(place..)?.first_chunk()?))
}

/// The number of equal bytes from each of two places on.
fn common(bytes: &[u8], one: usize, other: usize) -> usize {
    let one = bytes.get(one..).unwrap_or_default();
    let other = bytes.get(other..).unwrap_or_default();
    let (words, _) = one.as_chunks::<8>();
    let (other_words, _) = other.as_chunks::<8>();
    let mut length = 0;
    for (word, other_word) in words.iter().zip(other_words) {
        let difference = u64::from_le_bytes(*word) ^ u64::from_le_bytes(*other_word);
        if difference != 0 {
            return length + (difference.trailing_zeros() / u8::BITS) as usize;
        }
        length += word.len();
    }
    let rest = one.get(length..).unwrap_or_default();
    let other_rest = other.get(length..).unwrap_or_default();
    length + rest.iter().zip(other_rest).take_while(|(byte, other)| byte == other).count()
}
