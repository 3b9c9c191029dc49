//! Who we are and where we go: kubeconfig, flags, plugins, proxies.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use kubectl_preempt::error::Error;

use crate::live::server::{Answer, Server};
use crate::live::{Home, kubeconfig};
use crate::scripts;
use testing::{assert_begins, assert_ends, assert_has, assert_lacks};

fn authorization(server: &Server) -> Vec<String> {
    let mut values: Vec<String> = server
        .requests()
        .iter()
        .flat_map(|r| r.header("authorization"))
        .map(str::to_owned)
        .collect();
    values.dedup();
    values
}

#[test]
fn the_token_flag_wins() {
    let server = Server::start(|_| None);
    let exec = "exec: {apiVersion: client.authentication.k8s.io/v1, command: /nonexistent, interactiveMode: Never}";
    for user in [
        "token: theirs",
        "username: u, password: p",
        exec,
        "tokenFile: /nonexistent",
        "auth-provider: {name: oidc}",
    ] {
        Home::new(&server, user).capture("--token mine").0.unwrap();
    }
    assert_eq!(authorization(&server), ["Bearer mine"]);
}

#[test]
fn tokens_come_from_the_kubeconfig_and_from_files() {
    let server = Server::start(|_| None);
    Home::new(&server, "token: theirs").capture("").0.unwrap();
    assert_eq!(authorization(&server), ["Bearer theirs"]);
    let server = Server::start(|_| None);
    let home = Home::new(&server, "tokenFile: secret/token");
    std::fs::create_dir(home.path("secret")).unwrap();
    home.write("secret/token", "from-file\n");
    home.capture("").0.unwrap();
    assert_eq!(authorization(&server), ["Bearer from-file"]);
    let server = Server::start(|_| None);
    Home::new(&server, "token: theirs").capture("--username=a --password=b").0.unwrap();
    assert_eq!(authorization(&server), ["Basic YTpi"]);
}

#[test]
fn a_password_in_the_url_logs_in_and_is_not_shown() {
    let server = Server::start(|_| None);
    let url = server.url().replace("http://", "http://jane:hun%40ter2@");
    let home = Home::new(&server, "token: theirs");
    home.write("config", &kubeconfig(&url, "", "token: theirs"));
    let info = home.capture("").0.unwrap();
    assert_eq!(authorization(&server), ["Basic amFuZTpodW5AdGVyMg=="], "as of kubectl");
    assert_eq!(info.server, format!("{}/", server.url()));
    let secret = |text: &str| ["hun", "ter2", "amFuZ"].iter().any(|part| text.contains(part));
    for (arguments, code) in [
        (&["explain", "p1", "-n", "default", "-v", "9"][..], 0),
        (&["doctor", "-v", "9"], 0),
        (&["doctor", "-o", "json"], 0),
        (&["pending", "-v", "9"], 0),
        (&["simulate", "p1", "-n", "default", "--apply", "--yes", "-v", "9"], 1),
        (&["snapshot", "-o", "-", "-v", "9"], 0),
        (&["explain", "p1", "-n", "default", "-s", "http://jane:hunter2@ a"], 2),
        (&["explain", "p1", "-n", "default", "-s", "http://jane:hunter2@127.0.0.1:1"], 2),
        (&["explain", "p1", "-n", "default", "-s", "http://jane:hunter2@198.51.100.1"], 2),
        (&["__complete", "explain", "--cluster", ""], 0),
    ] {
        let output = super::told::command(&home, arguments).output().unwrap();
        let text = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .concat();
        assert!(!secret(&text) && !text.is_empty(), "{arguments:?}: {text}");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    }
}

/// A proxy that carries what it is sent, and the requests for that.
fn tunnel() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, asked) = (listener.local_addr().unwrap(), Arc::new(Mutex::new(Vec::new())));
    let seen = asked.clone();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let lines = BufReader::new(&client)
                .lines()
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty());
            let head: Vec<String> = lines.collect();
            // A client that gave up has sent nothing, and the next one still needs its tunnel.
            let Some(wanted) = head.first().and_then(|line| line.split(' ').nth(1)) else {
                continue;
            };
            let server = TcpStream::connect(wanted).unwrap();
            seen.lock().unwrap().push(head.join("\n"));
            (&client).write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            for (mut from, mut to) in [
                (client.try_clone().unwrap(), server.try_clone().unwrap()),
                (server.try_clone().unwrap(), client.try_clone().unwrap()),
            ] {
                thread::spawn(move || {
                    // Either side may have gone.
                    let _ = std::io::copy(&mut from, &mut to);
                    let _ = to.shutdown(Shutdown::Write);
                });
            }
        }
    });
    (address, asked)
}

