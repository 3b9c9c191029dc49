//! URLs.
//!
//! Upstream: Go's `net/url`.

use std::fmt;

use super::address::{Address, Ip};
use go::quoted;

#[derive(Debug, Clone, Default)]
pub(crate) struct Url {
    pub scheme: String,
    opaque: String,
    /// Name and password, decoded.
    user: Option<(Vec<u8>, Option<Vec<u8>>)>,
    /// With the port.
    pub host: String,
    path: Vec<u8>,
    raw_path: String,
    raw_query: String,
    fragment: Vec<u8>,
    raw_fragment: String,
    force_query: bool,
    omit_host: bool,
}

/// The component of a URL, which decides which characters are escaped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Host,
    Zone,
    User,
    Query,
    Fragment,
}

/// Parses a URL as `url.ParseRequestURI` does.
pub(crate) fn check_request_uri(text: &str) -> Result<(), String> {
    Url::read(text, true).map(|_| ()).map_err(|e| format!("parse {}: {e}", quoted(text)))
}

impl Url {
    pub fn parse(text: &str) -> Result<Self, String> {
        check_request_uri(text)?;
        let (base, fragment) = text.split_once('#').unwrap_or((text, ""));
        let mut url =
            Self::read(base, false).map_err(|e| format!("parse {}: {e}", quoted(base)))?;
        url.fragment =
            decode(fragment, Part::Fragment).map_err(|e| format!("parse {}: {e}", quoted(text)))?;
        if encode(&url.fragment, Part::Fragment) != fragment {
            fragment.clone_into(&mut url.raw_fragment);
        }
        Ok(url)
    }

    fn read(text: &str, request: bool) -> Result<Self, String> {
        if text.bytes().any(|b| b < b' ' || b == 0x7f) {
            return Err("net/url: invalid control character in URL".into());
        }
        if text.is_empty() && request {
            return Err("empty url".into());
        }
        let mut url = Self::default();
        if text == "*" {
            url.path = b"*".to_vec();
            return Ok(url);
        }

        // The scheme, and the query behind the first question mark.
        let (scheme, mut rest) = scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        if rest.ends_with('?') && rest.matches('?').count() == 1 {
            url.force_query = true;
            rest = rest.trim_end_matches('?');
        } else if let Some((before, query)) = rest.split_once('?') {
            rest = before;
            query.clone_into(&mut url.raw_query);
        }

        // Without a slash, all that follows a scheme is opaque; without a scheme it is a path, whose
        // first segment must not look like a scheme.
        if !rest.starts_with('/') {
            if !url.scheme.is_empty() {
                rest.clone_into(&mut url.opaque);
                return Ok(url);
            }
            if request {
                return Err("invalid URI for request".into());
            }
            if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
                return Err("first path segment in URL cannot contain colon".into());
            }
        }

        // Two slashes begin an authority, and the path begins with the next one.
        let authority = !url.scheme.is_empty() || (!request && !rest.starts_with("///"));
        if let Some(behind) = rest.strip_prefix("//").filter(|_| authority) {
            let (authority, path) = behind.find('/').map_or((behind, ""), |at| behind.split_at(at));
            url.authority(authority)?;
            rest = path;
        } else if !url.scheme.is_empty() && rest.starts_with('/') {
            url.omit_host = true;
        }
        url.path = decode(rest, Part::Path)?;
        if encode(&url.path, Part::Path) != rest {
            rest.clone_into(&mut url.raw_path);
        }
        Ok(url)
    }

    fn authority(&mut self, authority: &str) -> Result<(), String> {
        let (user, host) =
            authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
        self.host = host_of(&self.scheme, host)?;
        let Some(user) = user else { return Ok(()) };
        if !user.chars().all(|c| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c)) {
            return Err("net/url: invalid userinfo".into());
        }
        self.user = Some(match user.split_once(':') {
            None => (decode(user, Part::User)?, None),
            Some((name, password)) => {
                (decode(name, Part::User)?, Some(decode(password, Part::User)?))
            }
        });
        Ok(())
    }

    pub fn hostname_and_port(&self) -> (&str, &str) {
        let (mut host, mut port) = (self.host.as_str(), "");
        if let Some((before, behind)) = host.rsplit_once(':')
            && behind.bytes().all(|b| b.is_ascii_digit())
        {
            (host, port) = (before, behind);
        }
        (host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host), port)
    }

    pub fn escaped_path(&self) -> String {
        escaped(&self.path, &self.raw_path, Part::Path)
    }

    /// Query parameters by name, in order of first occurrence.
    pub fn query(&self) -> Vec<(String, Vec<String>)> {
        let mut query: Vec<(String, Vec<String>)> = Vec::new();
        if self.raw_query.matches('&').count() >= 10_000 {
            return query;
        }
        for pair in self.raw_query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';'))
        {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Ok(name), Ok(value)) = (decode(name, Part::Query), decode(value, Part::Query))
            else {
                continue;
            };
            let (name, value) = (lossy(&name), lossy(&value));
            match query.iter_mut().find(|(earlier, _)| *earlier == name) {
                Some((_, values)) => values.push(value),
                None => query.push((name, vec![value])),
            }
        }
        query
    }
}

fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme".into()),
            ':' => {
                return Ok((
                    text.get(..at).unwrap_or_default(),
                    text.get(at + 1..).unwrap_or_default(),
                ));
            }
            _ => break,
        }
    }
    Ok(("", text))
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The error about a port, a colon and digits, that is neither missing nor valid.
fn check_port(port: &str) -> Result<(), String> {
    let digits = if port.is_empty() { Some("") } else { port.strip_prefix(':') };
    if digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit())) {
        return Ok(());
    }
    Err(format!("invalid port {} after host", quoted(port)))
}

