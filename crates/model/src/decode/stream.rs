//! JSON lists that are decoded while they are read, so that no file has to fit into memory.
//!
//! The items of a long list are decoded in rounds of a few megabytes: while all threads decode one,
//! the next is read. The rest of a round is the beginning of an item, which the next one completes.
//! Everything except the items of long lists is short, and is decoded as a whole.

use memchr::{memchr_iter, memrchr};
use serde::de::IgnoredAny;
use serde_json::Deserializer;

use super::error::{DecodeError, REFUSED, Shift, TOO_MANY, TextPlace};
use super::format::{self, JSON_SPACE};
use super::item::ListOf;
use super::parallel_list::{self, Decoding};
use super::{MOST_OBJECTS, json, yaml};
use crate::snapshot::Sink;

/// Bytes of a round: enough chunks to keep several threads busy.
const ROUND_BYTES: usize = 4 << 20;
/// Space before a round for the beginning of an item; most are smaller, and longer ones are moved.
const GAP_BYTES: usize = 128 << 10;

/// Enough bytes to recognize a list.
const BEGINNING_BYTES: usize = 8 << 10;

pub trait ByteSource: Send {
    /// Appends up to `most` bytes to `buffer`, and fewer only at the end of the text.
    ///
    /// # Errors
    /// The problem, in one line.
    fn read(&mut self, buffer: &mut Vec<u8>, most: usize) -> Result<(), String>;
}

/// The result of streaming a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Streamed {
    /// All its objects went to the sink.
    Decoded,
    /// It is short, or does not begin as a list whose items can be decoded one by one. These bytes
    /// have been read, and nothing was decoded.
    Untouched(Vec<u8>),
}

/// Decodes the text of `source`, whose `origin` is named in errors, while it is read.
///
/// # Errors
/// [`DecodeError`] when the text cannot be read, or is not JSON.
pub fn decode_stream(
    source: &mut dyn ByteSource,
    origin: &str,
    sink: &mut dyn Sink,
) -> Result<Streamed, DecodeError> {
    decode_in_rounds(source, origin, Sizes { round: ROUND_BYTES, chunk: ROUND_BYTES / 8 }, sink)
}

/// Number of bytes read at a time, and decoded by one task.
#[derive(Clone, Copy)]
struct Sizes {
    round: usize,
    chunk: usize,
}

fn decode_in_rounds(
    source: &mut dyn ByteSource,
    origin: &str,
    sizes: Sizes,
    sink: &mut dyn Sink,
) -> Result<Streamed, DecodeError> {
    let mut text = Text {
        source,
        origin,
        sizes,
        buffer: Vec::new(),
        first: 0,
        start: 0,
        read: Position::default(),
        line_start: 0,
        ahead: None,
        spare: Vec::new(),
        has_ended: false,
        skipped: 0,
    };
    text.read_on()?;
    let Some(begin) = text.beginning() else {
        return Ok(Streamed::Untouched(text.buffer.split_off(text.start)));
    };
    // Positions are counted from the first bracket, after a byte order mark and white space.
    text.consume(begin);
    text.first = text.start;
    text.skipped = text.read.bytes - text.rest().len();
    text.read = Position::of(text.rest());
    loop {
        let Some(list) = text.list() else {
            // After the first of several lists, something else follows.
            return text.decode_rest("", sink).map(|()| Streamed::Decoded);
        };
        if decode_list(&mut text, &list, sink)? == Next::Nothing {
            return Ok(Streamed::Decoded);
        }
        // The beginning of the next document shows whether it is a list.
        while text.rest().len() < BEGINNING_BYTES && !text.is_complete() {
            text.read_on()?;
        }
    }
}

/// A list whose items are decoded one by one.
struct List {
    /// Its text up to the bracket before the items.
    head: String,
    items: ListOf,
}

/// What follows a list.
#[derive(PartialEq, Eq)]
enum Next {
    /// Another document.
    Document,
    Nothing,
}

/// Decodes a list up to its end.
fn decode_list(text: &mut Text, list: &List, sink: &mut dyn Sink) -> Result<Next, DecodeError> {
    text.consume(list.head.len());
    let mut objects = 0;
    loop {
        // The last round may have ended between two items.
        text.skip_space()?;
        let decoding = text.round(&list.items, sink)?;
        objects += decoding.objects;
        if objects > MOST_OBJECTS {
            return Err(DecodeError::new(text.origin, TOO_MANY.trim_start_matches(REFUSED)));
        }
        if decoding.is_closed {
            break;
        }
        // The last item is incomplete, not an object, or not even JSON. The first one shows how the
        // list must be read.
        let problem = text.problem_of_item(objects > 0)?;
        if let (true, Some(problem)) = (objects > 0, &problem) {
            return Err(problem.clone());
        }
        if problem.is_some() || text.is_complete() || !text.may_be_object() {
            return text.decode_rest(&list.head, sink).map(|()| Next::Nothing);
        }
        text.read_on()?;
    }
    // What follows the items may define their kind. It is decoded as the list without them.
    loop {
        let joined = text.joined(&list.head)?;
        let mut documents = Deserializer::from_str(&joined).into_iter::<IgnoredAny>();
        match documents.next() {
            Some(Ok(_)) => {
                let end = documents.byte_offset();
                let document = joined.get(..end).unwrap_or_default();
                json::decode_part(document, text.origin, text.shift(&list.head), sink)?;
                text.consume(end.saturating_sub(list.head.len()));
                text.skip_space()?;
                return Ok(if text.rest().is_empty() { Next::Nothing } else { Next::Document });
            }
            Some(Err(problem)) if problem.is_eof() && !text.is_complete() => text.read_on()?,
            Some(Err(_)) | None => {
                return text.decode_rest(&list.head, sink).map(|()| Next::Nothing);
            }
        }
    }
}