#[test]
fn a_password_of_a_proxy_logs_in_there_and_is_not_shown() {
    let server = Server::start(|_| None);
    let (proxy, asked) = tunnel();
    let url = server.url().replace("127.0.0.1", "0.0.0.0");
    let home = |proxy: &str| {
        let home = Home::new(&server, "");
        home.write("config", &kubeconfig(&url, &format!(", proxy-url: '{proxy}'"), ""));
        home
    };
    let told = |home: &Home, arguments: &[&str], variable: Option<(&str, &str)>, code: i32| {
        let output = super::told::command(home, arguments).envs(variable).output().unwrap();
        let text = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .concat();
        let secret = ["hunter2", "amFuZ"].iter().any(|part| text.contains(part));
        assert!(!secret && !text.is_empty(), "{arguments:?} {variable:?}: {text}");
        assert_eq!(output.status.code(), Some(code), "{arguments:?} {variable:?}: {text}");
    };
    let (good, refused) =
        (format!("http://jane:hunter2@{proxy}"), "http://jane:hunter2@127.0.0.1:1");
    let variable = home("");
    for (arguments, code) in [
        (&["explain", "p1", "-n", "default", "-v", "9"][..], 0),
        (&["doctor", "-v", "9"], 0),
        (&["doctor", "-o", "json"], 0),
        (&["pending", "-v", "9"], 0),
        (&["simulate", "p1", "-n", "default", "--apply", "--yes", "-o", "json", "-v", "9"], 1),
        (&["snapshot", "-o", "-", "-v", "9"], 0),
    ] {
        told(&home(&good), arguments, None, code);
        told(&variable, arguments, Some(("HTTP_PROXY", &good)), code);
        told(&home(refused), arguments, None, 2);
        told(&variable, arguments, Some(("HTTP_PROXY", refused)), 2);
    }
    for odd in [
        "http://jane:hunter2@ a",
        "ftp://jane:hunter2@h",
        "http://jane:hunter2/x@h",
        "socks5://jane:hunter2@127.0.0.1:1",
    ] {
        for command in ["explain", "doctor"] {
            told(&home(odd), &[command, "-v", "9"], None, 2);
            told(
                &variable,
                &[command, "-v", "9", "-s", "https://0.0.0.0:1"],
                Some(("HTTPS_PROXY", odd)),
                2,
            );
        }
    }
    let asked = asked.lock().unwrap();
    let authorized = |head: &String| {
        head.to_lowercase().contains("proxy-authorization: basic")
            && head.contains("amFuZTpodW50ZXIy")
    };
    assert!(!asked.is_empty() && asked.iter().all(authorized), "{asked:?}");
}

