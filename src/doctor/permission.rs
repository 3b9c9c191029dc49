//! A permission and what a server says about it.

use std::fmt;

/// One verb on one resource, as Kubernetes authorizes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Permission {
    /// `list`, `create` and so on.
    pub verb: &'static str,
    /// API group; empty for core.
    pub group: &'static str,
    /// Plural.
    pub resource: &'static str,
    /// `eviction` of `pods/eviction`; empty for none.
    pub subresource: &'static str,
}

impl Permission {
    /// The resource as rules of a role name it: `pods/eviction`.
    #[must_use]
    pub fn rule_resource(&self) -> String {
        if self.subresource.is_empty() {
            self.resource.to_owned()
        } else {
            format!("{}/{}", self.resource, self.subresource)
        }
    }
}

/// As one would ask `kubectl auth can-i`: `list poddisruptionbudgets.policy`, `create pods/eviction`.
impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        if !self.subresource.is_empty() {
            write!(f, "/{}", self.subresource)?;
        }
        Ok(())
    }
}

/// What the server says about a permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It may be used; the authorizer's reason, if it gives one.
    Allowed(String),
    /// Nobody allows it; the authorizer's reason, if it gives one.
    Denied(String),
    /// An authorizer forbids it, so that no further role helps; its reason.
    Forbidden(String),
    /// The server would not or could not say; why.
    Unknown(String),
    /// The server has no such resource.
    NotServed,
}

impl Answer {
    /// `yes`, `no`, `forbidden`, `unknown`, `not served`.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        match self {
            Self::Allowed(_) => "yes",
            Self::Denied(_) => "no",
            Self::Forbidden(_) => "forbidden",
            Self::Unknown(_) => "unknown",
            Self::NotServed => "not served",
        }
    }

    /// The name in JSON.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Allowed(_) => "Allowed",
            Self::Denied(_) => "Denied",
            Self::Forbidden(_) => "Forbidden",
            Self::Unknown(_) => "Unknown",
            Self::NotServed => "NotServed",
        }
    }

    /// What the server gives as its reason; empty if nothing.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Allowed(reason) | Self::Denied(reason) | Self::Forbidden(reason) | Self::Unknown(reason) => reason,
            Self::NotServed => "",
        }
    }
}
