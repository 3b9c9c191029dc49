//! The HTTP client for the scheduler's extenders: POSTs JSON to an address of the scheduler's
//! configuration. It is not for the API server and uses nothing of the kubeconfig, in particular no
//! credentials.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::header::{HeaderValue, InvalidHeaderValue};
use http::{Request, StatusCode, Uri, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use kube::client::{Body, ClientBuilder};
use kube::config::AuthInfo;
use kube::{Client, Config};
use secrecy::ExposeSecret as _;
use tokio::runtime::Runtime;

use crate::api::runtime;
use crate::api::secrets::{Secrets, basic};
use crate::api::url::UserInfo;
use crate::error::Error;
use engine::login::Login;

/// Size limit of a response, larger than one about all nodes of a cluster. In memory, a response of
/// short texts takes twenty times its size, so a small cluster has a lower limit.
const MAX_ANSWER: usize = 256 << 20;
/// Lower bound of the size limit.
const LEAST_BYTES: usize = 1 << 20;
/// Additional bytes per node: its name, which has at most 253, and the reason of its rejection.
const NODE_BYTES: usize = 4 << 10;

/// The size limit of a response to a request of this many bytes about this many nodes. The response
/// repeats the nodes of the request, perhaps with more whitespace.
fn largest_answer(request: usize, nodes: usize) -> usize {
    let texts = nodes.saturating_mul(NODE_BYTES);
    LEAST_BYTES.saturating_add(texts).saturating_add(request.saturating_mul(2)).min(MAX_ANSWER)
}

/// The connection parameters of an extender.
#[derive(Debug, Clone, Default)]
pub struct WebhookOptions {
    /// Its URL without user info, to which verbs are appended.
    pub url: String,
    /// The user info of its URL.
    pub login: Login,
    pub timeout: Duration,
    /// Whether certificate checks are disabled.
    pub insecure: bool,
    /// The expected name in its certificate; empty for the host of the URL.
    pub server_name: String,
    /// Certificate authority, PEM; empty for the system's.
    pub authority: Vec<u8>,
    /// Client certificate and key, PEM; empty without.
    pub identity: (Vec<u8>, Vec<u8>),
}

/// A client for one extender. Connections are reused.
pub struct Webhook {
    /// URL without the trailing slash.
    url: String,
    /// The header with the credentials.
    authorization: Option<HeaderValue>,
    /// The secrets that a response might repeat.
    secrets: Secrets,
    timeout: Duration,
    client: Client,
    runtime: Mutex<Runtime>,
}

impl std::fmt::Debug for Webhook {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Webhook")
            .field("url", &self.url)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

impl Webhook {
    /// Builds the client without sending anything.
    ///
    /// # Errors
    /// An invalid address or invalid certificates.
    pub fn new(options: &WebhookOptions) -> Result<Self, Error> {
        let origin = format!("extender {}", options.url);
        let uri: Uri = options
            .url
            .parse()
            .map_err(|e| Error::input(&origin, format!("not an address: {e}")))?;
        let (Some(scheme @ ("http" | "https")), Some(authority)) =
            (uri.scheme_str(), uri.authority())
        else {
            return Err(Error::input(
                origin,
                "its urlPrefix does not begin with http:// or https://",
            ));
        };
        let server = format!("{scheme}://{authority}");
        let mut config =
            Config::new(server.parse().map_err(|e| Error::input(&origin, format!("{e}")))?);
        config.proxy_url = None;
        config.default_retry = false;
        config.disable_compression = true;
        config.accept_invalid_certs = options.insecure;
        config.tls_server_name = Some(options.server_name.clone()).filter(|name| !name.is_empty());
        if !options.authority.is_empty() {
            config.root_cert = Some(certificates(&options.authority, &origin)?);
        }
        config.auth_info = identity(&options.identity);
        let runtime = runtime::start(&format!("ask {origin}"))?;
        let client = {
            // The client spawns its worker on the current runtime when it is built.
            let _inside = runtime.enter();
            ClientBuilder::try_from(config)
                .map_err(|e| Error::input(&origin, format!("cannot be asked: {e}")))?
                .build()
        };
        let url = options.url.trim_end_matches('/').to_owned();
        let user = user(&options.login);
        let authorization =
            authorization(&user).map_err(|e| Error::input(&origin, format!("its login: {e}")))?;
        let secrets = Secrets::of(&user);
        Ok(Self {
            url,
            authorization,
            secrets,
            timeout: options.timeout,
            client,
            runtime: Mutex::new(runtime),
        })
    }

    /// Masks the credentials in a text of the server.
    pub fn mask(&self, text: String) -> String {
        self.secrets.mask(text)
    }

    /// POSTs `body`, which is about a cluster of this many nodes, to `verb` below the URL. Returns
    /// the body of a response with status 200.
    ///
    /// # Errors
    /// In the words of the scheduler, whose client is Go's, as far as they are known.
    pub fn post(&self, verb: &str, body: Vec<u8>, nodes: usize) -> Result<Vec<u8>, String> {
        self.exchange(verb, body, nodes).map_err(|problem| self.mask(problem))
    }

    fn exchange(&self, verb: &str, body: Vec<u8>, nodes: usize) -> Result<Vec<u8>, String> {
        let limit = largest_answer(body.len(), nodes);
        let url = format!("{}/{verb}", self.url);
        let path = url.splitn(4, '/').nth(3).unwrap_or_default();
        let mut request =
            Request::post(format!("/{path}")).header(header::CONTENT_TYPE, "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let request = request.body(Body::from(body)).map_err(|e| failed(&url, &e.to_string()))?;

        // The timeout is for the whole exchange, as that of Go's client: the body counts, too.
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        let exchange = self.send(request, verb, &url, limit);
        match runtime.block_on(async { tokio::time::timeout(self.timeout, exchange).await }) {
            Ok(answer) => answer,
            Err(_) => Err(failed(
                &url,
                "context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
            )),
        }
    }

    /// Sends a request, and reads the body of the response up to a number of bytes.
    async fn send(
        &self,
        request: Request<Body>,
        verb: &str,
        url: &str,
        limit: usize,
    ) -> Result<Vec<u8>, String> {
        let response = self.client.send(request).await.map_err(|e| failed(url, &cause(&e)))?;
        let status = response.status();
        if status != StatusCode::OK {
            let code = status.as_u16();
            return Err(format!("failed {verb} with extender at URL {url}, code {code}"));
        }
        match Limited::new(response.into_body(), limit).collect().await {
            Ok(body) => Ok(body.to_bytes().to_vec()),
            Err(e) if e.downcast_ref::<LengthLimitError>().is_some() => {
                let most = limit.div_ceil(1 << 20);
                let problem =
                    format!("the answer is larger than {most} MiB, which no answer needs");
                Err(failed(url, &problem))
            }
            Err(e) => Err(failed(url, &e.to_string())),
        }
    }
}

/// The error of Go's client about a URL.
fn failed(url: &str, problem: &str) -> String {
    format!("Post {url:?}: {problem}")
}

/// The user of a login; anonymous without one.
fn user(login: &Login) -> AuthInfo {
    if login.0.is_empty() {
        return AuthInfo::default();
    }
    let UserInfo { name, password } = UserInfo::decode(&login.0);
    AuthInfo { username: Some(name), password: Some(password.into()), ..AuthInfo::default() }
}

/// The authorization header as Go's client sends it.
fn authorization(user: &AuthInfo) -> Result<Option<HeaderValue>, InvalidHeaderValue> {
    let (Some(name), Some(password)) = (&user.username, &user.password) else { return Ok(None) };
    let (name, password) = (name.as_str(), password.expose_secret());
    let mut value = HeaderValue::from_str(&format!("Basic {}", basic(name, password)))?;
    value.set_sensitive(true);
    Ok(Some(value))
}

/// The innermost cause, in one line.
fn cause(e: &dyn std::error::Error) -> String {
    let mut inner = e;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string().lines().next().unwrap_or_default().to_owned()
}

fn certificates(pem: &[u8], origin: &str) -> Result<Vec<Vec<u8>>, Error> {
    let blocks = pem::parse_many(pem)
        .map_err(|e| Error::input(origin, format!("its CA is not PEM: {e}")))?;
    let found: Vec<_> = blocks
        .into_iter()
        .filter(|b| b.tag() == "CERTIFICATE")
        .map(pem::Pem::into_contents)
        .collect();
    if found.is_empty() {
        Err(Error::input(origin, "its CA has no certificate in it"))
    } else {
        Ok(found)
    }
}

fn identity((certificate, key): &(Vec<u8>, Vec<u8>)) -> AuthInfo {
    AuthInfo {
        client_certificate_data: encoded(certificate),
        client_key_data: encoded(key).map(Into::into),
        ..AuthInfo::default()
    }
}

fn encoded(pem: &[u8]) -> Option<String> {
    (!pem.is_empty()).then(|| BASE64.encode(pem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_answer_follows_from_what_is_asked() {
        assert_eq!(largest_answer(0, 0), LEAST_BYTES);
        // The names of 5,000 nodes, each with a reason.
        assert!(largest_answer(5_000 * 30, 5_000) > 5_000 * (253 + 3_000));
        assert!(largest_answer(5_000 * 30, 5_000) < 32 << 20);
        assert_eq!(largest_answer(usize::MAX, usize::MAX), MAX_ANSWER);
    }
}
