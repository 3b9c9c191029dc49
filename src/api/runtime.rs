//! The single-threaded runtime for requests.

use tokio::runtime::{Builder, Runtime};

use crate::error::Error;

/// Starts a runtime; `what` names the purpose in the error.
///
/// # Errors
/// When the operating system cannot provide it.
pub fn start(what: &str) -> Result<Runtime, Error> {
    let refused = |e| Error::Cluster { problem: format!("cannot {what}: {e}"), hint: None };
    Builder::new_current_thread().enable_all().build().map_err(refused)
}
