//! The tokens of a YAML 1.1 text, as found by libyaml and therefore by go-yaml, with which kubectl
//! reads: where these are more lenient or stricter than YAML, so is this.
//!
//! A key without `?` is recognized only by the colon after it. So the position at which one may
//! begin is kept, one per level of brackets, and the tokens of the key and of its object are
//! inserted there once the colon comes. Until then no token after that position is handed out.
//!
//! Upstream: `scannerc.go` of go.yaml.in/yaml/v2 (2.4).

use std::borrow::Cow;
use std::collections::VecDeque;

/// Maximum distance of a key's colon from its beginning, in characters.
const LONGEST_KEY: usize = 1024;
/// Maximum nesting depth of values.
pub(super) const MAX_DEPTH: usize = 500;

/// The text is not one that kubectl reads.
#[derive(Debug)]
pub(super) struct RefusedYaml;

/// A step that may find that kubectl rejects the text.
pub(super) type Step<T> = Result<T, RefusedYaml>;

/// A position in the text. Line, column and character are counted from 0.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mark {
    offset: usize,
    character: usize,
    pub line: usize,
    pub column: i64,
}

#[derive(Debug)]
pub(super) enum YamlToken<'t> {
    End,
    /// `%YAML`, with this version or another one.
    Version {
        is_1_1: bool,
    },
    /// `%TAG`
    TagHandle {
        handle: String,
        prefix: String,
    },
    DocumentStart,
    DocumentEnd,
    BlockSequence,
    BlockMapping,
    BlockEnd,
    FlowSequence,
    FlowSequenceEnd,
    FlowMapping,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'t str),
    Anchor(&'t str),
    Tag {
        handle: String,
        suffix: String,
    },
    Scalar {
        text: Cow<'t, str>,
        is_plain: bool,
    },
}

/// A token, and where it begins.
#[derive(Debug)]
pub(super) struct PlacedToken<'t> {
    pub place: Mark,
    pub token: YamlToken<'t>,
}

/// A position at which a key may begin.
#[derive(Debug, Clone, Copy, Default)]
struct PossibleKey {
    is_possible: bool,
    /// Whether later tokens are held back meanwhile. go-yaml forgets that empty brackets may be a
    /// key.
    is_held: bool,
    /// Whether only a key can be here.
    is_required: bool,
    /// The number of its first token.
    token: usize,
    place: Mark,
}

/// Line breaks in folded text: the first of them, and those of empty lines.
#[derive(Default)]
struct Breaks<'t> {
    first: &'t str,
    more: String,
}

impl Breaks<'_> {
    /// Appends what they mean in the text: a space, the empty lines, or all of them if the first
    /// one separates paragraphs.
    fn fold_into(&mut self, text: &mut String) {
        match (self.first, self.more.as_str()) {
            ("\n", "") => text.push(' '),
            ("\n", more) => text.push_str(more),
            (first, more) => text.extend([first, more]),
        }
        *self = Self::default();
    }
}

/// What is kept of the end of a block of text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

pub(super) struct Scanner<'t> {
    text: &'t str,
    place: Mark,
    queue: VecDeque<PlacedToken<'t>>,
    /// How many tokens have been handed out.
    taken: usize,
    /// The column of the innermost block, -1 outside of all, and those of the blocks around it.
    indent: i64,
    outer: Vec<i64>,
    /// Where a key may begin, outside of brackets and in each level of them.
    keys: Vec<PossibleKey>,
    /// Whether a key may begin here.
    allows_key: bool,
}

impl<'t> Scanner<'t> {
    /// The tokens of one document and of what follows it.
    pub(super) fn new(text: &'t str) -> Step<Self> {
        if has_control_characters(text.as_bytes()) {
            return Err(RefusedYaml);
        }
        Ok(Self {
            text,
            place: Mark::default(),
            queue: VecDeque::new(),
            taken: 0,
            indent: -1,
            outer: Vec::new(),
            keys: vec![PossibleKey::default()],
            allows_key: true,
        })
    }

