//! The runtime on which requests are sent: one thread.

use tokio::runtime::{Builder, Runtime};

use crate::error::Error;

/// A runtime; `what` cannot be done without one.
///
/// # Errors
/// The system does not give it.
pub fn start(what: &str) -> Result<Runtime, Error> {
    let refused = |e| Error::Cluster { problem: format!("cannot {what}: {e}"), hint: None };
    Builder::new_current_thread().enable_all().build().map_err(refused)
}