/// How far a text has been read.
#[derive(Debug, Default, Clone, Copy)]
struct Position {
    /// All bytes so far.
    bytes: usize,
    /// The line feeds among them.
    lines: usize,
    /// Where the last line begins.
    line_start: usize,
}

impl Position {
    /// The position after these bytes.
    fn of(bytes: &[u8]) -> Self {
        let lines = memchr_iter(b'\n', bytes).count();
        let last = memrchr(b'\n', bytes);
        Self { bytes: bytes.len(), lines, line_start: last.map_or(0, |last| last + 1) }
    }

    /// The position `more` bytes further on.
    fn then(self, more: Self) -> Self {
        Self {
            bytes: self.bytes + more.bytes,
            lines: self.lines + more.lines,
            line_start: if more.lines == 0 {
                self.line_start
            } else {
                self.bytes + more.line_start
            },
        }
    }
}

/// What was read while the previous round was decoded: bytes after a gap of [`GAP_BYTES`].
struct Ahead {
    buffer: Vec<u8>,
    length: Position,
}

/// A text that is partly in memory.
struct Text<'s> {
    source: &'s mut dyn ByteSource,
    origin: &'s str,
    sizes: Sizes,
    /// What was read last, starting at `first`; what follows `start` is yet to be decoded.
    buffer: Vec<u8>,
    first: usize,
    start: usize,
    /// The end of the buffer in the whole text.
    read: Position,
    /// The start of the line in which the buffer begins.
    line_start: usize,
    /// What follows the buffer, if it has been read already.
    ahead: Option<Ahead>,
    /// Memory for what is read next.
    spare: Vec<u8>,
    /// Whether nothing is left to be read.
    has_ended: bool,
    /// Bytes before the first document, which are not counted otherwise.
    skipped: usize,
}

