//! What an API server reports about its own health and about the user who sends the requests.

/// Whether the server is ready to serve requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// It is ready.
    Ready,
    /// It is not ready: the checks that fail, or what it answered.
    NotReady(Vec<String>),
    /// It did not answer this: why.
    Unknown(String),
}

/// The user as whom the server authenticates the requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// As the server's `SelfSubjectReview` names the user.
    Known {
        /// User name.
        user: String,
        /// UID; empty if the user has none.
        uid: String,
        /// Groups.
        groups: Vec<String>,
    },
    /// The server did not answer this: why.
    Unknown(String),
}
