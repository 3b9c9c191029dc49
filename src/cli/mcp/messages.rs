//! The messages on standard input and output: one JSON-RPC message per line.
//!
//! The SDK's own transport ignores lines that are too long or not JSON, so that a client would wait
//! for their responses forever. Here each of them gets an error response. The SDK's server also ends
//! five seconds after its input, whatever it still has to answer: here the end of the input waits for
//! the answers. Everything else about the protocol is the SDK's.

use std::io;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// Size limit of a message: a manifest and some arguments.
pub(super) const LONGEST: usize = 1 << 20;
/// Maximum number of unwritten responses. Beyond that, no input is read until the client reads.
const UNWRITTEN: usize = 16;

/// How long a client may take to read the last responses.
const LAST_WRITES: Duration = Duration::from_secs(5);

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Reads from one stream and writes to another.
pub(super) struct MessageStream<R> {
    input: BufReader<R>,
    /// The partial line. Reading is cancel-safe and continues with it.
    line: Vec<u8>,
    /// Whether the rest of an oversized line is being skipped.
    skipping: bool,
    /// An error response to send before anything else is read.
    owed: Option<Vec<u8>>,
    /// Whether a request has been received. What comes before one needs no response, and would end
    /// the SDK's server.
    has_begun: bool,
    /// The requests that were neither answered nor cancelled.
    unanswered: watch::Sender<Vec<RequestId>>,
    output: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
}

/// The content of a line.
enum Line {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// An unknown notification, which gets no response in JSON-RPC.
    Ignored,
    Refused(Vec<u8>),
}

impl<R: AsyncRead + Unpin + Send> MessageStream<R> {
    /// Writes from a separate task, so that no message is interrupted.
    pub(super) fn new(input: R, output: impl AsyncWrite + Unpin + Send + 'static) -> Self {
        let (sender, receiver) = mpsc::channel(UNWRITTEN);
        let writer = tokio::spawn(write(receiver, output));
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            skipping: false,
            owed: None,
            has_begun: false,
            unanswered: watch::Sender::default(),
            output: Some(sender),
            writer: Some(writer),
        }
    }

    /// Keeps track of the requests that are to be answered.
    fn note(&self, message: &RxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.unanswered.send_modify(|ids| ids.push(request.id.clone()));
            }
            // The SDK sends no answer to a request that was cancelled.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(it) = &notification.notification {
                    let cancelled = it.params.request_id.as_ref();
                    self.unanswered.send_modify(|ids| ids.retain(|id| Some(id) != cancelled));
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
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

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for MessageStream<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = answered {
            self.unanswered.send_modify(|ids| ids.retain(|known| known != id));
        }
        async move {
            let line = encoded(&serde_json::to_value(&message)?);
            let output = output.ok_or(io::ErrorKind::BrokenPipe)?;
            output.send(line).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
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
            let Some(line) = self.next_line().await else {
                // A request that was read is answered, however long that takes.
                self.unanswered.subscribe().wait_for(Vec::is_empty).await.ok()?;
                return None;
            };
            let Ok(line) = line else {
                let text = format!("the message is longer than {LONGEST} bytes");
                self.owed = Some(error(&Value::Null, INVALID_REQUEST, &text));
                continue;
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            match read(&line) {
                Line::Message(message) => {
                    self.note(&message);
                    self.has_begun |= matches!(*message, JsonRpcMessage::Request(_));
                    if self.has_begun {
                        return Some(*message);
                    }
                }
                Line::Ignored => {}
                Line::Refused(error) => self.owed = Some(error),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output = None;
        // The process ends after this, and with it what is not written yet.
        if let Some(writer) = self.writer.take() {
            let _ = tokio::time::timeout(LAST_WRITES, writer).await;
        }
        Ok(())
    }
}

/// Writes messages as long as the client reads.
async fn write(mut messages: mpsc::Receiver<Vec<u8>>, mut output: impl AsyncWrite + Unpin) {
    while let Some(message) = messages.recv().await {
        if output.write_all(&message).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

/// Parses a line as a message.
fn read(line: &[u8]) -> Line {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        // The parser's error contains a position and no content.
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

    /// The messages received from these bytes, and the responses to the rest.
    fn received(bytes: &[u8]) -> (usize, Vec<Value>) {
        let runtime = crate::api::runtime::start("test").unwrap();
        runtime.block_on(async {
            let (output, mut answers) = tokio::io::duplex(1 << 20);
            let mut stream = MessageStream::new(bytes, output);
            let mut messages = 0;
            while let Some(Some(_)) = at_once(&mut stream).await {
                messages += 1;
            }
            drop(stream);
            let mut text = String::new();
            tokio::io::AsyncReadExt::read_to_string(&mut answers, &mut text).await.unwrap();
            (messages, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
        })
    }

    /// What is received without waiting.
    async fn at_once(
        stream: &mut MessageStream<&[u8]>,
    ) -> Option<Option<RxJsonRpcMessage<RoleServer>>> {
        tokio::select! {
            biased;
            message = stream.receive() => Some(message),
            () = std::future::ready(()) => None,
        }
    }

    #[test]
    fn the_input_ends_when_its_requests_are_answered_or_cancelled() {
        let request =
            |id| format!("{{\"jsonrpc\": \"2.0\", \"id\": {id}, \"method\": \"ping\"}}\n");
        let cancelled = r#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}"#;
        let input = format!("{}{}{cancelled}\n", request(1), request(2));
        let runtime = crate::api::runtime::start("test").unwrap();
        runtime.block_on(async {
            let mut stream = MessageStream::new(input.as_bytes(), tokio::io::sink());
            for _ in 0..3 {
                assert!(matches!(at_once(&mut stream).await, Some(Some(_))));
            }
            assert!(at_once(&mut stream).await.is_none(), "the second request is not answered");
            let answer = json!({"jsonrpc": "2.0", "id": 2, "result": {}});
            stream.send(serde_json::from_value(answer).unwrap()).await.unwrap();
            assert!(matches!(at_once(&mut stream).await, Some(None)));
        });
    }

    #[test]
    fn invalid_message_is_answered_and_the_next_is_read() {
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
