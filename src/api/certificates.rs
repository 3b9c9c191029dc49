//! Reads the certificates and keys of kubeconfig and flags. kube reads them too, but its errors do
//! not name the file.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::config::{AuthInfo, Cluster};
use pem::Pem;
use rustls::RootCertStore;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use secrecy::{ExposeSecret as _, SecretString};

use crate::error::Error;
use crate::small_file::{self, NamedBy};

const DAMAGED_PEM: &str = "its PEM is damaged: it needs a line `-----BEGIN ...-----`, lines of base64 and a line `-----END ...-----`";

/// The CA certificates for the server; `None` means the system's.
pub(crate) fn root(cluster: &Cluster) -> Result<Option<Vec<Vec<u8>>>, Error> {
    let (pem, origin) = match (&cluster.certificate_authority_data, &cluster.certificate_authority)
    {
        (Some(data), _) if !data.is_empty() => {
            let origin = "certificate-authority-data".to_owned();
            (decode(data, &origin)?, origin)
        }
        (_, Some(path)) if !path.is_empty() => (read(path, "certificate authority")?, path.clone()),
        _ => return Ok(None),
    };
    // As in client-go, other blocks of the file, such as a private key, are passed over.
    let certificates: Vec<_> = parse(&pem, &origin)?
        .into_iter()
        .filter(|b| is_certificate(b.tag()))
        .map(Pem::into_contents)
        .collect();
    if certificates.is_empty() {
        return Err(Error::input(origin, "no certificate in it"));
    }
    // Checked here, where the file is known.
    let mut store = RootCertStore::empty();
    if certificates.iter().any(|der| store.add(CertificateDer::from_slice(der)).is_err()) {
        return Err(Error::input(
            origin,
            "a certificate in it is damaged: copy the certificate authority again",
        ));
    }
    Ok(Some(certificates))
}

/// Reads the client certificate and key files into the user. As in client-go, inline data takes
/// precedence.
pub(crate) fn read_client(user: &mut AuthInfo) -> Result<(), Error> {
    // The origins are for messages only.
    let certificate = user.client_certificate.take().filter(|p| !p.is_empty());
    let key_file = user
        .client_key
        .as_ref()
        .filter(|p| !p.is_empty() && user.client_key_data.is_none())
        .cloned();
    let certificate_origin = certificate.clone().filter(|_| user.client_certificate_data.is_none());
    if let (Some(path), None) = (certificate, &user.client_certificate_data) {
        user.client_certificate_data = Some(BASE64.encode(read(&path, "client certificate")?));
    }
    let key = user.client_key.take().filter(|p| !p.is_empty());
    if let (Some(path), None) = (key, &user.client_key_data) {
        user.client_key_data = Some(BASE64.encode(read(&path, "client key")?).into());
    }

    // Each is useless without the other, and both must belong together.
    match (user.client_certificate_data.is_some(), user.client_key_data.is_some()) {
        (true, false) => Err(incomplete("client certificate", "key", "--client-key")),
        (false, true) => Err(incomplete("client key", "certificate", "--client-certificate")),
        (true, true) => {
            let certificate = user.client_certificate_data.as_deref().unwrap_or_default();
            let certificate_origin = origin(certificate_origin, "client-certificate-data");
            let certificates =
                blocks(certificate, &certificate_origin, ("certificate", is_certificate))?;
            let key =
                user.client_key_data.as_ref().map(SecretString::expose_secret).unwrap_or_default();
            let key_origin = origin(key_file, "client-key-data");
            let keys =
                blocks(key, &key_origin, ("private key", |tag| tag.ends_with("PRIVATE KEY")))?;
            check_pair((certificates, certificate_origin), (keys, key_origin))
        }
        (false, false) => Ok(()),
    }
}

/// The file name, or the kubeconfig field if there is no file.
fn origin(file: Option<String>, field: &str) -> String {
    file.unwrap_or_else(|| format!("{field} of the kubeconfig"))
}

fn is_certificate(tag: &str) -> bool {
    tag == "CERTIFICATE"
}

/// All PEM blocks of the requested kind; at least one.
fn blocks(
    data: &str,
    origin: &str,
    (what, is_wanted): (&str, fn(&str) -> bool),
) -> Result<Vec<Pem>, Error> {
    let wanted: Vec<Pem> = parse(&decode(data, origin)?, origin)?
        .into_iter()
        .filter(|block| is_wanted(block.tag()))
        .collect();
    if wanted.is_empty() {
        return Err(Error::input(origin, format!("no {what} in PEM format in it")));
    }
    Ok(wanted)
}

fn decode(data: &str, origin: &str) -> Result<Vec<u8>, Error> {
    BASE64.decode(data.trim()).map_err(|_| Error::input(origin, "not base64: copy it again"))
}

/// The PEM blocks of a text; empty if the text contains no PEM header.
fn parse(text: &[u8], origin: &str) -> Result<Vec<Pem>, Error> {
    const BEGIN: &[u8] = b"-----BEGIN";
    let begins = || text.windows(BEGIN.len()).any(|part| part == BEGIN);
    let blocks = pem::parse_many(text).ok().filter(|blocks| !blocks.is_empty() || !begins());
    blocks.ok_or_else(|| Error::input(origin, DAMAGED_PEM))
}

