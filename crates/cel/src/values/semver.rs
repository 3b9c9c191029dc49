//! Semantic versions.
//!
//! Upstream: `blang/semver/v4`.

use std::cmp::Ordering;
use std::fmt;

use go::quoted;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SemanticVersion {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
    pre: Vec<Pre>,
    build: Vec<String>,
}

/// A part of a pre-release; numbers come before texts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Pre {
    Number(u64),
    Text(String),
}

/// Whether a text is a semantic version.
pub fn is_version(text: &str) -> bool {
    SemanticVersion::parse(text).is_ok()
}

impl SemanticVersion {
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Version string empty".into());
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err("No Major.Minor.Patch elements found".into());
        };
        let major = number(major, "major")?;
        let minor = number(minor, "minor")?;

        // Build metadata may contain dashes, and a pre-release no plus sign.
        let (rest, build) =
            rest.split_once('+').map_or((rest, None), |(rest, build)| (rest, Some(build)));
        let (patch, pre) =
            rest.split_once('-').map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
        let patch = number(patch, "patch")?;
        let pre = pre.map_or_else(
            || Ok(Vec::new()),
            |pre| pre.split('.').map(pre_release).collect::<Result<_, _>>(),
        )?;
        let build = build.map_or_else(
            || Ok(Vec::new()),
            |b| b.split('.').map(build_part).collect::<Result<_, _>>(),
        )?;
        Ok(Self { major, minor, patch, pre, build })
    }

    /// [`Self::parse`] for texts that may have a prefix `v`, leading zeros or fewer than three
    /// numbers.
    pub fn parse_tolerant(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(str::to_owned).collect();
        for part in &mut parts {
            if part.len() > 1 {
                let trimmed = part.trim_start_matches('0');
                let zero = if trimmed.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
                *part = format!("{zero}{trimmed}");
            }
        }
        if parts.len() < 3 {
            if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
                return Err("short version cannot contain PreRelease/Build meta data".into());
            }
            parts.resize(3, "0".into());
        }
        Self::parse(&parts.join("."))
    }

    pub fn compare(&self, other: &Self) -> Ordering {
        let core =
            (self.major, self.minor, self.patch).cmp(&(other.major, other.minor, other.patch));
        core.then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => self.pre.cmp(&other.pre),
        })
    }
}

fn allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-'
}

/// Go's error about a number that is out of range or malformed.
fn parse_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        let cause = if text.is_empty() { "invalid syntax" } else { "value out of range" };
        format!("strconv.ParseUint: parsing {}: {cause}", quoted(text))
    })
}

fn number(text: &str, which: &str) -> Result<u64, String> {
    if !text.chars().all(|c| c.is_ascii_digit()) {
        return Err(format!("Invalid character(s) found in {which} number {}", quoted(text)));
    }
    if text.len() > 1 && text.starts_with('0') {
        let mut which = which.to_owned();
        which.get_mut(..1).map(str::make_ascii_uppercase);
        return Err(format!("{which} number must not contain leading zeroes {}", quoted(text)));
    }
    parse_number(text)
}

fn pre_release(text: &str) -> Result<Pre, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".into());
    }
    if text.chars().all(|c| c.is_ascii_digit()) {
        if text.len() > 1 && text.starts_with('0') {
            return Err(format!(
                "Numeric PreRelease version must not contain leading zeroes {}",
                quoted(text)
            ));
        }
        return parse_number(text).map(Pre::Number);
    }
    if !text.chars().all(allowed) {
        return Err(format!("Invalid character(s) found in prerelease {}", quoted(text)));
    }
    Ok(Pre::Text(text.into()))
}

fn build_part(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("Build meta data is empty".into());
    }
    if !text.chars().all(allowed) {
        return Err(format!("Invalid character(s) found in build meta data {}", quoted(text)));
    }
    Ok(text.into())
}

impl fmt::Display for Pre {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for SemanticVersion {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        for (index, pre) in self.pre.iter().enumerate() {
            write!(f, "{}{pre}", if index == 0 { '-' } else { '.' })?;
        }
        for (index, build) in self.build.iter().enumerate() {
            write!(f, "{}{build}", if index == 0 { '+' } else { '.' })?;
        }
        Ok(())
    }
}
