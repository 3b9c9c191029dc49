//! `-o`: formats for programs and for sharing.

use std::process::{Command, Stdio};

use serde_json::json;

use super::{EXAMPLE_POD, NOW, Run, example, list, node, pod, run, run_with, with};

/// `explain` of the worked example in a format.
fn explain(format: &str) -> Run {
    run(&["explain", EXAMPLE_POD, "-n", "shop", "--from", &example(), "--now", NOW, "-o", format])
}

#[test]
fn formats_that_there_are_not_are_refused_in_kubectls_words() {
    let allowed = "csv,custom-columns,dot,html,json,jsonpath,markdown,name,text,wide,yaml";
    let words = "error: unable to match a printer suitable for the output format";
    for format in ["xml", "JSON", "go-template={{.pod}}", "json path={.pod}"] {
        let expected = format!("{words} \"{format}\", allowed formats are: {allowed}");
        assert_eq!(explain(format).error(), expected);
    }
    let of_gate =
        "csv,custom-columns,github,html,json,jsonpath,junit,markdown,sarif,text,wide,yaml";
    let refused = run(&["simulate", "--from", &example(), "-o", "xml"]);
    assert_eq!(refused.error(), format!("{words} \"xml\", allowed formats are: {of_gate}"));
    for (command, allowed) in [
        ("verify", "custom-columns,html,json,jsonpath,text,wide,yaml"),
        ("why-evicted", "custom-columns,html,json,jsonpath,text,wide,yaml"),
    ] {
        let refused = run(&[command, "--from", &example(), "-o", "xml"]);
        assert_eq!(refused.error(), format!("{words} \"xml\", allowed formats are: {allowed}"));
    }
    let compared = [
        "explain",
        EXAMPLE_POD,
        "-n",
        "shop",
        "--from",
        &example(),
        "--compare",
        "1.35,1.37",
        "-o",
        "csv",
    ];
    let expected =
        "error: -o csv shows one decision: --compare prints text, wide, json, yaml or html";
    assert_eq!(run(&compared).error(), expected);
}

/// A cluster with more than 20 of everything that the tables of commands list: nodes in zones of
/// their own, Jobs of one schedule, pending pods with outdated messages, and pods without an owner.
fn crowded() -> String {
    let condition = json!([{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": "0/1 nodes are available: 1 Insufficient memory.",
        "lastTransitionTime": "2026-05-31T12:00:00Z"}]);
    let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
        "metadata": {"name": "high"}, "value": 1000});
    let mut items = vec![class];
    for at in 10..40 {
        let zone = json!({"topology.kubernetes.io/zone": format!("zone-{at}")});
        items.push(with(node(&format!("n{at}")), "/metadata/labels", zone));
        let owner = json!([{"apiVersion": "batch/v1", "kind": "Job", "name": format!("report-296704{at}"),
            "controller": true}]);
        let job = with(pod(&format!("report-296704{at}-x")), "/spec/nodeName", json!("n10"));
        items.push(with(job, "/metadata/ownerReferences", owner));
        items.push(with(pod(&format!("bare-{at}")), "/spec/nodeName", json!("n11")));
        let huge = with(pod(&format!("huge-{at}")), "/status/conditions", condition.clone());
        items.push(with(huge, "/spec/containers/0/resources/requests/cpu", json!("5")));
    }
    list(&items)
}

