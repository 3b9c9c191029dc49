//! The Model Context Protocol, as far as a server of tools needs it: what a message is, which
//! revision a request belongs to, and the shapes of responses.
//!
//! There is no SDK here. A server on standard input and output needs five methods, which are less
//! text than what an SDK has to be told; and the SDK for Rust ignores lines that it cannot read,
//! so that a client waits forever, and takes a twentieth of the compiler's work for a release.
//!
//! Up to 2025-11-25 a client begins with `initialize`, which settles the revision for the session.
//! From 2026-07-28 there is no such handshake: each request states its revision and the client's
//! capabilities in `_meta`, and `server/discover` tells what the server supports. One server
//! answers both: the first request decides which of the two the session is, but a session that
//! began with `initialize` also takes requests that state everything themselves.

use serde_json::{Map, Value, json};

/// The revisions that are answered, from the oldest on. Dates compare as text does.
const REVISIONS: [&str; 5] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", WITHOUT_HANDSHAKE];
/// The first revision without `initialize`.
const WITHOUT_HANDSHAKE: &str = "2026-07-28";
/// What `initialize` settles on if the client asks for a revision that is unknown or has no such
/// handshake.
const LATEST_WITH_HANDSHAKE: &str = "2025-11-25";
/// The only revision in which several messages may share a line.
const WITH_BATCHES: &str = "2025-03-26";
/// Maximum number of messages in such a line.
const LONGEST_BATCH: usize = 64;

/// Fields of `_meta` in a request that states everything itself.
const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

pub(super) const PARSE_ERROR: i32 = -32700;
pub(super) const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;
const UNSUPPORTED_REVISION: i32 = -32022;

/// Why a request has no result.
#[derive(Debug)]
pub(super) struct RpcError {
    pub code: i32,
    message: String,
    data: Option<Value>,
}

impl RpcError {
    pub(super) fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(super) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    pub(super) fn method_not_found(method: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, method)
    }

    pub(super) fn internal(message: &str) -> Self {
        Self::new(INTERNAL_ERROR, message)
    }

    fn unsupported_revision(requested: &str) -> Self {
        Self {
            data: Some(json!({"requested": requested, "supported": REVISIONS})),
            ..Self::new(UNSUPPORTED_REVISION, "Unsupported protocol version")
        }
    }

    /// For what is no message of the protocol at all.
    fn invalid_request() -> Self {
        Self::new(INVALID_REQUEST, "the message is no request of the Model Context Protocol")
    }

    /// The response with this error; `id` is null if the request's cannot be known.
    pub(super) fn response(self, id: &Value) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if let (Some(data), Some(fields)) = (self.data, error.as_object_mut()) {
            fields.insert("data".to_owned(), data);
        }
        json!({"jsonrpc": "2.0", "id": id, "error": error})
    }
}

/// The response to a request.
pub(super) fn response(id: &Value, answer: Result<Value, RpcError>) -> Value {
    match answer {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => error.response(id),
    }
}

/// A message of a client.
#[derive(Debug)]
pub(super) enum Message {
    Request(Request),
    /// A client no longer wants the response to the request with this id.
    Cancelled(Value),
    /// Several messages, of which nothing has been read yet.
    Batch(Vec<Value>),
    /// Nothing has to be done: another notification, or a response, though nothing was asked.
    Ignored,
}

#[derive(Debug)]
pub(super) struct Request {
    /// A number or a string.
    pub id: Value,
    pub method: String,
    pub params: Map<String, Value>,
}

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    /// The response to what is none.
    pub(super) fn read(message: Value) -> Result<Self, Value> {
        let mut fields = match message {
            Value::Object(fields) => fields,
            Value::Array(messages) => return Ok(Self::Batch(messages)),
            _ => return Err(RpcError::invalid_request().response(&Value::Null)),
        };
        let id = fields.remove("id");
        let is_valid = fields.get("jsonrpc").is_some_and(|version| version == "2.0");
        let is_response = fields.contains_key("result") != fields.contains_key("error");
        let has_outcome = fields.contains_key("result") || fields.contains_key("error");
        let method = fields.remove("method");
        let params = parameters(fields.remove("params"));

        match (method, &id) {
            (None, _) if is_valid && is_response => return Ok(Self::Ignored),
            // Nobody waits for a response to a notification, so even a wrong one gets none.
            (Some(Value::String(method)), None) => {
                let cancelled = params
                    .filter(|_| is_valid && method == "notifications/cancelled")
                    .and_then(|params| request_id(params.get("requestId")?));
                return Ok(cancelled.map_or(Self::Ignored, Self::Cancelled));
            }
            (Some(Value::String(method)), Some(id)) if is_valid && !has_outcome => {
                if let (Some(id), Some(params)) = (request_id(id), params) {
                    return Ok(Self::Request(Request { id, method, params }));
                }
            }
            _ => {}
        }
        // The error names the request if anything in the message can.
        let id = id.filter(|id| id.is_string() || id.is_number());
        Err(RpcError::invalid_request().response(&id.unwrap_or_default()))
    }
}

