//! Requests to the API server, and what comes back, as bytes: for the test's own requests and for
//! the proxy, which must see both sides as they are.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read as _, Result, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rustls::{ClientConfig, ClientConnection, StreamOwned};
use serde_json::Value;

/// An encrypted connection to the API server.
pub type Tls = StreamOwned<ClientConnection, TcpStream>;

/// Connects. Reads that wait longer than `patience` fail.
pub fn connect(address: SocketAddr, tls: &Arc<ClientConfig>, patience: Duration) -> Result<Tls> {
    let stream = TcpStream::connect_timeout(&address, Duration::from_secs(5))?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_nodelay(true)?;
    let name = address.ip().into();
    Ok(StreamOwned::new(ClientConnection::new(tls.clone(), name).map_err(Error::other)?, stream))
}

/// Request or answer: its first line, headers and body.
#[derive(Debug, Clone, Default)]
pub struct Message {
    /// `GET /version HTTP/1.1`, or `HTTP/1.1 200 OK`.
    pub first: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Message {
    /// The next request of a connection; none when it has ended. Its body is as long as it says.
    pub fn read(stream: &mut impl BufRead) -> Result<Option<Self>> {
        let mut message = Self::read_head(stream)?;
        if message.first.is_empty() {
            return Ok(None);
        }
        if message.header("transfer-encoding").is_some() {
            return Err(Error::other(format!("a body in chunks: {}", message.first)));
        }
        let length =
            message.header("content-length").map_or(0, |text| text.parse().expect("a length"));
        message.body.resize(length, 0);
        stream.read_exact(&mut message.body)?;
        Ok(Some(message))
    }

    /// First line and headers.
    pub fn read_head(stream: &mut impl BufRead) -> Result<Self> {
        let mut head = Self { first: line(stream)?, ..Self::default() };
        loop {
            let line = line(stream)?;
            let Some((name, value)) = line.split_once(':') else { return Ok(head) };
            head.headers.push((name.to_owned(), value.trim().to_owned()));
        }
    }

    /// The status code of an answer.
    pub fn code(&self) -> Result<u16> {
        let code = self.first.split(' ').nth(1).and_then(|code| code.parse().ok());
        code.ok_or_else(|| Error::other(format!("no answer: {:?}", self.first)))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Method and target of a request.
    pub fn target(&self) -> (&str, &str) {
        let mut words = self.first.split(' ');
        (words.next().unwrap_or_default(), words.next().unwrap_or_default())
    }

    /// As it travels.
    pub fn bytes(&self) -> Vec<u8> {
        let mut head = format!("{}\r\n", self.first);
        for (name, value) in &self.headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        [head.as_bytes(), b"\r\n", &self.body].concat()
    }
}

fn line(stream: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

/// The API server, as one of its users sees it.
#[derive(Clone)]
pub struct Api {
    pub address: SocketAddr,
    pub tls: Arc<ClientConfig>,
    pub token: &'static str,
}

/// Status code and body of an answer; a body that is no JSON is a string.
pub type Answer = (u16, Value);

impl Api {
    /// One request, over a connection of its own.
    pub fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Answer> {
        let mut stream = self.open(method, path, body, Duration::from_secs(30))?;
        let mut answer = Message::read_head(&mut stream)?;
        // A server that ends without saying goodbye to TLS has still sent what it announced.
        match stream.read_to_end(&mut answer.body) {
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(error),
            _ => {}
        }
        let text = String::from_utf8_lossy(&answer.body);
        let value =
            serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.into_owned()));
        Ok((answer.code()?, value))
    }

    /// Asks for what must work.
    #[track_caller]
    pub fn must(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        match self.send(method, path, body) {
            Ok((200..=299, value)) => value,
            other => panic!("{method} {path}: {other:?}\n{}", body.unwrap_or(&Value::Null)),
        }
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Value {
        self.must("GET", path, None)
    }

    #[track_caller]
    pub fn create(&self, path: &str, object: &Value) -> Value {
        self.must("POST", path, Some(object))
    }

    /// Whether something is there.
    pub fn serves(&self, path: &str) -> bool {
        self.send("GET", path, None).is_ok_and(|answer| answer.0 == 200)
    }

    /// A merge patch.
    #[track_caller]
    pub fn patch(&self, path: &str, change: &Value) -> Value {
        self.must("PATCH", path, Some(change))
    }

    /// Objects of a list.
    #[track_caller]
    pub fn list(&self, path: &str) -> Vec<Value> {
        self.get(path)["items"].as_array().cloned().unwrap_or_default()
    }

    /// A watch: its events, line by line, as long as the server likes. Errors of kind `WouldBlock`
    /// or `TimedOut` mean that nothing has happened for `patience`.
    pub fn watch(&self, path: &str, patience: Duration) -> Result<BufReader<Tls>> {
        // The beginning may take long on a busy machine.
        let mut stream = self.open("GET", path, None, Duration::from_secs(30))?;
        match Message::read_head(&mut stream)?.code()? {
            200 => {
                stream.get_ref().sock.set_read_timeout(Some(patience))?;
                Ok(stream)
            }
            code => Err(Error::other(format!("watch {path}: {code}"))),
        }
    }

    fn open(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
        patience: Duration,
    ) -> Result<BufReader<Tls>> {
        let mut stream = connect(self.address, &self.tls, patience)?;
        let content =
            if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        // HTTP/1.0: what follows the headers is the body, to the end, and comes as it is.
        let mut message =
            Message { first: format!("{method} {path} HTTP/1.0"), ..Message::default() };
        message.body = body.map(|b| b.to_string().into_bytes()).unwrap_or_default();
        for (name, value) in [
            ("Authorization", format!("Bearer {}", self.token)),
            ("Content-Type", content.to_owned()),
            ("Content-Length", message.body.len().to_string()),
        ] {
            message.headers.push((name.to_owned(), value));
        }
        stream.write_all(&message.bytes())?;
        stream.flush()?;
        Ok(BufReader::new(stream))
    }
}
