//! Semantic versions 2.0.0. Upstream: `github.com/blang/semver/v4`, `apiserver/pkg/cel/library/semverlib.go` (1.37).

use std::cmp::Ordering;

/// A version; the build metadata after `+` does not count in comparisons.
#[derive(Debug, Clone)]
pub(super) struct SemanticVersion {
    pub numbers: [u64; 3],
    pre: Vec<Identifier>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    // Numeric identifiers come before alphanumeric ones.
    Number(u64),
    Text(String),
}

const PARTS: [&str; 3] = ["major", "minor", "patch"];

impl SemanticVersion {
    /// Parses a version in its strict form.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Version string empty".into());
        }
        let parts: Vec<&str> = text.splitn(3, '.').collect();
        let [major, minor, rest] = parts.as_slice() else {
            return Err("No Major.Minor.Patch elements found".into());
        };
        let (rest, build) = split(rest, '+');
        let (patch, pre) = split(rest, '-');
        let mut numbers = [0; 3];
        for ((number, text), what) in numbers.iter_mut().zip([major, minor, &patch]).zip(PARTS) {
            *number = parse_number(text, what)?;
        }
        let pre = match pre {
            Some(pre) => pre.split('.').map(identifier).collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        for part in build.into_iter().flat_map(|b| b.split('.')) {
            if part.is_empty() {
                return Err("Build meta data is empty".into());
            }
            if !part.bytes().all(is_identifier_byte) {
                return Err(format!("Invalid character(s) found in build meta data {part:?}"));
            }
        }
        Ok(Self { numbers, pre })
    }

    /// Parses a version in a lenient form: `v1.2`, `01.2.3`.
    pub(super) fn parse_tolerant(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(str::to_owned).collect();
        for part in &mut parts {
            if part.len() > 1 {
                let trimmed = part.trim_start_matches('0');
                *part = if trimmed.starts_with(|c: char| c.is_ascii_digit()) {
                    trimmed.to_owned()
                } else {
                    format!("0{trimmed}")
                };
            }
        }
        if parts.len() < 3 {
            if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
                return Err("Short version cannot contain PreRelease/Build meta data".into());
            }
            parts.resize(3, "0".into());
        }
        Self::parse(&parts.join("."))
    }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(a, b)| (a, Some(b)))
}

fn parse_number(text: &str, what: &str) -> Result<u64, String> {
    let name = format!("{}{}", what[..1].to_uppercase(), what.get(1..).unwrap_or_default());
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return if text.is_empty() {
            Err("strconv.ParseUint: parsing \"\": invalid syntax".into())
        } else {
            Err(format!("Invalid character(s) found in {what} number {text:?}"))
        };
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!("{name} number must not contain leading zeroes {text:?}"));
    }
    text.parse().map_err(|_| format!("strconv.ParseUint: parsing {text:?}: value out of range"))
}

fn identifier(text: &str) -> Result<Identifier, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".into());
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        if text.len() > 1 && text.starts_with('0') {
            return Err(format!("Numeric PreRelease version must not contain leading zeroes {text:?}"));
        }
        return text
            .parse()
            .map(Identifier::Number)
            .map_err(|_| format!("strconv.ParseUint: parsing {text:?}: value out of range"));
    }
    if text.bytes().all(is_identifier_byte) {
        Ok(Identifier::Text(text.to_owned()))
    } else {
        Err(format!("Invalid character(s) found in prerelease {text:?}"))
    }
}

fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

impl Ord for SemanticVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        let pre = match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, true) => Ordering::Equal,
            // A release comes after its pre-releases.
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => self.pre.cmp(&other.pre),
        };
        self.numbers.cmp(&other.numbers).then(pre)
    }
}

impl PartialOrd for SemanticVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SemanticVersion {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for SemanticVersion {}