/// The parameters of a message, which are optional. `None` if they are not an object, or `_meta`
/// in them is not.
fn parameters(params: Option<Value>) -> Option<Map<String, Value>> {
    match params.unwrap_or_default() {
        Value::Null => Some(Map::new()),
        Value::Object(params) => {
            let has_meta =
                params.get("_meta").is_none_or(|meta| meta.is_object() || meta.is_null());
            has_meta.then_some(params)
        }
        _ => None,
    }
}

/// The id of a request: a string, or an integer, which some clients write as `1.0`.
fn request_id(id: &Value) -> Option<Value> {
    /// From here on, several integers are the same float.
    const INEXACT: f64 = 9_007_199_254_740_992.0;

    if id.is_string() || id.is_i64() {
        return Some(id.clone());
    }
    let float = id.as_f64().filter(|_| id.is_f64())?;
    let is_integer = float.fract() == 0.0 && float.abs() < INEXACT;
    is_integer.then(|| json!(float as i64))
}

impl Request {
    fn meta(&self, field: &str) -> Option<&Value> {
        self.params.get("_meta")?.get(field)
    }
}

/// What a request is answered by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    revision: &'static str,
    /// Whether the request belongs to no session that `initialize` began.
    pub stands_alone: bool,
}

impl Terms {
    /// Adds to a result what later revisions want in all of them.
    pub(super) fn result(self, mut result: Value) -> Value {
        if self.revision >= WITHOUT_HANDSHAKE {
            complete(&mut result);
        }
        result
    }

    /// The same for a result that a client may keep. It may not: another version of this program
    /// may answer the next time.
    pub(super) fn cacheable(self, mut result: Value) -> Value {
        if self.revision >= WITHOUT_HANDSHAKE {
            uncached(&mut result);
        }
        self.result(result)
    }
}

fn complete(result: &mut Value) {
    result["resultType"] = json!("complete");
}

fn uncached(result: &mut Value) {
    result["ttlMs"] = json!(0);
    result["cacheScope"] = json!("private");
}

/// What the messages so far have settled.
#[derive(Debug, Default)]
pub(super) struct Session {
    /// The revision on which `initialize` settled.
    negotiated: Option<&'static str>,
    /// Whether the first request stated its revision itself. Then each has to.
    stateless: bool,
}

impl Session {
    /// The terms of a request other than `initialize`.
    ///
    /// # Errors
    /// Its revision is unknown, or it does not state what it has to.
    pub(super) fn terms(&mut self, request: &Request) -> Result<Terms, RpcError> {
        let has_begun = self.stateless || self.negotiated.is_some();
        if !has_begun && request.method == "ping" {
            return Ok(Terms { revision: LATEST_WITH_HANDSHAKE, stands_alone: false });
        }
        let stated = request.meta(PROTOCOL_VERSION).and_then(Value::as_str);
        let stated = stated
            .map(|revision| known(revision).ok_or_else(|| RpcError::unsupported_revision(revision)))
            .transpose()?;

        let session = self.negotiated.filter(|_| !self.stateless);
        let is_discovery = request.method == "server/discover";
        let states_a_later_one = stated.is_some_and(|revision| revision >= WITHOUT_HANDSHAKE);
        if let Some(revision) = session.filter(|_| !is_discovery && !states_a_later_one) {
            return Ok(Terms { revision: stated.unwrap_or(revision), stands_alone: false });
        }

        // Without a session, the request itself has to say what `initialize` would have.
        let capabilities = request.meta(CLIENT_CAPABILITIES).filter(|value| value.is_object());
        let (Some(revision), Some(_)) = (stated, capabilities) else {
            let mut missing = Vec::new();
            missing.extend(stated.is_none().then_some(PROTOCOL_VERSION));
            missing.extend(capabilities.is_none().then_some(CLIENT_CAPABILITIES));
            return Err(RpcError::invalid_params(format!(
                "request _meta is missing or has malformed required fields: {}",
                missing.join(", ")
            )));
        };
        // A client that asks what there is may still begin either way.
        if !has_begun && !is_discovery {
            self.stateless = true;
        }
        Ok(Terms { revision, stands_alone: true })
    }

