//! Translates regular expressions from Go's syntax to that of the `regex` crate.
//!
//! Upstream: Go's `regexp/syntax`, with Perl's flags.

use std::str::Chars;

use regex::RegexBuilder;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(crate) struct Regex(regex::Regex);

impl Regex {
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// The first match.
    pub fn find<'t>(&self, text: &'t str) -> &'t str {
        self.0.find(text).map_or("", |matched| matched.as_str())
    }

    /// At most `most` matches; all if it is negative.
    pub fn find_all<'t>(&self, text: &'t str, most: i64) -> Vec<&'t str> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        self.0.find_iter(text).take(most).map(|matched| matched.as_str()).collect()
    }
}

/// Size limit of a compiled pattern, in bytes. Compiling that much takes a few milliseconds, and a
/// pattern may be built anew for every device.
const LARGEST: usize = 1 << 20;

/// Compiles a pattern, or returns Go's error; `None` if Go's behaviour for it is not known.
pub(crate) fn check_regex(pattern: &str) -> Option<Result<Regex, String>> {
    let mut parser = Parser {
        whole: pattern,
        rest: pattern,
        flags: Flags::default(),
        open: vec![Group::default()],
    };
    match parser.parse() {
        Err(Wrong::Is(code, text)) => Some(Err(format!("error parsing regexp: {code}: `{text}`"))),
        Err(Wrong::Unknown) => None,
        Ok(translated) => {
            let regex = RegexBuilder::new(&translated).nest_limit(1000).size_limit(LARGEST).build();
            regex.ok().map(|regex| Ok(Regex(regex)))
        }
    }
}

/// Go's error about a pattern, with the offending part.
enum Wrong {
    Is(&'static str, String),
    Unknown,
}

const RANGE: &str = "invalid character class range";
const REPEAT: &str = "invalid repeat count";

fn wrong<T>(code: &'static str, text: &str) -> Result<T, Wrong> {
    Err(Wrong::Is(code, text.to_owned()))
}

#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of Go's")]
struct Flags {
    fold: bool,
    lines: bool,
    any: bool,
    lazy: bool,
}

/// An operand of a repetition, with the largest product of counted repetitions inside it.
struct Item {
    text: String,
    count: u64,
}

/// A repetition operator without its `?`.
struct Repetition {
    operator: String,
    /// Of a counted one, such as `{2,3}`.
    counts: Option<Counts>,
}

/// How often an item is repeated.
#[derive(Clone, Copy)]
struct Counts {
    min: u64,
    /// `None`: any number.
    max: Option<u64>,
}

/// An open parenthesis.
#[derive(Default)]
struct Group {
    /// The flags before it.
    flags: Flags,
    done: String,
    items: Vec<Item>,
    count: u64,
}

impl Group {
    fn close(self) -> Item {
        let count = self.items.iter().map(|i| i.count).chain([self.count, 1]).max().unwrap_or(1);
        let items: String = self.items.into_iter().map(|i| i.text).collect();
        Item { text: format!("{}{items}", self.done), count }
    }
}

struct Parser<'p> {
    whole: &'p str,
    rest: &'p str,
    flags: Flags,
    open: Vec<Group>,
}

/// `a` without its end `b`.
fn until<'a>(a: &'a str, b: &str) -> &'a str {
    a.get(..a.len().saturating_sub(b.len())).unwrap_or(a)
}

impl<'p> Parser<'p> {
    fn push(&mut self, text: String) {
        if let Some(group) = self.open.last_mut() {
            group.items.push(Item { text, count: 1 });
        }
    }

    /// A literal or class under case folding.
    fn folded(&mut self, text: &str) {
        let flag = if self.flags.fold { "i" } else { "" };
        self.push(format!("(?{flag}:{text})"));
    }

