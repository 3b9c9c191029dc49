//! Parts of a URL.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters with a meaning in a query or a path.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Percent-encodes a value of the query or a segment of the path.
pub(crate) fn encode(value: &str) -> String {
    utf8_percent_encode(value, RESERVED).to_string()
}

/// Name and password of the user info in a URL (`name:password@`), decoded.
pub(crate) struct UserInfo {
    pub name: String,
    pub password: String,
}

impl UserInfo {
    /// Parses `name:password` as encoded in a URL.
    pub(crate) fn decode(login: &str) -> Self {
        let (name, password) = login.split_once(':').unwrap_or((login, ""));
        let [name, password] =
            [name, password].map(|text| percent_decode_str(text).decode_utf8_lossy().into_owned());
        Self { name, password }
    }
}

/// Removes name and password from `url`, so that they are never shown.
pub(crate) fn take_user_info(url: &mut String) -> Option<UserInfo> {
    let start = url.find("://").map_or(0, |at| at + 3);
    let authority = url.get(start..)?.split(['/', '?', '#']).next().unwrap_or_default();
    let (found, _) = authority.rsplit_once('@')?;
    let info = UserInfo::decode(found);
    let end = start + found.len() + 1;
    url.replace_range(start..end, "");
    Some(info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_password_leave_the_url() {
        for (url, rest, name, password) in [
            ("https://jane:hun%40ter2@api:6443/x", "https://api:6443/x", "jane", "hun@ter2"),
            ("jane:a:b@api", "api", "jane", "a:b"),
            ("https://jane@[::1]:6443", "https://[::1]:6443", "jane", ""),
            ("https://a@b@api", "https://api", "a@b", ""),
            ("https://@api", "https://api", "", ""),
        ] {
            let mut left = url.to_owned();
            let info = take_user_info(&mut left).unwrap();
            assert_eq!(
                (left.as_str(), info.name.as_str(), info.password.as_str()),
                (rest, name, password),
                "{url}"
            );
        }
        for url in ["https://api:6443", "https://api/a@b", "api?x=a@b", ""] {
            assert!(take_user_info(&mut url.to_owned()).is_none(), "{url}");
        }
    }
}