    /// Answers `initialize`, which may be repeated.
    ///
    /// # Errors
    /// When the client does not say which revision it wants and who it is.
    pub(super) fn initialize(
        &mut self,
        params: &Map<String, Value>,
        server: &ServerInfo,
    ) -> Result<Value, RpcError> {
        let requested = params.get("protocolVersion").and_then(Value::as_str);
        let has_capabilities = params.get("capabilities").is_some_and(Value::is_object);
        let client = params.get("clientInfo");
        let is_named = ["name", "version"]
            .iter()
            .all(|field| client.is_some_and(|client| client[*field].is_string()));
        let Some(requested) = requested.filter(|_| has_capabilities && is_named) else {
            return Err(RpcError::invalid_params(
                "initialize needs protocolVersion, capabilities, and clientInfo with name and version",
            ));
        };
        let settled = known(requested).filter(|revision| *revision < WITHOUT_HANDSHAKE);
        let revision = settled.unwrap_or(LATEST_WITH_HANDSHAKE);
        self.negotiated = Some(revision);
        Ok(json!({
            "protocolVersion": revision,
            "capabilities": capabilities(),
            "serverInfo": server.json(),
            "instructions": server.instructions,
        }))
    }

    /// Checks that the messages of a line may share it.
    ///
    /// # Errors
    /// They may not in this session, or are none, or too many.
    pub(super) fn check_batch(&self, messages: &[Value]) -> Result<(), RpcError> {
        if self.negotiated != Some(WITH_BATCHES) || messages.is_empty() {
            return Err(RpcError::invalid_request());
        }
        if messages.len() > LONGEST_BATCH {
            let text = format!("a batch has more than {LONGEST_BATCH} messages");
            return Err(RpcError::new(INVALID_REQUEST, text));
        }
        Ok(())
    }
}

fn known(revision: &str) -> Option<&'static str> {
    REVISIONS.into_iter().find(|known| *known == revision)
}

/// The list of tools never changes while the server runs, and there is nothing else.
fn capabilities() -> Value {
    json!({"tools": {}})
}

/// What the server says of itself.
#[derive(Debug)]
pub(super) struct ServerInfo {
    pub name: &'static str,
    pub title: &'static str,
    pub version: &'static str,
    /// For the model that chooses among tools.
    pub instructions: &'static str,
}

impl ServerInfo {
    fn json(&self) -> Value {
        json!({"name": self.name, "title": self.title, "version": self.version})
    }

    /// Answers `server/discover`.
    pub(super) fn discovery(&self) -> Value {
        let mut result = json!({
            "supportedVersions": REVISIONS,
            "capabilities": capabilities(),
            "instructions": self.instructions,
            "_meta": {SERVER_INFO: self.json()},
        });
        complete(&mut result);
        uncached(&mut result);
        result
    }
}