    fn literal(&mut self, c: char) {
        self.folded(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }

    fn parse(&mut self) -> Result<String, Wrong> {
        // Where the repetition before began, to which no other may apply.
        let mut repeated: Option<&'p str> = None;
        while let Some(c) = self.rest.chars().next() {
            let before = self.rest;
            if let Some(repetition) = self.take_repetition()? {
                self.repeat(&repetition, before, repeated)?;
                repeated = Some(before);
                continue;
            }
            repeated = None;
            match c {
                '(' if before.starts_with("(?") => self.perl_group()?,
                '[' => self.class()?,
                '\\' => self.escape()?,
                _ => {
                    self.rest = before.get(c.len_utf8()..).unwrap_or_default();
                    self.character(c)?;
                }
            }
        }
        match (self.open.pop(), self.open.is_empty()) {
            (Some(group), true) => Ok(group.close().text),
            _ => wrong("missing closing )", self.whole),
        }
    }

    /// Handles a character whose meaning does not depend on what follows; it has been taken.
    fn character(&mut self, c: char) -> Result<(), Wrong> {
        match c {
            '(' => self.open.push(Group { flags: self.flags, ..Group::default() }),
            '|' => {
                if let Some(group) = self.open.last_mut() {
                    let Group { flags, .. } = *group;
                    let Item { text, count } = std::mem::take(group).close();
                    *group = Group { flags, done: text + "|", items: Vec::new(), count };
                }
            }
            ')' => {
                // The first group is the whole pattern, which no parenthesis closes.
                let Some(group) = self.open.pop().filter(|_| !self.open.is_empty()) else {
                    return wrong("unexpected )", self.whole);
                };
                self.flags = group.flags;
                let Item { text, count } = group.close();
                if let Some(outer) = self.open.last_mut() {
                    outer.items.push(Item { text: format!("(?:{text})"), count });
                }
            }
            '^' | '$' => {
                let flag = if self.flags.lines { "m" } else { "" };
                self.push(format!("(?{flag}:{c})"));
            }
            '.' => {
                let flag = if self.flags.any { "s" } else { "" };
                self.push(format!("(?{flag}:.)"));
            }
            _ => self.literal(c),
        }
        Ok(())
    }

    /// Takes a repetition, if one follows. A `{` without valid counts is a literal.
    fn take_repetition(&mut self) -> Result<Option<Repetition>, Wrong> {
        let before = self.rest;
        if before.starts_with(['*', '+', '?']) {
            let (operator, rest) = before.split_at_checked(1).unwrap_or_default();
            self.rest = rest;
            return Ok(Some(Repetition { operator: operator.to_owned(), counts: None }));
        }
        let Some((counts, rest)) = counts(before) else { return Ok(None) };
        let Counts { min, max } = counts;
        if min > 1000 || max.is_some_and(|max| max > 1000 || min > max) {
            return wrong(REPEAT, until(before, rest));
        }
        self.rest = rest;
        let max = max.map(|max| max.to_string()).unwrap_or_default();
        let operator = format!("{{{min},{max}}}");
        Ok(Some(Repetition { operator, counts: Some(counts) }))
    }

    /// Applies a repetition to the item before it. `before` is the text from the repetition on, and
    /// `repeated` that of a repetition just before.
    fn repeat(
        &mut self,
        repetition: &Repetition,
        before: &str,
        repeated: Option<&str>,
    ) -> Result<(), Wrong> {
        let mut lazy = self.flags.lazy;
        if let Some(rest) = self.rest.strip_prefix('?') {
            self.rest = rest;
            lazy = !lazy;
        }
        if let Some(repeated) = repeated {
            return wrong("invalid nested repetition operator", until(repeated, self.rest));
        }
        let whole = until(before, self.rest);
        let Some(item) = self.open.last_mut().and_then(|group| group.items.last_mut()) else {
            return wrong("missing argument to repetition operator", whole);
        };

        // Go limits the product of nested counts, because it copies what is repeated.
        if let Some(Counts { min, max }) = repetition.counts {
            item.count = match max {
                Some(0) => 1,
                most => most.unwrap_or(min).max(1) * item.count,
            };
            if item.count > 1000 && (min >= 2 || max.is_some_and(|max| max >= 2)) {
                return wrong(REPEAT, whole);
            }
        }
        let (operator, lazy) = (&repetition.operator, if lazy { "?" } else { "" });
        item.text = format!("(?:{}){operator}{lazy}", item.text);
        Ok(())
    }

    fn perl_group(&mut self) -> Result<(), Wrong> {
        let before = self.rest;
        let named = before.strip_prefix("(?P<").filter(|rest| !rest.is_empty());
        let named = named.or_else(|| before.strip_prefix("(?<").filter(|rest| !rest.is_empty()));
        if let Some(rest) = named {
            const NAMED: &str = "invalid named capture";
            let Some((name, rest)) = rest.split_once('>') else { return wrong(NAMED, before) };
            if name.is_empty() || !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
                return wrong(NAMED, until(before, rest));
            }
            // A duplicate group name has its own error.
            if self.whole.matches(&format!("<{name}>")).count() > 1 {
                return Err(Wrong::Unknown);
            }
            self.rest = rest;
            self.open.push(Group { flags: self.flags, ..Group::default() });
            return Ok(());
        }

        // Without a name, flags follow: up to `)` for the rest of this group, up to `:` for a new one.
        let (mut flags, mut on, mut seen) = (self.flags, true, false);
        let mut rest = before.get(2..).unwrap_or_default();
        while let Some(c) = rest.chars().next() {
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            match c {
                'i' => flags.fold = on,
                'm' => flags.lines = on,
                's' => flags.any = on,
                'U' => flags.lazy = on,
                '-' if on => {
                    (on, seen) = (false, false);
                    continue;
                }
                ':' | ')' if on || seen => {
                    if c == ':' {
                        self.open.push(Group { flags: self.flags, ..Group::default() });
                    }
                    self.flags = flags;
                    self.rest = rest;
                    return Ok(());
                }
                _ => break,
            }
            seen = true;
        }
        wrong("invalid or unsupported Perl syntax", until(before, rest))
    }

