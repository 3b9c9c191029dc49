//! User names and passwords in URLs, `https://name:password@host`: they are used to log in, and are
//! never shown or saved.
//!
//! They are searched for in whole files and messages, where URLs may be escaped, cut off or
//! malformed. A URL parser would not find those, but they must not be shown either. So this looks
//! only for `://` and a following `@`.

use std::fmt;
use std::ops::Range;

/// Name and password of a URL as written there; may be empty.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Login(pub String);

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "no login" } else { "a login" })
    }
}

impl Login {
    pub fn of(url: &str) -> Self {
        let next = next_login(url, 0, AtSign::of_host);
        Self(next.and_then(|next| url.get(next.login)).unwrap_or_default().to_owned())
    }
}

/// Whether `url` may contain name and password where no login is valid: an `@` after a `/`, `?` or
/// `#`, and a colon before it. Usually a `/` of the password was not written as `%2F`.
pub fn may_hide_login(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let before = rest.rsplit_once('@').map_or("", |(before, _)| before);
    before.contains(['/', '?', '#']) && before.contains(':')
}

/// The text without the logins of its URLs, and without what may be a malformed one
/// ([`may_hide_login`]).
pub fn without_logins(text: &str) -> String {
    let (mut rest, mut without) = (0, String::with_capacity(text.len()));
    while let Some(next) = next_login(text, rest, AtSign::of_host_or_hidden) {
        without.push_str(text.get(rest..next.login.start).unwrap_or_default());
        rest = next.host;
    }
    without.push_str(text.get(rest..).unwrap_or_default());
    without
}

/// A login in a text.
struct FoundLogin {
    /// The text between `://` and the `@`.
    login: Range<usize>,
    /// Where the host begins.
    host: usize,
}

/// The first login that starts at `from` or later. `at_sign` finds the following `@` in the text of
/// a URL.
fn next_login(
    text: &str,
    from: usize,
    at_sign: fn(&str, usize) -> Option<AtSign>,
) -> Option<FoundLogin> {
    let mut at = from;
    while let Some(character) = Character::at(text, at) {
        let Some(start) = end_of_scheme(text, at) else {
            at = character.end;
            continue;
        };
        if let Some(sign) = at_sign(text, start) {
            return Some(FoundLogin { login: start..sign.start, host: sign.end });
        }
        at = start;
    }
    None
}

/// The end of the `://` that starts at `at`.
fn end_of_scheme(text: &str, mut at: usize) -> Option<usize> {
    for wanted in [':', '/', '/'] {
        let character = Character::at(text, at)?;
        if character.char != wanted {
            return None;
        }
        at = character.end;
    }
    Some(at)
}

/// The `@` between login and host.
struct AtSign {
    start: usize,
    end: usize,
}

impl AtSign {
    /// The last `@` before the end of the host, which is a `/`, `?` or `#`.
    fn of_host(text: &str, at: usize) -> Option<Self> {
        let authority =
            UrlCharacters { text, at }.take_while(|character| !"/?#".contains(character.char));
        Self::last_of(authority)
    }

    /// The same, or else the `@` after a password with an unescaped `/`, `?` or `#`: the last one
    /// after a colon.
    fn of_host_or_hidden(text: &str, at: usize) -> Option<Self> {
        let behind_colon = UrlCharacters { text, at }.skip_while(|character| character.char != ':');
        Self::of_host(text, at).or_else(|| Self::last_of(behind_colon))
    }

    fn last_of(characters: impl Iterator<Item = Character>) -> Option<Self> {
        let sign = characters.filter(|character| character.char == '@').last()?;
        Some(Self { start: sign.start, end: sign.end })
    }
}

/// Iterates over the characters of a URL in a text.
struct UrlCharacters<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for UrlCharacters<'_> {
    type Item = Character;

    fn next(&mut self) -> Option<Character> {
        let character = Character::at(self.text, self.at)?;
        let ends = match character.char {
            '"' | '\\' => true,
            // A quote may be a part of the login, or end a YAML scalar.
            '\'' => match Character::at(self.text, character.end) {
                Some(next) => next.char.is_whitespace() || ",]}".contains(next.char),
                None => true,
            },
            char => char.is_whitespace(),
        };
        if ends {
            return None;
        }
        self.at = character.end;
        Some(character)
    }
}