/// The outcome of a tool, as JSON and as the same in a text for clients that know no other.
pub(super) fn tool_result(structured: &Value, is_error: bool) -> Value {
    json!({
        "content": [{"type": "text", "text": structured.to_string()}],
        "structuredContent": structured,
        "isError": is_error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, params: &Value) -> Request {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        match Message::read(message) {
            Ok(Message::Request(request)) => request,
            other => panic!("{other:?}"),
        }
    }

    fn initialize(session: &mut Session, revision: &str) -> Value {
        let server =
            ServerInfo { name: "name", title: "title", version: "1", instructions: "none" };
        let params = json!({"protocolVersion": revision, "capabilities": {},
            "clientInfo": {"name": "client", "version": "1"}});
        let result = session.initialize(params.as_object().unwrap(), &server).unwrap();
        result["protocolVersion"].clone()
    }

    #[test]
    fn message_of_another_form_is_refused_with_the_id_of_its_request() {
        for (message, id) in [
            (json!(7), json!(null)),
            (json!({}), json!(null)),
            (json!({"id": 3}), json!(3)),
            (json!({"id": "seven", "what": 1}), json!("seven")),
            (json!({"id": {}, "what": 1}), json!(null)),
            (json!({"jsonrpc": "1.0", "id": 4, "method": "ping"}), json!(4)),
            (json!({"jsonrpc": "2.0", "id": null, "method": "ping"}), json!(null)),
            (json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}), json!(1.5)),
            (json!({"jsonrpc": "2.0", "id": 5, "method": "ping", "params": []}), json!(5)),
            (json!({"jsonrpc": "2.0", "id": 6, "method": "ping", "result": {}}), json!(6)),
        ] {
            let refusal = Message::read(message.clone()).unwrap_err();
            assert_eq!(refusal["error"]["code"], INVALID_REQUEST, "{message}");
            assert_eq!(refusal["id"], id, "{message}");
        }
    }

    #[test]
    fn notifications_and_responses_need_no_response() {
        for message in [
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}),
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": []}),
            json!({"method": "anything"}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
            json!({"jsonrpc": "2.0", "error": {"code": 1, "message": "x"}}),
        ] {
            let read = Message::read(message.clone()).unwrap();
            assert!(matches!(read, Message::Ignored), "{message}: {read:?}");
        }
    }

    #[test]
    fn cancelled_id_is_compared_with_that_of_the_request() {
        for (written, id) in
            [(json!("a"), json!("a")), (json!(1), json!(1)), (json!(1.0), json!(1))]
        {
            let message = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": {"requestId": written}});
            let read = Message::read(message).unwrap();
            assert!(matches!(&read, Message::Cancelled(found) if *found == id), "{read:?}");
        }
    }

    #[test]
    fn initialize_settles_on_a_revision_that_has_it() {
        for (requested, settled) in [
            ("2024-11-05", "2024-11-05"),
            ("2025-11-25", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("tomorrow", "2025-11-25"),
        ] {
            assert_eq!(initialize(&mut Session::default(), requested), settled);
        }
    }

    #[test]
    fn messages_share_a_line_in_one_revision_alone() {
        let mut session = Session::default();
        let ping = [json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})];
        assert!(session.check_batch(&ping).is_err());
        initialize(&mut session, "2025-06-18");
        assert!(session.check_batch(&ping).is_err());
        initialize(&mut session, WITH_BATCHES);
        assert!(session.check_batch(&ping).is_ok());
        assert!(session.check_batch(&[]).is_err());
        assert!(session.check_batch(&vec![ping[0].clone(); LONGEST_BATCH]).is_ok());
        assert!(session.check_batch(&vec![ping[0].clone(); LONGEST_BATCH + 1]).is_err());
    }

    #[test]
    fn first_request_decides_who_states_the_revision() {
        let stated = json!({"_meta": {PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {}}});
        let mut session = Session::default();
        assert!(session.terms(&request("tools/list", &json!({}))).is_err());
        assert!(session.terms(&request("server/discover", &stated)).is_ok());
        assert!(session.terms(&request("tools/list", &json!({}))).is_err(), "it only asked");
        assert!(session.terms(&request("tools/list", &stated)).unwrap().stands_alone);
        initialize(&mut session, "2025-06-18");
        assert!(session.terms(&request("tools/list", &json!({}))).is_err(), "each states it");

        let mut session = Session::default();
        initialize(&mut session, "2025-06-18");
        let terms = session.terms(&request("tools/list", &json!({}))).unwrap();
        assert_eq!((terms.revision, terms.stands_alone), ("2025-06-18", false));
        assert!(session.terms(&request("tools/list", &stated)).unwrap().stands_alone);
        let terms = session.terms(&request("tools/list", &json!({}))).unwrap();
        assert!(!terms.stands_alone, "one request changes nothing for the next");
    }
}
