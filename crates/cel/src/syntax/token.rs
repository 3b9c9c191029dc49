//! Tokens, and what literals of strings and bytes stand for.
//!
//! Upstream: cel-go `parser/gen/CEL.g4`, `parser/unescape.go`.

/// A token: its kind, text and offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub text: String,
    pub offset: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Symbol,
    Name,
    EscapedName,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    End,
}

/// Symbols, longer ones first.
const SYMBOLS: &[&str] = &[
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!",
    "?", ":", "+", "*", "/", "%",
];

/// Splits source text into tokens; an error is the offset of an invalid one.
pub(crate) fn tokens(characters: &[char]) -> Result<Vec<Token>, usize> {
    let mut lexer = Lexer { characters, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip();
        let offset = lexer.at;
        if lexer.peek(0).is_none() {
            tokens.push(Token { kind: TokenKind::End, text: String::new(), offset });
            return Ok(tokens);
        }
        let kind = lexer.token().ok_or(offset)?;
        let text = characters.get(offset..lexer.at).unwrap_or_default().iter().collect();
        tokens.push(Token { kind, text, offset });
    }
}

const fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

const fn is_hex_digit(c: char) -> bool {
    c.is_ascii_hexdigit()
}

const fn is_octal_digit(c: char) -> bool {
    matches!(c, '0'..='7')
}

const fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

const fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a character may stand between backquotes.
const fn is_of_escaped_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | ' ')
}

struct Lexer<'c> {
    characters: &'c [char],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn is(&self, ahead: usize, test: impl Fn(char) -> bool) -> bool {
        self.peek(ahead).is_some_and(test)
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c))
    }

    fn skip(&mut self) {
        loop {
            if self.is(0, |c| matches!(c, '\t' | ' ' | '\r' | '\n' | '\u{c}')) {
                self.at += 1;
            } else if self.starts("//") {
                while self.is(0, |c| c != '\n') {
                    self.at += 1;
                }
            } else {
                return;
            }
        }
    }

    fn token(&mut self) -> Option<TokenKind> {
        if let Some(kind) = self.text() {
            return Some(kind);
        }
        let begins_number =
            self.is(0, is_digit) || (self.peek(0) == Some('.') && self.is(1, is_digit));
        if begins_number {
            return Some(self.number());
        }
        if self.is(0, is_letter) {
            self.take(is_of_name);
            return Some(TokenKind::Name);
        }
        if self.peek(0) == Some('`') {
            self.at += 1;
            let begin = self.at;
            self.take(is_of_escaped_name);
            let closed = self.at > begin && self.peek(0) == Some('`');
            self.at += 1;
            return closed.then_some(TokenKind::EscapedName);
        }
        let symbol = SYMBOLS.iter().find(|symbol| self.starts(symbol))?;
        self.at += symbol.len();
        Some(TokenKind::Symbol)
    }

    fn take(&mut self, test: impl Fn(char) -> bool) {
        while self.is(0, &test) {
            self.at += 1;
        }
    }

    fn number(&mut self) -> TokenKind {
        let mut kind = TokenKind::Int;
        if self.starts("0x") && self.is(2, is_hex_digit) {
            self.at += 2;
            self.take(is_hex_digit);
        } else {
            self.take(is_digit);
            if self.peek(0) == Some('.') && self.is(1, is_digit) {
                self.at += 1;
                self.take(is_digit);
                kind = TokenKind::Double;
            }
            // An `e` that no digits follow begins a name.
            let sign = usize::from(matches!(self.peek(1), Some('+' | '-')));
            if matches!(self.peek(0), Some('e' | 'E')) && self.is(1 + sign, is_digit) {
                self.at += 1 + sign;
                self.take(is_digit);
                kind = TokenKind::Double;
            }
        }
        if kind == TokenKind::Int && matches!(self.peek(0), Some('u' | 'U')) {
            self.at += 1;
            kind = TokenKind::Uint;
        }
        kind
    }

    /// Reads a string or bytes literal, if one begins here.
    fn text(&mut self) -> Option<TokenKind> {
        let bytes = self.is(0, |c| c == 'b' || c == 'B');
        let raw_at = usize::from(bytes);
        let raw = self.is(raw_at, |c| c == 'r' || c == 'R');
        let open = raw_at + usize::from(raw);
        let quote = self.peek(open).filter(|c| *c == '"' || *c == '\'')?;
        let triple = self.peek(open + 1) == Some(quote) && self.peek(open + 2) == Some(quote);
        let length = if triple { self.long_text(open + 3, quote, raw) } else { None };
        let length = length.or_else(|| self.short_text(open + 1, quote, raw))?;
        self.at += length;
        Some(if bytes { TokenKind::Bytes } else { TokenKind::Text })
    }

    fn long_text(&self, mut ahead: usize, quote: char, raw: bool) -> Option<usize> {
        loop {
            if (0..3).all(|n| self.peek(ahead + n) == Some(quote)) {
                return Some(ahead + 3);
            }
            ahead += if !raw && self.peek(ahead)? == '\\' { self.escape(ahead)? } else { 1 };
            self.peek(ahead)?;
        }
    }

    fn short_text(&self, mut ahead: usize, quote: char, raw: bool) -> Option<usize> {
        loop {
            match self.peek(ahead)? {
                c if c == quote => return Some(ahead + 1),
                '\n' | '\r' => return None,
                '\\' if !raw => ahead += self.escape(ahead)?,
                _ => ahead += 1,
            }
        }
    }

    /// The length of the escape sequence that begins `ahead` characters on.
    fn escape(&self, ahead: usize) -> Option<usize> {
        let (digits, is_of_it): (usize, fn(char) -> bool) = match self.peek(ahead + 1)? {
            'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '"' | '\'' | '\\' | '?' | '`' => {
                return Some(2);
            }
            'x' | 'X' => (2, is_hex_digit),
            'u' => (4, is_hex_digit),
            'U' => (8, is_hex_digit),
            // The first of three octal digits is the one that selects the form.
            '0'..='3' => {
                return (2..4).all(|i| self.is(ahead + i, is_octal_digit)).then_some(4);
            }
            _ => return None,
        };
        (0..digits).all(|i| self.is(ahead + 2 + i, is_of_it)).then_some(2 + digits)
    }
}

