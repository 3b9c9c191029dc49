//! The snapshot command: the file holds what the cluster said.

use engine::decode;
use kubectl_preempt::cli::flags::GlobalFlags;
use kubectl_preempt::cli::snapshot::{self, SnapshotArgs};

use crate::live::server::{Answer, Server};
use crate::live::{Home, Seen, flags};

fn args(home: &Home, name: &str) -> SnapshotArgs {
    SnapshotArgs {
        output: Some(home.path(name).to_str().unwrap().to_owned()),
        ..SnapshotArgs::default()
    }
}

fn quiet() -> GlobalFlags {
    GlobalFlags { quiet: true, ..GlobalFlags::default() }
}

#[test]
fn a_snapshot_holds_what_was_read() {
    let server = Server::start(|r| {
        r.path
            .contains("priorityclasses")
            .then(|| Answer::status(403, "Forbidden", "no priority classes for you"))
    });
    let home = Home::new(&server, "token: t");
    let (result, live) = home.capture("");
    result.unwrap();
    let line = format!("--kubeconfig {}", home.path("config").display());
    snapshot::run(&args(&home, "s.json.zst"), &flags(&line), &quiet()).unwrap();
    let text = zstd::stream::decode_all(&*std::fs::read(home.path("s.json.zst")).unwrap()).unwrap();
    let mut saved = Seen::default();
    decode::decode(std::str::from_utf8(&text).unwrap(), "s.json.zst", &mut saved).unwrap();
    assert_eq!((&saved.objects, &saved.issues), (&live.objects, &live.issues));
    assert_eq!(saved.header.server_version, live.header.server_version);
    assert_eq!(saved.header.unreadable, live.header.unreadable);
    assert!(server.requests().iter().any(|r| r.path == "/apis/apps/v1/replicasets"));
    assert!(snapshot::run(&args(&home, "s.json.zst"), &flags(&line), &quiet()).is_err());
}

#[test]
fn no_file_is_left_when_the_cluster_refuses() {
    let server = Server::start(|r| {
        r.path.ends_with("/pods").then(|| Answer::status(403, "Forbidden", "no"))
    });
    let home = Home::new(&server, "token: t");
    let line = format!("--kubeconfig {}", home.path("config").display());
    snapshot::run(&args(&home, "s.json.zst"), &flags(&line), &quiet()).unwrap_err();
    let names: Vec<_> =
        std::fs::read_dir(home.folder.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(names, ["config"]);
}