#[test]
fn wide_cuts_nothing_in_any_command_that_prints_tables() {
    let input = crowded();
    let all = |prefix: &str| (10..40).map(|at| format!("{prefix}{at}")).collect::<Vec<_>>();
    for (arguments, rows, cut) in [
        (&["risk"][..], all("Job default/report-296704"), None),
        (&["node", "n11"], all("default/bare-"), Some("and 10 more workloads: --all")),
        (&["headroom", "cpu=1"], all("zone-"), Some("and 10 more groups: --all")),
        (&["headroom", "cpu=1"], all("\nn"), None),
        (&["suggest"], Vec::new(), None),
        (&["audit"], all("Pod default/bare-"), Some("and 10 more findings: -o wide")),
        (&["verify"], all("huge-"), Some("and 10 more pods: -o wide")),
    ] {
        let ask = |more: &[&str]| {
            let arguments = [arguments, &["--from", "-", "--now", NOW], more].concat();
            let answer = run_with(&arguments, input.as_bytes());
            assert!(answer.code < 2 || answer.code == 3, "{arguments:?}: {answer:?}");
            answer.out
        };
        let (text, wide) = (ask(&[]), ask(&["-o", "wide"]));
        assert_eq!(text.lines().next(), wide.lines().next(), "{arguments:?}");
        for row in &rows {
            assert!(wide.contains(row.as_str()), "{arguments:?}: {row}: {wide}");
        }
        assert!(rows.is_empty() || !rows.iter().all(|row| text.contains(row.as_str())), "{text}");
        assert!(cut.is_none_or(|cut| text.contains(cut)), "{cut:?}: {text}");
        for mark in ["--all", "-o wide", "\u{2026}"] {
            assert!(!wide.contains(mark), "{arguments:?}: {mark}: {wide}");
        }
    }
}

#[test]
fn name_format_lists_victims_or_the_node() {
    assert_eq!(
        explain("name").answer(),
        "pod/sales-29670480-xw7vn -n reports\npod/stock-29670510-d8f2g -n reports\n"
    );
    let fits = list(&[node("n1"), pod("web-1")]);
    let ask = |input: &str| run_with(&["explain", "--from", "-", "-o", "name"], input.as_bytes());
    assert_eq!(ask(&fits).answer(), "node/n1\n", "nobody has to go");
    let full = list(&[with(node("n1"), "/status/allocatable/cpu", json!("500m")), pod("web-1")]);
    assert_eq!(ask(&full).answer(), "", "nothing helps");
}

#[test]
fn csv_has_a_row_for_each_node() {
    let table = explain("csv");
    let mut reader = csv::Reader::from_reader(table.answer().as_bytes());
    let header =
        "POD,NODE,VERDICT,PLUGIN,REASON,CODE,OPERANDS,PREEMPTION,VICTIMS,PDB_VIOLATIONS,WINS,SCORE";
    assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>().join(","), header);
    let rows: Vec<Vec<String>> =
        reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect();
    assert_eq!(
        rows.iter().map(|row| row[1].as_str()).collect::<Vec<_>>(),
        ["edge-1", "gpu-1", "worker-1", "worker-2", "worker-3"]
    );
    assert_eq!(rows[0][4], "Insufficient cpu; Insufficient memory");
    let winner =
        ["Candidate", "reports/sales-29670480-xw7vn reports/stock-29670510-d8f2g", "0", "true", ""];
    assert_eq!(rows[4][7..], winner);
    assert_eq!(rows[1][7], "Preemption is not helpful for scheduling");
}

#[test]
fn no_cell_is_a_formula_and_none_leaves_its_place() {
    for name in ["=cmd|'/C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "a,\"b\"\nc"] {
        let input = list(&[with(node("n"), "/metadata/name", json!(name)), pod("web-1")]);
        let table = run_with(&["explain", "web-1", "--from", "-", "-o", "csv"], input.as_bytes());
        let rows: Vec<csv::StringRecord> = csv::Reader::from_reader(table.answer().as_bytes())
            .records()
            .map(Result::unwrap)
            .collect();
        assert_eq!(rows.len(), 1, "{table:?}");
        let cell = &rows[0][1];
        assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell:?}");
        assert!(
            cell.trim_start_matches('\'')
                .starts_with(&name[..1].replace('\t', "\\u{9}").replace('\r', "\\u{d}"))
        );
    }
}

