//! Masks credentials in responses: a proxy or an admission webhook may quote request headers in its
//! error.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::config::AuthInfo;
use secrecy::{ExposeSecret as _, SecretString};

/// Replacement of a secret.
const MASK: &str = "<masked>";
/// Shorter secrets could be parts of ordinary words.
const SHORTEST: usize = 8;

/// The token and the password of a connection.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Arc<[String]>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} secrets", self.0.len())
    }
}

impl Secrets {
    /// The secrets of a user with resolved credentials.
    pub(crate) fn of(user: &AuthInfo) -> Self {
        let exposed = |secret: &Option<SecretString>| {
            secret.as_ref().map(|s| s.expose_secret().trim().to_owned())
        };
        let (token, password) = (exposed(&user.token), exposed(&user.password));
        // Basic authentication sends name and password as one value.
        let pair = user
            .username
            .as_ref()
            .zip(password.as_ref())
            .map(|(name, password)| basic(name, password));
        let all =
            [token, password, pair].into_iter().flatten().filter(|secret| secret.len() >= SHORTEST);
        Self(all.flat_map(|secret| [in_json(&secret), secret]).collect())
    }

    /// Replaces every secret in a text of the server.
    pub(crate) fn mask(&self, mut text: String) -> String {
        for secret in self.0.iter().filter(|secret| !secret.is_empty()) {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), MASK);
            }
        }
        text
    }
}

/// A name and a password as Basic authentication sends them.
pub(crate) fn basic(name: &str, password: &str) -> String {
    BASE64.encode(format!("{name}:{password}"))
}

/// The secret with the escapes of JSON.
fn in_json(secret: &str) -> String {
    let quoted = serde_json::Value::from(secret).to_string();
    quoted.trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_in_every_form_in_which_they_are_sent() {
        let user = AuthInfo {
            token: Some("eyJhbGciOi\"x".into()),
            username: Some("jane".to_owned()),
            password: Some("correct horse".into()),
            ..AuthInfo::default()
        };
        let secrets = Secrets::of(&user);
        let text = format!(
            r#"a eyJhbGciOi"x b eyJhbGciOi\"x c correct horse d {}"#,
            basic("jane", "correct horse")
        );
        assert_eq!(secrets.mask(text), "a <masked> b <masked> c <masked> d <masked>");
        assert_eq!(format!("{secrets:?}"), "6 secrets");
    }

    #[test]
    fn short_password_is_no_reason_to_change_words() {
        let user = AuthInfo { token: Some("pod".into()), ..AuthInfo::default() };
        assert_eq!(Secrets::of(&user).mask("pods is forbidden".to_owned()), "pods is forbidden");
    }
}