#[test]
fn a_token_that_cannot_be_sent_is_an_error() {
    let server = Server::start(|_| None);
    let plugin = with_plugin(&server, &credential(r#"{"token":"hunter2\\n"}"#), "");
    let homes = [r#"token: "hunter2\n""#, r#"token: "hun\x7fter2""#, r#"token: "hun\0ter2""#];
    for home in homes.map(|user| Home::new(&server, user)).iter().chain([&plugin]) {
        let error = home.error("").to_string();
        assert_eq!(
            error,
            "the token of user \"me\" cannot be sent: it has a line break or another control character"
        );
        let output = super::told::command(home, &["doctor"]).output().unwrap();
        let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let lines = told.lines().filter(|line| line.contains(&error)).count();
        assert!(output.status.code() == Some(2) && lines == 1 && !told.contains("panic"), "{told}");
        assert_lacks(&told, "hun");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn impersonation_reaches_the_server() {
    let server = Server::start(|_| None);
    let line = "--as jane --as-group dev --as-group ops --as-uid 7 --as-user-extra scopes=view --as-user-extra scopes=dev";
    Home::new(&server, "token: t").capture(line).0.unwrap();
    let request = server.requests().pop().unwrap();
    assert_eq!(request.header("impersonate-user"), ["jane"]);
    assert_eq!(request.header("impersonate-group"), ["dev", "ops"]);
    assert_eq!(request.header("impersonate-uid"), ["7"]);
    assert_eq!(request.header("impersonate-extra-scopes"), ["view", "dev"]);
    let error = Home::new(&server, "token: t").error("--as-group dev");
    assert_eq!(
        error.to_string(),
        "requesting uid, groups or user-extra without impersonating a user"
    );
}

#[test]
fn an_expired_token_is_a_clear_error() {
    let server = Server::start(|_| Some(Answer::status(401, "Unauthorized", "Unauthorized")));
    let error = Home::new(&server, "token: old").error("");
    assert_eq!(error.to_string(), "You must be logged in to the server (Unauthorized)");
    assert_has(error.hint().unwrap(), "user \"me\"");
}

#[test]
fn missing_files_of_the_list_are_passed_over() {
    let server = Server::start(|_| None);
    let mut home = Home::empty();
    home.write("first", "current-context: ''\nusers: [{name: me, user: {token: first}}]\n");
    home.write("second", &kubeconfig(&server.url(), "", "token: second"));
    let paths = [home.path("missing"), home.path("first"), home.path("second")];
    home.set("KUBECONFIG", std::env::join_paths(paths).unwrap().into_string().unwrap());
    home.capture("").0.unwrap();
    assert_eq!(authorization(&server), ["Bearer first"]);
    let missing = format!("--kubeconfig {}", home.path("missing").display());
    assert!(home.error(&missing).to_string().ends_with("missing: no such kubeconfig file"));
}

#[test]
fn the_home_folder_is_the_last_resort() {
    let server = Server::start(|_| None);
    let home = Home::empty();
    std::fs::create_dir(home.path(".kube")).unwrap();
    home.write(".kube/config", &kubeconfig(&server.url(), "", "token: home"));
    home.capture("").0.unwrap();
    assert_eq!(authorization(&server), ["Bearer home"]);
}

#[test]
fn names_that_do_not_exist_are_errors() {
    let server = Server::start(|_| None);
    let home = Home::new(&server, "token: t");
    for (line, problem, hint) in [
        ("--user nobody", r#"auth info "nobody" does not exist"#, "users: me"),
        ("--cluster none", r#"cluster "none" does not exist"#, "clusters: c"),
        ("--context none", r#"context "none" does not exist"#, "contexts: main"),
    ] {
        let error = home.error(line);
        assert_eq!((error.to_string().as_str(), error.hint()), (problem, Some(hint)));
    }
    home.write("config", &kubeconfig(&server.url(), "", "").replace("user: me,", "user: gone,"));
    assert_eq!(home.error("").to_string(), r#"user "gone" was not found for context "main""#);
    assert!(server.requests().is_empty());
}

#[test]
fn a_kubeconfig_that_cannot_be_read_is_no_reason_to_look_elsewhere() {
    let mut home = Home::empty();
    home.write("config", "current-context: main\nusers:\n- name: me\n  user: {token: hunter2\n");
    home.set("KUBECONFIG", home.path("config").to_str().unwrap().to_owned());
    pretend_pod(&mut home, "10.0.0.1");
    let error = home.error("");
    let text = error.to_string();
    assert!(
        text.contains("config: not a valid kubeconfig")
            && !text.contains("hunter2")
            && !text.contains('\n'),
        "{text}"
    );
}

fn pretend_pod(home: &mut Home, host: &str) {
    home.set("KUBERNETES_SERVICE_HOST", host);
    home.set("KUBERNETES_SERVICE_PORT", "1");
    std::fs::create_dir(home.path("serviceaccount")).unwrap();
    home.write("serviceaccount/token", "pod-token\n");
    home.write("serviceaccount/namespace", "pod-namespace");
}

#[test]
fn inside_a_pod_the_service_account_is_used_only_without_kubeconfig() {
    let mut home = Home::empty();
    pretend_pod(&mut home, "127.0.0.1");
    let error = home.error("");
    assert_begins(&error.to_string(), "The connection to the server 127.0.0.1:1 was refused");
    let server = Server::start(|_| None);
    home.write("config", &kubeconfig(&server.url(), "", "token: t"));
    home.set("KUBECONFIG", home.path("config").to_str().unwrap().to_owned());
    assert_eq!(home.capture("").0.unwrap().namespace, "shop");
}

#[test]
fn without_any_configuration_the_error_says_what_to_do() {
    let error = Home::empty().error("");
    assert!(error.hint().unwrap().contains("--from"));
    for (list, want) in [
        (
            &[][..],
            "no kubeconfig found (/.kube/config does not exist), and this is not a pod of a cluster",
        ),
        (
            &["/gone"],
            "no kubeconfig found (/gone does not exist), and this is not a pod of a cluster",
        ),
        (
            &["/gone", "/empty"],
            "no kubeconfig found (/gone does not exist, /empty is empty), and this is not a pod of a cluster",
        ),
    ] {
        let mut home = Home::empty();
        home.write("empty", "");
        let folder = home.folder.path().to_str().unwrap().to_owned();
        let paths =
            std::env::join_paths(list.iter().map(|name| format!("{folder}{name}"))).unwrap();
        home.set("KUBECONFIG", paths.into_string().unwrap());
        assert_eq!(home.error("").to_string().replace(&folder, ""), want);
    }
    let server = Server::start(|_| None);
    let (result, _) = Home::empty().capture(&format!("-s {}", server.url()));
    assert_eq!(result.unwrap().namespace, "default");
}

/// A home whose user logs in with a script that notes each run.
fn with_plugin(server: &Server, script: &str, more: &str) -> Home {
    let home = Home::new(server, "");
    let text = format!("#!/bin/sh\necho run >> {}\n{script}\n", home.path("runs").display());
    scripts::write(&home.path("login"), &text);
    let user = format!(
        "exec: {{apiVersion: client.authentication.k8s.io/v1, command: ./login, interactiveMode: Never{more}}}"
    );
    home.write("config", &kubeconfig(&server.url(), "", &user));
    home
}

fn credential(status: &str) -> String {
    format!(
        r#"echo '{{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{status}}}'"#
    )
}

#[test]
fn a_credential_plugin_runs_once() {
    let server = Server::start(|_| None);
    let soon = r#"{"token":"fresh","expirationTimestamp":"2020-01-01T00:00:00Z"}"#;
    let home = with_plugin(&server, &credential(soon), "");
    home.capture("").0.unwrap();
    assert_eq!(std::fs::read_to_string(home.path("runs")).unwrap(), "run\n");
    assert_eq!(authorization(&server), ["Bearer fresh"]);
}

#[test]
fn credential_plugin_gets_the_requested_exec_info() {
    let server = Server::start(|_| None);
    let script = format!(
        "echo \"$KUBERNETES_EXEC_INFO $STAGE $1\" > \"$OUT\"\n{}",
        credential(r#"{"token":"t"}"#)
    );
    let home = with_plugin(&server, &script, "");
    let more = format!(
        ", provideClusterInfo: true, args: [one], env: [{{name: STAGE, value: two}}, {{name: OUT, value: '{}'}}]",
        home.path("told").display()
    );
    let user = format!(
        "exec: {{apiVersion: client.authentication.k8s.io/v1, command: ./login, interactiveMode: Never{more}}}"
    );
    home.write("config", &kubeconfig(&server.url(), "", &user));
    home.capture("").0.unwrap();
    let told = std::fs::read_to_string(home.path("told")).unwrap();
    assert!(
        told.contains(&server.url())
            && told.contains(r#""interactive":false"#)
            && told.ends_with("two one\n"),
        "{told}"
    );
}

#[test]
fn failing_plugins_are_reported() {
    let server = Server::start(|_| None);
    for (script, part) in [
        ("exit 3", "failed: exit status: 3"),
        ("echo hunter2", "did not print an ExecCredential: not valid JSON at line 1, column 1"),
        (&credential("{}"), "didn't return a token or cert/key pair"),
        (&credential(r#"{"clientKeyData":"k"}"#), "returned only certificate or key, not both"),
        (
            r#"echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"t"}}'"#,
            "but returned version",
        ),
        (
            r#"echo '{"apiVersion":"client.authentication.k8s.io/v1"}'"#,
            "didn't return a status field",
        ),
    ] {
        let error = with_plugin(&server, script, "").error("");
        assert_has(&error.to_string(), part);
        assert_lacks(&error.to_string(), "hunter2");
    }
    let exec = "exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-login, installHint: get it at x.example}";
    let error = Home::new(&server, exec).error("");
    assert_eq!(error.to_string(), "getting credentials: exec: executable no-such-login not found");
    assert_eq!(error.hint(), Some("get it at x.example"));
    assert!(server.requests().is_empty());
}

#[test]
fn a_user_may_forbid_plugins() {
    let server = Server::start(|_| None);
    let mut home = with_plugin(&server, &credential(r#"{"token":"t"}"#), "");
    home.write("kuberc", "kind: Preference\ncredentialPluginPolicy: DenyAll\n");
    home.set("KUBERC", home.path("kuberc").to_str().unwrap().to_owned());
    assert!(home.error("").to_string().ends_with(r#"not allowed: policy set to "DenyAll""#));
    assert!(!home.path("runs").exists());
}

#[test]
fn a_proxy_is_used_unless_no_proxy_names_the_server() {
    // 0.0.0.0 reaches this machine and is no loopback address, for which proxies are never used.
    let server = Server::start(|_| None);
    let proxy = Server::start(|_| None);
    let address = format!("0.0.0.0:{}", server.address.port());
    let mut home = Home::empty();
    home.write("config", &kubeconfig(&format!("http://{address}"), "", ""));
    home.set("KUBECONFIG", home.path("config").to_str().unwrap().to_owned());
    home.set("HTTP_PROXY", format!("http://user:hunter2@{}", proxy.address));
    let error = home.error("");
    let expected = format!("cannot reach the server {address} through the proxy {}", proxy.address);
    assert_begins(&error.to_string(), &expected);
    assert_lacks(&error.to_string(), "hunter2");
    assert!(server.requests().is_empty());
    home.set("NO_PROXY", "x.example,0.0.0.0/8");
    home.capture("").0.unwrap();
    assert_eq!(server.count("/api/v1/pods"), 1);
}

#[test]
fn no_proxy_for_the_proxy_itself_changes_nothing() {
    let server = Server::start(|_| None);
    let mut home = Home::new(&server, "");
    home.write("config", &kubeconfig("http://0.0.0.0:1", "", ""));
    home.set("http_proxy", server.url());
    home.set("no_proxy", "127.0.0.1");
    assert!(home.error("").to_string().contains("through the proxy"));
    home.write(
        "config",
        &kubeconfig("http://127.0.0.1:1", ", proxy-url: 'http://127.0.0.1:2'", ""),
    );
    assert!(home.error("").to_string().contains("through the proxy 127.0.0.1:2"));
}

#[test]
fn a_silent_server_runs_into_the_request_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let home = Home::empty();
    let error =
        home.error(&format!("-s {} --request-timeout 50ms", listener.local_addr().unwrap()));
    assert_ends(&error.to_string(), "did not answer GET /version within 50ms");
    assert!(error.hint().unwrap().contains("--request-timeout"));
}

#[test]
fn request_timeout_covers_handshake_proxy_and_the_rest_of_an_answer() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = silent.local_addr().unwrap();
    let home = Home::empty();
    for server in [format!("https://{at}"), format!("http://{at}")] {
        let error = home.error(&format!("-s {server} --request-timeout 50ms"));
        assert_ends(&error.to_string(), "did not answer GET /version within 50ms");
    }
    for scheme in ["http", "socks5"] {
        let mut home = Home::empty();
        let proxy = format!(", proxy-url: '{scheme}://{at}'");
        home.write("config", &kubeconfig("https://198.51.100.1:1", &proxy, ""));
        home.set("KUBECONFIG", home.path("config").to_str().unwrap().to_owned());
        let error = home.error("--request-timeout 50ms").to_string();
        assert_ends(
            &error,
            &format!("through the proxy {at} did not answer GET /version within 50ms"),
        );
    }
    // The head of an answer arrives, and the rest of it does not.
    let server = Server::start(|request| {
        (request.path == "/version")
            .then(|| Answer { body: r#"{"gitVersion":"#.to_owned(), ..Answer::silent() })
    });
    let error = Home::new(&server, "").error("--request-timeout 200ms").to_string();
    assert_ends(&error, "did not answer GET /version within 200ms");
}

#[test]
fn compression_can_be_turned_off() {
    let server = Server::start(|_| None);
    Home::new(&server, "").capture("").0.unwrap();
    assert!(server.requests().iter().all(|r| r.header("accept-encoding") == ["gzip"]));
    let server = Server::start(|_| None);
    Home::new(&server, "").capture("--disable-compression").0.unwrap();
    assert!(server.requests().iter().all(|r| r.header("accept-encoding").is_empty()));
}

#[test]
fn addresses_with_a_path_keep_it() {
    let server = Server::start(|r| match r.path.as_str() {
        "/k8s/clusters/x/api/v1/nodes" => {
            Some(crate::live::server::list("NodeList", &["far"], "1", ""))
        }
        _ => None,
    });
    let (result, seen) =
        Home::new(&server, "").capture(&format!("--server {}/k8s/clusters/x", server.url()));
    result.unwrap();
    assert_eq!(seen.objects, ["Node/far"]);
}

#[test]
fn bad_addresses_and_tls_mistakes_are_one_line() {
    let server = Server::start(|_| None);
    let home = Home::new(&server, "token: t");
    let ca = home.path("config").display().to_string();
    let secure = format!("-s https://{}", server.address);
    let secure_key = format!("{secure} --insecure-skip-tls-verify --client-key {ca}");
    let secure_garbage = format!("{secure_key} --client-certificate {ca}");
    for (line, part) in [
        ("-s ftp://x".to_owned(), "is not the address of an API server"),
        ("-s http://".to_owned(), "is not the address of an API server"),
        (
            "-s http://api.test.invalid".to_owned(),
            "refusing to send credentials to http://api.test.invalid",
        ),
        (secure.clone() + " --insecure-skip-tls-verify", "it speaks no TLS"),
        (secure.clone() + &format!(" --certificate-authority {ca}"), "no certificate in it"),
        (
            secure.clone() + " --certificate-authority /nonexistent",
            "cannot read the certificate authority",
        ),
        (
            secure.clone() + &format!(" --insecure-skip-tls-verify --certificate-authority {ca}"),
            "is not allowed",
        ),
        (
            secure
                + " --insecure-skip-tls-verify --client-certificate /nonexistent --client-key /nonexistent",
            "/nonexistent",
        ),
        (secure_key, "there is a client key without its certificate"),
        (secure_garbage, "no certificate in PEM format in it"),
        ("-s https://127.0.0.1:1 --insecure-skip-tls-verify".to_owned(), "was refused"),
    ] {
        let error = home.error(&line);
        let text = error.to_string();
        assert!(text.contains(part) && !text.contains('\n'), "{line}: {text}");
        assert!(matches!(error, Error::Input { .. }) || error.hint().is_some(), "{line}: {text}");
    }
}

/// A proxy or a webhook may quote the request that it refuses.
#[test]
fn token_that_the_server_repeats_is_not_shown() {
    const TOKEN: &str = "eyJhbGciOiJSUzI1NiJ9.canary";
    let told = |request: &super::server::Request| {
        let said = format!("refused: Authorization: {}", request.header("authorization").concat());
        let mut answer = Answer::status(500, "InternalError", &said);
        answer.headers.push(("warning", format!("299 - \"{said}\"")));
        answer.headers.push(("x-request", said));
        answer
    };
    let forbidden = |request: &super::server::Request| {
        let said = format!("no list for Bearer {TOKEN}: {}", request.path);
        Answer::status(403, "Forbidden", &said)
    };
    let answers: [fn(&super::server::Request) -> Answer; 2] = [told, forbidden];
    for answer in answers {
        let server = Server::start(move |request| Some(answer(request)));
        for user in [
            format!("token: {TOKEN}"),
            "username: jane, password: 'eyJhbGciOiJSUzI1NiJ9.canary'".to_owned(),
        ] {
            let home = Home::new(&server, &user);
            for arguments in [
                &["explain", "p1", "-n", "default", "-v", "9"][..],
                &["doctor", "-v", "9"],
                &["doctor", "-o", "json"],
                &["pending", "-A", "-o", "json", "-v", "9"],
                &["snapshot", "-o", "-", "-v", "9"],
            ] {
                let output = super::told::command(&home, arguments).output().unwrap();
                let text = [output.stdout, output.stderr]
                    .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                    .concat();
                assert!(
                    !text.contains("canary") && !text.contains("amFuZTpleUpo"),
                    "{arguments:?}: {text}"
                );
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn file_that_a_kubeconfig_names_is_read_if_it_is_one() {
    let server = Server::start(|_| None);
    let home = Home::new(&server, "tokenFile: /dev/zero");
    let pipe = home.path("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    assert_eq!(home.error("").to_string(), "/dev/zero: cannot read the token: not a regular file");
    let pipe = pipe.to_str().unwrap();
    let home_with = |cluster: &str, user: &str| {
        home.write("config", &kubeconfig("https://127.0.0.1:1", cluster, user));
        home.error("").to_string()
    };
    for trap in ["/dev/zero", pipe] {
        let error = home_with(&format!(", certificate-authority: '{trap}'"), "token: t");
        assert_eq!(
            error,
            format!("{trap}: cannot read the certificate authority: not a regular file")
        );
        let error = home_with("", &format!("client-certificate: '{trap}', client-key: '{trap}'"));
        assert_eq!(
            error,
            format!("{trap}: cannot read the client certificate: not a regular file")
        );
        assert!(
            home.error(&format!("--kubeconfig {trap}"))
                .to_string()
                .starts_with(&format!("{trap}: "))
        );
    }
}
