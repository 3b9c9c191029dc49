//! The server's health, and the identity of the user who sends the requests.

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
