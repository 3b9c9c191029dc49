//! What the program tells of a run whose output cannot be written, and of one that is over before it
//! has begun.

use std::fs::{File, OpenOptions};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::rig::Rig;
use super::scripted::{rig, sent, two};
use super::server::Fault;
use testing::assert_has;

/// A program that lasts longer hangs.
const TOO_LONG: Duration = Duration::from_secs(60);

fn apply(rig: &Rig, more: &[&str]) -> Command {
    let mut command = rig.command();
    command.args(["simulate", "web", "-n", "shop", "--apply", "--yes", "--timeout=40s"]).args(more);
    command.stdin(Stdio::null());
    command
}

fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").unwrap()
}

/// The only file in the folder, as JSON.
fn kept(folder: &TempDir) -> Value {
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let name = files[0].file_name().into_string().unwrap();
    let stem = name.strip_suffix(".json").unwrap_or_else(|| panic!("{name}"));
    assert!(stem.starts_with("kubectl-preempt-apply-"), "{name}");
    serde_json::from_str(&std::fs::read_to_string(files[0].path()).unwrap()).unwrap()
}

/// The JSON after the lines of a text.
fn json_in(text: &str) -> Value {
    let start = text.find("\n{\n").unwrap_or_else(|| panic!("no JSON in {text}"));
    serde_json::from_str(&text[start..]).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn result_that_standard_output_does_not_take_is_told_on_standard_error() {
    for format in ["json", "yaml"] {
        let (rig, folder) = (rig(), tempfile::tempdir().unwrap());
        let mut command = apply(&rig, &["-o", format]);
        let ran = command.current_dir(&folder).stdout(full()).output().unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        assert_eq!((ran.status.code(), sent(&rig).len()), (Some(4), 2), "{said}");
        assert_has(&said, "error: standard output: cannot be written");
        let result = json_in(&said);
        assert_eq!(result["kind"], "ApplyResult", "{said}");
        assert_eq!(result["outcome"], "Applied", "{said}");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn result_that_no_stream_takes_is_kept_in_a_file() {
    for (format, code) in [("json", 4), ("text", 0)] {
        let (rig, folder) = (rig(), tempfile::tempdir().unwrap());
        let mut command = apply(&rig, &["-o", format]);
        command.current_dir(&folder).stderr(full());
        if format == "json" {
            command.stdout(full());
        }
        let ran = command.output().unwrap();
        assert_eq!((ran.status.code(), sent(&rig).len()), (Some(code), 2), "{format}");
        assert_eq!(kept(&folder)["outcome"], "Applied", "{format}");
        assert_eq!(kept(&folder)["victims"][0]["name"], "low-a", "{format}");
    }
    // Where there is no such file either, the exit code is left.
    let rig = rig();
    let mut command = apply(&rig, &["-o", "json"]);
    let ran = command.current_dir("/proc").stdout(full()).stderr(full()).output().unwrap();
    assert_eq!((ran.status.code(), sent(&rig).len()), (Some(4), 2));
}

#[test]
fn result_whose_reader_has_left_is_told_on_standard_error() {
    let rig = rig();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ran = apply(&rig, &["-o", "json"]).stdout(writer).output().unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_eq!((ran.status.code(), sent(&rig).len()), (Some(4), 2), "{said}");
    assert_eq!(json_in(&said)["outcome"], "Applied", "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_before_anything_is_sent_is_a_failure() {
    let rig = rig();
    let ran = apply(&rig, &[]).stdout(full()).output().unwrap();
    assert_eq!((ran.status.code(), sent(&rig).len()), (Some(2), 0));
    let ran = apply(&rig, &["-o", "json", "--dry-run=client"]).stdout(full()).output().unwrap();
    assert_eq!((ran.status.code(), sent(&rig).len()), (Some(2), 0));
}

#[test]
fn closed_standard_output_does_not_change_the_exit_code_of_a_run() {
    let rig = rig();
    let mut shell = Command::new("sh");
    let line = "exec \"$0\" simulate web -n shop --apply --yes --timeout=40s -o json >&-";
    shell.args(["-c", line]).arg(env!("CARGO_BIN_EXE_kubectl-preempt"));
    shell.envs(rig.command().get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ran = shell.output().unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_eq!((ran.status.code(), sent(&rig).len()), (Some(0), 2), "{said}");
    assert_has(&said, "shop/low-a: evicted");
}

/// The output of a program that must end.
fn ended(mut child: Child) -> (Option<i32>, Value, String) {
    let since = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if since.elapsed() > TOO_LONG {
            child.kill().unwrap();
            panic!("the program does not end");
        }
        thread::sleep(Duration::from_millis(20));
    }
    let ran = child.wait_with_output().unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    let result = serde_json::from_slice(&ran.stdout).unwrap_or_default();
    (ran.status.code(), result, said)
}

fn start(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn time_limit_holds_for_the_first_read_of_the_cluster() {
    let rig = rig();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = silent.local_addr().unwrap();
    let (server, secure) = (format!("http://{at}"), format!("https://{at}"));
    let proxy = |scheme: &str| {
        let folder = tempfile::tempdir().unwrap();
        let config = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: main\n\
             contexts: [{{name: main, context: {{cluster: c, user: me}}}}]\n\
             clusters: [{{name: c, cluster: {{server: 'https://198.51.100.1:1', proxy-url: '{scheme}://{at}'}}}}]\n\
             users: [{{name: me, user: {{token: t}}}}]\n"
        );
        std::fs::write(folder.path().join("config"), config).unwrap();
        folder
    };
    let folders = ["http", "socks5"].map(proxy);
    let files = [0, 1].map(|n: usize| folders[n].path().join("config").display().to_string());
    for flags in [
        ["--server", &server],
        ["--server", &secure],
        ["--kubeconfig", &files[0]],
        ["--kubeconfig", &files[1]],
    ] {
        let mut command = rig.command();
        command.args(["simulate", "web", "-n", "shop", "--apply", "--yes", "--timeout=700ms"]);
        let (code, result, said) = ended(start(command.args(["-o", "json"]).args(flags)));
        assert_eq!((code, &result["outcome"]), (Some(2), &"Refused".into()), "{flags:?} {said}");
        let reason = result["reason"].as_str().unwrap();
        assert_has(reason, "nothing was done: timed out after 700ms; last error: ");
    }
    drop(silent);
}

#[test]
fn time_limit_holds_for_a_credential_plugin() {
    let rig = rig();
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config");
    let text = "apiVersion: v1\nkind: Config\ncurrent-context: main\n\
        contexts: [{name: main, context: {cluster: c, user: me}}]\n\
        clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n\
        users: [{name: me, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, \
        command: sleep, args: ['600']}}}]\n";
    std::fs::write(&config, text).unwrap();
    let mut command = rig.command();
    command.env("KUBECONFIG", &config);
    command.args(["simulate", "web", "--apply", "--yes", "--timeout=500ms", "-o", "json"]);
    let (code, result, said) = ended(start(&mut command));
    assert_eq!((code, &result["outcome"]), (Some(2), &"Refused".into()), "{said}");
    assert_has(&said, "timed out after 500ms; last error: getting credentials: ");
}

#[test]
fn signal_during_the_first_list_leaves_a_result() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let rig = Rig::new(two(), |request, _| {
            (request.path == "/api/v1/nodes").then_some(Fault::Delay(TOO_LONG))
        })
        .unwrap();
        let child = start(&mut apply(&rig, &["-o", "json"]));
        let since = Instant::now();
        while !rig.view(|view| view.requests.iter().any(|r| r.path == "/api/v1/nodes")) {
            assert!(since.elapsed() < TOO_LONG, "nothing is read");
            thread::sleep(Duration::from_millis(10));
        }
        let pid = child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        let (ended, result, said) = ended(child);
        assert_eq!(ended, Some(code), "{said}");
        assert_eq!(
            (&result["outcome"], &result["exitCode"]),
            (&"Interrupted".into(), &code.into())
        );
        assert_has(&said, "error: nothing was done: interrupted");
    }
}
