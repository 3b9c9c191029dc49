//! The lines on standard input and output: one JSON-RPC message each.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::protocol::{INVALID_REQUEST, PARSE_ERROR, RpcError};

/// Size limit of a message: a manifest and some arguments.
pub(super) const LONGEST: usize = 1 << 20;
/// Maximum number of unwritten responses. Beyond that, no input is read until the client reads.
const UNWRITTEN: usize = 16;

/// The messages of the client.
pub(super) struct MessageReader<R> {
    input: BufReader<R>,
    /// The partial line. Reading is cancel-safe and continues with it.
    line: Vec<u8>,
    /// Whether the rest of an oversized line is being skipped.
    skipping: bool,
}

impl<R: AsyncRead + Unpin> MessageReader<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), skipping: false }
    }

    /// The next message; the error to respond with for a line that is none. `None` at the end of
    /// the input. Nothing is lost when this is cancelled while it waits.
    pub(super) async fn next(&mut self) -> Option<Result<Value, RpcError>> {
        loop {
            let Ok(line) = self.next_line().await? else {
                let text = format!("the message is longer than {LONGEST} bytes");
                return Some(Err(RpcError::new(INVALID_REQUEST, text)));
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            // The parser's error contains a position and no content.
            return Some(
                serde_json::from_slice(&line).map_err(|e| {
                    RpcError::new(PARSE_ERROR, format!("the message is not JSON: {e}"))
                }),
            );
        }
    }

    /// The next line without its newline; an error for an oversized one. `None` at the end of the
    /// input, where a line without a newline is not a message.
    async fn next_line(&mut self) -> Option<Result<Vec<u8>, ()>> {
        loop {
            // Bytes are consumed in the same step that processes them, so that nothing is lost if
            // this is cancelled while it waits.
            let available = self.input.fill_buf().await.ok()?;
            if available.is_empty() {
                return None;
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
            let is_too_long = !self.skipping && self.line.len() + part.len() > LONGEST;
            if !self.skipping && !is_too_long {
                self.line.extend_from_slice(part);
            }
            let taken = part.len() + usize::from(end.is_some());
            self.input.consume(taken);
            if is_too_long {
                self.line = Vec::new();
                self.skipping = end.is_none();
                return Some(Err(()));
            }
            if end.is_none() {
                continue;
            }
            if !std::mem::take(&mut self.skipping) {
                return Some(Ok(std::mem::take(&mut self.line)));
            }
        }
    }
}

/// The responses, which a task of their own writes, so that none is interrupted, and so that a
/// client may write a long message before it reads.
pub(super) struct MessageWriter {
    /// Lines, because a response takes several times the memory of its line.
    queue: mpsc::Sender<Vec<u8>>,
    writing: JoinHandle<()>,
}

impl MessageWriter {
    pub(super) fn new(output: impl AsyncWrite + Unpin + Send + 'static) -> Self {
        let (queue, lines) = mpsc::channel(UNWRITTEN);
        Self { queue, writing: tokio::spawn(write(lines, output)) }
    }

    /// Queues a response.
    ///
    /// # Errors
    /// When the client no longer reads.
    pub(super) async fn send(&self, response: Value) -> io::Result<()> {
        let mut line = response.to_string().into_bytes();
        line.push(b'\n');
        drop(response);
        let closed = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.queue.send(line).await.map_err(closed)
    }

    /// Waits until everything is written.
    pub(super) async fn finish(self) {
        drop(self.queue);
        // The task ends early if the client no longer reads; there is nobody to tell then.
        let _ = self.writing.await;
    }
}

/// Writes responses as long as the client reads.
async fn write(mut lines: mpsc::Receiver<Vec<u8>>, mut output: impl AsyncWrite + Unpin) {
    while let Some(line) = lines.recv().await {
        if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is read from these bytes: messages, and the codes of errors.
    fn received(bytes: &[u8]) -> Vec<Result<Value, i32>> {
        let runtime = crate::api::runtime::start("test").unwrap();
        runtime.block_on(async {
            let mut reader = MessageReader::new(bytes);
            let mut found = Vec::new();
            while let Some(message) = reader.next().await {
                found.push(message.map_err(|error| error.code));
            }
            found
        })
    }

    #[test]
    fn invalid_line_is_an_error_and_the_next_is_read() {
        let long = "x".repeat(LONGEST + 1);
        let deep = "[".repeat(5000);
        for (line, code) in [
            ("{", PARSE_ERROR),
            ("hello", PARSE_ERROR),
            (deep.as_str(), PARSE_ERROR),
            (long.as_str(), INVALID_REQUEST),
        ] {
            let found = received(format!("{line}\n{{\"id\": 1}}\n").as_bytes());
            assert_eq!(found, [Err(code), Ok(json!({"id": 1}))], "{line:.40}");
        }
        let found = received(b"\n  \n\r\n[7]\r\n");
        assert_eq!(found, [Ok(json!([7]))], "empty lines are no messages");
        assert_eq!(received(b"{}"), [], "a line without an end is none");
    }

    #[test]
    fn longest_message_is_read() {
        let text = "x".repeat(LONGEST - 2);
        let found = received(format!("\"{text}\"\n").as_bytes());
        assert_eq!(found, [Ok(json!(text))]);
    }

    #[test]
    fn responses_are_written_in_order_until_the_client_is_gone() {
        let runtime = crate::api::runtime::start("test").unwrap();
        runtime.block_on(async {
            let (output, mut client) = tokio::io::duplex(8);
            let writer = MessageWriter::new(output);
            for number in 0..5 {
                writer.send(json!(number)).await.unwrap();
            }
            let reading = tokio::spawn(async move {
                let mut text = String::new();
                tokio::io::AsyncReadExt::read_to_string(&mut client, &mut text).await.unwrap();
                text
            });
            writer.finish().await;
            assert_eq!(reading.await.unwrap(), "0\n1\n2\n3\n4\n");

            let (output, client) = tokio::io::duplex(8);
            let writer = MessageWriter::new(output);
            drop(client);
            let mut sent = 0;
            while sent < 100 && writer.send(json!(sent)).await.is_ok() {
                sent += 1;
            }
            assert!(sent < 100, "the client has left");
        });
    }
}
