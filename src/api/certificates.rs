//! Reads certificates and keys of kubeconfig and flags. kube would read them, too, but its errors do not name the file.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::config::{AuthInfo, Cluster};

use crate::error::Error;

/// The authorities that may have signed the server's certificate; `None` is the system's.
pub(crate) fn root(cluster: &Cluster) -> Result<Option<Vec<Vec<u8>>>, Error> {
    let (origin, pem) = match (&cluster.certificate_authority_data, &cluster.certificate_authority) {
        (Some(data), _) if !data.is_empty() => {
            let origin = "certificate-authority-data".to_owned();
            let decoded = BASE64.decode(data.trim()).map_err(|e| Error::input(&origin, format!("not base64: {e}")))?;
            (origin, decoded)
        }
        (_, Some(path)) if !path.is_empty() => (path.clone(), read(path, "certificate authority")?),
        _ => return Ok(None),
    };
    let blocks = pem::parse_many(pem).map_err(|e| Error::input(&origin, format!("not a PEM file: {e}")))?;
    let certificates: Vec<_> =
        blocks.into_iter().filter(|b| b.tag() == "CERTIFICATE").map(pem::Pem::into_contents).collect();
    if certificates.is_empty() {
        return Err(Error::input(origin, "no certificate in it"));
    }
    Ok(Some(certificates))
}

/// Reads the client's certificate and key files into the user. Data in the kubeconfig itself are preferred.
pub(crate) fn read_client(user: &mut AuthInfo) -> Result<(), Error> {
    let certificate = user.client_certificate.take().filter(|p| !p.is_empty());
    if let (Some(path), None) = (certificate, &user.client_certificate_data) {
        user.client_certificate_data = Some(BASE64.encode(read(&path, "client certificate")?));
    }
    let key = user.client_key.take().filter(|p| !p.is_empty());
    if let (Some(path), None) = (key, &user.client_key_data) {
        user.client_key_data = Some(BASE64.encode(read(&path, "client key")?).into());
    }
    match (user.client_certificate_data.is_some(), user.client_key_data.is_some()) {
        (true, false) => Err(incomplete("client certificate", "key", "--client-key")),
        (false, true) => Err(incomplete("client key", "certificate", "--client-certificate")),
        (true, true) | (false, false) => Ok(()),
    }
}

fn read(path: &str, what: &str) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|e| Error::input(path, format!("cannot read the {what}: {e}")))
}

fn incomplete(has: &str, lacks: &str, flag: &str) -> Error {
    Error::Usage {
        problem: format!("there is a {has} without its {lacks}"),
        hint: Some(format!("give it with {flag} or in the kubeconfig")),
    }
}
