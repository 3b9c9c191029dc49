//! A permission, and what an access review of the server says about it.

use std::fmt;

/// One verb on one resource: what Kubernetes authorizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Permission {
    /// `list`, `create` and so on.
    pub verb: &'static str,
    /// API group; empty for core.
    pub group: &'static str,
    /// Plural name of the resource.
    pub resource: &'static str,
    /// `eviction` of `pods/eviction`; empty if there is none.
    pub subresource: &'static str,
}

impl Permission {
    /// The resource as the rules of a role name it: `pods/eviction`.
    #[must_use]
    pub fn rule_resource(&self) -> String {
        if self.subresource.is_empty() {
            self.resource.to_owned()
        } else {
            format!("{}/{}", self.resource, self.subresource)
        }
    }
}

/// As `kubectl auth can-i` takes it: `list poddisruptionbudgets.policy`, `create pods/eviction`.
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

/// What the server decides about a permission. The text is the reason that an authorizer gives,
/// empty if it gives none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccessDecision {
    /// The user has the permission.
    Allowed(String),
    /// No authorizer allows it: a further role would.
    Denied(String),
    /// An authorizer forbids it: no further role helps.
    Forbidden(String),
    /// The server did not decide: why.
    Unknown(String),
    /// The server does not serve the resource.
    NotServed,
}

impl AccessDecision {
    /// The decision for people: `yes`, `no`, `forbidden`, `unknown`, `not served`.
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

    /// The name of the decision in JSON.
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

    /// The reason; empty if the server gives none.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Allowed(reason)
            | Self::Denied(reason)
            | Self::Forbidden(reason)
            | Self::Unknown(reason) => reason,
            Self::NotServed => "",
        }
    }
}
