//! The proxy for an API server, by the rules of Go's `net/http`
//! (`golang.org/x/net/http/httpproxy`). kube's rules are not used: kube compares `NO_PROXY` with
//! the proxy's address, and also applies it to a `proxy-url` of the kubeconfig.

use std::net::IpAddr;

use http::Uri;

use super::env::Env;
use crate::error::Error;
use engine::login::may_hide_login;

/// The proxy for `server`: the kubeconfig's `proxy-url`, else the environment's unless `NO_PROXY`
/// names the server.
pub(crate) fn proxy_for(
    server: &Uri,
    explicit: Option<&str>,
    env: &Env,
) -> Result<Option<Uri>, Error> {
    if let Some(url) = explicit.filter(|u| !u.is_empty()) {
        return parse(url, "proxy-url of the kubeconfig").map(Some);
    }
    let variable = if server.scheme_str() == Some("http") { "HTTP_PROXY" } else { "HTTPS_PROXY" };
    let Some(url) = env.either_case(variable) else { return Ok(None) };
    if is_direct(server, env.either_case("NO_PROXY").unwrap_or_default()) {
        return Ok(None);
    }
    parse(url, variable).map(Some)
}

fn parse(url: &str, source: &str) -> Result<Uri, Error> {
    if may_hide_login(url) {
        let hint = "write %2F for `/`, %3F for `?` and %23 for `#` in its name or password";
        return Err(problem(
            source,
            "has an `@` behind a `/`, `?` or `#`: it is not clear what is a password",
            hint,
        ));
    }
    let url = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
    // kube has one scheme for both; the proxy resolves host names either way.
    let url = url.strip_prefix("socks5h://").map_or(url.clone(), |rest| format!("socks5://{rest}"));
    let uri: Option<Uri> = url.parse().ok();
    match uri.filter(|u| u.host().is_some_and(|h| !h.is_empty())) {
        Some(uri) if matches!(uri.scheme_str(), Some("http" | "https" | "socks5")) => Ok(uri),
        Some(_) => Err(problem(
            source,
            "is of a kind that is not supported",
            "use an http, https or socks5 proxy",
        )),
        None => Err(problem(source, "is not a URL", "write it as http://host:port")),
    }
}

/// The message does not quote the value, which may contain a password.
fn problem(source: &str, what: &str, hint: &str) -> Error {
    Error::Usage { problem: format!("the proxy in {source} {what}"), hint: Some(hint.to_owned()) }
}

/// Whether `NO_PROXY` exempts `server` from the proxy.
fn is_direct(server: &Uri, no_proxy: &str) -> bool {
    let host = server
        .host()
        .unwrap_or_default()
        .trim_matches(['[', ']'])
        .trim_end_matches('.')
        .to_lowercase();
    let port =
        server.port_u16().unwrap_or(if server.scheme_str() == Some("http") { 80 } else { 443 });
    let ip: Option<IpAddr> = host.parse().ok();
    if host == "localhost" || ip.is_some_and(|ip| ip.is_loopback()) {
        return true;
    }
    no_proxy.split(',').map(|e| e.trim().to_lowercase()).any(|e| matches(&e, &host, ip, port))
}

/// Matches one entry of `NO_PROXY`: `*`, a network, an address or a domain, the latter two with an
/// optional port.
fn matches(entry: &str, host: &str, ip: Option<IpAddr>, port: u16) -> bool {
    if entry == "*" {
        return true;
    }
    if let Some((network, bits)) = entry.split_once('/') {
        return ip.is_some_and(|ip| in_network(ip, network, bits));
    }
    let (name, entry_port) = split_port(entry);
    if name.is_empty() || entry_port.is_some_and(|p| p != port) {
        return false;
    }
    if let Ok(address) = name.parse::<IpAddr>() {
        return ip == Some(address);
    }
    let domain = name.strip_prefix('*').filter(|n| n.starts_with('.')).unwrap_or(name);
    match domain.strip_prefix('.') {
        Some(_) => host.ends_with(domain),
        None => host == domain || host.strip_suffix(domain).is_some_and(|h| h.ends_with('.')),
    }
}

