//! The client of all watches. Credentials expire, so the client is renewed periodically and after a
//! failure: once for all kinds, because a credential plugin may take seconds.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::api::Env;
use crate::api::client::Reader;
use crate::api::config;
use crate::api::flags::ConnectionFlags;
use crate::error::Error;

/// How long a client is used for new watches.
const LIFETIME: Duration = Duration::from_secs(240);

/// Makes clients.
pub(super) struct Connector {
    env: Env,
    flags: ConnectionFlags,
    current: Mutex<Option<(Instant, Reader)>>,
}

impl Connector {
    pub(super) fn new(env: Env, flags: ConnectionFlags) -> Self {
        Self { env, flags, current: Mutex::new(None) }
    }

    /// Must be called inside a tokio runtime.
    pub(super) async fn reader(&self) -> Result<Reader, Error> {
        let mut current = self.current.lock().await;
        if let Some((made, reader)) = &*current
            && made.elapsed() < LIFETIME
        {
            return Ok(reader.clone());
        }
        let connection = config::resolve(&self.flags, &self.env)?;
        let reader = Reader::new(connection, self.flags.request_timeout)?;
        Ok(current.insert((Instant::now(), reader)).1.clone())
    }

    /// After a failure: the next call creates a new client.
    pub(super) async fn renew(&self) {
        *self.current.lock().await = None;
    }
}
