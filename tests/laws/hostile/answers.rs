//! An API server that answers whatever it likes: the cluster is read and decided, or the answers
//! are refused in one line. Included by `tests/laws/hostile.rs` and by the fuzz target `answers`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use engine::cluster::build::Builder;
use engine::snapshot::Kind;
use flate2::Compression;
use flate2::write::GzEncoder;
use kubectl_preempt::api::Env;
use kubectl_preempt::api::flags::ConnectionFlags;
use kubectl_preempt::capture::live::kept::KeptCluster;
use kubectl_preempt::capture::live::{self, ReadScope};

use super::inputs;

const KINDS: [Kind; 6] = [
    Kind::Pod,
    Kind::Node,
    Kind::PodDisruptionBudget,
    Kind::PersistentVolume,
    Kind::ResourceSlice,
    Kind::Namespace,
];
/// An answer after which a request is sent again takes as long as the server asks for.
const TIMEOUT: Duration = Duration::from_secs(2);
/// How long a watch is listened to.
const WATCHED: Duration = Duration::from_millis(50);

/// The pieces from which answers are made.
type Script = Arc<Mutex<Vec<Vec<u8>>>>;

/// Reads a cluster from a server whose answers are the pieces between bytes 0xff; with an even
/// first byte, also watches it. Returns the number of objects.
pub fn check(bytes: &[u8]) -> usize {
    static SERVER: OnceLock<(SocketAddr, Script)> = OnceLock::new();
    let Some((form, body)) = bytes.split_first() else { return 0 };
    let (address, script) = SERVER.get_or_init(start);
    *script.lock().expect("one writer") =
        body.split(|byte| *byte == 0xff).map(<[u8]>::to_vec).collect();
    let flags = ConnectionFlags {
        server: Some(format!("http://{address}")),
        request_timeout: Some(TIMEOUT),
        // Whoever runs this may have one of their own.
        kubeconfig: Some("/dev/null".into()),
        ..ConnectionFlags::default()
    };
    let scope = ReadScope { chunk: 2, deadline: TIMEOUT * 5, ..ReadScope::of(&KINDS) };
    let mut builder = Builder::new();
    let nowhere: [(&str, &str); 0] = [];
    inputs::refused(live::capture(&Env::of(nowhere), &flags, &scope, &mut builder, &mut |_| {}));
    let objects = builder.objects();
    inputs::decided(&builder.finish());
    if form % 2 == 0 {
        keep(&flags, &scope);
    }
    objects
}

/// Reads the cluster, lets watches change what was read for a moment, and decides on it.
fn keep(flags: &ConnectionFlags, scope: &ReadScope) {
    let nowhere: [(&str, &str); 0] = [];
    let kept =
        KeptCluster::open(&Env::of(nowhere), flags, scope, true, &mut |_| {}, Box::new(|_| {}));
    let Ok(kept) = kept else { return inputs::refused(kept.map(drop)) };
    thread::sleep(WATCHED);
    inputs::refused(kept.list_unwatched());
    let mut builder = Builder::new();
    drop(kept.read(&mut builder));
    inputs::decided(&builder.finish());
}

fn start() -> (SocketAddr, Script) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let script = Script::default();
    let shared = script.clone();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let script = shared.clone();
            thread::spawn(move || serve(&stream, &script));
        }
    });
    (address, script)
}

/// Answers one request. Which piece it gets depends on its path alone, so that a run can be
/// repeated.
fn serve(mut stream: &TcpStream, script: &Mutex<Vec<Vec<u8>>>) -> Option<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next()?.ok()?;
    while !lines.next()?.ok()?.is_empty() {}
    let pieces = script.lock().ok()?.clone();
    let target = first.split(' ').nth(1)?;
    let number: usize = target.bytes().map(usize::from).sum();
    let piece = pieces.get(number % pieces.len().max(1))?;
    stream.write_all(&answer(piece)).ok()
}

/// The first byte of a piece is the status and how the body is sent, the rest is the body.
fn answer(piece: &[u8]) -> Vec<u8> {
    let (how, body) = piece.split_first().unwrap_or((&b'0', b""));
    let status = [200, 200, 200, 403, 404, 410, 500, 429][usize::from(how & 7)];
    let head =
        |more: &str| format!("HTTP/1.1 {status} X\r\nConnection: close\r\n{more}\r\n").into_bytes();
    match (how >> 4) & 3 {
        // '0' and what follows it
        3 => [head(&format!("Content-Length: {}\r\n", body.len())), body.to_vec()].concat(),
        2 => {
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(body).expect("gzip");
            [head("Content-Encoding: gzip\r\n"), packed.finish().expect("gzip")].concat()
        }
        1 => [head("Transfer-Encoding: chunked\r\n"), body.to_vec()].concat(),
        _ => body.to_vec(),
    }
}
