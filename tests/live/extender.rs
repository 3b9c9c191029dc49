//! `--call-extenders`, against a real extender: a small HTTP server of the test's own, plain and
//! with TLS.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use assert_cmd::Command;
use base64::Engine as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use testing::{assert_begins, assert_has};

/// What the extender answers: a status and a body, and how long it takes.
type Handler = dyn Fn(&str, &Value) -> (u16, String, Duration) + Send + Sync;

/// An extender. It lives as long as the test process.
struct Extender {
    url: String,
    /// Verb and question.
    seen: Arc<Mutex<Vec<(String, Value)>>>,
    /// Certificate of a server with TLS, PEM.
    certificate: Option<String>,
}

/// At once, status 200.
fn ok(body: impl Into<String>) -> (u16, String, Duration) {
    (200, body.into(), Duration::ZERO)
}

impl Extender {
    fn start(
        handler: impl Fn(&str, &Value) -> (u16, String, Duration) + Send + Sync + 'static,
    ) -> Self {
        Self::serve("http", None, Arc::new(handler))
    }

    /// With a certificate of its own for `name`.
    fn start_tls(
        name: &str,
        handler: impl Fn(&str, &Value) -> (u16, String, Duration) + Send + Sync + 'static,
    ) -> Self {
        let key = rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
        let certificate = key.cert.pem();
        let private =
            rustls::pki_types::PrivateKeyDer::try_from(key.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![key.cert.der().clone()], private)
            .unwrap();
        let mut extender = Self::serve("https", Some(Arc::new(config)), Arc::new(handler));
        extender.certificate = Some(certificate);
        extender
    }

    fn serve(scheme: &str, tls: Option<Arc<rustls::ServerConfig>>, handler: Arc<Handler>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("{scheme}://{}/scheduler/", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
        let questions = seen.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (questions, handler, tls) = (questions.clone(), handler.clone(), tls.clone());
                thread::spawn(move || match tls {
                    None => converse(stream, &questions, &*handler),
                    Some(config) => {
                        let session = rustls::ServerConnection::new(config).unwrap();
                        converse(rustls::StreamOwned::new(session, stream), &questions, &*handler);
                    }
                });
            }
        });
        Self { url, seen, certificate: None }
    }

    /// The questions so far.
    fn questions(&self) -> Vec<(String, Value)> {
        self.seen.lock().unwrap().clone()
    }
}

/// Answers question after question on one connection.
fn converse(stream: impl Read + Write, seen: &Mutex<Vec<(String, Value)>>, handler: &Handler) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        assert_begins(&line, "POST ");
        let (mut length, mut login) = (0, None);
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            if let Some(value) = header.to_lowercase().strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap();
            }
            if header.to_lowercase().starts_with("authorization: ") {
                login = header.split_once(": ").map(|(_, value)| value.trim().to_owned());
            }
            if header.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let mut question: Value = serde_json::from_slice(&body).unwrap();
        question["login"] = login.into();
        let verb = path.rsplit('/').next().unwrap_or_default().to_owned();
        assert_eq!(path, format!("/scheduler/{verb}"));
        seen.lock().unwrap().push((verb.clone(), question.clone()));
        let (status, body, wait) = handler(&verb, &question);
        thread::sleep(wait);
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n", body.len());
        // The client may have given up.
        if reader.get_mut().write_all(format!("{head}{body}").as_bytes()).is_err() {
            return;
        }
        let _ = reader.get_mut().flush();
    }
}

/// Three nodes; `web` fits on all of them. With `full`, each is full of a pod of lower priority
/// that has a budget.
fn cluster(full: bool) -> String {
    let names = ["n1", "n2", "n3"];
    let node = |name: &&str| {
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kept": "whole"}},
            "spec": {"providerID": format!("cloud://{name}")},
            "status": {"allocatable": {"cpu": "2", "memory": "4Gi", "pods": "9"}}})
    };
    let pod = |name: String, cpu: &str, priority: i64, node: Option<&str>| {
        json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "uid": format!("u-{name}"), "labels": {"app": "batch"}},
            "spec": {"priority": priority, "nodeName": node, "hostname": "not-in-the-allow-list",
                "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]},
            "status": {"phase": if node.is_some() { "Running" } else { "Pending" }, "startTime": "2026-01-01T00:00:00Z"}})
    };
    let mut items: Vec<Value> = names.iter().map(node).collect();
    if full {
        for name in names {
            items.push(pod(format!("a-{name}"), "1", 0, Some(name)));
            items.push(pod(format!("b-{name}"), "1", 1, Some(name)));
        }
    }
    items.push(pod("web".to_owned(), "1", 100, None));
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

