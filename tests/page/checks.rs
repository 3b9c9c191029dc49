//! What is checked, each on a page of its own.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use kubectl_preempt::capture::files;
use kubectl_preempt::capture::store::{SnapshotTarget, SnapshotWriter};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::browser::Browser;

const NOW: &str = "2026-06-01T12:00:00Z";
const PHONE: (u32, u32) = (390, 844);
const LAPTOP: (u32, u32) = (1280, 800);

type Check = fn(&mut Page);

const CHECKS: &[(&str, Check)] = &[
    ("the examples get the JSON of the program, byte for byte", examples_equal),
    ("packed files, archives and folders get the JSON of the program", layouts_equal),
    ("other versions and objects get the JSON of the program", scenarios_equal),
    ("what is assumed changes the answer as simulate says", what_if),
    ("an assumption that makes no sense is refused in one line", wrong_what_if),
    ("a file that cannot be read is refused in one line", unreadable),
    ("it asks nobody for anything, and could not", nobody_is_asked),
    ("everything can be done with the keyboard", keyboard),
    ("nothing is cut off on a phone or a laptop", nothing_cut_off),
    ("everything that is used has a name for screen readers", names),
    ("what a cluster says stays text", hostile),
];

/// The checks. Each has a browser of its own, so that one that fails leaves nothing behind.
pub fn all(program: &str, page: &str) -> Vec<Trial> {
    let html = fs::read_to_string(page).unwrap_or_else(|e| panic!("{page}: {e}"));
    let trial = |(name, check): &(&str, Check)| {
        let (program, html, check) = (program.to_owned(), html.clone(), *check);
        Trial::test(*name, move || {
            check(&mut Page::open(&program, &html));
            Ok(())
        })
    };
    let measured = std::env::var("KUBECTL_PREEMPT_PAGE_LARGE").ok();
    let large: &[(&str, Check)] = if measured.is_some() {
        &[("a large cluster is read within 10 s and 1 GiB", large)]
    } else {
        &[]
    };
    CHECKS.iter().chain(large).map(trial).collect()
}

/// The page, and a folder for files that are handed to it.
struct Page {
    browser: Browser,
    folder: TempDir,
}

impl Page {
    fn open(program: &str, html: &str) -> Self {
        let mut browser = Browser::start(program);
        browser.load(html);
        browser.wait_for("document.documentElement.dataset.started === ''");
        Self { browser, folder: tempfile::tempdir().unwrap() }
    }

    fn eval(&mut self, script: &str) -> Value {
        self.browser.eval(script)
    }

    /// Chooses files, waits for the queue and decides as of the time of the tests.
    fn choose(&mut self, input: &str, files: &[&Path]) {
        let element = self.browser.ask(
            "Runtime.evaluate",
            &json!({"expression": format!("document.getElementById('{input}')")}),
        );
        let object = &element["result"]["objectId"];
        self.browser.ask("DOM.setFileInputFiles", &json!({"files": files, "objectId": object}));
        self.settle();
        if !self.text("#problem").is_empty() {
            return;
        }
        self.eval(&format!("document.getElementById('now').value = '{NOW}'"));
        self.eval("document.getElementById('options').requestSubmit()");
        self.settle();
    }

    /// Waits until what was asked is answered.
    fn settle(&mut self) {
        self.browser.frame();
        self.browser.wait_for("document.documentElement.dataset.ready === ''");
    }

    fn text(&mut self, selector: &str) -> String {
        let script = format!("document.querySelector({selector:?})?.innerText ?? ''");
        self.eval(&script).as_str().unwrap().to_owned()
    }

    fn json(&mut self) -> String {
        self.eval("window.answerAsJson").as_str().unwrap().to_owned()
    }

    /// Goes to the page of a pod, as its address in the queue does.
    fn open_pod(&mut self, namespace: &str, name: &str) {
        self.eval(&format!("delete document.documentElement.dataset.ready; location.hash = 'pod/{namespace}/{name}'"));
        self.settle();
    }

