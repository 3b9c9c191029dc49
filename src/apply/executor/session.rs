//! The session with the API server: the connection, the options, and what the server lets the user
//! do.

use std::time::Duration;

use crate::api::client::Reader;
use crate::api::config::Connection;
use crate::api::writer::Writer;
use crate::apply::options::ApplyOptions;
use crate::error::Error;

/// The time limit of a request if the user sets none: that of the server, and a little.
const SERVER_TIMEOUT: Duration = Duration::from_secs(65);

/// The session of one run.
pub(in crate::apply) struct Session {
    /// What the user chose.
    pub options: ApplyOptions,
    /// Reads.
    pub reader: Reader,
    /// Writes.
    pub writer: Writer,
    /// Whether conditions of victims are patched: in delete mode, if the user may.
    pub patches_conditions: bool,
    /// Whether Events are written: if requested, and the user may.
    pub writes_events: bool,
    /// Whether the server is older than the eviction API of `policy/v1`.
    pub beta_evictions: bool,
}

impl Session {
    /// A session over `connection`.
    ///
    /// # Errors
    /// When the connection cannot be set up.
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

    /// The warnings that the server sent with its answers, each once per client.
    pub(in crate::apply) fn warnings(&self) -> Vec<String> {
        self.reader.warnings().into_iter().chain(self.writer.warnings()).collect()
    }
}