#[test]
fn markdown_has_as_many_cells_in_every_row() {
    let text = explain("markdown");
    for part in [
        "### shop/web-6d4cf56db6-q7rtz (priority 1000): no node fits; kube-scheduler will evict 2 pods on worker-3.",
        "| 3 | NodeResourcesFit | `Insufficient cpu` | `cpu: requests 2, at most 0.9 free of 4` | `worker-1`, `worker-2` and `worker-3` |\n",
        "#### Evicted on node `worker-3`: 2 pods\n\n| Victim |",
        "| **lowest priority of the most important victim** (decides) | 0 | 100 | - | 1 |\n",
        "> `0/5 nodes are available: ",
    ] {
        assert!(text.answer().contains(part), "{part}: {}", text.out);
    }
    // A table has as many cells in every row, whatever stands in them.
    let name = "a|b`c`|d\\|e";
    let odd = with(
        node("n"),
        "/spec",
        json!({"taints": [{"key": name, "value": name, "effect": "NoSchedule"}]}),
    );
    let input = list(&[with(odd, "/metadata/name", json!(name)), pod("web-1")]);
    let text = run_with(&["explain", "web-1", "--from", "-", "-o", "markdown"], input.as_bytes());
    let row = text.answer().lines().find(|line| line.starts_with("| 1 |")).unwrap();
    let bars = row.match_indices('|').filter(|(at, _)| !row[..*at].ends_with('\\')).count();
    assert_eq!(bars, 6, "{row}");
}

/// The graph as a reader of the language sees it: every statement, strings left out.
fn statements(graph: &str) -> Vec<String> {
    let (mut found, mut now, mut quoted, mut escaped) = (Vec::new(), String::new(), false, false);
    for c in graph.chars() {
        match (quoted, c) {
            (true, _) if escaped => escaped = false,
            (true, '\\') => escaped = true,
            (_, '"') => quoted = !quoted,
            (true, '\n') => panic!("a string with a line break"),
            (true, _) => {}
            (false, ';' | '{' | '}') => found.push(std::mem::take(&mut now).trim().to_owned()),
            (false, c) => now.push(c),
        }
    }
    assert!(!quoted && now.trim().is_empty());
    found.retain(|statement| !statement.is_empty());
    found
}

#[test]
fn graph_quotes_names_of_the_cluster() {
    let graph = explain("dot");
    let statements = statements(graph.answer());
    for part in
        ["d0_pod -> d0_node_4 [label=, penwidth=3]", "d0_node_4 -> d0_pod_8 [label=, penwidth=3]"]
    {
        assert!(statements.iter().any(|statement| statement == part), "{part}: {statements:?}");
    }
    let name = "x\"];evil[label=\"y\\\"\\N\n";
    let input = list(&[with(node("n"), "/metadata/name", json!(name)), pod("web-1")]);
    let odd = run_with(&["explain", "web-1", "--from", "-", "-o", "dot"], input.as_bytes());
    assert!(
        !self::statements(odd.answer()).iter().any(|statement| statement.starts_with("evil")),
        "{odd:?}"
    );
    for text in [&graph.out, &odd.out] {
        draws(text);
    }
}

