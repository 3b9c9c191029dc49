//! Compact snapshots as they are written, read again.

use std::fs;
use std::path::Path;

use crate::capture::files;
use crate::capture::store::{SnapshotTarget, SnapshotWriter};
use engine::cluster::build::Builder;
use engine::snapshot::{DecodeIssue, Header, Object, Sink};

/// What every such file begins with, before its version.
const MAGIC: &[u8; 7] = b"\x89KPSNAP";

fn list(pods: usize) -> String {
    let pod = |at: usize| {
        format!(
            r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p{at}","namespace":"shop","uid":"u{at}"}},"spec":{{"nodeName":"n1"}}}}"#
        )
    };
    let pods: Vec<String> = (0..pods).map(pod).collect();
    format!(
        r#"{{"apiVersion":"v1","kind":"List","items":[{{"apiVersion":"v1","kind":"Node","metadata":{{"name":"n1"}}}}{}{}]}}"#,
        if pods.is_empty() { "" } else { "," },
        pods.join(",")
    )
}

fn write(path: &Path, text: &str) {
    let target = SnapshotTarget::File(path.to_owned());
    let mut writer = SnapshotWriter::create(target, false).unwrap();
    engine::decode::decode(text, "test", &mut writer).unwrap();
    writer.header(Header { server_version: Some("v1.37.1".to_owned()), ..Header::default() });
    writer.finish().unwrap();
}

/// What a sink gets of a file, with the pods in their order.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    objects: Vec<String>,
    header: Header,
    wants_text: bool,
}

impl Sink for Seen {
    fn object(&mut self, object: Object<'_>) {
        self.objects.push(format!("{object:?}"));
    }
    fn issue(&mut self, issue: DecodeIssue) {
        panic!("{issue:?}");
    }
    fn header(&mut self, header: Header) {
        self.header = header;
    }
    fn wants_text(&mut self) -> bool {
        self.wants_text
    }
}

fn read(path: &Path, wants_text: bool) -> Seen {
    let mut seen = Seen { wants_text, ..Seen::default() };
    files::read(path.to_str().unwrap(), &mut seen).unwrap();
    seen.objects.sort();
    Seen { wants_text: false, ..seen }
}

fn problem(path: &Path) -> String {
    files::read(path.to_str().unwrap(), &mut Builder::new()).unwrap_err().to_string()
}

#[test]
fn compact_file_has_what_the_json_has() {
    let folder = tempfile::tempdir().unwrap();
    for pods in [0, 1, 8_200] {
        let json = folder.path().join(format!("{pods}.json"));
        let compact = folder.path().join(format!("{pods}.snap"));
        write(&json, &list(pods));
        write(&compact, &list(pods));
        let expected = read(&json, false);
        assert_eq!(expected.objects.len(), pods + 1);
        assert!(read(&compact, false) == expected, "{pods}");
        assert!(read(&compact, true) == expected, "{pods} as JSON");
        assert!(fs::read(&compact).unwrap().starts_with(MAGIC));
        assert!(!fs::read(&json).unwrap().starts_with(MAGIC));
    }
}

#[test]
fn damaged_file_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bad) = (folder.path().join("a.snap"), folder.path().join("b.snap"));
    write(&path, &list(50));
    let file = fs::read(&path).unwrap();
    for at in 0..file.len() {
        fs::write(&bad, &file[..at]).unwrap();
        let problem = problem(&bad);
        assert!(!problem.contains('\n'), "{problem}");
        if at > MAGIC.len() + 1 {
            assert!(problem.ends_with("the file is truncated; write it again"), "{at}: {problem}");
        }
    }
    for at in 0..file.len() {
        let mut damaged = file.clone();
        damaged[at] ^= 0xff;
        fs::write(&bad, &damaged).unwrap();
        let result = files::read(bad.to_str().unwrap(), &mut Builder::new());
        assert!(result.is_err_and(|error| !error.to_string().contains('\n')), "{at}");
    }
    fs::write(&bad, [&file[..], b"x"].concat()).unwrap();
    assert!(problem(&bad).ends_with("the snapshot is damaged; write it again"));
}

#[test]
fn newer_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.snap");
    fs::write(&path, b"\x89KPSNAP\x02\0\0").unwrap();
    let problem = problem(&path);
    assert!(
        problem.ends_with("version 2; this program reads version 1: use the one that wrote it"),
        "{problem}"
    );
}

#[test]
fn file_that_says_it_unpacks_to_more_than_it_may_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.snap");
    let frame = [b"D\0\0\0\0".as_slice(), &(200u32 << 20).to_le_bytes()].concat();
    let end = b"E\0\0\0\0\0\0\0\0";
    fs::write(&path, [b"\x89KPSNAP\x01".as_slice(), &frame, &frame, end].concat()).unwrap();
    assert!(problem(&path).contains("unpacks to more than 256 MiB"), "{}", problem(&path));
}