/// Decodes a literal with its quotes; `bytes` for a bytes literal, given without its prefix.
pub(crate) fn unquote(literal: &str, bytes: bool) -> Result<Vec<u8>, &'static str> {
    let literal = literal.replace("\r\n", "\n").replace('\r', "\n");
    let raw = literal.starts_with(['r', 'R']);
    let quoted = if raw { literal.get(1..).unwrap_or_default() } else { &literal };
    let inner = strip(quoted).ok_or("unable to unescape string")?;
    if raw || !inner.contains('\\') {
        return Ok(inner.as_bytes().to_vec());
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c == '\\' { escape(&mut rest, bytes, &mut out)? } else { push(&mut out, c) }
    }
    Ok(out)
}

fn strip(quoted: &str) -> Option<&str> {
    for quote in ["'''", "\"\"\"", "'", "\""] {
        if quoted.len() >= 2 * quote.len()
            && let Some(inner) =
                quoted.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote))
        {
            return Some(inner);
        }
    }
    None
}

fn push(out: &mut Vec<u8>, c: char) {
    out.extend(c.encode_utf8(&mut [0; 4]).bytes());
}

fn escape(rest: &mut std::str::Chars, bytes: bool, out: &mut Vec<u8>) -> Result<(), &'static str> {
    const UNABLE: &str = "unable to unescape string";
    let c = rest.next().ok_or("unable to unescape string, found '\\' as last character")?;
    let digits = match c {
        'x' | 'X' => 2,
        'u' if !bytes => 4,
        'U' if !bytes => 8,
        '0'..='3' => 0,
        _ => {
            let plain = match c {
                'a' => '\u{7}',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{b}',
                '\\' | '\'' | '"' | '`' | '?' => c,
                _ => return Err(UNABLE),
            };
            push(out, plain);
            return Ok(());
        }
    };

    // Octal escapes have three digits, of which the first has been read.
    let mut code = if digits == 0 { c.to_digit(8).ok_or(UNABLE)? } else { 0 };
    let (radix, count) = if digits == 0 { (8, 2) } else { (16, digits) };
    for _ in 0..count {
        let digit = rest.next().and_then(|c| c.to_digit(radix)).ok_or(UNABLE)?;
        code = code.wrapping_mul(radix) + digit;
    }
    if bytes {
        out.push(u8::try_from(code).map_err(|_| UNABLE)?);
    } else {
        push(out, char::from_u32(code).ok_or("invalid unicode code point")?);
    }
    Ok(())
}
