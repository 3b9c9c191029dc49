//! Every shape in which people have a cluster's objects gives one answer.

use std::io::{self, Read as _, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use testing::{assert_begins, assert_ends, assert_has};

use super::{NOW, Run, explain_stdin, folder, list, node, pod, run, run_with, with};

fn objects() -> Vec<Value> {
    let old = with(pod("old"), "/spec/nodeName", json!("n1"));
    vec![
        node("n1"),
        with(old, "/spec/containers/0/resources/requests/cpu", json!("3500m")),
        node("n2"),
        pod("web-1"),
    ]
}

fn expected() -> Run {
    let answer = explain_stdin(list(&objects()), &["-o", "json"]);
    assert_eq!(answer.json()["selected"]["nodes"], json!(["n2"]));
    answer
}

/// Items of a typed list: without `kind` of their own.
fn kindless(objects: &[Value], kind: &str) -> Vec<Value> {
    let mut items: Vec<Value> = objects.iter().filter(|o| o["kind"] == kind).cloned().collect();
    for item in &mut items {
        let fields = item.as_object_mut().unwrap();
        fields.remove("kind");
        fields.remove("apiVersion");
    }
    items
}

fn from(path: &std::path::Path) -> Run {
    run(&["explain", "web-1", "--from", path.to_str().unwrap(), "--now", NOW, "-o", "json"])
}

#[test]
fn from_that_is_repeated_reads_all_files_as_one_cluster() {
    let objects = objects();
    let (nodes, pods): (Vec<Value>, Vec<Value>) =
        objects.into_iter().partition(|object| object["kind"] == "Node");
    let (nodes, pods) = (list(&nodes), list(&pods));
    let folder = folder(&[("nodes.json", nodes.as_bytes()), ("pods.json", pods.as_bytes())]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (nodes_at, pods_at) = (path("nodes.json"), path("pods.json"));
    let explain = |sources: &[&str], format: &str| {
        let mut arguments = vec!["explain", "web-1", "--now", NOW, "-o", format];
        arguments.extend(sources.iter().flat_map(|source| ["--from", source]));
        run_with(&arguments, pods.as_bytes())
    };
    let expected = expected();
    for sources in
        [[&*nodes_at, &*pods_at], [&pods_at, &nodes_at], [&nodes_at, "-"], ["-", &nodes_at]]
    {
        let answer = explain(&sources, "json");
        assert_eq!((answer.code, answer.json()), (expected.code, expected.json()), "{sources:?}");
    }
    let text = explain(&[&nodes_at, &pods_at], "wide").out;
    assert_has(&text, &format!("Files: {nodes_at} and {pods_at}"));
    // A file that is in a directory, too, is what two files of a directory with the same objects are.
    let directory = folder.path().to_str().unwrap();
    let twice = explain(&[directory, &pods_at], "json");
    assert_eq!(twice.json()["selected"], expected.json()["selected"]);
    assert_has(&twice.json()["notes"].to_string(), "is given twice");
    explain(&["-", "-"], "json").fails("error: --from: standard input is named twice");
    explain(&[&pods_at, &nodes_at, &pods_at], "json")
        .fails(&format!("error: --from: {pods_at} is named twice"));
    let absent = path("absent.json");
    explain(&[&nodes_at, &absent], "json")
        .fails(&format!("error: {absent}: no such file or directory"));
}

#[cfg(unix)]
#[test]
fn links_of_an_archive_give_the_answer_of_the_folder() {
    use std::os::unix::fs::symlink;
    let objects = objects();
    let (nodes, pods): (Vec<Value>, Vec<Value>) =
        objects.into_iter().partition(|object| object["kind"] == "Node");
    let (nodes, pods) = (list(&nodes), list(&pods));
    let folder =
        folder(&[("dump/nodes.json", nodes.as_bytes()), ("dump/x/data.bin", pods.as_bytes())]);
    symlink("x/data.bin", folder.path().join("dump/pods.json")).unwrap();
    // Folders that lead into each other end.
    symlink("..", folder.path().join("dump/x/up")).unwrap();
    let packed = folder.path().join("dump.tar");
    let mut archive = tar::Builder::new(std::fs::File::create(&packed).unwrap());
    archive.follow_symlinks(false);
    archive.append_dir_all("dump", folder.path().join("dump")).unwrap();
    archive.finish().unwrap();
    let expected = expected();
    for path in [folder.path().join("dump"), packed] {
        let answer = from(&path);
        assert_eq!((answer.code, answer.json()), (expected.code, expected.json()), "{path:?}");
    }
    std::fs::remove_file(folder.path().join("dump/x/data.bin")).unwrap();
    let lost = folder.path().join("lost.tar");
    let mut archive = tar::Builder::new(std::fs::File::create(&lost).unwrap());
    archive.follow_symlinks(false);
    archive.append_dir_all("dump", folder.path().join("dump")).unwrap();
    archive.finish().unwrap();
    let answer = run(&["pending", "-A", "--from", lost.to_str().unwrap(), "--now", NOW]);
    assert_eq!(answer.code, 3, "{answer:?}");
}

/// kubectl reads the first document as JSON, and what follows the separator as YAML.
/// `jq -s . nodes.json pods.json` makes an array of lists, and lists in lists count for kubectl, too.
fn lists_among_the_objects() -> Vec<Value> {
    let typed = |kind: &str, items: &[Value]| {
        let strip = |item: &Value| {
            let mut item = item.clone();
            let fields = item.as_object_mut().unwrap();
            fields.retain(|key, _| key != "kind" && key != "apiVersion");
            item
        };
        let items: Vec<Value> = items.iter().map(strip).collect();
        json!({"apiVersion": "v1", "kind": kind, "items": items})
    };
    let lists = [typed("NodeList", &[node("n1")]), typed("PodList", &[pod("web-1")])];
    let empty = [typed("NodeList", &[]), typed("PodList", &[pod("web-1")])];
    vec![
        json!(lists),
        json!({"apiVersion": "v1", "kind": "List", "items": lists}),
        json!({"items": [{"items": [{"items": lists, "kind": "List", "apiVersion": "v1"}],
            "kind": "List", "apiVersion": "v1"}], "kind": "List", "apiVersion": "v1"}),
        json!(empty),
    ]
}

#[test]
fn lists_among_the_objects_are_read() {
    for (text, first) in lists_among_the_objects().iter().zip([
        "✓ default/web-1",
        "✓ default/web-1",
        "✓ default/web-1",
        "✗ default/web-1 (priority 0): it cannot be scheduled: there are no nodes",
    ]) {
        let arguments = ["explain", "web-1", "--from", "-", "--now", NOW];
        for text in [text.to_string(), serde_saphyr::to_string(text).unwrap()] {
            let answer = run_with(&arguments, text.as_bytes());
            assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{text}: {answer:?}");
            assert!(answer.out.starts_with(first), "{text}: {answer:?}");
        }
    }
}

/// As other programs write it, the kind of a list stands before its items.
#[test]
fn list_in_a_list_is_read_whose_kind_stands_first() {
    let list = |items: &str| format!(r#"{{"apiVersion":"v1","kind":"List","items":[{items}]}}"#);
    let (node, pod) = (node("n1").to_string(), pod("web-1").to_string());
    for text in [
        list(&format!("{},{pod}", list(&node))),
        list(&list(&list(&format!("{node},{pod}")))),
        list(&format!("{pod},{}", list(&node))),
    ] {
        let answer = run_with(&["explain", "web-1", "--from", "-", "--now", NOW], text.as_bytes());
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{text}: {answer:?}");
        assert_begins(&answer.out, "✓ default/web-1");
    }
}

#[test]
fn json_documents_between_separators_of_yaml_are_read() {
    let (first, second) = (node("n1").to_string(), pod("web-1").to_string());
    for text in [
        format!("{first}\n---\n{second}\n"),
        format!("{first}\n---\n{second}\n---\n"),
        format!("---\n{first}\n---\n{second}\n"),
        format!(
            "{first}\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: web-1}}\nspec: {{containers: [{{name: c}}]}}\n"
        ),
    ] {
        let answer = run_with(&["explain", "web-1", "--from", "-", "--now", NOW], text.as_bytes());
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{text}: {answer:?}");
        assert_begins(&answer.out, "✓ default/web-1");
    }
}

#[test]
fn objects_in_any_text_form_lead_to_the_same_decision() {
    let objects = objects();
    let lines: Vec<String> = objects.iter().map(Value::to_string).collect();
    let pretty: Vec<String> =
        objects.iter().map(|o| serde_json::to_string_pretty(o).unwrap()).collect();
    let yaml: Vec<String> = objects.iter().map(|o| serde_saphyr::to_string(o).unwrap()).collect();
    let kind_last: Vec<String> = objects.iter().map(kind_last).collect();
    let typed = |kind: &str| {
        let items = serde_json::to_string(&kindless(&objects, kind)).unwrap();
        format!(
            r#"{{"items":{items},"metadata":{{"resourceVersion":"7"}},"kind":"{kind}List","apiVersion":"v1"}}"#
        )
    };
    for (name, text) in [
        ("one object a line", lines.join("\n")),
        ("concatenated", pretty.concat()),
        ("array", json!(objects).to_string()),
        ("kind behind the rest", format!(r#"{{"items":[{}],"kind":"List"}}"#, kind_last.join(","))),
        ("kind behind the rest, one object a line", kind_last.join("\n")),
        ("typed lists, kind behind the items", typed("Node") + "\n" + &typed("Pod")),
        ("documents of YAML", yaml.join("---\n")),
        (
            "list as YAML",
            serde_saphyr::to_string(&json!({"kind": "List", "items": objects})).unwrap(),
        ),
        ("JSON behind a byte order mark", format!("\u{feff}\r\n{}", list(&objects))),
        (
            "JSON inside YAML documents",
            format!("---\n{}\n---\n{}\n", list(&objects[..2]), list(&objects[2..])),
        ),
        ("objects and lists", format!("{}\n{}", lines[0], list(&objects[1..]))),
    ] {
        assert_eq!(explain_stdin(&text, &["-o", "json"]), expected(), "{name}\n{text}");
    }
    for order in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
        let utf16: Vec<u8> = list(&objects).encode_utf16().flat_map(order).collect();
        for text in [[&order(0xfeff), utf16.as_slice()].concat(), utf16] {
            assert_eq!(
                explain_stdin(&text, &["-o", "json"]),
                expected(),
                "PowerShell: {:?}",
                &text[..4]
            );
        }
    }
}

/// The object's text with `kind` behind everything else.
fn kind_last(object: &Value) -> String {
    let mut fields = object.as_object().unwrap().clone();
    let kind = fields.remove("kind").unwrap();
    let text = Value::Object(fields).to_string();
    format!("{},\"kind\":{kind}}}", text.strip_suffix('}').unwrap())
}

#[test]
fn packed_files_lead_to_the_same_decision() {
    let text = list(&objects());
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(text.as_bytes(), 3).unwrap();
    let files = folder(&[("a.json.gz", &gzip), ("b.json.zst", &zstd), ("c", &gzip)]);
    for name in ["a.json.gz", "b.json.zst", "c"] {
        assert_eq!(from(&files.path().join(name)), expected(), "{name}");
    }
    assert_eq!(explain_stdin(&zstd, &["-o", "json"]), expected());
    let halves = [&zstd[..], &zstd::encode_all("\n".as_bytes(), 3).unwrap()].concat();
    assert_eq!(explain_stdin(halves, &["-o", "json"]), expected(), "two frames");
}

#[test]
fn directory_of_a_dump_leads_to_the_same_decision() {
    let objects = objects();
    let typed = |kind: &str| {
        json!({"kind": format!("{kind}List"), "items": kindless(&objects, kind)}).to_string()
    };
    let (nodes, pods) = (typed("Node"), typed("Pod"));
    let events = json!({"kind": "EventList", "items": []}).to_string();
    let dump = folder(&[
        ("nodes.json", nodes.as_bytes()),
        ("default/pods.json", pods.as_bytes()),
        ("default/events.json", events.as_bytes()),
        ("default/web-1/logs.txt", b"{\"kind\":\"Pod\" \xff not to be read"),
    ]);
    assert_eq!(from(dump.path()), expected(), "what kubectl cluster-info dump writes");
    let zstd = zstd::encode_all(pods.as_bytes(), 3).unwrap();
    let node = serde_saphyr::to_string(&objects[0]).unwrap();
    let other = objects[2].to_string();
    let several = folder(&[
        ("n1.yaml", node.as_bytes()),
        ("n2.ndjson", other.as_bytes()),
        ("pods.json.zst", &zstd),
        (".x", b"?"),
    ]);
    assert_eq!(from(several.path()), expected(), "several files");
}

#[test]
fn kinds_that_are_not_used_are_counted() {
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}});
    let answer =
        explain_stdin(list(&[node("n1"), pod("web-1"), secret.clone(), secret]), &["-o", "wide"]);
    assert_ends(
        answer.answer(),
        "Notes\n  info: in the input and not used in the decision: Secret (2) [PRE-908]\n",
    );
}

#[test]
fn lists_of_every_kind_give_their_items_a_kind() {
    let typed = |list: &str, version: &str, names: &[&str]| {
        let items: Vec<Value> = names
            .iter()
            .map(|name| json!({"metadata": {"name": name, "namespace": "a"}}))
            .collect();
        json!({"kind": list, "apiVersion": version, "metadata": {}, "items": items}).to_string()
    };
    let objects = list(&[node("n1"), pod("web-1")]);
    let others = [
        typed("DeploymentList", "apps/v1", &["x", "y"]),
        typed("ConfigMapList", "v1", &["x"]),
        // A kind of another group that has the name of one that is read.
        typed("JobList", "batch.volcano.sh/v1alpha1", &["x"]),
    ];
    let input = [&objects[..], &others[0], &others[1], &others[2]].join("\n");
    let answer = explain_stdin(input, &["-o", "wide"]);
    let note = "info: in the input and not used in the decision: ConfigMap (1), Deployment (2), Job (1) [PRE-908]\n";
    assert!(answer.answer().ends_with(note), "{answer:?}");
    // As files of a dump, with the fields in the order of the alphabet, and as YAML.
    let files = folder(&[
        ("objects.json", objects.as_bytes()),
        ("a/deployments.json", others[0].as_bytes()),
        (
            "a/configmaps.yaml",
            b"apiVersion: v1\nitems:\n- metadata: {name: x}\nkind: ConfigMapList\n",
        ),
    ]);
    let read = from(files.path());
    assert_eq!(
        (read.code, read.err.as_str(), read.json()["notes"].as_array().unwrap().len()),
        (0, "", 1),
        "{read:?}"
    );
}

/// Files of dumps, bundles and archives that are no Kubernetes objects.
#[test]
fn foreign_files_of_a_directory_are_passed_over_with_one_warning() {
    let text = list(&objects());
    let files = folder(&[
        ("objects.json", text.as_bytes()),
        ("config/mode.json", b"\"local\""),
        ("empty.yaml", b""),
        ("rules.json", b"{\"status\": \"success\", \"data\": {}}"),
        ("groups.json", b"[{\"name\": \"apps\"}]"),
        ("numbers.json", b"[1, 2]"),
        ("latin1.yaml", b"name: \xe9\n"),
        ("chart/values.yaml", b"replicas: 1\n"),
    ]);
    let read = from(files.path());
    let warning = "Warning: 6 files are no Kubernetes objects: chart/values.yaml, config/mode.json, empty.yaml, groups.json, \
                   numbers.json and 1 more\n\
                   Warning: 1 file cannot be read, and what it holds is left out: latin1.yaml (not text: byte 6 is not UTF-8)\n";
    assert_eq!((read.code, read.err.as_str()), (0, warning), "{read:?}");
    assert_eq!(read.out, expected().out, "the answer is that of the objects");
    let one = folder(&[("objects.json", text.as_bytes()), ("mode.json", b"\"local\"")]);
    assert_eq!(from(one.path()).err, "Warning: 1 file is no Kubernetes object: mode.json\n");
    // A file that is named itself has to hold objects.
    let alone = from(&one.path().join("mode.json"));
    assert_ends(alone.error(), "mode.json: no Kubernetes object in it");
}

#[test]
fn files_of_a_directory_that_should_hold_pods_make_the_answer_unsure() {
    let objects = objects();
    let (nodes, pods) = (
        list(&[objects[0].clone(), objects[2].clone()]),
        list(&[objects[1].clone(), objects[3].clone()]),
    );
    for (name, text) in [
        ("shop/pods.json", &pods.as_bytes()[..pods.len() / 2]),
        ("shop/pods.json", b""),
        ("shop/all.json", b"{\"kind\": \"PodList\", \"items\": [{\"metada"),
        ("shop/all.json", b"[{\"metadata\": {\"name\": \"x\"}, \"spec\": {\"containers\": []}}]"),
    ] {
        let files = folder(&[
            ("nodes.json", nodes.as_bytes()),
            ("pods.json", pods.as_bytes()),
            (name, text),
        ]);
        let read = from(files.path());
        assert_eq!((read.code, read.err.as_str()), (3, ""), "{name}: {read:?}");
        let notes = read.json()["notes"].to_string();
        assert!(
            notes.contains("left out: ") && notes.contains(&format!("{name}: ")),
            "{name}: {notes}"
        );
    }
    let cut = folder(&[("nodes.json", &nodes.as_bytes()[..20]), ("pods.json", pods.as_bytes())]);
    let error = from(cut.path());
    assert_has(error.error(), "no nodes in it that can be read: left out: ");
}

#[test]
fn yaml_that_kubectl_reads_is_read() {
    let texts: Vec<String> =
        objects().iter().map(|o| serde_saphyr::to_string(o).unwrap()).collect();
    let text = texts.join("---\n");
    let continued = "kind: ConfigMap\nmetadata:\n  name: c\n  annotations:\n    note: 'first line\n    second line'\n---\n";
    for (before, behind) in
        [("%YAML 1.1\n---\n", "...\n"), (continued, ""), ("# comments alone\n---\n", "---\n")]
    {
        let answer = explain_stdin(format!("{before}{text}{behind}"), &["-o", "json"]);
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{answer:?}");
        assert_eq!(answer.json()["selected"], expected().json()["selected"], "{before}");
    }
    let flow = list(&objects()).replacen("{\"apiVersion\":", "{apiVersion: ", 1);
    assert_begins(&flow, "{apiVersion: ");
    assert_eq!(explain_stdin(flow, &["-o", "json"]), expected(), "YAML in braces");
    let twice = explain_stdin(format!("{text}metadata:\n  name: web-1\n"), &["-o", "json"]);
    assert_begins(&twice.err, "Warning: standard input: line ");
    assert_has(&twice.err, "the key \"metadata\" stands there twice; the last one counts");
    assert_eq!(
        (twice.code, &twice.json()["selected"]),
        (0, &expected().json()["selected"]),
        "{twice:?}"
    );
}

/// The files of a dump, of which one is no object, one a log, and one has a long path.
fn dump() -> Vec<(String, String)> {
    let objects = objects();
    let long = format!("dump/{}/{}/pods.json", "a".repeat(90), "b".repeat(90));
    vec![
        ("dump/nodes.json".to_owned(), list(&[objects[0].clone(), objects[2].clone()])),
        (long, list(&[objects[1].clone(), objects[3].clone()])),
        ("../dump/mode.json".to_owned(), "\"local\"".to_owned()),
        ("dump/web-1/logs.txt".to_owned(), "{\"kind\":\"Pod\"".to_owned()),
    ]
}

fn header(path: &str, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
    header.set_size(size);
    header.set_mode(0o644);
    header.set_entry_type(tar::EntryType::Regular);
    header.set_cksum();
    header
}

/// A tar archive in which long paths stand in headers of their own, as GNU tar writes them or as
/// POSIX does.
fn tar_of(files: &[(String, String)], is_posix: bool) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (path, text) in files {
        if path.len() > 100 && is_posix {
            archive.append_pax_extensions([("path", path.as_bytes())]).unwrap();
        } else if path.len() > 100 {
            let mut long = header("././@LongLink", path.len() as u64);
            long.set_entry_type(tar::EntryType::GNULongName);
            long.set_cksum();
            archive.append(&long, path.as_bytes()).unwrap();
        }
        archive
            .append(&header(&path[..path.len().min(100)], text.len() as u64), text.as_bytes())
            .unwrap();
    }
    archive.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

#[test]
fn archives_are_read_as_directories() {
    let files = dump();
    let tar = tar_of(&files, false);
    let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for (path, text) in &files {
        zip.start_file(path.as_str(), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    let archives = [
        ("a.tar", tar.clone()),
        ("posix.tar", tar_of(&files, true)),
        ("a.tar.gz", gzip(&tar)),
        ("a.tgz", gzip(&tar)),
        ("a.tar.zst", zstd::encode_all(&tar[..], 3).unwrap()),
        ("a.zip", zip.finish().unwrap().into_inner()),
    ];
    for (name, bytes) in &archives {
        let folder = folder(&[(name, bytes)]);
        for read in [from(&folder.path().join(name)), explain_stdin(bytes, &["-o", "json"])] {
            let warning = "Warning: 1 file is no Kubernetes object: ../dump/mode.json\n";
            assert_eq!((read.code, read.err.as_str()), (0, warning), "{name}: {read:?}");
            assert_eq!(read.out, expected().out, "{name}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is unpacked");
    }
}

#[test]
fn archives_that_are_damaged_or_too_large_are_refused() {
    let error = |bytes: &[u8]| {
        let run = explain_stdin(bytes, &[]);
        assert_eq!(run.code, 2, "{run:?}");
        run.error().strip_prefix("error: standard input: ").unwrap().to_owned()
    };
    let tar = tar_of(&dump(), false);
    let packed = gzip(&tar);
    let damaged = "the archive is damaged, truncated or too large: ";
    assert!(error(&packed[..packed.len() / 2]).starts_with(damaged));
    assert!(error(&tar[..1200]).starts_with(damaged));
    assert_eq!(
        error(&tar_of(&dump()[3..], false)),
        "the archive holds no .json, .yaml, .yml, .ndjson or .snap file"
    );
    let size = 300 << 20;
    let header = header("a.json", size);
    let large =
        header.as_bytes().chain(io::repeat(b' ').take(size)).chain(io::repeat(0).take(1024));
    let large = error(&zstd::encode_all(large, 1).unwrap());
    assert_eq!(large, format!("{damaged}it unpacks to more than 256 MiB, as no dump does"));
}

#[test]
fn kubectl_output_for_people_is_read_or_explained() {
    let objects = objects();
    let typed = |kind: &str| json!({"kind": format!("{kind}List"), "apiVersion": "v1", "items": kindless(&objects, kind)});
    let log = "==== START logs for container c of pod default/old ====\n{\"kind\": \"Pod\"\n==== END logs for container c of pod \
               default/old ====\n";
    let (nodes, pods) =
        (serde_json::to_string_pretty(&typed("Node")), serde_json::to_string_pretty(&typed("Pod")));
    let text = format!("{}\n{log}{}\n{log}{log}", nodes.unwrap(), pods.unwrap());
    assert_eq!(explain_stdin(&text, &["-o", "json"]), expected(), "kubectl cluster-info dump");
    let shell = "me@host:~$ kubectl get nodes,pods -A -o json\nWarning: v1 ComponentStatus is deprecated in v1.19+\n";
    let pasted = explain_stdin(format!("{shell}{}", list(&objects)), &["-o", "json"]);
    assert_eq!((pasted.code, &pasted.out), (0, &expected().out), "{pasted:?}");
    assert_eq!(
        pasted.err,
        "Warning: standard input: the first 2 lines are of a terminal, and passed over: `me@host:~$ kubectl get \
         nodes,pods -A -o json`\n"
    );
    let root = format!("[root@host ~]# oc get nodes,pods -A -o json\n{}", list(&objects));
    let root = explain_stdin(&root, &["-o", "json"]);
    assert_eq!((root.code, &root.out), (0, &expected().out), "{root:?}");
    let broken = explain_stdin(format!("{shell}{{\"kind\": x}}"), &[]);
    assert_has(broken.error(), "not valid JSON (line 3, column ");
    let table = explain_stdin(
        "$ kubectl get pods -o wide\nNAME    READY   STATUS\nweb-1   0/1     Pending\n",
        &[],
    );
    assert_eq!(
        table.error(),
        "error: standard input: it begins with a line of a terminal (`$ kubectl get pods -o wide`), and no JSON or YAML \
         follows: save the objects with `kubectl get -o json > FILE`"
    );
    let cut = explain_stdin(&text[..text.len() - 20], &[]);
    assert_has(
        cut.error(),
        "the dump ends in the middle of the logs of container c of pod default/old: ",
    );
}

/// What people paste into tickets: the answer is that of the objects, and unsure about what is not in it.
#[test]
fn descriptions_are_read() {
    let pod = "$ kubectl describe pod web-1\nName:             web-1\nNamespace:        default\nPriority:         0\n\
               Node:             <none>\nLabels:           app=web\nStatus:           Pending\nContainers:\n  c:\n    Image:  i\n    \
               Requests:\n      cpu:  3\nConditions:\n  Type           Status\n  PodScheduled   False\nQoS Class:        Burstable\n\
               Node-Selectors:   <none>\nEvents:\n  Type     Reason            Age  From               Message\n  ----     ------            \
               ---  ----               -------\n  Warning  FailedScheduling  12s  default-scheduler  0/1 nodes are available: 1 \
               Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.\n";
    let node = "\n\nName:               n1\nLabels:             kubernetes.io/hostname=n1\nTaints:             <none>\n\
                Unschedulable:      false\nCapacity:\n  cpu:   4\n  pods:  9\nAllocatable:\n  cpu:   4\n  pods:  9\n\
                Non-terminated Pods:  (1 in total)\n  Namespace  Name  CPU Requests  CPU Limits  Memory Requests  Memory Limits  \
                Age\n  default    old   2 (50%)       0 (0%)      0 (0%)           0 (0%)         3h\n";
    let explained = explain_stdin(format!("{pod}{node}"), &["-o", "json"]);
    assert_eq!(explained.code, 3, "{explained:?}");
    let answer: serde_json::Value = serde_json::from_str(&explained.out).unwrap();
    assert_eq!(answer["condition"]["relation"], "equal", "{answer:#}");
    assert_eq!(answer["nearest"]["reason"], "Insufficient cpu", "{answer:#}");
    assert_has(
        &explain_stdin(format!("{pod}{node}"), &[]).out,
        "kubectl describe does not print affinity",
    );
    let other =
        explain_stdin("Name:         token\nNamespace:    default\nType:         Opaque\n", &[]);
    assert_has(other.error(), "its descriptions are of no kind that decides about pods");
}
