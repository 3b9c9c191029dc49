//! A server's answer to one request.

use http::StatusCode;

/// Status and body of an answer.
pub(crate) struct Answer {
    /// The HTTP status.
    pub status: StatusCode,
    /// The body.
    pub body: String,
}
