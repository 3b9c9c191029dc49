//! A server's answer to one request.

use http::StatusCode;

/// Status and body of an answer.
pub(crate) struct HttpAnswer {
    pub status: StatusCode,
    pub body: String,
}