/// A character of JSON or YAML text, which may be escaped.
#[derive(Clone, Copy)]
struct Character {
    char: char,
    start: usize,
    end: usize,
}

impl Character {
    /// The character that begins at `start`.
    fn at(text: &str, start: usize) -> Option<Self> {
        let rest = text.get(start..)?;
        let mut chars = rest.chars();
        let first = chars.next()?;
        if first != '\\' {
            return Some(Self { char: first, start, end: start + first.len_utf8() });
        }
        let backslash = Self { char: first, start, end: start + 1 };
        let digits = match chars.next() {
            Some('/') => return Some(Self { char: '/', start, end: start + 2 }),
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            _ => return Some(backslash),
        };
        let code = rest.get(2..2 + digits).and_then(|code| u32::from_str_radix(code, 16).ok());
        let Some(code) = code else { return Some(backslash) };
        // Half of a surrogate pair is not a character.
        let char = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        Some(Self { char, start, end: start + 2 + digits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_leave_a_text_and_nothing_else_does() {
        for (text, rest, login) in [
            ("https://jane:hun%40ter2@api:6443/x", "https://api:6443/x", "jane:hun%40ter2"),
            ("- urlPrefix: 'http://a@b@c/x@y'", "- urlPrefix: 'http://c/x@y'", "a@b"),
            (
                r#"{"urlPrefix":"http:\/\/jane:p@api\/x"}"#,
                r#"{"urlPrefix":"http:\/\/api\/x"}"#,
                "jane:p",
            ),
            (r#"{"u":"http://jane:p\u0040api/x"}"#, r#"{"u":"http://api/x"}"#, "jane:p"),
            (
                r#"{"u":"http\u003A\/\u002fj:\ud83d\ude00@a\u002Fx@y"}"#,
                r#"{"u":"http\u003A\/\u002fa\u002Fx@y"}"#,
                r"j:\ud83d\ude00",
            ),
            (r#"u: "http\x3a//j:p\U00000040a\x2fx@y""#, r#"u: "http\x3a//a\x2fx@y""#, "j:p"),
            ("http://it's:p@api", "http://api", "it's:p"),
            ("['http://api','b@c']", "['http://api','b@c']", ""),
            (
                r#"{\"u\":\"http://api\",\"m\":\"b@c\"}"#,
                r#"{\"u\":\"http://api\",\"m\":\"b@c\"}"#,
                "",
            ),
            ("http://@api", "http://api", ""),
            ("http://api/a@b http://c?d=e@f", "http://api/a@b http://c?d=e@f", ""),
            ("mail jane@example.com", "mail jane@example.com", ""),
            (r"http://jane\u00", r"http://jane\u00", ""),
        ] {
            assert_eq!(
                (without_logins(text), Login::of(text).0.as_str()),
                (rest.to_owned(), login),
                "{text}"
            );
        }
        assert_eq!(without_logins("http://a:b@c http://d:e@f"), "http://c http://f");
        assert_eq!(without_logins("::://a:b@c"), "::://c");
        assert_eq!(format!("{:?}", Login("a:b".to_owned())), "a login");
    }
    #[test]
    fn a_login_with_a_bare_slash_is_found_and_leaves_a_text() {
        for (url, rest) in [
            ("http://us/r:p@h", "http://h"),
            ("http://u:p/w@h/x", "http://h/x"),
            ("https://u:p#w@h", "https://h"),
            ("https://u:p?w@h", "https://h"),
        ] {
            assert!(may_hide_login(url) && Login::of(url).0.is_empty(), "{url}");
            assert_eq!(
                without_logins(&format!(r#"{{"u":"{url}","m":"b@c"}}"#)),
                format!(r#"{{"u":"{rest}","m":"b@c"}}"#)
            );
        }
        assert!(may_hide_login("us/r:p@h") && may_hide_login("u:p/w@h"));
        for url in [
            "https://h:6443/x",
            "https://u:p@h:6443/x",
            "https://h/a@b",
            "https://a:b@c@h/x",
            "u:p@h",
            "",
        ] {
            assert!(!may_hide_login(url), "{url}");
        }
    }
}