    /// The next token.
    pub(super) fn peek(&mut self) -> Step<&PlacedToken<'t>> {
        while self.queue.is_empty() || self.may_be_in_key()? {
            self.scan()?;
        }
        self.queue.front().ok_or(RefusedYaml)
    }

    /// Takes the next token.
    pub(super) fn take(&mut self) -> Step<PlacedToken<'t>> {
        self.peek()?;
        self.taken += 1;
        self.queue.pop_front().ok_or(RefusedYaml)
    }

    /// Whether a colon may still turn what the next token begins into a key.
    fn may_be_in_key(&mut self) -> Step<bool> {
        let taken = self.taken;
        match self.keys.iter().position(|key| key.is_held && key.is_possible && key.token == taken)
        {
            Some(level) => self.is_still_possible(level),
            None => Ok(false),
        }
    }

    /// Whether the key that may begin on this level of brackets is still possible: it must be on
    /// one line.
    fn is_still_possible(&mut self, level: usize) -> Step<bool> {
        let at = self.place;
        let Some(key) = self.keys.get_mut(level).filter(|key| key.is_possible) else {
            return Ok(false);
        };
        if key.place.line == at.line && at.character <= key.place.character + LONGEST_KEY {
            return Ok(true);
        }
        key.is_possible = false;
        if key.is_required { Err(RefusedYaml) } else { Ok(false) }
    }

    /// Records that a key may begin here, if one is allowed.
    fn save_key(&mut self) -> Step<()> {
        if self.allows_key {
            let is_required = !self.is_in_brackets() && self.indent == self.place.column;
            let token = self.taken + self.queue.len();
            self.remove_key()?;
            if let Some(last) = self.keys.last_mut() {
                *last = PossibleKey {
                    is_possible: true,
                    is_held: true,
                    is_required,
                    token,
                    place: self.place,
                };
            }
        }
        Ok(())
    }

    /// A possible key turned out not to be one.
    fn remove_key(&mut self) -> Step<()> {
        match self.keys.last_mut().filter(|key| key.is_possible) {
            Some(key) if key.is_required => Err(RefusedYaml),
            Some(key) => {
                key.is_possible = false;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn is_in_brackets(&self) -> bool {
        self.keys.len() > 1
    }

    fn push(&mut self, place: Mark, token: YamlToken<'t>) {
        self.queue.push_back(PlacedToken { place, token });
    }

    /// Inserts a token before the one with this number, or at the end if that was already handed
    /// out.
    fn insert(&mut self, before: Option<usize>, place: Mark, token: YamlToken<'t>) {
        let at =
            before.and_then(|number| number.checked_sub(self.taken)).unwrap_or(self.queue.len());
        self.queue.insert(at.min(self.queue.len()), PlacedToken { place, token });
    }

    /// Begins a block at this column, unless one is open there. The token goes before the one with
    /// that number, or last.
    fn begin_block(
        &mut self,
        place: Mark,
        before: Option<usize>,
        token: YamlToken<'t>,
    ) -> Step<()> {
        if self.is_in_brackets() || self.indent >= place.column {
            return Ok(());
        }
        if self.outer.len() >= MAX_DEPTH {
            return Err(RefusedYaml);
        }
        self.outer.push(self.indent);
        self.indent = place.column;
        self.insert(before, place, token);
        Ok(())
    }

    /// Ends the blocks that are indented further than this column.
    fn end_blocks(&mut self, column: i64) {
        while !self.is_in_brackets() && self.indent > column {
            self.push(self.place, YamlToken::BlockEnd);
            self.indent = self.outer.pop().unwrap_or(-1);
        }
    }

    /// Scans the next token.
    fn scan(&mut self) -> Step<()> {
        self.skip_to_token();
        self.end_blocks(self.place.column);
        if self.is_at_end() {
            return self.end();
        }
        // Directives and the marks between documents stand only at the start of a line.
        let first = self.byte(0);
        if self.place.column == 0 {
            match first {
                b'%' => return self.directive(),
                b'-' if self.is_mark(b'-') => return self.mark(YamlToken::DocumentStart),
                b'.' if self.is_mark(b'.') => return self.mark(YamlToken::DocumentEnd),
                _ => {}
            }
        }
        let begins = self.is_in_brackets() || self.is_gap(1);
        match first {
            b'[' => self.open_bracket(YamlToken::FlowSequence),
            b'{' => self.open_bracket(YamlToken::FlowMapping),
            b']' => self.close_bracket(YamlToken::FlowSequenceEnd),
            b'}' => self.close_bracket(YamlToken::FlowMappingEnd),
            b',' => self.flow_entry(),
            b'-' if self.is_gap(1) => self.block_entry(),
            b'?' if begins => self.key(),
            b':' if begins => self.value(),
            b'*' | b'&' => self.anchor(first == b'&'),
            b'!' => self.tag(),
            b'|' | b'>' if !self.is_in_brackets() => self.block_scalar(first == b'|'),
            b'\'' | b'"' => self.quoted(first),
            _ if self.begins_plain(first) => self.plain(),
            _ => Err(RefusedYaml),
        }
    }

    /// Whether unquoted text may begin here.
    fn begins_plain(&self, first: u8) -> bool {
        match first {
            b'-' => !is_blank(self.byte(1)),
            b'?' | b':' => !self.is_in_brackets() && !self.is_gap(1),
            b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\''
            | b'"' | b'%' | b'@' | b'`' => false,
            _ => !self.is_gap(0),
        }
    }

    /// Skips white space and comments. Tabs are not allowed where a key may begin.
    fn skip_to_token(&mut self) {
        loop {
            while self.byte(0) == b' '
                || self.byte(0) == b'\t' && (self.is_in_brackets() || !self.allows_key)
            {
                self.skip();
            }
            self.skip_comment();
            if self.break_length(0) == 0 {
                return;
            }
            self.take_break();
            if !self.is_in_brackets() {
                self.allows_key = true;
            }
        }
    }

    fn skip_comment(&mut self) {
        if self.byte(0) == b'#' {
            while !self.is_at_break() {
                self.skip();
            }
        }
    }

    fn end(&mut self) -> Step<()> {
        self.end_blocks(-1);
        self.remove_key()?;
        self.allows_key = false;
        self.push(self.place, YamlToken::End);
        Ok(())
    }

    fn mark(&mut self, token: YamlToken<'t>) -> Step<()> {
        self.end_blocks(-1);
        self.remove_key()?;
        self.allows_key = false;
        let place = self.place;
        self.advance(3);
        self.push(place, token);
        Ok(())
    }

    fn open_bracket(&mut self, token: YamlToken<'t>) -> Step<()> {
        self.save_key()?;
        if self.keys.len() > MAX_DEPTH {
            return Err(RefusedYaml);
        }
        let token_number = self.taken + self.queue.len();
        self.keys.push(PossibleKey { token: token_number, ..PossibleKey::default() });
        self.allows_key = true;
        self.one(token);
        Ok(())
    }

    fn close_bracket(&mut self, token: YamlToken<'t>) -> Step<()> {
        self.remove_key()?;
        if self.is_in_brackets()
            && let Some(inner) = self.keys.pop()
            && let Some(outer) = self.keys.iter_mut().find(|key| key.token == inner.token)
        {
            outer.is_held = false;
        }
        self.allows_key = false;
        self.one(token);
        Ok(())
    }

    fn flow_entry(&mut self) -> Step<()> {
        self.remove_key()?;
        self.allows_key = true;
        self.one(YamlToken::FlowEntry);
        Ok(())
    }

    /// Begins `block` before one of its entries, unless it has begun, or the entry is in brackets.
    fn begin_entry(&mut self, block: YamlToken<'t>) -> Step<()> {
        if !self.is_in_brackets() {
            if !self.allows_key {
                return Err(RefusedYaml);
            }
            self.begin_block(self.place, None, block)?;
        }
        Ok(())
    }

    fn block_entry(&mut self) -> Step<()> {
        self.begin_entry(YamlToken::BlockSequence)?;
        self.remove_key()?;
        self.allows_key = true;
        self.one(YamlToken::BlockEntry);
        Ok(())
    }

    fn key(&mut self) -> Step<()> {
        self.begin_entry(YamlToken::BlockMapping)?;
        self.remove_key()?;
        self.allows_key = !self.is_in_brackets();
        self.one(YamlToken::Key);
        Ok(())
    }

    /// A colon: a possible key becomes one.
    fn value(&mut self) -> Step<()> {
        let level = self.keys.len() - 1;
        if self.is_still_possible(level)? {
            let key = self.keys.get(level).copied().unwrap_or_default();
            self.insert(Some(key.token), key.place, YamlToken::Key);
            self.begin_block(key.place, Some(key.token), YamlToken::BlockMapping)?;
            if let Some(key) = self.keys.get_mut(level) {
                key.is_possible = false;
            }
            self.allows_key = false;
            self.one(YamlToken::Value);
            return Ok(());
        }
        self.begin_entry(YamlToken::BlockMapping)?;
        self.allows_key = !self.is_in_brackets();
        self.one(YamlToken::Value);
        Ok(())
    }

    /// A token of one character.
    fn one(&mut self, token: YamlToken<'t>) {
        let place = self.place;
        self.skip();
        self.push(place, token);
    }

    fn anchor(&mut self, is_anchor: bool) -> Step<()> {
        self.save_key()?;
        self.allows_key = false;
        let place = self.place;
        self.skip();
        let name = self.word();
        let ends = self.is_gap(0) || b"?:,]}%@`".contains(&self.byte(0));
        if name.is_empty() || !ends {
            return Err(RefusedYaml);
        }
        self.push(place, if is_anchor { YamlToken::Anchor(name) } else { YamlToken::Alias(name) });
        Ok(())
    }

    /// Letters, digits, `_` and `-`.
    fn word(&mut self) -> &'t str {
        let start = self.place.offset;
        while self.byte(0).is_ascii_alphanumeric() || matches!(self.byte(0), b'_' | b'-') {
            self.skip();
        }
        self.slice(start, self.place.offset)
    }
}

impl<'t> Scanner<'t> {
    fn directive(&mut self) -> Step<()> {
        self.end_blocks(-1);
        self.remove_key()?;
        self.allows_key = false;
        let place = self.place;
        self.skip();
        let name = self.word();
        if !self.is_gap(0) {
            return Err(RefusedYaml);
        }
        self.skip_blanks();
        let token = match name {
            "YAML" => {
                let major = self.version_number()?;
                if self.byte(0) != b'.' {
                    return Err(RefusedYaml);
                }
                self.skip();
                YamlToken::Version { is_1_1: (major, self.version_number()?) == (1, 1) }
            }
            "TAG" => {
                let handle = self.tag_handle()?.to_owned();
                if handle != "!" && !handle.ends_with('!') || !is_blank(self.byte(0)) {
                    return Err(RefusedYaml);
                }
                self.skip_blanks();
                let prefix = self.tag_uri("")?;
                if prefix.is_empty() || !self.is_gap(0) {
                    return Err(RefusedYaml);
                }
                YamlToken::TagHandle { handle, prefix }
            }
            _ => return Err(RefusedYaml),
        };
        self.skip_rest_of_line()?;
        self.push(place, token);
        Ok(())
    }

    /// One or two digits.
    fn version_number(&mut self) -> Step<u32> {
        let start = self.place.offset;
        while self.byte(0).is_ascii_digit() {
            self.skip();
        }
        let digits = self.slice(start, self.place.offset);
        if digits.len() > 2 { Err(RefusedYaml) } else { digits.parse().map_err(|_| RefusedYaml) }
    }

    fn skip_blanks(&mut self) {
        while is_blank(self.byte(0)) {
            self.skip();
        }
    }

    /// Only a comment may follow on this line.
    fn skip_rest_of_line(&mut self) -> Step<()> {
        self.skip_blanks();
        self.skip_comment();
        if !self.is_at_break() {
            return Err(RefusedYaml);
        }
        if !self.is_at_end() {
            self.take_break();
        }
        Ok(())
    }

    fn tag(&mut self) -> Step<()> {
        self.save_key()?;
        self.allows_key = false;
        let place = self.place;
        let (handle, suffix) = if self.byte(1) == b'<' {
            self.advance(2);
            let suffix = self.tag_uri("")?;
            if suffix.is_empty() || self.byte(0) != b'>' {
                return Err(RefusedYaml);
            }
            self.skip();
            (String::new(), suffix)
        } else {
            self.short_tag()?
        };
        if !self.is_gap(0) {
            return Err(RefusedYaml);
        }
        self.push(place, YamlToken::Tag { handle, suffix });
        Ok(())
    }

    /// Handle and suffix of `!!int`, `!e!x`, `!x` or `!`.
    fn short_tag(&mut self) -> Step<(String, String)> {
        let handle = self.tag_handle()?;
        if handle.len() > 1 && handle.ends_with('!') {
            let suffix = self.tag_uri("")?;
            return if suffix.is_empty() {
                Err(RefusedYaml)
            } else {
                Ok((handle.to_owned(), suffix))
            };
        }
        let suffix = self.tag_uri(handle.get(1..).unwrap_or_default())?;
        Ok(if suffix.is_empty() { (suffix, "!".to_owned()) } else { ("!".to_owned(), suffix) })
    }

    fn tag_handle(&mut self) -> Step<&'t str> {
        if self.byte(0) != b'!' {
            return Err(RefusedYaml);
        }
        let start = self.place.offset;
        self.skip();
        self.word();
        if self.byte(0) == b'!' {
            self.skip();
        }
        Ok(self.slice(start, self.place.offset))
    }

    /// `head` and what follows of a tag.
    fn tag_uri(&mut self, head: &str) -> Step<String> {
        let mut uri = head.as_bytes().to_vec();
        loop {
            match self.byte(0) {
                b'%' => {
                    let digits = self.slice(self.place.offset + 1, self.place.offset + 3);
                    uri.push(u8::from_str_radix(digits, 16).map_err(|_| RefusedYaml)?);
                    self.advance(3);
                }
                c if c.is_ascii_alphanumeric() || b"_-;/?:@&=+$,.!~*'()[]".contains(&c) => {
                    uri.push(c);
                    self.skip();
                }
                _ => return String::from_utf8(uri).map_err(|_| RefusedYaml),
            }
        }
    }

    /// Unquoted text.
    fn plain(&mut self) -> Step<()> {
        self.save_key()?;
        self.allows_key = false;
        let place = self.place;
        let indent = self.indent + 1;
        // The text of previous lines, and where the part on this line begins and ends.
        let (mut folded, mut start, mut end) = (String::new(), place.offset, place.offset);
        let (mut breaks, mut is_new_line) = (Breaks::default(), false);
        loop {
            if self.is_at_mark() || self.byte(0) == b'#' {
                break;
            }
            if !self.ends_plain() {
                if is_new_line {
                    folded.push_str(self.slice(start, end));
                    breaks.fold_into(&mut folded);
                    (start, is_new_line) = (self.place.offset, false);
                }
                while !self.ends_plain() {
                    self.skip();
                }
                end = self.place.offset;
            }
            if !is_blank(self.byte(0)) && self.break_length(0) == 0 {
                break;
            }
            while is_blank(self.byte(0)) || self.break_length(0) > 0 {
                if is_blank(self.byte(0)) {
                    // A tab must not indent the next line.
                    if is_new_line && self.place.column < indent && self.byte(0) == b'\t' {
                        return Err(RefusedYaml);
                    }
                    self.skip();
                } else if is_new_line {
                    let broken = self.take_break();
                    breaks.more.push_str(broken);
                } else {
                    breaks.first = self.take_break();
                    is_new_line = true;
                }
            }
            if !self.is_in_brackets() && self.place.column < indent {
                break;
            }
        }
        if is_new_line {
            self.allows_key = true;
        }
        let last = self.slice(start, end);
        let text = if folded.is_empty() { Cow::Borrowed(last) } else { Cow::Owned(folded + last) };
        self.push(place, YamlToken::Scalar { text, is_plain: true });
        Ok(())
    }

    /// Whether unquoted text, or this part of it, ends here.
    fn ends_plain(&self) -> bool {
        match self.byte(0) {
            b':' => self.is_gap(1),
            b',' | b'?' | b'[' | b']' | b'{' | b'}' => self.is_in_brackets(),
            _ => self.is_gap(0),
        }
    }

    fn quoted(&mut self, quote: u8) -> Step<()> {
        self.save_key()?;
        self.allows_key = false;
        let place = self.place;
        self.skip();
        let text = match self.quoted_as_it_is(quote) {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.quoted_lines(quote)?),
        };
        self.skip();
        self.push(place, YamlToken::Scalar { text, is_plain: false });
        Ok(())
    }

    /// A quoted text on one line without escapes, up to its quotation mark.
    fn quoted_as_it_is(&mut self, quote: u8) -> Option<&'t str> {
        let rest = self.text.as_bytes().get(self.place.offset..)?;
        let length = rest.iter().position(|c| {
            *c == quote || matches!(c, b'\n' | b'\r' | 0xC2 | 0xE2) || *c == b'\\' && quote == b'"'
        })?;
        let is_end = rest.get(length) == Some(&quote)
            && (quote == b'"' || rest.get(length + 1) != Some(&quote));
        if !is_end {
            return None;
        }
        let start = self.place.offset;
        self.advance(length);
        Some(self.slice(start, start + length))
    }

    fn quoted_lines(&mut self, quote: u8) -> Step<String> {
        let mut text = String::new();
        loop {
            if self.is_at_end() || self.is_at_mark() {
                return Err(RefusedYaml);
            }
            let mut is_new_line = self.quoted_part(quote, &mut text)?;
            if self.byte(0) == quote {
                return Ok(text);
            }
            // A single break becomes a space, and of several the first is dropped. Blanks at the ends
            // of lines are dropped, too.
            let (start, mut end, mut breaks) =
                (self.place.offset, self.place.offset, Breaks::default());
            while is_blank(self.byte(0)) || self.break_length(0) > 0 {
                if is_blank(self.byte(0)) {
                    self.skip();
                    end = if is_new_line { end } else { self.place.offset };
                } else if is_new_line {
                    let broken = self.take_break();
                    breaks.more.push_str(broken);
                } else {
                    breaks.first = self.take_break();
                    is_new_line = true;
                }
            }
            if is_new_line {
                breaks.fold_into(&mut text);
            } else {
                text.push_str(self.slice(start, end));
            }
        }
    }

    /// The text up to the next white space or the end. Returns whether a backslash at the end of a
    /// line joins the next one.
    fn quoted_part(&mut self, quote: u8, text: &mut String) -> Step<bool> {
        while !self.is_gap(0) {
            match self.byte(0) {
                b'\'' if quote == b'\'' && self.byte(1) == b'\'' => {
                    text.push('\'');
                    self.advance(2);
                }
                c if c == quote => return Ok(false),
                b'\\' if quote == b'"' && self.break_length(1) > 0 => {
                    self.skip();
                    self.take_break();
                    return Ok(true);
                }
                b'\\' if quote == b'"' => text.push(self.escape()?),
                _ => {
                    let start = self.place.offset;
                    self.skip();
                    text.push_str(self.slice(start, self.place.offset));
                }
            }
        }
        Ok(false)
    }

    /// The character that an escape sequence represents.
    fn escape(&mut self) -> Step<char> {
        let (character, digits) = match self.byte(1) {
            b'0' => ('\0', 0),
            b'a' => ('\u{7}', 0),
            b'b' => ('\u{8}', 0),
            b't' | b'\t' => ('\t', 0),
            b'n' => ('\n', 0),
            b'v' => ('\u{b}', 0),
            b'f' => ('\u{c}', 0),
            b'r' => ('\r', 0),
            b'e' => ('\u{1b}', 0),
            c @ (b' ' | b'"' | b'\'' | b'\\') => (char::from(c), 0),
            b'N' => ('\u{85}', 0),
            b'_' => ('\u{a0}', 0),
            b'L' => ('\u{2028}', 0),
            b'P' => ('\u{2029}', 0),
            b'x' => ('\0', 2),
            b'u' => ('\0', 4),
            b'U' => ('\0', 8),
            _ => return Err(RefusedYaml),
        };
        self.advance(2);
        if digits == 0 {
            return Ok(character);
        }
        let code = self.slice(self.place.offset, self.place.offset + digits);
        if code.len() != digits || !code.bytes().all(|c| c.is_ascii_hexdigit()) {
            return Err(RefusedYaml);
        }
        let code = u32::from_str_radix(code, 16).map_err(|_| RefusedYaml)?;
        self.advance(digits);
        char::from_u32(code).ok_or(RefusedYaml)
    }

    /// A block of whole lines, literal or folded.
    fn block_scalar(&mut self, is_literal: bool) -> Step<()> {
        self.remove_key()?;
        self.allows_key = true;
        let place = self.place;
        self.skip();
        let (chomping, increment) = self.block_header()?;
        self.skip_rest_of_line()?;

        let mut indent = if increment == 0 { 0 } else { self.indent.max(0) + increment };
        let (mut text, mut first, mut more) = (String::new(), "", String::new());
        let mut is_indented_more = false;
        self.block_breaks(&mut indent, &mut more)?;
        while self.place.column == indent && !self.is_at_end() {
            // Lines that are indented further are not folded.
            let begins_blank = is_blank(self.byte(0));
            if !is_literal && !is_indented_more && !begins_blank && first == "\n" {
                if more.is_empty() {
                    text.push(' ');
                }
            } else {
                text.push_str(first);
            }
            text.push_str(&more);
            more.clear();
            is_indented_more = begins_blank;
            let start = self.place.offset;
            while !self.is_at_break() {
                self.skip();
            }
            text.push_str(self.slice(start, self.place.offset));
            first = if self.is_at_end() { "" } else { self.take_break() };
            self.block_breaks(&mut indent, &mut more)?;
        }
        if chomping != Chomping::Strip {
            text.push_str(first);
        }
        if chomping == Chomping::Keep {
            text.push_str(&more);
        }
        self.push(place, YamlToken::Scalar { text: Cow::Owned(text), is_plain: false });
        Ok(())
    }

    /// What follows `|` or `>`: how the end is chomped, and the indentation; 0 if the first line
    /// determines it.
    fn block_header(&mut self) -> Step<(Chomping, i64)> {
        let (mut chomping, mut increment) = (None, None);
        loop {
            match self.byte(0) {
                b'+' if chomping.is_none() => chomping = Some(Chomping::Keep),
                b'-' if chomping.is_none() => chomping = Some(Chomping::Strip),
                b'0' if increment.is_none() => return Err(RefusedYaml),
                c if c.is_ascii_digit() && increment.is_none() => {
                    increment = Some(i64::from(c - b'0'));
                }
                _ => return Ok((chomping.unwrap_or(Chomping::Clip), increment.unwrap_or(0))),
            }
            self.skip();
        }
    }

    /// Skips the indentation of the next line with text, and collects the breaks before it. That
    /// line determines the indentation if nothing else does.
    fn block_breaks(&mut self, indent: &mut i64, breaks: &mut String) -> Step<()> {
        let mut deepest = 0;
        loop {
            let is_indentation = |scanner: &Self| *indent == 0 || scanner.place.column < *indent;
            while is_indentation(self) && self.byte(0) == b' ' {
                self.skip();
            }
            deepest = deepest.max(self.place.column);
            if is_indentation(self) && self.byte(0) == b'\t' {
                return Err(RefusedYaml);
            }
            if self.break_length(0) == 0 {
                break;
            }
            let broken = self.take_break();
            breaks.push_str(broken);
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok(())
    }
}

