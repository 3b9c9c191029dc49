//! The messages on standard input and output: one JSON-RPC message a line.
//!
//! The SDK's own transport passes over lines that are too long or no JSON; a client that waits for
//! an answer would wait for ever. Here each of them is answered with an error.

use std::io;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;

/// The most bytes of a message: a manifest and some arguments.
pub(super) const LONGEST: usize = 1 << 20;
/// Answers that wait to be written. Nothing is read meanwhile if the client reads none.
const UNWRITTEN: usize = 16;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Reads from one stream and writes to another.
pub(super) struct MessageStream<R> {
    input: BufReader<R>,
    /// The line so far. Reading may be broken off at any time and goes on with it.
    line: Vec<u8>,
    /// Whether the rest of a line is passed over that was too long.
    skipping: bool,
    /// An error that is to be answered before anything else is read.
    owed: Option<Vec<u8>>,
    output: Option<mpsc::Sender<Vec<u8>>>,
}

/// What a line is.
enum Line {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A notification that is not known, which JSON-RPC leaves unanswered.
    Ignored,
    Refused(Vec<u8>),
}

impl<R: AsyncRead + Unpin + Send> MessageStream<R> {
    /// Writes from a task of its own, so that no message is broken off half-way.
    pub(super) fn new(input: R, output: impl AsyncWrite + Unpin + Send + 'static) -> Self {
        let (sender, receiver) = mpsc::channel(UNWRITTEN);
        tokio::spawn(write(receiver, output));
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            skipping: false,
            owed: None,
            output: Some(sender),
        }
    }

    /// The next line without its end; an error for one that is too long. `None` at the end of the
    /// input, where a line without an end is no message.
    async fn next_line(&mut self) -> Option<Result<Vec<u8>, ()>> {
        loop {
            // What is taken is taken in one step with what becomes of it, so that nothing is lost
            // if this is broken off while it waits.
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

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for MessageStream<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move {
            let line = encoded(&serde_json::to_value(&message)?);
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            output.ok_or_else(closed)?.send(line).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.owed.is_some() {
                let place = self.output.as_ref()?.reserve().await.ok()?;
                if let Some(error) = self.owed.take() {
                    place.send(error);
                }
            }
            let Ok(line) = self.next_line().await? else {
                let text = format!("the message is longer than {LONGEST} bytes");
                self.owed = Some(error(&Value::Null, INVALID_REQUEST, &text));
                continue;
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            match read(&line) {
                Line::Message(message) => return Some(*message),
                Line::Ignored => {}
                Line::Refused(error) => self.owed = Some(error),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output = None;
        Ok(())
    }
}

/// Writes each message as it comes, as long as the client reads.
async fn write(mut messages: mpsc::Receiver<Vec<u8>>, mut output: impl AsyncWrite + Unpin) {
    while let Some(message) = messages.recv().await {
        if output.write_all(&message).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

/// Reads a line as a message.
fn read(line: &[u8]) -> Line {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        // The words of the parser name a place and no content.
        Err(e) => {
            let text = format!("the message is not JSON: {e}");
            return Line::Refused(error(&Value::Null, PARSE_ERROR, &text));
        }
    };
    let id = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
    let is_request = value.get("id").is_some();
    let has_method = value.get("method").is_some_and(Value::is_string);
    match serde_json::from_value(value) {
        Ok(message) => Line::Message(Box::new(message)),
        Err(_) if has_method && !is_request => Line::Ignored,
        Err(_) => Line::Refused(error(
            &id.unwrap_or_default(),
            INVALID_REQUEST,
            "the message is no request of the Model Context Protocol",
        )),
    }
}

fn error(id: &Value, code: i32, text: &str) -> Vec<u8> {
    encoded(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}))
}

fn encoded(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is received of these bytes, and what is answered to the rest.
    fn received(bytes: &[u8]) -> (usize, Vec<Value>) {
        let runtime = crate::api::runtime::start("test").unwrap();
        runtime.block_on(async {
            let (output, mut answers) = tokio::io::duplex(1 << 20);
            let mut stream = MessageStream::new(bytes, output);
            let mut messages = 0;
            while stream.receive().await.is_some() {
                messages += 1;
            }
            drop(stream);
            let mut text = String::new();
            tokio::io::AsyncReadExt::read_to_string(&mut answers, &mut text).await.unwrap();
            (messages, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
        })
    }

    #[test]
    fn what_is_no_message_is_answered_and_what_follows_is_read() {
        let ping = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
        let long = "x".repeat(LONGEST + 1);
        let deep = "[".repeat(5000);
        for (line, code) in [
            ("{", PARSE_ERROR),
            ("hello", PARSE_ERROR),
            (deep.as_str(), PARSE_ERROR),
            ("[]", INVALID_REQUEST),
            ("7", INVALID_REQUEST),
            (r#"{"id": 3}"#, INVALID_REQUEST),
            (long.as_str(), INVALID_REQUEST),
        ] {
            let (messages, answers) = received(format!("{line}\n{ping}\n").as_bytes());
            assert_eq!(messages, 1, "{line:.40}");
            assert_eq!(answers.len(), 1, "{line:.40}: {answers:?}");
            assert_eq!(answers[0]["error"]["code"], code, "{line:.40}");
        }
        let (messages, answers) = received(format!("\n  \n\r\n{ping}\r\n").as_bytes());
        assert_eq!((messages, answers), (1, Vec::new()), "empty lines are no messages");
        let (messages, answers) = received(ping.as_bytes());
        assert_eq!((messages, answers), (0, Vec::new()), "a line without an end is none");
    }

    #[test]
    fn an_error_has_the_id_of_its_request() {
        let (_, answers) = received(b"{\"id\": \"seven\", \"what\": 1}\n");
        assert_eq!(answers[0]["id"], "seven");
        let (_, answers) = received(b"{\"id\": {}, \"what\": 1}\n");
        assert_eq!(answers[0]["id"], Value::Null);
    }
}