impl Text<'_> {
    /// The part yet to be decoded.
    fn rest(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    fn consume(&mut self, bytes: usize) {
        self.start = (self.start + bytes).min(self.buffer.len());
    }

    /// Whether the buffer has the whole rest of the text.
    fn is_complete(&self) -> bool {
        self.has_ended && self.ahead.is_none()
    }

    /// The rest up to its last complete character.
    fn text(&self) -> Result<&str, DecodeError> {
        let rest = self.rest();
        let problem = match std::str::from_utf8(rest) {
            Ok(text) => return Ok(text),
            Err(problem) => problem,
        };
        let valid = problem.valid_up_to();
        if problem.error_len().is_none() && !self.is_complete() {
            return Ok(std::str::from_utf8(rest.get(..valid).unwrap_or_default()).unwrap_or(""));
        }
        let place = self.skipped + self.read.bytes - rest.len() + valid;
        Err(DecodeError::new(self.origin, format!("not text: byte {place} is not UTF-8")))
    }

    /// Where the first document begins, if it is a list that is decoded while it is read.
    fn beginning(&self) -> Option<usize> {
        if self.has_ended {
            return None;
        }
        let text = self.text().ok()?;
        let body = text.trim_start_matches('\u{feff}').trim_start_matches(JSON_SPACE);
        parallel_list::find_list(body).map(|_| text.len() - body.len())
    }

    /// The list that begins here.
    fn list(&self) -> Option<List> {
        let text = self.text().ok()?;
        let (open, items) = parallel_list::find_list(text)?;
        Some(List { head: text.get(..open)?.to_owned(), items })
    }

    /// The position of the rest in the whole text.
    fn place(&self) -> TextPlace {
        let rest = Position::of(self.rest());
        let begin = self.read.bytes - rest.bytes;
        let line_start = if rest.lines == 0 {
            self.read.line_start
        } else {
            let consumed = self.buffer.get(self.first..self.start).unwrap_or_default();
            let last = memrchr(b'\n', consumed);
            last.map_or(self.line_start, |last| begin - (consumed.len() - last - 1))
        };
        TextPlace {
            line: self.read.lines - rest.lines + 1,
            column: begin.saturating_sub(line_start),
        }
    }

    /// Translates positions in `head` plus the rest to those in the whole text.
    fn shift(&self, head: &str) -> Shift {
        Shift { joint: TextPlace::end_of(head), whole: self.place() }
    }

    /// Appends what follows to the buffer.
    fn read_on(&mut self) -> Result<(), DecodeError> {
        let carried = self.buffer.len() - self.start;
        let TextPlace { column, .. } = self.place();
        self.line_start = (self.read.bytes - carried).saturating_sub(column);
        let Ahead { mut buffer, length } = if let Some(ahead) = self.ahead.take() {
            ahead
        } else {
            let spare = std::mem::take(&mut self.spare);
            let most = self.sizes.round.max(carried);
            let ahead = read_ahead(self.source, spare, most, &mut self.has_ended);
            ahead.map_err(|problem| DecodeError::new(self.origin, problem))?
        };
        // The rest of the previous round is put in front of the new one, where space is reserved
        // for it.
        if let Some(start) = GAP_BYTES.checked_sub(carried) {
            if let Some(gap) = buffer.get_mut(start..GAP_BYTES) {
                gap.copy_from_slice(self.buffer.get(self.start..).unwrap_or_default());
            }
            (self.spare, self.buffer) = (std::mem::take(&mut self.buffer), buffer);
            self.start = start;
        } else {
            self.buffer.drain(..self.start);
            self.buffer.extend_from_slice(buffer.get(GAP_BYTES..).unwrap_or_default());
            (self.start, self.spare) = (0, buffer);
        }
        self.first = self.start;
        self.read = self.read.then(length);
        Ok(())
    }

    /// Decodes the items at the beginning of the rest, while reading ahead.
    fn round(&mut self, list: &ListOf, sink: &mut dyn Sink) -> Result<Decoding, DecodeError> {
        let mut ahead = None;
        let spare = std::mem::take(&mut self.spare);
        let (mut has_ended, most) = (self.has_ended, self.sizes.round);
        let reads_ahead = !has_ended && self.ahead.is_none() && rayon::current_num_threads() > 1;
        let text = self.text()?.len();
        let Self { source, buffer, start, sizes, .. } = self;
        let body = buffer.get(*start..*start + text).unwrap_or_default();
        // This has just been checked to be text.
        let body = std::str::from_utf8(body).unwrap_or_default();
        let decoding = rayon::in_place_scope(|scope| {
            if reads_ahead {
                let (ahead, has_ended) = (&mut ahead, &mut has_ended);
                scope.spawn(move |_| *ahead = Some(read_ahead(*source, spare, most, has_ended)));
            }
            parallel_list::decode_chunks(body, 0, sizes.chunk, list, sink)
        });
        self.has_ended = has_ended;
        if let Some(ahead) = ahead {
            self.ahead = Some(ahead.map_err(|problem| DecodeError::new(self.origin, problem))?);
        }
        self.consume(decoding.end);
        Ok(decoding)
    }

    /// Whether the rest begins as an object, or has not been read yet.
    fn may_be_object(&self) -> bool {
        self.rest().first().is_none_or(|byte| *byte == b'{')
    }

    /// The problem with the item at the beginning of the rest; `None` if it is incomplete. After a
    /// comma there must be an item.
    fn problem_of_item(&self, is_behind_comma: bool) -> Result<Option<DecodeError>, DecodeError> {
        let before = if is_behind_comma { "[0," } else { "[" };
        let list = [before, self.text()?].concat();
        let shift = self.shift(before);
        // What follows the list does not concern the item.
        Ok(match Deserializer::from_str(&list).into_iter::<IgnoredAny>().next() {
            Some(Err(problem)) if !problem.is_eof() => {
                Some(DecodeError::json(self.origin, "", shift, &problem))
            }
            Some(_) | None => None,
        })
    }

    /// Skips white space.
    fn skip_space(&mut self) -> Result<(), DecodeError> {
        // Whether all of a round is text need not be known where an item begins.
        if self.rest().first().is_some_and(u8::is_ascii_graphic) {
            return Ok(());
        }
        loop {
            let text = self.text()?;
            let rest = text.trim_start_matches(JSON_SPACE);
            let (space, is_empty) = (text.len() - rest.len(), rest.is_empty());
            self.consume(space);
            if !is_empty || self.is_complete() {
                return Ok(());
            }
            self.read_on()?;
        }
    }

    /// A text of `head` and the rest.
    fn joined(&self, head: &str) -> Result<String, DecodeError> {
        Ok([head, self.text()?].concat())
    }

    /// Decodes a text of `head` and all that is left.
    fn decode_rest(&mut self, head: &str, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        while !self.is_complete() {
            self.read_on()?;
        }
        let rest = self.joined(head)?;
        // After a YAML separator everything is YAML, as when the text is decoded as a whole.
        if head.is_empty() && format::begins_with_separator(&rest) {
            return yaml::decode(&rest, self.origin, sink);
        }
        json::decode_part(&rest, self.origin, self.shift(head), sink)
    }
}

/// Reads up to `most` bytes, and notes whether the text ends with them.
fn read_ahead(
    source: &mut dyn ByteSource,
    mut buffer: Vec<u8>,
    most: usize,
    has_ended: &mut bool,
) -> Result<Ahead, String> {
    buffer.resize(GAP_BYTES, 0);
    buffer.reserve_exact(most);
    source.read(&mut buffer, most)?;
    let length = Position::of(buffer.get(GAP_BYTES..).unwrap_or_default());
    *has_ended = length.bytes < most;
    Ok(Ahead { buffer, length })
}

#[cfg(test)]
mod tests;
