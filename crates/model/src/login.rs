//! Names and passwords in URLs, `https://name:password@host`: they log in, and are shown and saved nowhere.

use std::fmt;
use std::ops::Range;

/// Name and password of a URL as they are written there, or nothing.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Login(pub String);

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "no login" } else { "a login" })
    }
}

impl Login {
    /// The login of a URL.
    #[must_use]
    pub fn of(url: &str) -> Self {
        let login = logins(url, end_of_login).next().and_then(|(login, _)| url.get(login));
        Self(login.unwrap_or_default().to_owned())
    }
}

/// Whether name and password may stand in `url` where no login can: an `@` behind a `/`, `?` or `#`, and a colon before it. Most
/// often a `/` of the password is not written as `%2F`.
#[must_use]
pub fn may_hide_login(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let before = rest.rsplit_once('@').map_or("", |(before, _)| before);
    before.contains(['/', '?', '#']) && before.contains(':')
}

/// The text without the logins of the URLs in it, and without what may be one that is written wrongly ([`may_hide_login`]).
#[must_use]
pub fn without_logins(text: &str) -> String {
    let (mut rest, mut kept) = (0, String::with_capacity(text.len()));
    for (login, host) in logins(text, |text, at| end_of_login(text, at).or_else(|| end_of_hidden_login(text, at))) {
        kept.push_str(text.get(rest..login.start).unwrap_or_default());
        rest = host;
    }
    kept.push_str(text.get(rest..).unwrap_or_default());
    kept
}

/// What stands between `://` and the last `@` before the end of the host, and where the host begins. The text may be JSON or
/// YAML, where each of these characters may be an escape.
fn logins(
    text: &str,
    end: impl Fn(&str, usize) -> Option<(usize, usize)>,
) -> impl Iterator<Item = (Range<usize>, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some((first, next)) = character(text, at) {
            let start = [':', '/', '/'].into_iter().try_fold(at, |at, wanted| {
                character(text, at).filter(|(found, _)| *found == wanted).map(|(_, next)| next)
            });
            let found = start.and_then(|start| Some((start, end(text, start)?)));
            at = if first == ':' { start.unwrap_or(next) } else { next };
            if let Some((start, (end, host))) = found {
                at = host;
                return Some((start..end, host));
            }
        }
        None
    })
}

/// Where the `@` behind a login begins and ends.
fn end_of_login(text: &str, at: usize) -> Option<(usize, usize)> {
    let authority = url_characters(text, at).take_while(|(_, char, _)| !"/?#".contains(*char));
    authority.filter(|(_, char, _)| *char == '@').last().map(|(at, _, next)| (at, next))
}

/// The same where a `/`, `?` or `#` of the password is not escaped: the last `@` of the URL behind a colon.
fn end_of_hidden_login(text: &str, at: usize) -> Option<(usize, usize)> {
    let behind_colon = url_characters(text, at).skip_while(|(_, char, _)| *char != ':');
    behind_colon.filter(|(_, char, _)| *char == '@').last().map(|(at, _, next)| (at, next))
}

/// The characters of a URL with where each begins and ends.
fn url_characters(text: &str, mut at: usize) -> impl Iterator<Item = (usize, char, usize)> {
    std::iter::from_fn(move || {
        let (char, next) = character(text, at)?;
        // A quote may be a part of the login, or end a YAML scalar.
        let ends_scalar = || character(text, next).is_none_or(|(char, _)| char.is_whitespace() || ",]}".contains(char));
        if char.is_whitespace() || matches!(char, '"' | '\\') || char == '\'' && ends_scalar() {
            return None;
        }
        let begin = std::mem::replace(&mut at, next);
        Some((begin, char, next))
    })
}

/// The character that is written there, and where the next begins.
fn character(text: &str, at: usize) -> Option<(char, usize)> {
    let rest = text.get(at..)?;
    let mut chars = rest.chars();
    let first = chars.next()?;
    if first != '\\' {
        return Some((first, at + first.len_utf8()));
    }
    let digits = match chars.next() {
        Some('/') => return Some(('/', at + 2)),
        Some('x') => 2,
        Some('u') => 4,
        Some('U') => 8,
        _ => return Some(('\\', at + 1)),
    };
    let code = rest.get(2..2 + digits).and_then(|code| u32::from_str_radix(code, 16).ok());
    // Half of a surrogate pair is no character of its own.
    let char = code.map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    Some(char.map_or(('\\', at + 1), |char| (char, at + 2 + digits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_leave_a_text_and_nothing_else_does() {
        for (text, rest, login) in [
            ("https://jane:hun%40ter2@api:6443/x", "https://api:6443/x", "jane:hun%40ter2"),
            ("- urlPrefix: 'http://a@b@c/x@y'", "- urlPrefix: 'http://c/x@y'", "a@b"),
            (r#"{"urlPrefix":"http:\/\/jane:p@api\/x"}"#, r#"{"urlPrefix":"http:\/\/api\/x"}"#, "jane:p"),
            (r#"{"u":"http://jane:p\u0040api/x"}"#, r#"{"u":"http://api/x"}"#, "jane:p"),
            (
                r#"{"u":"http\u003A\/\u002fj:\ud83d\ude00@a\u002Fx@y"}"#,
                r#"{"u":"http\u003A\/\u002fa\u002Fx@y"}"#,
                r"j:\ud83d\ude00",
            ),
            (r#"u: "http\x3a//j:p\U00000040a\x2fx@y""#, r#"u: "http\x3a//a\x2fx@y""#, "j:p"),
            ("http://it's:p@api", "http://api", "it's:p"),
            ("['http://api','b@c']", "['http://api','b@c']", ""),
            (r#"{\"u\":\"http://api\",\"m\":\"b@c\"}"#, r#"{\"u\":\"http://api\",\"m\":\"b@c\"}"#, ""),
            ("http://@api", "http://api", ""),
            ("http://api/a@b http://c?d=e@f", "http://api/a@b http://c?d=e@f", ""),
            ("mail jane@example.com", "mail jane@example.com", ""),
            (r"http://jane\u00", r"http://jane\u00", ""),
        ] {
            assert_eq!((without_logins(text), Login::of(text).0.as_str()), (rest.to_owned(), login), "{text}");
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
        for url in ["https://h:6443/x", "https://u:p@h:6443/x", "https://h/a@b", "https://a:b@c@h/x", "u:p@h", ""] {
            assert!(!may_hide_login(url), "{url}");
        }
    }
}