/// A configuration with these extenders.
fn config(extenders: &[Value]) -> String {
    json!({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "extenders": extenders})
        .to_string()
}

/// Files of one run.
struct Files(TempDir);

impl Files {
    fn new(cluster: &str, extenders: &[Value]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("cluster.json"), cluster).unwrap();
        std::fs::write(folder.path().join("config.yaml"), config(extenders)).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Exit code, standard output and standard error.
    fn run(&self, more: &[&str]) -> (Option<i32>, String, String) {
        let (cluster, config) = (self.path("cluster.json"), self.path("config.yaml"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
        command
            .args([
                "explain",
                "web",
                "-o",
                "json",
                "--from",
                &cluster,
                "--scheduler-config",
                &config,
            ])
            .args(more);
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    fn ask(&self, more: &[&str]) -> (Option<i32>, Value) {
        let (code, out, err) = self.run(&[&["--call-extenders"], more].concat());
        (code, serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}")))
    }
}

fn verdicts(decision: &Value) -> Vec<String> {
    let verdict = |n: &Value| match n["verdict"].as_str().unwrap() {
        "Feasible" => format!("{} fits {}", n["name"].as_str().unwrap(), n["score"]),
        other => {
            let reasons: Vec<_> = n["reasons"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|r| r.as_str().unwrap())
                .collect();
            let name = n["name"].as_str().unwrap();
            format!("{name} {other} {} {} {}", n["stage"], n["code"], reasons.join(", "))
                .replace('"', "")
        }
    };
    decision["nodes"].as_array().unwrap().iter().map(verdict).collect()
}

#[test]
fn extenders_are_called_only_with_the_flag() {
    let extender = Extender::start(|_, _| panic!("not to be asked"));
    let files =
        Files::new(&cluster(false), &[json!({"urlPrefix": extender.url, "filterVerb": "filter"})]);
    let (code, out, _) = files.run(&[]);
    let decision: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, Some(3));
    let note =
        decision["notes"].as_array().unwrap().iter().find(|n| n["severity"] == "error").unwrap();
    assert_has(note["text"].as_str().unwrap(), "is not asked (filter): it may decide otherwise");
    assert_eq!(note["settledBy"], "askingExtenders");
    assert!(extender.questions().is_empty());
}

#[test]
fn filter_by_whole_nodes() {
    let extender = Extender::start(|_, question| {
        let items: Vec<_> = question["Nodes"]["items"].as_array().unwrap().iter().take(1).collect();
        ok(json!({"Nodes": {"items": items}, "FailedNodes": {"n2": "too hot"},
            "FailedAndUnresolvableNodes": {"n3": "on fire"}})
        .to_string())
    });
    let files =
        Files::new(&cluster(false), &[json!({"urlPrefix": extender.url, "filterVerb": "filter"})]);
    let (code, decision) = files.ask(&[]);
    assert_eq!(code, Some(0));
    assert_eq!(
        verdicts(&decision),
        [
            "n1 fits null",
            "n2 Filtered Extender Unschedulable too hot",
            "n3 Filtered Extender UnschedulableAndUnresolvable on fire"
        ]
    );
    assert_eq!(
        (&decision["selected"]["nodes"], &decision["nodes"][1]["plugin"]),
        (&json!(["n1"]), &Value::Null)
    );
    let [(verb, question)] = extender.questions().try_into().unwrap();
    assert_eq!((verb.as_str(), &question["NodeNames"]), ("filter", &Value::Null));
    // What no rule reads is sent, too.
    assert_eq!(question["Pod"]["spec"]["hostname"], "not-in-the-allow-list");
    assert_eq!(question["Nodes"]["items"][2]["spec"]["providerID"], "cloud://n3");
}

#[test]
fn filter_response_fields_are_case_insensitive() {
    let extender = Extender::start(|_, _| {
        ok(r#"{"nodenames": ["n2", "n3"], "failedNodes": {"n1": "too hot"}}"#)
    });
    let settings =
        json!({"urlPrefix": extender.url, "filterVerb": "filter", "nodeCacheCapable": true});
    let (_, decision) = Files::new(&cluster(false), &[settings]).ask(&[]);
    assert_eq!(decision["selected"]["nodes"], json!(["n2", "n3"]));
    let [(_, question)] = extender.questions().try_into().unwrap();
    assert_eq!(
        (&question["NodeNames"], &question["Nodes"]),
        (&json!(["n1", "n2", "n3"]), &Value::Null)
    );
}

#[test]
fn refused_everywhere() {
    let extender = Extender::start(|_, _| {
        ok(r#"{"NodeNames": [], "FailedNodes": {"n1": "a", "n2": "b", "n3": "b"}}"#)
    });
    let settings =
        json!({"urlPrefix": extender.url, "filterVerb": "filter", "nodeCacheCapable": true});
    let (_, decision) = Files::new(&cluster(false), &[settings]).ask(&[]);
    assert_eq!(decision["outcome"], "Unschedulable");
    let message = decision["message"].as_str().unwrap();
    assert_begins(message, "0/3 nodes are available: 1 a, 2 b. preemption: ");
}

#[test]
fn prioritize_is_weighed() {
    let extender =
        Extender::start(|_, _| ok(r#"[{"Host": "n3", "Score": 10}, {"Host": "n1", "Score": 1}]"#));
    let settings = json!({"urlPrefix": extender.url, "prioritizeVerb": "rank", "weight": 3});
    let (_, decision) = Files::new(&cluster(false), &[settings]).ask(&[]);
    assert_eq!(decision["selected"], json!({"certainty": "Certain", "nodes": ["n3"]}));
    let added: Vec<_> =
        (0..3).map(|n| decision["nodes"][n]["scores"][&extender.url].clone()).collect();
    assert_eq!(added, [json!(30), json!(0), json!(300)]);
    assert_eq!(extender.questions()[0].0, "rank");
    let broken = Extender::start(|_, _| (500, String::new(), Duration::ZERO));
    let settings = json!({"urlPrefix": broken.url, "prioritizeVerb": "rank", "weight": 3});
    let (_, decision) = Files::new(&cluster(false), &[settings]).ask(&[]);
    assert_eq!((&decision["outcome"], broken.questions().len()), (&json!("Schedulable"), 1));
}

/// The answer of an extender that may or may not be ignored.
fn broken(extender: &Extender, timeout: &str, ignorable: bool) -> (Value, String) {
    let settings = json!({"urlPrefix": extender.url, "filterVerb": "filter", "httpTimeout": timeout, "ignorable": ignorable});
    let (_, decision) = Files::new(&cluster(false), &[settings]).ask(&[]);
    let skipped = |n: &&Value| n["text"].as_str().unwrap().contains("was passed over");
    let note = decision["notes"]
        .as_array()
        .unwrap()
        .iter()
        .find(skipped)
        .map(|n| n["text"].as_str().unwrap().to_owned());
    (decision, note.unwrap_or_default())
}

#[test]
fn a_login_of_the_url_logs_in_and_is_not_shown() {
    for (login, header) in
        [("jane:hun%40ter2@", json!("Basic amFuZTpodW5AdGVyMg==")), ("", Value::Null)]
    {
        let extender = Extender::start(|_, _| (500, "no".to_owned(), Duration::ZERO));
        let url = extender.url.replace("http://", &format!("http://{login}"));
        let files =
            Files::new(&cluster(false), &[json!({"urlPrefix": url, "filterVerb": "filter"})]);
        for more in [&["--call-extenders"][..], &["-v=9"]] {
            let (_, out, err) = files.run(more);
            assert!(out.contains(extender.url.trim_end_matches('/')), "{out}");
            assert!(
                ![out, err].iter().any(|text| text.contains("jane") || text.contains("ter2")),
                "{more:?}"
            );
        }
        assert_eq!(extender.questions()[0].1["login"], header);
    }
}

#[test]
fn login_repeated_by_an_extender_is_masked() {
    let header = base64::engine::general_purpose::STANDARD.encode("jane:correct horse");
    let repeats = format!("denied: Basic {header}, that is correct horse");
    for answer in [
        json!({"Error": repeats}),
        json!({"NodeNames": [], "FailedNodes": {"n1": repeats, "n2": repeats}}),
    ] {
        let extender = Extender::start(move |_, _| ok(answer.to_string()));
        let url = extender.url.replace("http://", "http://jane:correct%20horse@");
        let settings = json!({"urlPrefix": url, "filterVerb": "filter", "nodeCacheCapable": true});
        let (_, out, err) =
            Files::new(&cluster(false), &[settings]).run(&["--call-extenders", "-v=9"]);
        assert!(out.contains("denied: Basic <masked>, that is <masked>"), "{out}{err}");
        assert!(
            ![out, err].iter().any(|text| text.contains(&header) || text.contains("correct horse"))
        );
    }
}

#[test]
fn errors_end_the_cycle_unless_ignorable() {
    let late = Extender::start(|_, _| (200, "{}".to_owned(), Duration::from_secs(2)));
    let refused = Extender {
        url: "http://127.0.0.1:1/scheduler".to_owned(),
        seen: Arc::default(),
        certificate: None,
    };
    for (extender, problem) in [
        (
            Extender::start(|_, _| (500, "no".to_owned(), Duration::ZERO)),
            "failed filter with extender at URL ",
        ),
        (Extender::start(|_, _| ok("<html>")), "the answer is not JSON: "),
        (Extender::start(|_, _| ok("")), "EOF"),
        (Extender::start(|_, _| ok("[]")), "the answer has a list where an object belongs"),
        (Extender::start(|_, _| ok(r#"{"Error": "I cannot"}"#)), "I cannot"),
        (late, "(Client.Timeout exceeded while awaiting headers)"),
        (refused, "refused"),
    ] {
        // Only the one that is late has little time.
        let timeout = if problem.contains("Timeout") { "300ms" } else { "60s" };
        let (decision, _) = broken(&extender, timeout, false);
        let message = decision["message"].as_str().unwrap();
        assert!(message.contains(problem), "{problem}: {message}");
        assert_eq!(
            (&decision["outcome"], &decision["preemption"]),
            (&json!("Error"), &Value::Null),
            "{problem}"
        );
        let (decision, note) = broken(&extender, timeout, true);
        assert_eq!(decision["outcome"], "Schedulable", "{problem}");
        assert!(note.contains(problem), "{problem}: {note}");
    }
}

#[test]
fn preempt_by_uids() {
    let extender = Extender::start(|_, question| {
        let victims = &question["NodeNameToMetaVictims"]["n2"];
        ok(json!({"NodeNameToMetaVictims": {"n2": victims}}).to_string())
    });
    let settings =
        json!({"urlPrefix": extender.url, "preemptVerb": "preempt", "nodeCacheCapable": true});
    let (code, decision) = Files::new(&cluster(true), &[settings]).ask(&[]);
    assert_eq!((code, &decision["outcome"]), (Some(0), &json!("Preempt")));
    assert_eq!(decision["preemption"]["winners"], json!(["n2"]));
    let nodes = &decision["preemption"]["nodes"];
    assert_eq!(
        (&nodes[0]["verdict"], &nodes[1]["verdict"]),
        (&json!("NoCandidate"), &json!("Candidate"))
    );
    let [(_, question)] = extender.questions().try_into().unwrap();
    assert_eq!(question["NodeNameToVictims"], Value::Null);
    assert_eq!(
        question["NodeNameToMetaVictims"]["n3"],
        json!({"Pods": [{"UID": "u-a-n3"}], "NumPDBViolations": 0})
    );
}

#[test]
fn preempt_by_whole_pods_may_choose_others() {
    let extender = Extender::start(|_, _| {
        ok(
            r#"{"NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": "u-b-n1"}], "NumPDBViolations": 2}}}"#,
        )
    });
    let settings = json!({"urlPrefix": extender.url, "preemptVerb": "preempt"});
    let (_, decision) = Files::new(&cluster(true), &[settings]).ask(&[]);
    let chosen = &decision["preemption"]["nodes"][0];
    assert_eq!(
        (&chosen["victims"][0]["name"], &chosen["numPDBViolations"]),
        (&json!("b-n1"), &json!(2))
    );
    let [(_, question)] = extender.questions().try_into().unwrap();
    let sent = &question["NodeNameToVictims"]["n1"]["Pods"][0];
    assert_eq!(
        (&sent["metadata"]["name"], &sent["spec"]["hostname"]),
        (&json!("a-n1"), &json!("not-in-the-allow-list"))
    );
}

#[test]
fn preempt_may_leave_nothing_or_fail() {
    for (answer, ignorable, message) in [
        (
            r#"{"NodeNameToMetaVictims": {}}"#,
            false,
            Some("preemption: no candidate node for preemption"),
        ),
        (
            r#"{"NodeNameToMetaVictims": {"n1": {}}}"#,
            false,
            Some("expected at least one victim pod on node \"n1\""),
        ),
        (
            r#"{"NodeNameToMetaVictims": {"n1": {}}}"#,
            true,
            Some("preemption: no candidate node for preemption"),
        ),
        (
            r#"{"NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": "x"}]}}}"#,
            false,
            Some("(UID: &{x}) on node: n1, but"),
        ),
        ("nonsense", false, Some("the answer is not JSON")),
        ("nonsense", true, None),
    ] {
        let extender = Extender::start(move |_, _| ok(answer));
        let settings = json!({"urlPrefix": extender.url, "preemptVerb": "p", "nodeCacheCapable": true, "ignorable": ignorable});
        let (_, decision) = Files::new(&cluster(true), &[settings]).ask(&[]);
        let said = decision["message"].as_str().unwrap();
        match message {
            Some(message) => {
                assert!(said.contains(message), "{answer}: {said}");
                assert_eq!(decision["preemption"]["winners"], json!([]), "{answer}");
            }
            None => assert_eq!(decision["outcome"], "Preempt", "{answer}: {said}"),
        }
    }
}

#[test]
fn null_victims_crash_the_scheduler_even_from_an_ignorable_extender() {
    for (answer, ignorable) in [
        (r#"{"NodeNameToMetaVictims": {"n1": null}}"#, true),
        (r#"{"NodeNameToMetaVictims": {"n1": {"Pods": [null]}}}"#, false),
    ] {
        let extender = Extender::start(move |_, _| ok(answer));
        let settings = json!({"urlPrefix": extender.url, "preemptVerb": "p", "nodeCacheCapable": true, "ignorable": ignorable});
        let (_, decision) = Files::new(&cluster(true), &[settings]).ask(&[]);
        assert_eq!(decision["error"]["kind"], "Crash", "{answer}: {decision}");
    }
}

#[test]
fn tls_is_checked_as_the_configuration_says() {
    let extender = Extender::start_tls("extender.example", |_, _| ok(r#"{"NodeNames": ["n1"]}"#));
    let pem = extender.certificate.clone().unwrap();
    let data = base64::engine::general_purpose::STANDARD.encode(&pem);
    let with = |more: Value| {
        let mut settings =
            json!({"urlPrefix": extender.url, "filterVerb": "filter", "nodeCacheCapable": true});
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let files = Files::new(&cluster(false), &[settings]);
        std::fs::write(files.path("ca.pem"), &pem).unwrap();
        files.ask(&[]).1
    };
    for (trusted, more) in [
        (true, json!({"tlsConfig": {"caData": data, "serverName": "extender.example"}})),
        (true, json!({"tlsConfig": {"insecure": true}})),
        // Without a CA nothing is checked.
        (true, json!({"enableHTTPS": true})),
        (false, json!({})),
        (false, json!({"enableHTTPS": true, "tlsConfig": {"caData": data}})),
        (false, json!({"tlsConfig": {"serverName": "extender.example"}})),
    ] {
        let decision = with(more.clone());
        let expected = if trusted { json!(["n1"]) } else { json!([]) };
        assert_eq!(decision["selected"]["nodes"], expected, "{more} {}", decision["message"]);
    }
    let settings =
        |tls: Value| json!({"urlPrefix": extender.url, "filterVerb": "f", "tlsConfig": tls});
    for (tls, problem) in [
        (json!({"caFile": "/nowhere/ca.pem"}), "tlsConfig.caFile /nowhere/ca.pem"),
        // kube-scheduler refuses these configurations, too.
        (
            json!({"caData": "!"}),
            "extenders[0].tlsConfig.caData: strict decoding error: illegal base64 data",
        ),
        (
            json!({"caData": "AA=="}),
            "extenders[0].tlsConfig.caData: unable to load root certificates",
        ),
    ] {
        let (code, out, err) =
            Files::new(&cluster(false), &[settings(tls)]).run(&["--call-extenders"]);
        assert_eq!((code, out.as_str()), (Some(2), ""));
        assert!(err.starts_with("error: ") && err.contains(problem), "{err}");
    }
}

#[test]
fn an_address_that_is_none() {
    let (code, _, err) =
        Files::new(&cluster(false), &[json!({"urlPrefix": "ftp://x", "filterVerb": "f"})])
            .run(&["--call-extenders"]);
    assert_eq!(code, Some(2));
    assert_has(&err, "does not begin with http:// or https://");
}

#[test]
fn answer_that_is_larger_than_one_about_all_nodes_is_an_error() {
    let extender = Extender::start(|_, _| {
        let names = vec!["n"; 1_000_000];
        ok(json!({"NodeNames": names}).to_string())
    });
    let settings = json!({"urlPrefix": extender.url, "filterVerb": "filter", "httpTimeout": "60s"});
    let (_, decision) = Files::new(&cluster(false), &[settings]).ask(&[]);
    assert_has(&decision.to_string(), "the answer is larger than 2 MiB, which no answer needs");
}
