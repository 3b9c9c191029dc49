//! The session with the API server: the connection, the options, and the user's permissions.

use std::time::Duration;

use crate::api::client::Reader;
use crate::api::config::Connection;
use crate::api::writer::Writer;
use crate::apply::options::ApplyOptions;
use crate::error::Error;

/// Default timeout of a request: slightly more than the server's own.
const SERVER_TIMEOUT: Duration = Duration::from_secs(65);

/// The session of one run.
pub(in crate::apply) struct ApplySession {
    pub options: ApplyOptions,
    pub reader: Reader,
    pub writer: Writer,
    /// Whether conditions of victims are patched: in delete mode, if permitted.
    pub patches_conditions: bool,
    /// Whether Events are written: if requested and permitted.
    pub writes_events: bool,
    /// Whether the server predates the eviction API of `policy/v1`.
    pub beta_evictions: bool,
}

impl ApplySession {
    /// Connects to the server of `connection`.
    ///
    /// # Errors
    /// When the client cannot be built.
    pub(in crate::apply) fn new(
        connection: Connection,
        options: ApplyOptions,
    ) -> Result<Self, Error> {
        let timeout = options.request_timeout.filter(|t| !t.is_zero()).unwrap_or(SERVER_TIMEOUT);
        Ok(Self {
            reader: Reader::new(connection.clone(), Some(timeout))?,
            writer: Writer::new(connection, timeout)?,
            patches_conditions: false,
            writes_events: options.record,
            beta_evictions: false,
            options,
        })
    }

    /// The warnings of the server, deduplicated per client.
    pub(in crate::apply) fn warnings(&self) -> Vec<String> {
        self.reader.warnings().into_iter().chain(self.writer.warnings()).collect()
    }
}