fn split_port(entry: &str) -> (&str, Option<u16>) {
    if let Some((name, rest)) = entry.strip_prefix('[').and_then(|e| e.split_once(']')) {
        return (name, rest.strip_prefix(':').and_then(|p| p.parse().ok()));
    }
    match entry.rsplit_once(':') {
        // More than one colon is an IPv6 address.
        Some((name, port)) if !name.contains(':') => (name, port.parse().ok()),
        _ => (entry, None),
    }
}

fn in_network(ip: IpAddr, network: &str, bits: &str) -> bool {
    let (Ok(network), Ok(bits)) = (network.parse::<IpAddr>(), bits.parse::<u32>()) else {
        return false;
    };
    match (ip.to_canonical(), network) {
        (IpAddr::V4(a), IpAddr::V4(b)) => {
            same_prefix(a.to_bits().into(), b.to_bits().into(), 32, bits)
        }
        (IpAddr::V6(a), IpAddr::V6(b)) => same_prefix(a.to_bits(), b.to_bits(), 128, bits),
        _ => false,
    }
}

fn same_prefix(a: u128, b: u128, width: u32, bits: u32) -> bool {
    let Some(rest) = width.checked_sub(bits) else { return false };
    (a ^ b).checked_shr(rest).unwrap_or(0) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(server: &str, vars: &[(&str, &str)]) -> Option<String> {
        let env = Env::of(vars.iter().copied());
        proxy_for(&server.parse().unwrap(), None, &env).unwrap().map(|u| u.to_string())
    }

    #[test]
    fn no_proxy_is_compared_with_the_api_server() {
        let server = "https://api.corp.example:6443";
        for (no_proxy, direct) in [
            ("", false),
            ("*", true),
            ("corp.example", true),
            (".corp.example", true),
            ("*.corp.example", true),
            ("api.corp.example", true),
            ("API.corp.example:6443", true),
            ("api.corp.example:443", false),
            ("orp.example", false),
            ("x, ,corp.example,,", true),
            ("proxy.example", false),
            ("10.0.0.0/8", false),
        ] {
            let found = proxy(
                server,
                &[("HTTPS_PROXY", "http://proxy.example:3128"), ("NO_PROXY", no_proxy)],
            );
            assert_eq!(found.is_none(), direct, "{no_proxy}");
        }
    }

    #[test]
    fn addresses_and_networks_match() {
        for (server, no_proxy, direct) in [
            ("https://10.1.2.3", "10.0.0.0/8", true),
            ("https://11.1.2.3", "10.0.0.0/8", false),
            ("https://10.1.2.3", "0.0.0.0/0", true),
            ("https://10.1.2.3", "10.1.2.3", true),
            ("https://10.1.2.3:6443", "10.1.2.3:443", false),
            ("https://10.1.2.3", "10.1.2.3/33", false),
            ("https://[fd00::1]:6443", "fd00::/8", true),
            ("https://[fd00::1]:6443", "[fd00::1]:6443", true),
            ("https://[fd00::1]:6443", "fd00::2", false),
            ("https://127.0.0.1:6443", "", true),
            ("https://localhost:6443", "", true),
        ] {
            let found =
                proxy(server, &[("https_proxy", "proxy.example:3128"), ("no_proxy", no_proxy)]);
            assert_eq!(found.is_none(), direct, "{server} {no_proxy}");
        }
    }

    #[test]
    fn an_explicit_proxy_ignores_no_proxy() {
        let env = Env::of([("NO_PROXY", "*")]);
        let server: Uri = "https://api.example".parse().unwrap();
        let found = proxy_for(&server, Some("socks5h://p:1080"), &env).unwrap().unwrap();
        assert_eq!(found.to_string(), "socks5://p:1080/");
        for bad in ["ftp://p:21", "http://", "http://a b", "http://us/r:pw@p:1", "jane:pw/x@p:1"] {
            let error = proxy_for(&server, Some(bad), &env).unwrap_err();
            assert!(error.hint().is_some() && !error.to_string().contains(bad), "{error}");
        }
    }

    #[test]
    fn plain_http_has_a_proxy_of_its_own() {
        let vars = [("HTTP_PROXY", "http://plain:1"), ("HTTPS_PROXY", "http://secure:1")];
        assert_eq!(proxy("http://api.example", &vars).as_deref(), Some("http://plain:1/"));
        assert_eq!(proxy("https://api.example", &vars).as_deref(), Some("http://secure:1/"));
    }
}