    fn escape(&mut self) -> Result<(), Wrong> {
        let rest = self.rest;
        let two = rest.get(2..).unwrap_or_default();
        // Assertions have the same names, but words are ASCII's in Go.
        let plain = match rest.as_bytes().get(1) {
            Some(b'A') => "\\A",
            Some(b'b') => "(?-u:\\b)",
            Some(b'B') => "(?-u:\\B)",
            Some(b'z') => "\\z",
            Some(b'C') => return wrong("invalid escape sequence", "\\C"),
            Some(b'Q') => {
                let (quoted, after) = two.split_once("\\E").unwrap_or((two, ""));
                self.rest = after;
                quoted.chars().for_each(|c| self.literal(c));
                return Ok(());
            }
            _ => "",
        };
        if !plain.is_empty() {
            self.rest = two;
            self.push(plain.into());
        } else if let Some((name, after)) = unicode_class(rest)? {
            self.rest = after;
            self.folded(&name);
        } else if let Some((class, after)) = perl_class(rest) {
            self.rest = after;
            self.push(format!("[{class}]"));
        } else {
            let (c, after) = escaped(rest)?;
            self.rest = after;
            self.literal(c);
        }
        Ok(())
    }

    fn class(&mut self) -> Result<(), Wrong> {
        let whole = self.rest;
        let mut rest = whole.get(1..).unwrap_or_default();
        let negated = rest.starts_with('^');
        if negated {
            rest = rest.get(1..).unwrap_or_default();
        }

        // A bracket that comes first is a character like any other.
        let (mut class, mut first, mut groups) = (String::new(), true, false);
        while first || !rest.starts_with(']') {
            first = false;
            if let Some((text, after)) = posix_class(rest)? {
                class.push_str(text);
                (rest, groups) = (after, true);
            } else if let Some((text, after)) = unicode_class(rest)? {
                class.push_str(&text);
                (rest, groups) = (after, true);
            } else if let Some((text, after)) = perl_class(rest) {
                class.push_str(&format!("[{text}]"));
                (rest, groups) = (after, true);
            } else {
                let range = rest;
                let (low, after) = class_character(rest, whole)?;
                rest = after;
                let mut high = low;
                if rest.len() >= 2 && rest.starts_with('-') && !rest.starts_with("-]") {
                    (high, rest) = class_character(rest.get(1..).unwrap_or_default(), whole)?;
                    if high < low {
                        return wrong(RANGE, until(range, rest));
                    }
                }
                class.push_str(&format!(
                    "\\x{{{:X}}}-\\x{{{:X}}}",
                    u32::from(low),
                    u32::from(high)
                ));
            }
        }

        // How case folding changes a named class is not reproduced.
        if groups && self.flags.fold {
            return Err(Wrong::Unknown);
        }
        self.rest = rest.get(1..).unwrap_or_default();
        self.folded(&format!("[{}{class}]", if negated { "^" } else { "" }));
        Ok(())
    }
}

/// Parses a counted repetition such as `{2,3}`; returns it with the rest.
fn counts(text: &str) -> Option<(Counts, &str)> {
    let (min, rest) = number(text.strip_prefix('{')?)?;
    let (max, rest) = match rest.strip_prefix(',') {
        None => (Some(min), rest),
        Some(rest) if rest.starts_with('}') => (None, rest),
        Some(rest) => {
            let (max, rest) = number(rest)?;
            (Some(max), rest)
        }
    };
    Some((Counts { min, max }, rest.strip_prefix('}')?))
}

fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    Some((digits.parse().unwrap_or(u64::MAX), rest))
}

fn perl_class(pattern: &str) -> Option<(&'static str, &str)> {
    let class = match pattern.get(..2)? {
        "\\d" => "0-9",
        "\\D" => "^0-9",
        "\\s" => "\\t\\n\\x0C\\r ",
        "\\S" => "^\\t\\n\\x0C\\r ",
        "\\w" => "0-9A-Za-z_",
        "\\W" => "^0-9A-Za-z_",
        _ => return None,
    };
    Some((class, pattern.get(2..)?))
}