/// Graphviz takes it, where there is a Graphviz.
fn draws(graph: &str) {
    use std::io::Write;

    let dot = Command::new("dot")
        .arg("-Tsvg")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = dot else {
        eprintln!(
            "skipped: no Graphviz here (apt-get install graphviz): the graph was parsed, not drawn"
        );
        return;
    };
    child.stdin.take().unwrap().write_all(graph.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn jsonpath_template_selects_fields_or_is_an_error() {
    for (template, expected) in [
        ("{.selected.nodes[0]}", "worker-3"),
        (".selected.nodes[0]", "worker-3"),
        (
            "{range .preemption.nodes[?(@.verdict==\"Candidate\")]}{.name}{\"\\t\"}{.victims[*].name}{\"\\n\"}{end}",
            "worker-1\tcart-84f6c9d7b-2hvxm cart-84f6c9d7b-n6k4j\nworker-2\trecommend-58b9f7d46-c3v5b\n\
             worker-3\tsales-29670480-xw7vn stock-29670510-d8f2g\n",
        ),
    ] {
        assert_eq!(explain(&format!("jsonpath={template}")).answer(), expected, "{template}");
    }
    for (format, error) in [
        ("jsonpath", "-o jsonpath: template format specified but no template given"),
        ("jsonpath={.pod", "error parsing jsonpath {.pod, unclosed action: there is no }"),
        (
            "jsonpath={.pod.name[0]}",
            "error executing jsonpath: a string is not a list: it has no numbered items and cannot be filtered",
        ),
    ] {
        explain(format).fails(&format!("error: {error}"));
    }
}

/// What needs a browser to be seen is in `tests/html`.
/// A list is written item by item, so a reader that has seen enough may leave before its end.
#[test]
fn explain_ends_when_nobody_reads_its_list() {
    let mut items: Vec<_> = (0..60).map(|number| node(&format!("n{number}"))).collect();
    items.extend((0..40).map(|number| {
        with(pod(&format!("p{number}")), "/metadata/labels", json!({"n": number.to_string()}))
    }));
    // The last of the queue is the one that decides what --exit-code gives.
    let huge = with(pod("huge"), "/spec/containers/0/resources/requests/cpu", json!("64"));
    items.push(with(huge, "/spec/priority", json!(-1)));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), list(&items)).unwrap();
    for (flags, expected) in [(&["-o", "json"][..], 0), (&["-o", "yaml", "--exit-code"], 1)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"))
            .args(["explain", "-A", "--now", NOW])
            .args(["--from", file.path().to_str().unwrap()])
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(expected), "{flags:?}: {output:?}");
        assert!(output.stderr.is_empty(), "{flags:?}: {output:?}");
    }
}

#[test]
fn html_page_fetches_nothing() {
    let page = explain("html");
    assert!(page.answer().starts_with("<!doctype html>") && page.out.ends_with("</html>\n"));
    // Links to the rulebook are followed by people, not by the page.
    let fetched = page.out.replace("<a href=\"https://github.com/kubectl-preempt/", "");
    assert!(!fetched.contains("http://") && !fetched.contains("https://"), "nothing to fetch");
    let nobody =
        run_with(&["explain", "--from", "-", "-o", "html", "-q"], list(&[node("n1")]).as_bytes());
    assert!(nobody.answer().contains("No pods wait for a node."));
}

#[test]
fn room_of_every_node_is_in_json_where_every_node_is_asked_for() {
    let small = with(node("n2"), "/status/allocatable/cpu", json!("1"));
    let low = with(pod("low"), "/spec/nodeName", json!("n1"));
    let low = with(low, "/spec/containers/0/resources/requests/cpu", json!("3"));
    let wants = with(pod("p"), "/spec/containers/0/resources/requests/cpu", json!("2500m"));
    let wants = with(wants, "/spec/priority", json!(9));
    let input = list(&[with(node("n1"), "/status/allocatable/cpu", json!("4")), small, low, wants]);
    let ask = |more: &[&str]| {
        let arguments =
            [&["explain", "p", "--from", "-", "--now", NOW, "-o", "json"], more].concat();
        run_with(&arguments, input.as_bytes()).json()
    };
    assert!(ask(&[])["nodes"][0].get("room").is_none());
    let nodes = ask(&["--nodes"])["nodes"].clone();
    let cpu = |at: usize| nodes[at]["room"]["cpu"].clone();
    assert_eq!(
        cpu(0),
        json!({"wanted": "2500m", "allocatable": "4", "free": "1", "freedByEvictions": "3"})
    );
    assert_eq!(
        cpu(1),
        json!({"wanted": "2500m", "allocatable": "1", "free": "1", "missing": "1500m"})
    );
}
