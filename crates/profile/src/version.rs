//! Versions of kube-scheduler, and the supported range.

use std::fmt;

/// A version of kube-scheduler; major is always 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchedulerVersion {
    /// 37 in 1.37.1.
    pub minor: u16,
    /// 1 in 1.37.1. A version given without it means the last patch.
    pub patch: u16,
}

impl SchedulerVersion {
    /// The oldest minor whose rules are in the history table.
    pub const OLDEST: Self = Self { minor: 12, patch: 0 };
    /// The newest released minor whose rules are in the history table; the default.
    pub const NEWEST: Self = Self { minor: 37, patch: u16::MAX };
    /// The newest minor whose rules are in the history table. It is not released yet.
    pub const UNRELEASED: Self = Self { minor: 38, patch: u16::MAX };
    /// The pre-release whose decisions were recorded for [`Self::UNRELEASED`].
    pub const RECORDED_PRE_RELEASE: &str = "1.38.0-beta.0";

    /// A release.
    pub const fn new(minor: u16, patch: u16) -> Self {
        Self { minor, patch }
    }

    /// Reads `1.37`, `v1.37.1`, `1.37.1-gke.100+abc`, `v1.33-eks`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().strip_prefix('v').unwrap_or(text.trim());
        let mut parts = text.splitn(3, '.');
        if parts.next()? != "1" {
            return None;
        }
        let minor = parts.next()?;
        // Some servers write a minor as `27+`, or append a build: `1.33-eks`.
        let (minor, build) = minor.split_at(digits(minor));
        let minor: u16 =
            minor.parse().ok().filter(|_| build.is_empty() || build.starts_with(['+', '-']))?;
        let patch = match parts.next() {
            None => u16::MAX,
            Some(rest) => rest.get(..digits(rest))?.parse().ok()?,
        };
        Some(Self { minor, patch })
    }

    /// The version whose rules are used for this one: itself inside the range, else the nearest end
    /// of the range.
    #[must_use]
    pub fn nearest_supported(self) -> Self {
        if self.minor > Self::UNRELEASED.minor {
            Self::UNRELEASED
        } else if self.minor < Self::OLDEST.minor {
            Self::OLDEST
        } else {
            self
        }
    }

    /// The versions whose rules are known: `1.12 to 1.37, and 1.38 as recorded from 1.38.0-beta.0`.
    pub fn known_text() -> String {
        let [oldest, newest, unreleased] =
            [Self::OLDEST, Self::NEWEST, Self::UNRELEASED].map(Self::minor_text);
        let recorded = Self::RECORDED_PRE_RELEASE;
        format!("{oldest} to {newest}, and {unreleased} as recorded from {recorded}")
    }

    /// The release that introduced something: `1.34` for the first of a minor, `1.34.2` for a later
    /// one.
    pub fn release_text(self) -> String {
        if self.patch == 0 { self.minor_text() } else { self.to_string() }
    }

    /// Its minor: `1.37`.
    pub fn minor_text(self) -> String {
        format!("1.{}", self.minor)
    }
}

impl fmt::Display for SchedulerVersion {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.patch == u16::MAX {
            write!(f, "1.{}", self.minor)
        } else {
            write!(f, "1.{}.{}", self.minor, self.patch)
        }
    }
}

/// The number of digits that a text begins with.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::SchedulerVersion;

    #[test]
    fn versions_as_servers_and_vendors_write_them() {
        for (text, expected) in [
            ("v1.37.1", "1.37.1"),
            ("1.37", "1.37"),
            ("v1.33.4-gke.1208000", "1.33.4"),
            ("v1.32.7-eks-3abbec1", "1.32.7"),
            ("v1.33-eks", "1.33"),
            ("v1.34.1+k3s1", "1.34.1"),
            ("v1.31.5+rke2r1", "1.31.5"),
            ("v1.27+", "1.27"),
            ("v2.0.0", ""),
            ("v99.0", ""),
            ("v1.x", ""),
            ("1.37garbage", ""),
            ("garbage", ""),
            ("", ""),
        ] {
            let read = SchedulerVersion::parse(text)
                .map(|version| version.to_string())
                .unwrap_or_default();
            assert_eq!(read, expected, "{text}");
        }
    }
}