fn posix_class(pattern: &str) -> Result<Option<(&str, &str)>, Wrong> {
    const NAMES: &[&str] = &[
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
        "space", "upper", "word", "xdigit",
    ];
    let Some((name, rest)) = pattern.strip_prefix("[:").and_then(|rest| rest.split_once(":]"))
    else {
        return Ok(None);
    };
    let whole = until(pattern, rest);
    if NAMES.contains(&name.strip_prefix('^').unwrap_or(name)) {
        Ok(Some((whole, rest)))
    } else {
        wrong(RANGE, whole)
    }
}

fn unicode_class(pattern: &str) -> Result<Option<(String, &str)>, Wrong> {
    const NAMES: &[&str] = &[
        "Arabic", "C", "Cc", "Cf", "Co", "Cyrillic", "Greek", "Han", "Hebrew", "Hiragana",
        "Katakana", "L", "Latin", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd",
        "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So",
        "Z", "Zl", "Zp", "Zs",
    ];
    let Some(rest) = pattern.strip_prefix("\\p").or_else(|| pattern.strip_prefix("\\P")) else {
        return Ok(None);
    };
    let Some(c) = rest.chars().next() else { return Ok(None) };
    let (name, after) = match rest.strip_prefix('{') {
        None => rest.split_at_checked(c.len_utf8()).unwrap_or_default(),
        Some(rest) => match rest.split_once('}') {
            Some(parts) => parts,
            None => return wrong(RANGE, pattern),
        },
    };
    let bare = name.strip_prefix('^').unwrap_or(name);
    if !NAMES.contains(&bare) {
        // Longer names, and whether their case matters, differ between releases of Go.
        let surely = bare.len() < 2 && !matches!(bare, "c" | "l" | "m" | "n" | "p" | "s" | "z");
        return if surely { wrong(RANGE, until(pattern, after)) } else { Err(Wrong::Unknown) };
    }
    let negated = pattern.starts_with("\\P") != name.starts_with('^');
    Ok(Some((format!("\\{}{{{bare}}}", if negated { 'P' } else { 'p' }), after)))
}

fn class_character<'t>(pattern: &'t str, whole: &str) -> Result<(char, &'t str), Wrong> {
    match pattern.chars().next() {
        None => wrong("missing closing ]", whole),
        Some('\\') => escaped(pattern),
        Some(c) => Ok((c, pattern.get(c.len_utf8()..).unwrap_or_default())),
    }
}

/// Decodes an escape sequence; returns the character and the rest.
fn escaped(pattern: &str) -> Result<(char, &str), Wrong> {
    let mut rest = pattern.get(1..).unwrap_or_default().chars();
    let Some(c) = rest.next() else {
        return wrong("trailing backslash at end of expression", "");
    };
    let code = match c {
        'a' => Some(7),
        'f' => Some(12),
        'n' => Some(10),
        'r' => Some(13),
        't' => Some(9),
        'v' => Some(11),
        '0'..='7' => octal(c, &mut rest),
        'x' => hexadecimal(&mut rest),
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
        _ => None,
    };
    let rest = rest.as_str();
    match code.map(char::from_u32) {
        Some(Some(c)) => Ok((c, rest)),
        Some(None) => Err(Wrong::Unknown),
        None => wrong("invalid escape sequence", until(pattern, rest)),
    }
}

/// The value of up to three octal digits. A single digit other than 0 would be a backreference,
/// which Go does not have.
fn octal(first: char, rest: &mut Chars) -> Option<u32> {
    let mut value = first.to_digit(8)?;
    for place in 0..2 {
        let mut ahead = rest.clone();
        let Some(digit) = ahead.next().and_then(|c| c.to_digit(8)) else {
            return (first == '0' || place > 0).then_some(value);
        };
        value = value * 8 + digit;
        *rest = ahead;
    }
    Some(value)
}

fn hexadecimal(rest: &mut Chars) -> Option<u32> {
    let first = rest.next()?;
    if first != '{' {
        // Parity: Go consumes the second character even if the first is not a digit.
        let second = rest.next()?;
        return Some(first.to_digit(16)? * 16 + second.to_digit(16)?);
    }
    let (mut value, mut digits) = (0, 0);
    loop {
        match rest.next()? {
            '}' => return (digits > 0).then_some(value),
            c => value = value * 16 + c.to_digit(16)?,
        }
        if value > u32::from(char::MAX) {
            return None;
        }
        digits += 1;
    }
}
