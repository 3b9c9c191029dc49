//! What a server says about a client: who it is, what it may do, and how the server itself is.

use std::fmt;

/// One verb on one resource, the unit that Kubernetes authorizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Permission {
    pub verb: &'static str,
    /// API group; empty for core.
    pub group: &'static str,
    pub resource: &'static str,
    /// `eviction` for `pods/eviction`; empty if there is none.
    pub subresource: &'static str,
}

impl Permission {
    /// The resource as an RBAC rule names it: `pods/eviction`.
    pub fn rule_resource(&self) -> String {
        if self.subresource.is_empty() {
            self.resource.to_owned()
        } else {
            format!("{}/{}", self.resource, self.subresource)
        }
    }

    /// The resource with its group, as kubectl names it: `poddisruptionbudgets.policy`.
    pub fn full_resource(&self) -> String {
        let mut name = self.resource.to_owned();
        for (mark, part) in [(".", self.group), ("/", self.subresource)] {
            if !part.is_empty() {
                name.push_str(mark);
                name.push_str(part);
            }
        }
        name
    }
}

/// In the form that `kubectl auth can-i` takes: `list poddisruptionbudgets.policy`, `create
/// pods/eviction`.
impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.full_resource())
    }
}

/// The result of an access review. The text is the authorizer's reason, empty if it gives none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccessDecision {
    Allowed(String),
    /// No authorizer allows it: a further role would help.
    Denied(String),
    /// An authorizer forbids it: no further role helps.
    Forbidden(String),
    /// The server did not decide, for this reason.
    Unknown(String),
    /// The server does not serve the resource.
    NotServed,
}

impl AccessDecision {
    /// The decision as shown to users: `yes`, `no`, `forbidden`, `unknown`, `not served`.
    pub const fn text(&self) -> &'static str {
        match self {
            Self::Allowed(_) => "yes",
            Self::Denied(_) => "no",
            Self::Forbidden(_) => "forbidden",
            Self::Unknown(_) => "unknown",
            Self::NotServed => "not served",
        }
    }

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

/// Whether the server is ready to serve requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerHealth {
    Ready,
    /// The failing checks, or the response.
    NotReady(Vec<String>),
    /// There was no response, for this reason.
    Unknown(String),
}

/// The user as whom the server authenticates the requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    Known {
        user: String,
        /// UID; empty if the user has none.
        uid: String,
        groups: Vec<String>,
    },
    /// The server did not report an identity, for this reason.
    Unknown(String),
}