    fn assume(&mut self, flag: &str, value: &str) {
        self.eval("document.getElementById('what-if').open = true");
        self.eval(&format!(
            "{{ const k = document.getElementById('kind'); k.value = '{flag}'; k.dispatchEvent(new Event('change')); }}"
        ));
        self.eval(&format!("document.getElementById('value').value = {value:?}"));
        self.eval("delete document.documentElement.dataset.ready; document.getElementById('add').requestSubmit()");
        self.settle();
    }

    fn resize(&mut self, (width, height): (u32, u32)) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.browser.ask("Emulation.setDeviceMetricsOverride", &size);
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What the program prints in the folder of the input. It exits with 1 where a pod gets no node, and
/// with 3 because of notes.
fn program(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("kubectl-preempt").unwrap();
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!([Some(0), Some(1), Some(3)].contains(&output.status.code()), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Compares the queue and the page of every pod with what the program prints about `from` in
/// `folder`. Returns how many pods there were.
fn compare(page: &mut Page, folder: &Path, from: &str, more: &[&str]) -> usize {
    let arguments = |command: &[&str]| {
        let input = ["--from", from, "--now", NOW, "-o", "json"];
        let all = command.iter().chain(&input).chain(more);
        all.map(|word| (*word).to_owned()).collect::<Vec<String>>()
    };
    let run = |command: &[&str]| {
        let all = arguments(command);
        program(folder, &all.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let printed = run(&["pending", "-A"]);
    let shown = page.json();
    assert_eq!(shown, printed, "the queue of {from}");
    let queue: Value = serde_json::from_str(&printed).unwrap();
    let mut pods = 0;
    for item in queue["items"].as_array().unwrap() {
        let (namespace, name) =
            (item["namespace"].as_str().unwrap(), item["name"].as_str().unwrap());
        let members = item["podGroup"]["waiting"].as_array().cloned();
        for name in members.unwrap_or_else(|| vec![name.into()]) {
            let name = name.as_str().unwrap();
            page.open_pod(namespace, name);
            let printed = run(&["explain", name, "-n", namespace]);
            assert_eq!(page.json(), printed, "{namespace}/{name} of {from}");
            pods += 1;
        }
    }
    // Back to the queue, if it is not shown already.
    if pods > 0 {
        page.eval("delete document.documentElement.dataset.ready; location.hash = ''");
        page.settle();
    }
    pods
}

fn examples_equal(page: &mut Page) {
    for (example, waiting) in [("pending-web", 1), ("drain", 0)] {
        let folder = root().join("examples").join(example);
        page.choose("files", &[&folder.join("cluster.yaml")]);
        let pods = compare(page, &folder, "cluster.yaml", &[]);
        assert!(pods >= waiting, "{example}: {pods} pods");
    }
    // The button has the same example in it.
    page.eval(
        "delete document.documentElement.dataset.ready; document.getElementById('try').click()",
    );
    page.settle();
    let folder = root().join("examples/pending-web");
    compare(page, &folder, "cluster.yaml", &[]);
    let rows = page.eval("[...document.querySelectorAll('#queue tbody tr')].map((r) => r.cells[0].querySelector('button').innerText)");
    assert_eq!(rows, json!(["shop/web-6d4cf56db6-q7rtz"]));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn layouts_equal(page: &mut Page) {
    let text = fs::read(root().join("examples/pending-web/cluster.yaml")).unwrap();
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(text.len() as u64);
    header.set_mode(0o644);
    tar.append_data(&mut header, "dump/cluster.yaml", text.as_slice()).unwrap();
    let tar = tar.into_inner().unwrap();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("dump/cluster.yaml", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(&text).unwrap();
    let zip = zip.finish().unwrap().into_inner();
    let files = [
        ("cluster.yaml.gz", gzip(&text)),
        ("dump.tar", tar.clone()),
        ("dump.tar.gz", gzip(&tar)),
        ("dump.zip", zip),
    ];
    for (name, bytes) in files {
        let path = page.file(name, &bytes);
        page.choose("files", &[&path]);
        let folder = page.folder.path().to_owned();
        assert!(compare(page, &folder, name, &[]) > 0, "{name}");
    }
    // Several files are read together, in the order in which they were chosen.
    let other = b"kind: Namespace\napiVersion: v1\nmetadata: {name: shop}\n";
    let files = [page.file("files/a.yaml", other), page.file("files/b.yaml", &text)];
    page.choose("files", &[&files[1], &files[0]]);
    let folder = page.folder.path().join("files");
    assert!(compare(page, &folder, "b.yaml", &["--from", "a.yaml"]) > 0);
    // zstd of several frames, and compact snapshots.
    let (first, second) = text.split_at(text.len() / 2);
    let frames = [first, second].map(|half| zstd::encode_all(half, 1).unwrap()).concat();
    let packed = page.file("cluster.yaml.zst", &frames);
    let compact = page.folder.path().join("cluster.snap");
    let mut writer = SnapshotWriter::create(SnapshotTarget::File(compact.clone()), false).unwrap();
    files::read(packed.to_str().unwrap(), &mut writer).unwrap();
    writer.finish().unwrap();
    for (name, path) in [("cluster.yaml.zst", &packed), ("cluster.snap", &compact)] {
        page.choose("files", &[path]);
        let folder = page.folder.path().to_owned();
        assert!(compare(page, &folder, name, &[]) > 0, "{name}");
    }
    // Damage is found, as it is by the program.
    let mut damaged = fs::read(&compact).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x10;
    let path = page.file("damaged.snap", &damaged);
    page.choose("files", &[&path]);
    let problem = page.text("#problem");
    assert!(problem.contains("damaged"), "{problem}");
}

fn scenarios_equal(page: &mut Page) {
    let mut pods = 0;
    for name in [
        "budget_choice",
        "resource_claims",
        "nominated_pod",
        "inter_pod_affinity",
        "device_alternatives",
        "claim_in_use",
    ] {
        let folder = root().join("tests/scenarios").join(name);
        page.choose("files", &[&folder.join("cluster.yaml")]);
        pods += compare(page, &folder, "cluster.yaml", &[]);
        page.eval("document.getElementById('version').value = '1.33'");
        page.eval("delete document.documentElement.dataset.ready; document.getElementById('options').requestSubmit()");
        page.settle();
        pods += compare(page, &folder, "cluster.yaml", &["--scheduler-version", "1.33"]);
        page.eval("document.getElementById('version').value = ''");
    }
    assert!(pods >= 12, "{pods}");
}

fn example(page: &mut Page) {
    page.choose("files", &[&root().join("examples/pending-web/cluster.yaml")]);
}

const POD: (&str, &str) = ("shop", "web-6d4cf56db6-q7rtz");

fn what_if(page: &mut Page) {
    example(page);
    page.open_pod(POD.0, POD.1);
    let outcome = |page: &mut Page| {
        let decision: Value = serde_json::from_str(&page.json()).unwrap();
        decision["outcome"].as_str().unwrap().to_owned()
    };
    assert_eq!(outcome(page), "Preempt");
    for (flag, value) in [
        ("--requests", "cpu=100m"),
        ("--toleration", "nvidia.com/gpu=present:NoSchedule"),
        ("--add-node-like", "worker-2"),
        ("--priority", "0"),
        ("--cordon", "worker-3"),
        ("--remove-taint", "gpu-1:nvidia.com/gpu"),
        ("--drain", "worker-1"),
    ] {
        page.assume(flag, value);
        assert_eq!(page.text("#problem"), "", "{flag}");
        assert!(page.text(".assumes").contains("Not the real cluster"), "{flag}");
        let folder = root().join("examples/pending-web");
        let simulated = program(
            &folder,
            &[
                "simulate",
                POD.1,
                "-n",
                POD.0,
                "--from",
                "cluster.yaml",
                "--now",
                NOW,
                "-o",
                "json",
                flag,
                value,
            ],
        );
        let simulated: Value = serde_json::from_str(&simulated).unwrap();
        let decided: Value = serde_json::from_str(&page.json()).unwrap();
        let step = &simulated["steps"][0];
        let expected = match step["outcome"].as_str().unwrap() {
            "Fits" => "Schedulable",
            "Evict" => "Preempt",
            "Impossible" => "Unschedulable",
            other => panic!("{flag}: {other}"),
        };
        assert_eq!(decided["outcome"], expected, "{flag} {value}");
        let nodes = decided["selected"]["nodes"].as_array().cloned().unwrap_or_default();
        assert_eq!(step["nodes"], json!(nodes), "{flag} {value}");
        page.eval("delete document.documentElement.dataset.ready; document.querySelector('#assumed button').click()");
        page.settle();
        assert_eq!(outcome(page), "Preempt", "as before {flag}");
    }
    // What is assumed of the cluster holds for the queue, too.
    page.assume("--add-node-like", "worker-2");
    page.eval("delete document.documentElement.dataset.ready; location.hash = ''");
    page.settle();
    assert!(page.text("#queue h1").contains("1 fit"), "{}", page.text("#queue h1"));
    assert!(page.text("#queue .assumes").contains("a node like worker-2 added"));
}

fn wrong_what_if(page: &mut Page) {
    example(page);
    page.open_pod(POD.0, POD.1);
    for (flag, value, problem) in [
        ("--requests", "cpu", "--requests `cpu`: use RESOURCE=AMOUNT, such as cpu=500m"),
        ("--cordon", "nobody", "nodes \"nobody\" not found"),
    ] {
        page.assume(flag, value);
        assert_eq!(page.text("#problem"), problem);
        assert_eq!(page.text("#assumed"), "");
        assert!(page.text("#pod h1").contains("no node fits"), "the answer before stays");
    }
    page.eval("document.getElementById('now').value = 'noon'");
    page.eval("delete document.documentElement.dataset.ready; document.getElementById('options').requestSubmit()");
    page.settle();
    assert!(page.text("#problem").contains("`noon` is not an RFC 3339 time"));
}

fn unreadable(page: &mut Page) {
    for (name, bytes, problem) in [
        ("nothing.json", &b""[..], "nothing.json: the file is empty"),
        (
            "pods.json",
            b"{\"kind\":\"PodList\",\"items\":[]}",
            "pods.json: no Kubernetes object in it",
        ),
        ("broken.json", b"{\"kind\":", "broken.json: "),
        ("binary.json", b"{\"\xff\xff", "binary.json: not text"),
    ] {
        let path = page.file(name, bytes);
        page.choose("files", &[&path]);
        let said = page.text("#problem");
        assert!(
            said.contains(problem)
                || name == "pods.json" && !said.is_empty()
                || name == "nothing.json" && !said.is_empty(),
            "{name}: {said}"
        );
        assert!(!said.contains('\n'), "{said}");
        assert_eq!(page.eval("document.getElementById('queue').hidden"), true, "{name}");
    }
    // After that a good one is read as ever.
    example(page);
    assert_eq!(page.text("#problem"), "");
    assert!(page.text("#queue h1").starts_with("1 pending"), "{}", page.text("#queue h1"));
}

fn nobody_is_asked(page: &mut Page) {
    example(page);
    page.open_pod(POD.0, POD.1);
    // The page asks only for what it has made itself.
    let asked: Vec<String> = page
        .browser
        .disturbances()
        .into_iter()
        .filter(|what| !what.starts_with("asks blob:"))
        .collect();
    assert_eq!(asked, Vec::<String>::new());
    let tried = "fetch('https://example.com/').then(() => 'sent', () => 'refused')";
    assert_eq!(page.eval(tried), "refused");
    let in_worker = format!(
        "new Promise((done) => {{ const w = new Worker(URL.createObjectURL(new Blob([`{}`]))); w.onmessage = (e) => done(e.data); }})",
        "new Promise((done) => { self.addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective)); fetch('https://example.com/').catch(() => setTimeout(() => done('no policy'), 500)); }).then(postMessage)"
    );
    assert_eq!(page.eval(&in_worker), "connect-src", "the worker has the policy of the page");
    let policy = page.eval("document.querySelector('meta[http-equiv]').content");
    let policy = policy.as_str().unwrap();
    for part in ["default-src 'none'", "connect-src 'none'", "'wasm-unsafe-eval'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{policy}");
}

fn keyboard(page: &mut Page) {
    page.resize(LAPTOP);
    page.eval("document.getElementById('try').focus()");
    page.eval("delete document.documentElement.dataset.ready");
    page.browser.press("Enter");
    page.settle();
    page.browser.press("/");
    assert_eq!(
        page.eval("document.activeElement.getAttribute('aria-label')"),
        "Search pending pods"
    );
    page.browser.type_text("nobody");
    assert_eq!(page.eval("document.querySelector('#queue tbody').rows.length"), 0);
    page.browser.press("Escape");
    assert_eq!(page.eval("document.querySelector('#queue tbody').rows.length"), 1);
    page.eval("document.querySelector('#queue tbody button').focus(); delete document.documentElement.dataset.ready");
    page.browser.press("Enter");
    page.settle();
    let focused = page.eval("document.activeElement.textContent");
    assert!(
        focused.as_str().unwrap().contains("no node fits"),
        "the answer is read out: {focused}"
    );
    page.browser.press("/");
    assert_eq!(page.eval("document.activeElement.getAttribute('aria-label')"), "Search nodes");
    page.browser.press("ArrowDown");
    page.browser.press("Enter");
    assert!(page.text(".detail").contains("worker-3"), "{}", page.text(".detail"));
    page.eval("history.back(); delete document.documentElement.dataset.ready");
    page.settle();
    assert_eq!(page.eval("document.getElementById('queue').hidden"), false);
    // Every control is reached with Tab.
    let reached = page.eval(
        "[...document.querySelectorAll('input, button, select, summary, a')].filter((e) => e.tabIndex < 0).map((e) => e.outerHTML.slice(0, 60))",
    );
    assert_eq!(reached, json!([]));
}

/// What reaches beyond the window; everything is unfolded first.
const BEYOND: &str = "(() => {
  document.querySelectorAll('details').forEach((d) => { d.open = true; });
  const all = [...document.querySelectorAll('main *')].filter((e) => e.offsetParent && !e.closest('svg'));
  const beyond = all.filter((e) => e.getBoundingClientRect().right > innerWidth + 0.5 && !e.closest('.grid'));
  return beyond.map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 40)}`).slice(0, 5);
})()";

fn nothing_cut_off(page: &mut Page) {
    for size in [PHONE, LAPTOP] {
        page.resize(size);
        for state in ["drop", "queue", "pod"] {
            match state {
                "queue" => example(page),
                "pod" => {
                    page.open_pod(POD.0, POD.1);
                    page.assume("--add-node-like", "worker-2");
                }
                _ => {}
            }
            page.browser.frame();
            assert_eq!(page.eval(BEYOND), json!([]), "{state} at {size:?}");
            let wide = page.eval("document.documentElement.scrollWidth").as_u64().unwrap();
            assert!(wide <= u64::from(size.0), "{state}: {wide}");
        }
    }
}

fn names(page: &mut Page) {
    example(page);
    for state in ["queue", "pod"] {
        if state == "pod" {
            page.open_pod(POD.0, POD.1);
            page.assume("--add-node-like", "worker-2");
        }
        page.eval("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
        let tree = page.browser.ask("Accessibility.getFullAXTree", &json!({}));
        let mut used = 0;
        for node in tree["nodes"].as_array().unwrap() {
            let role = node["role"]["value"].as_str().unwrap_or_default();
            let is_used = [
                "button",
                "textbox",
                "searchbox",
                "combobox",
                "checkbox",
                "link",
                "grid",
                "ComboBoxGrouping",
            ]
            .contains(&role);
            if node["ignored"] == true || !is_used {
                continue;
            }
            used += 1;
            let name = node["name"]["value"].as_str().unwrap_or_default();
            assert!(!name.trim().is_empty(), "{state}: {node}");
        }
        assert!(used >= 6, "{state}: {used}");
    }
    // Columns, regions and changes are announced.
    assert_eq!(page.eval("document.documentElement.lang"), "en");
    assert_eq!(
        page.eval("document.querySelectorAll('[role=status][aria-live], [role=alert]').length"),
        2
    );
}

fn hostile(page: &mut Page) {
    const H: &str = "</script><script>pwned=1</script><img src=x onerror=\"pwned=2\">'\"><b>&lt;i&gt;\u{202e}\u{1b}[31m";
    let items = json!({"kind": "List", "apiVersion": "v1", "items": [
        {"kind": "Node", "apiVersion": "v1", "metadata": {"name": format!("n{H}")}, "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "10"}}},
        {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": format!("p{H}"), "namespace": format!("s{H}")},
         "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "9"}}}]}, "status": {"phase": "Pending"}},
    ]});
    let path = page.file("hostile.json", items.to_string().as_bytes());
    page.choose("files", &[&path]);
    let shown = page.text("#queue tbody button");
    assert!(
        shown.contains("</script><script>") && shown.contains("\\u{202e}\\u{1b}[31m"),
        "{shown}"
    );
    page.eval("delete document.documentElement.dataset.ready; document.querySelector('#queue tbody button').click()");
    page.settle();
    let shown = page.text("#pod h1");
    assert!(shown.contains("</script><script>") && shown.contains("\\u{202e}"), "{shown}");
    assert_eq!(page.eval("typeof pwned"), "undefined");
    assert_eq!(page.eval("document.querySelectorAll('main :is(img, b, i, iframe, object, link, base, script, [onload], [onerror])').length"), 0);
}

/// The processes that draw pages, by their numbers.
fn renderers(browser: &mut Browser) -> Vec<u64> {
    // That is asked of the browser, and not of the page.
    let session = browser.session.take();
    let all = browser.ask("SystemInfo.getProcessInfo", &json!({}));
    browser.session = session;
    let all = all["processInfo"].as_array().unwrap();
    all.iter()
        .filter(|one| one["type"] == "renderer")
        .filter_map(|one| one["id"].as_u64())
        .collect()
}

/// The most that reading may take, until the queue is there.
const MOST_SECONDS: f64 = 10.0;
const MOST_MIB: u64 = 1024;

/// Reads the file of `KUBECTL_PREEMPT_PAGE_LARGE`: `just page-bench` makes it.
fn large(page: &mut Page) {
    let path = std::env::var("KUBECTL_PREEMPT_PAGE_LARGE").unwrap();
    page.eval("window.began = performance.now(); new MutationObserver(() => { if (document.documentElement.dataset.ready === '') window.took ??= performance.now() - window.began; }).observe(document.documentElement, { attributes: true })");
    let element = page
        .browser
        .ask("Runtime.evaluate", &json!({"expression": "document.getElementById('files')"}));
    let object = &element["result"]["objectId"];
    page.browser.ask("DOM.setFileInputFiles", &json!({"files": [path], "objectId": object}));
    page.settle();
    let seconds = page.eval("window.took").as_f64().unwrap() / 1000.0;
    let engine = page.eval("window.engine.memory").as_u64().unwrap() >> 20;
    let most_used = |pid: u64| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0)
    };
    let process = renderers(&mut page.browser).into_iter().map(most_used).max().unwrap_or(0) >> 10;
    let said = page.text("#status");
    let queue = page.text("#queue h1");
    println!(
        "page: {said}: {queue}; {seconds:.1} s, {engine} MiB of the engine, {process} MiB of the process at most"
    );
    assert!(seconds <= MOST_SECONDS, "{seconds} s");
    assert!(process <= MOST_MIB, "{process} MiB");
}
