//! A file that anybody may have sent, in each form that is read: either its pods are decided and
//! printed, or it is refused in one line. Included by `tests/laws/hostile.rs` and by the fuzz
//! targets.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use answers::origin::SourceKind;
use answers::origin::{InputOrigin, Origin};
use answers::pod_report::PodReport;
use engine::cluster::Cluster;
use engine::cluster::build::Builder;
use engine::decision::decide;
use engine::framework::cluster_view::ClusterView;
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use engine::snapshot::pod_table::{Block, PodTable};
use flate2::Compression;
use flate2::write::GzEncoder;
use kubectl_preempt::capture::files;
use kubectl_preempt::cli::output;
use kubectl_preempt::error::Error;
use render::page::Paper;
use render::safe::{Printable, is_hostile};
use render::{screen, text};

/// Pods of one input that are decided.
const DECIDED: usize = 3;

/// The first byte of a compact snapshot: behind it stand its document, the byte 0xff, which is in no
/// text, and a block of pods.
const COMPACT: u8 = b'c';

/// Reads what the bytes behind the first are, in the form that the first stands for. Returns the
/// number of objects.
///
/// # Panics
/// When something is printed that a terminal would act on.
pub fn check(bytes: &[u8]) -> usize {
    let Some((form, body)) = bytes.split_first() else { return 0 };
    let folder = tempfile::tempdir().expect("a folder");
    let path = match form % 4 {
        _ if *form == COMPACT => written(&folder.path().join("compact.snap"), &compact(body)),
        0 => written(&folder.path().join("plain"), body),
        1 => {
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(body).expect("gzip");
            written(&folder.path().join("packed.gz"), &packed.finish().expect("gzip"))
        }
        2 => written(&folder.path().join("packed.zst"), &zstd::encode_all(body, 1).expect("zstd")),
        // As `oc adm must-gather` and `kubectl cluster-info dump` leave it.
        _ => {
            for (index, piece) in body.split(|byte| *byte == 0xff).enumerate() {
                let inner = folder.path().join(["namespaces/default", "cluster-scoped"][index % 2]);
                fs::create_dir_all(&inner).expect("a folder");
                let ending = ["yaml", "json", "log"][index % 3];
                written(&inner.join(format!("{index}.{ending}")), piece);
            }
            folder.path().display().to_string()
        }
    };
    let mut builder = Builder::new();
    refused(files::read(&path, &mut builder));
    let objects = builder.objects();
    decided(&builder.finish());
    objects
}

/// A compact snapshot whose frames are sound, whatever is in them.
fn compact(body: &[u8]) -> Vec<u8> {
    let end = body.iter().position(|byte| *byte == 0xff).unwrap_or(body.len());
    let (document, block) = (&body[..end], body.get(end + 1..).unwrap_or_default());
    let table = Block::read(block).and_then(|block| PodTable::of_blocks(vec![block], usize::MAX));
    let pods = table.map_or(0, |table| table.len() as u64);
    let counts = [2u64.to_le_bytes(), pods.to_le_bytes()].concat();
    let mut file = b"\x89KPSNAP\x01".to_vec();
    for (tag, bytes) in [(b'D', document), (b'P', block), (b'E', &counts)] {
        let packed = zstd::bulk::compress(bytes, 1).expect("zstd");
        file.push(tag);
        file.extend((packed.len() as u32).to_le_bytes());
        file.extend((bytes.len() as u32).to_le_bytes());
        file.extend(packed);
    }
    file
}

fn written(path: &Path, bytes: &[u8]) -> String {
    fs::write(path, bytes).expect("a file");
    path.display().to_string()
}

/// What is said where something is refused is one line.
pub fn refused<T>(result: Result<T, Error>) {
    if let Err(error) = result {
        let line = Printable::new(error.to_string());
        assert!(!line.contains('\n'), "{line:?}", line = &*line);
        clean(&line);
    }
}

/// Decides about the first pods that wait, by the rules of two versions, and prints the answers.
pub fn decided(cluster: &Cluster) {
    let now = "2026-06-01T12:00:00Z".parse().expect("a time");
    let waiting = cluster.pod_indices().filter(|pod| cluster.pod(*pod).node_name.is_empty());
    for (pod, version) in waiting.take(DECIDED).zip(["1.37", "1.19", "1.30"]) {
        let profile =
            Profile::new(SchedulerVersion::parse(version).expect("a version"), VersionSource::Flag);
        let view = ClusterView::new(cluster, &profile);
        let decision = PodReport::from(decide(&view, pod, now));
        let origin = Origin {
            place: InputOrigin::Files(vec!["input".to_owned()]),
            as_of: now,
            nodes: answers::node_name::NodeNames::default(),
        };
        clean(&text::page(&decision, &origin).print(Paper::PLAIN));
        clean(&screen::page(std::slice::from_ref(&decision), &origin, true, 0).print(Paper::PLAIN));
        clean(&output::json(&to_json::pod_report(&decision, SourceKind::File)).expect("JSON"));
    }
}

fn clean(printed: &Printable) {
    let found = printed.chars().find(|c| !matches!(c, '\n' | '\t') && is_hostile(*c));
    assert_eq!(found, None, "{:?}", &**printed);
}
