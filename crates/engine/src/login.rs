//! Names and passwords in URLs, `https://name:password@host`: they log in, and are shown and saved nowhere.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;

/// What stands between `://` and the host, in YAML and JSON, which may escape the slashes.
#[expect(clippy::unwrap_used, reason = "a constant that a test compiles")]
static LOGIN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"(:(?:\\?/){2})([^\s"'/?#\\]*)@"#).unwrap());

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
        Self(LOGIN.captures(url).and_then(|found| Some(found.get(2)?.as_str().to_owned())).unwrap_or_default())
    }
}

/// The text without the logins of the URLs in it.
#[must_use]
pub fn without_logins(text: &str) -> String {
    LOGIN.replace_all(text, "$1").into_owned()
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
            ("http://@api", "http://api", ""),
            ("http://api/a@b http://c?d=e@f", "http://api/a@b http://c?d=e@f", ""),
            ("mail jane@example.com", "mail jane@example.com", ""),
        ] {
            assert_eq!((without_logins(text), Login::of(text).0.as_str()), (rest.to_owned(), login), "{text}");
        }
        assert_eq!(without_logins("http://a:b@c http://d:e@f"), "http://c http://f");
        assert_eq!(format!("{:?}", Login("a:b".to_owned())), "a login");
    }
}