fn host_of(scheme: &str, host: &str) -> Result<String, String> {
    // In brackets stands an IPv6 address, which may have a zone behind an escaped percent sign.
    if let Some(open) = host.rfind('[') {
        if open > 0 {
            return Err("invalid IP-literal".into());
        }
        let Some((inside, port)) = host.get(1..).unwrap_or_default().rsplit_once(']') else {
            return Err("missing ']' in host".into());
        };
        check_port(port)?;
        let name = match inside.find("%25") {
            Some(at) => {
                let (before, zone) = inside.split_at(at);
                lossy(&decode(before, Part::Host)?) + &lossy(&decode(zone, Part::Zone)?)
            }
            None => lossy(&decode(inside, Part::Host)?),
        };
        let address = Address::parse(&name).map_err(|e| format!("invalid host: {e}"))?;
        if matches!(address.ip, Ip::V4(_)) {
            return Err("invalid IP-literal".into());
        }
        return Ok(format!("[{name}]{port}"));
    }

    // Parity: only with these schemes does the first colon begin the port.
    if let Some(first) = host.find(':') {
        let strict = matches!(scheme, "http" | "https");
        let at = if strict { first } else { host.rfind(':').unwrap_or(first) };
        check_port(host.get(at..).unwrap_or_default())?;
    }
    Ok(lossy(&decode(host, Part::Host)?))
}

fn must_encode(byte: u8, part: Part) -> bool {
    if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
        return false;
    }
    match part {
        Part::Host | Part::Zone => !b"!$&'()*+,;=:[]<>\"".contains(&byte),
        Part::Path => !b"$&+,/:;=@".contains(&byte),
        Part::User => !b"$&+,;=".contains(&byte),
        Part::Query => true,
        Part::Fragment => !b"$&+,/:;=?@!()*".contains(&byte),
    }
}

fn encode(bytes: &[u8], part: Part) -> String {
    let mut out = Vec::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b' ' if part == Part::Query => out.push(b'+'),
            byte if must_encode(*byte, part) => out.extend(format!("%{byte:02X}").into_bytes()),
            byte => out.push(*byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn decode(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes().enumerate();
    let host = matches!(part, Part::Host | Part::Zone);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'%' => {
                let three = text.as_bytes().get(at..).unwrap_or_default();
                let three = three.get(..3).unwrap_or(three);
                let shown =
                    || format!("invalid URL escape {}", quoted(&String::from_utf8_lossy(three)));
                let code = text
                    .get(at + 1..at + 3)
                    .filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
                let code = u8::from_str_radix(code.ok_or_else(shown)?, 16).map_err(|_| shown())?;
                // In a host, ASCII is not to be escaped, apart from the percent sign of a zone.
                let percent = three == b"%25";
                let refused = match part {
                    Part::Host => code < 0x80 && !percent,
                    Part::Zone => !percent && code != b' ' && must_encode(code, Part::Host),
                    _ => false,
                };
                if refused {
                    return Err(shown());
                }
                out.push(code);
                bytes.nth(1);
            }
            b'+' if part == Part::Query => out.push(b' '),
            byte if host && byte < 0x80 && must_encode(byte, part) => {
                return Err(format!(
                    "invalid character {} in host name",
                    quoted(&char::from(byte).to_string())
                ));
            }
            byte => out.push(byte),
        }
    }
    Ok(out)
}

/// The escaped path: the original text if it is valid, else upstream's encoding.
fn escaped(decoded: &[u8], raw: &str, part: Part) -> String {
    let valid = raw.bytes().all(|b| b"!$&'()*+,;=:@[]%".contains(&b) || !must_encode(b, part));
    if !raw.is_empty() && valid && decode(raw, part).is_ok_and(|bytes| bytes == decoded) {
        return raw.into();
    }
    if part == Part::Path && decoded == b"*" {
        return "*".into();
    }
    encode(decoded, part)
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut out = String::new();
        if !self.scheme.is_empty() {
            out = format!("{}:", self.scheme);
        }
        if self.opaque.is_empty() {
            // The authority is written if it has been, even if it was empty.
            let named = !self.host.is_empty() || self.user.is_some();
            if named || !(self.scheme.is_empty() || self.omit_host) {
                if named || !self.path.is_empty() {
                    out.push_str("//");
                }
                if let Some((name, password)) = &self.user {
                    out.push_str(&encode(name, Part::User));
                    if let Some(password) = password {
                        out.push(':');
                        out.push_str(&encode(password, Part::User));
                    }
                    out.push('@');
                }
                out.push_str(&encode(self.host.as_bytes(), Part::Host));
            }
            let path = self.escaped_path();
            if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
                out.push('/');
            }
            // A first segment with a colon would be read as a scheme.
            if out.is_empty() && path.split('/').next().is_some_and(|segment| segment.contains(':'))
            {
                out.push_str("./");
            }
            out.push_str(&path);
        } else {
            out.push_str(&self.opaque);
        }
        if self.force_query || !self.raw_query.is_empty() {
            out.push('?');
            out.push_str(&self.raw_query);
        }
        if !self.fragment.is_empty() {
            out.push('#');
            out.push_str(&escaped(&self.fragment, &self.raw_fragment, Part::Fragment));
        }
        f.write_str(&out)
    }
}
