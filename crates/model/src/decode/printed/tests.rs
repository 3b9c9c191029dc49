use super::*;

#[test]
fn logs_of_a_dump_are_left_out_and_lines_keep_their_numbers() {
    let log = |name: &str, text: &str| {
        format!(
            "==== START logs for container {name} ====\n{text}==== END logs for container {name} ====\n"
        )
    };
    // A log may have no end of line, and may have objects and the marks of other logs in it.
    let logs = [
        log(
            "dns of pod kube-system/dns-1",
            "{\"kind\":\"Pod\"}\n==== END logs for container x of pod a/b ====\n",
        ),
        log("c of pod a/p", "no end"),
        log("d of pod a/p", ""),
    ];
    let text = format!(
        "{{\"kind\":\"NodeList\"}}\n{}{}{{\"kind\":\"PodList\"}}\n{}",
        logs[0], logs[1], logs[2]
    );
    let kept = without_logs(&text, "dump.txt").expect("a dump").expect("whole");
    assert_eq!(
        kept.split_whitespace().collect::<Vec<_>>(),
        ["{\"kind\":\"NodeList\"}", "{\"kind\":\"PodList\"}"]
    );
    assert_eq!(kept.lines().count(), text.lines().count());
    assert_eq!(
        without_logs("{\"a\":\"==== START logs for container c of pod a/p ====\"}", "x"),
        None
    );
    let cut = without_logs(&text[..text.len() - 10], "dump.txt").expect("a dump").expect_err("cut");
    assert!(cut.problem.contains("in the middle of the logs of container d of pod a/p: "), "{cut}");
}

#[test]
fn descriptions_are_recognised_with_their_message() {
    let text = "Name:             web-1\nNamespace:        shop\nLabels:           app=web\n                  x=y\nEvents:\n  Type     Reason            \
                Age   From               Message\n  ----     ------            ----  ----               -------\n  Warning  FailedScheduling  12s   \
                default-scheduler  0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.\n";
    let problem = description(text).expect("a description");
    let command = r"the command `rules '0/3 nodes are available: 3 node(s) didn'\''t match Pod'\''s node affinity/selector.'` of this program";
    assert!(problem.contains(command) && problem.ends_with(" explains its message"), "{problem}");
    let without = description("Name:         n1\nLabels:       a=b\n").expect("a description");
    assert!(
        without.contains("the command `rules 'MESSAGE'` of this program explains a message"),
        "{without}"
    );
    assert_eq!(description("kind: Pod\nmetadata: {name: x}\n"), None);
    assert_eq!(description("Name: x\nspec: {}\n"), None);
}

#[test]
fn lines_of_a_terminal_are_recognised_before_objects() {
    let object = "{\"kind\": \"Pod\"}\n";
    for (lines, number) in [
        ("$ kubectl get pods -o json\n", 1),
        ("$ cat pods.json\n", 1),
        ("me@host:~/work$ kubectl get pods -A -ojson\n", 1),
        ("[root@host ~]# oc get pods --output=json\n", 1),
        ("PS C:\\> kubectl get pods -o json\n", 1),
        ("kubectl get pods -o json\n\n", 2),
        ("Warning: v1 ComponentStatus is deprecated in v1.19+\n", 1),
        (
            "\u{feff}$ kubectl get all -o json\r\nE0102 15:04:05.000000   12 memcache.go:265] couldn't get\r\n",
            2,
        ),
    ] {
        let text = format!("{lines}{object}");
        let found = terminal_lines(&text).unwrap_or_else(|| panic!("{lines}"));
        assert_eq!((found.number, found.objects), (number, Some(object)), "{lines}");
    }
    let yaml = terminal_lines("$ kubectl get pods -o yaml\napiVersion: v1\n").expect("YAML");
    assert_eq!(yaml.objects, Some("apiVersion: v1\n"));
    let table = terminal_lines("$ kubectl get pods -o wide\nNAME   READY\n").expect("a table");
    assert_eq!((table.first, table.objects), ("$ kubectl get pods -o wide", None));
    for text in [
        object,
        "",
        "apiVersion: v1\n",
        "# kubectl get pods -o yaml\napiVersion: v1\n",
        "# of 2026\nkind: Pod\n",
        "name: x # kubectl\nkind: Pod\n",
        "E0102: x\n",
        "{\"note\": \"$ kubectl get pods -o json\"}\n{}\n",
        "[\"a\", \"> kubectl get pods -o json\"]\n{}\n",
        "note: run $ kubectl get pods -o yaml\nkind: Pod\n",
    ] {
        assert_eq!(terminal_lines(text), None, "{text}");
    }
}
