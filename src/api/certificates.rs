//! Reads certificates and keys of kubeconfig and flags. kube would read them, too, but its errors do not name the file.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::config::{AuthInfo, Cluster};
use secrecy::{ExposeSecret as _, SecretString};

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
    let key_file = user.client_key.as_ref().filter(|p| !p.is_empty() && user.client_key_data.is_none()).cloned();
    let certificate_origin = certificate.clone().filter(|_| user.client_certificate_data.is_none());
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
        (true, true) => {
            let certificate = user.client_certificate_data.as_deref().unwrap_or_default();
            let is_certificate = |tag: &str| tag == "CERTIFICATE";
            check_pem(certificate, certificate_origin, "client-certificate-data", ("certificate", is_certificate))?;
            let key = user.client_key_data.as_ref().map(SecretString::expose_secret).unwrap_or_default();
            let is_key = |tag: &str| tag.ends_with("PRIVATE KEY");
            check_pem(key, key_file, "client-key-data", ("private key", is_key))
        }
        (false, false) => Ok(()),
    }
}

/// Refuses base64 without a PEM block of the kind that is wanted: kube's error would name neither file nor field.
fn check_pem(
    data: &str,
    file: Option<String>,
    field: &str,
    (what, is_wanted): (&str, fn(&str) -> bool),
) -> Result<(), Error> {
    let origin = file.unwrap_or_else(|| format!("{field} of the kubeconfig"));
    let decoded = BASE64.decode(data.trim()).map_err(|_| Error::input(&origin, "not base64"))?;
    let blocks = pem::parse_many(decoded).unwrap_or_default();
    if blocks.iter().any(|block| is_wanted(block.tag())) {
        return Ok(());
    }
    Err(Error::input(origin, format!("no {what} in PEM format in it")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_certificate_or_key_without_pem_names_its_field_or_file() {
        let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        let key = "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n";
        for (certificate, key, expected) in [
            ("s3cret", key, "client-certificate-data of the kubeconfig: no certificate in PEM format in it"),
            (certificate, "s3cret", "client-key-data of the kubeconfig: no private key in PEM format in it"),
            (key, certificate, "client-certificate-data of the kubeconfig: no certificate in PEM format in it"),
            (certificate, key, ""),
        ] {
            let mut user = AuthInfo {
                client_certificate_data: Some(BASE64.encode(certificate)),
                client_key_data: Some(BASE64.encode(key).into()),
                ..AuthInfo::default()
            };
            let problem = read_client(&mut user).err().map(|e| e.to_string()).unwrap_or_default();
            assert!(problem.contains(expected) && problem.is_empty() == expected.is_empty(), "{problem}");
        }
    }
}