impl<'t> Scanner<'t> {
    /// The byte at this distance; 0 past the end.
    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.place.offset + ahead).copied().unwrap_or(0)
    }

    fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn is_at_end(&self) -> bool {
        self.place.offset >= self.text.len()
    }

    /// Length of the line break at this distance; 0 if there is none.
    fn break_length(&self, ahead: usize) -> usize {
        match self.byte(ahead) {
            b'\r' if self.byte(ahead + 1) == b'\n' => 2,
            b'\r' | b'\n' => 1,
            0xC2 if self.byte(ahead + 1) == 0x85 => 2,
            0xE2 if self.byte(ahead + 1) == 0x80 && matches!(self.byte(ahead + 2), 0xA8 | 0xA9) => {
                3
            }
            _ => 0,
        }
    }

    /// Whether the line or the text ends here.
    fn is_at_break(&self) -> bool {
        self.is_at_end() || self.break_length(0) > 0
    }

    /// Whether a blank, a line break or the end is ahead.
    fn is_gap(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), 0 | b' ' | b'\t') || self.break_length(ahead) > 0
    }

    /// Whether this character is here three times, as a mark.
    fn is_mark(&self, character: u8) -> bool {
        (0..3).all(|ahead| self.byte(ahead) == character) && self.is_gap(3)
    }

    /// Whether a document begins or ends here.
    fn is_at_mark(&self) -> bool {
        self.place.column == 0 && (self.is_mark(b'-') || self.is_mark(b'.'))
    }

    /// Skips a character that is not a line break.
    fn skip(&mut self) {
        let width = match self.byte(0) {
            0..=0x7F => 1,
            0x80..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xFF => 4,
        };
        self.place.offset += width;
        self.place.character += 1;
        self.place.column += 1;
    }

    /// Skips this many bytes of a line.
    fn advance(&mut self, bytes: usize) {
        let end = self.place.offset + bytes;
        while self.place.offset < end {
            self.skip();
        }
    }

    /// Skips a line break. Returns how it appears in a text.
    fn take_break(&mut self) -> &'t str {
        let (start, length) = (self.place.offset, self.break_length(0));
        let is_two = self.byte(0) == b'\r' && length == 2;
        self.place.offset += length;
        self.place.character += if is_two { 2 } else { 1 };
        self.place.line += 1;
        self.place.column = 0;
        // Line and paragraph separators are kept.
        if length == 3 { self.slice(start, start + length) } else { "\n" }
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether a text has characters that YAML does not allow.
fn has_control_characters(text: &[u8]) -> bool {
    text.iter().enumerate().any(|(at, byte)| match *byte {
        b'\t' | b'\n' | b'\r' => false,
        0..=0x1F | 0x7F => true,
        0xC2 => text.get(at + 1).is_some_and(|next| (0x80..0xA0).contains(next) && *next != 0x85),
        0xEF => {
            text.get(at + 1) == Some(&0xBF) && text.get(at + 2).is_some_and(|last| *last >= 0xBE)
        }
        _ => false,
    })
}