/// Rejects a certificate and key that do not form a usable pair: kube's error would name neither
/// file nor field.
fn check_pair(
    (chain, of_chain): (Vec<Pem>, String),
    (keys, of_key): (Vec<Pem>, String),
) -> Result<(), Error> {
    let chain: Vec<_> =
        chain.into_iter().map(|block| CertificateDer::from(block.into_contents())).collect();
    let damaged_key = || {
        Error::input(
            &of_key,
            "the private key in it is damaged, or of a kind that is not supported",
        )
    };
    let key = keys.into_iter().next().and_then(private_key).ok_or_else(damaged_key)?;
    match CertifiedKey::from_der(chain, key, &ring::default_provider()) {
        Ok(_) => Ok(()),
        Err(rustls::Error::InvalidCertificate(_)) => Err(Error::input(
            of_chain,
            "the certificate in it is damaged: copy it again, or log in again",
        )),
        Err(rustls::Error::InconsistentKeys(_)) => Err(Error::input(
            of_key,
            format!("the private key in it does not belong to the certificate in {of_chain}"),
        )),
        Err(_) => Err(damaged_key()),
    }
}

/// The key of a PEM block; `None` if the block contains no private key.
fn private_key(block: Pem) -> Option<PrivateKeyDer<'static>> {
    PrivateKeyDer::try_from(block.into_contents()).ok()
}

fn read(path: &str, what: &str) -> Result<Vec<u8>, Error> {
    small_file::read(Path::new(path), NamedBy::File)
        .map_err(|e| Error::input(path, format!("cannot read the {what}: {e}")))
}

fn incomplete(has: &str, lacks: &str, flag: &str) -> Error {
    Error::Usage {
        problem: format!("there is a {has} without its {lacks}"),
        hint: Some(format!("give it with {flag} or in the kubeconfig")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(certificate: &str, key: &str) -> String {
        let mut user = AuthInfo {
            client_certificate_data: Some(BASE64.encode(certificate)),
            client_key_data: Some(BASE64.encode(key).into()),
            ..AuthInfo::default()
        };
        read_client(&mut user).err().map(|e| e.to_string()).unwrap_or_default()
    }

    fn labelled(label: &str, content: &str) -> String {
        format!("-----BEGIN {label}-----\n{content}\n-----END {label}-----\n")
    }

    #[test]
    fn a_client_certificate_or_key_that_cannot_be_used_names_its_field_or_file() {
        let pair = || rcgen::generate_simple_self_signed(["jane".to_owned()]).unwrap();
        let (own, other) = (pair(), pair());
        let (certificate, key) = (own.cert.pem(), own.signing_key.serialize_pem());
        let (no_certificate, no_key) =
            (labelled("CERTIFICATE", "AAAA"), labelled("EC PRIVATE KEY", "AAAA"));
        let cut = &certificate[..certificate.len() / 2];
        for (certificate, key, expected) in [
            (
                "s3cret",
                &*key,
                "client-certificate-data of the kubeconfig: no certificate in PEM format in it",
            ),
            (
                &certificate,
                "s3cret",
                "client-key-data of the kubeconfig: no private key in PEM format in it",
            ),
            (
                &key,
                &certificate,
                "client-certificate-data of the kubeconfig: no certificate in PEM format in it",
            ),
            (
                &no_certificate,
                &key,
                "client-certificate-data of the kubeconfig: the certificate in it is damaged",
            ),
            (cut, &key, "client-certificate-data of the kubeconfig: its PEM is damaged"),
            (
                &certificate,
                &no_key,
                "client-key-data of the kubeconfig: the private key in it is damaged, or of a kind",
            ),
            (
                &certificate,
                &other.signing_key.serialize_pem(),
                "client-key-data of the kubeconfig: the private key in it does not belong to the certificate in \
                 client-certificate-data of the kubeconfig",
            ),
            (&certificate, &key, ""),
        ] {
            let problem = problem(certificate, key);
            assert!(
                problem.contains(expected) && problem.is_empty() == expected.is_empty(),
                "{expected}: {problem}"
            );
        }
    }

    #[test]
    fn an_authority_that_cannot_be_used_names_its_field() {
        let whole = rcgen::generate_simple_self_signed(["server".to_owned()]).unwrap().cert.pem();
        for (data, expected) in [
            ("!".to_owned(), "certificate-authority-data: not base64"),
            (BASE64.encode("AAAA"), "certificate-authority-data: no certificate in it"),
            (
                BASE64.encode(labelled("CERTIFICATE", "AAAA")),
                "certificate-authority-data: a certificate in it is damaged",
            ),
            (
                BASE64.encode(labelled("CERTIFICATE", "?")),
                "certificate-authority-data: its PEM is damaged",
            ),
            (BASE64.encode(whole), ""),
        ] {
            let cluster = Cluster { certificate_authority_data: Some(data), ..Cluster::default() };
            let problem = root(&cluster).err().map(|e| e.to_string()).unwrap_or_default();
            assert!(
                problem.contains(expected) && problem.is_empty() == expected.is_empty(),
                "{expected}: {problem}"
            );
        }
    }
}
