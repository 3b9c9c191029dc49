//! The output of kubectl 1.32, as recorded with `kubectl label --local -f FILE zz=1 -o jsonpath=…`.
//! Where a test notes it, an input is an error here although kubectl accepts it with a surprising
//! result.

use serde_json::{Value, json};

use super::PathTemplate;

fn pod() -> Value {
    json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "a", "annotations": {"x.y/z": "dot", "n-m": "5"}, "labels": {"q": "1", "zz": "1"}},
        "spec": {"nodeName": null, "priority": 7, "containers": [
            {"name": "c0", "image": "i0", "ports": [{"containerPort": 80}, {"containerPort": 81}]},
            {"name": "c1", "image": "i1"},
            {"name": "c2", "image": "i2", "tty": true}]}})
}

fn fill(template: &str, root: &Value) -> Result<String, String> {
    PathTemplate::parse(template)?.fill(root)
}

#[test]
fn expression_gives_what_kubectl_gives() {
    for (template, expected) in [
        ("{.spec.containers[0].name}", "c0"),
        ("{.spec.containers[-1].name}", "c2"),
        ("{.spec.containers[*].name}", "c0 c1 c2"),
        ("{.spec.containers[0:2].name}", "c0 c1"),
        ("{.spec.containers[1:].name}", "c1 c2"),
        ("{.spec.containers[:1].name}", "c0"),
        ("{.spec.containers[::2].name}", "c0 c2"),
        ("{.spec.containers[-2:].name}", "c1 c2"),
        ("{.spec.containers[0,2].name}", "c0 c2"),
        ("{.spec.containers[?(@.name==\"c1\")].image}", "i1"),
        ("{.spec.containers[?(@.name=='c1')].image}", "i1"),
        ("{.spec.containers[?( @.name == \"c1\" )].name}", "c1"),
        ("{.spec.containers[?(.name==\"c1\")].name}", "c1"),
        ("{.spec.containers[?(@['name']==\"c1\")].name}", "c1"),
        ("{.spec.containers[?(\"c1\"==@.name)].name}", "c1"),
        ("{.spec.containers[?(@.name==@.name)].name}", "c0 c1 c2"),
        ("{.spec.containers[?(@.name!=\"c1\")].image}", "i0 i2"),
        ("{.spec.containers[?(@.name>\"c0\")].name}", "c1 c2"),
        ("{.spec.containers[?(@.tty)].name}", "c2"),
        ("{.spec.containers[?(@.tty==true)].name}", "c2"),
        ("{.spec.containers[?(@.tty==false)].name}", ""),
        ("{.spec.containers[?(@.nope==\"x\")].name}", ""),
        ("{.spec.containers[?(@.ports[0].containerPort==80)].name}", "c0"),
        ("{.spec.containers[0].ports[?(@.containerPort>80)]}", "{\"containerPort\":81}"),
        ("{..containerPort}", "80 81"),
        ("{.spec.containers[*]['name','image']}", "c0 c1 c2 i0 i1 i2"),
        ("{.spec.containers[*].ports[*].containerPort}", "80 81"),
        ("{.spec.nodeName}", "null"),
        ("{.spec.priority}", "7"),
        ("{.spec.containers[0].ports}", "[{\"containerPort\":80},{\"containerPort\":81}]"),
        ("{.metadata['name']}", "a"),
        ("{['metadata'].name}", "a"),
        ("{.metadata.annotations}", "{\"n-m\":\"5\",\"x.y/z\":\"dot\"}"),
        ("{.metadata.annotations.x\\.y/z}", "dot"),
        ("{.metadata.annotations['x\\.y/z']}", "dot"),
        ("{.metadata.annotations.n-m}", "5"),
        ("{.metadata.name.foo}", ""),
        ("{.metadata.nope[0]}", ""),
        ("{.spec.containers.name}", ""),
        ("{.nope}", ""),
        ("{range .spec.containers[*]}{.name}={.image};{end}", "c0=i0;c1=i1;c2=i2;"),
        (
            "{range .spec.containers[*]}[{.name}{range .ports[*]} {.containerPort}{end}]{end}",
            "[c0 80 81][c1][c2]",
        ),
        ("{\"a\\tb\"}", "a\tb"),
        ("{'a\"b'}", "a\"b"),
        ("{\"it's\"}", "it's"),
        ("{.kind} {.metadata.name}{\"\\n\"}", "Pod a\n"),
        ("{ .kind }", "Pod"),
        ("{$.kind}", "Pod"),
        ("{@.kind}", "Pod"),
        ("a}b{.kind}}", "a}bPod}"),
        ("}", "}"),
    ] {
        assert_eq!(fill(template, &pod()).as_deref(), Ok(expected), "{template}");
    }
}

#[test]
fn expression_that_kubectl_rejects_is_rejected() {
    for (template, problem) in [
        ("", "no template given"),
        ("{.a", "unclosed action"),
        ("a.b{", "unclosed action"),
        ("{.kind,.spec}", "`,.spec}` is not understood"),
        ("{foo}", "`foo}` is not understood"),
        ("{end}", "nothing to end"),
        ("{.spec.containers[k]}", "`k]}` is not understood"),
        ("{.spec.containers[5].name}", "array index out of bounds: index 5, length 3"),
        ("{.spec.containers[-5].name}", "array index out of bounds: index -2, length 3"),
        ("{.spec.containers[0:9].name}", "array index out of bounds"),
        ("{.spec.containers[1:0].name}", "starting index 1 is greater than ending index 0"),
        ("{.metadata.name[0]}", "a string is not a list"),
        ("{.metadata[?(@.name==\"a\")]}", "an object is not a list"),
        ("{.spec.containers[?(@.name==1)].name}", "different types"),
        ("{.spec.containers[?(@.name==\"c1\" || @.name==\"c2\")].name}", "one comparison"),
        ("{.spec.containers[?(@.ports[*].containerPort==80)]}", "one element at a time"),
    ] {
        let refused = fill(template, &pod()).unwrap_err();
        assert!(refused.contains(problem), "{template}: {refused}");
    }
}

#[test]
fn refused_where_kubectl_guesses() {
    for template in [
        // kubectl takes it for the item, other implementations for the root.
        "{range .spec.containers[*]}{$.metadata.name}{end}",
        "{.spec.containers[?(@.name==$.metadata.name)]}",
        // If a range is not closed, kubectl evaluates what follows it for the whole document, too.
        "{range .spec.containers[*]}{.name}",
        // This is one path, not two.
        "{.kind .metadata}",
        "{..}",
        "{.}",
        "{}",
        "{.spec.containers[::0]}",
        "{\"\\x\"}",
        "{\"open}",
    ] {
        assert!(fill(template, &pod()).is_err(), "{template}");
    }
}

#[test]
fn without_braces_it_is_a_path() {
    for template in [".metadata.name", "metadata.name", "$.metadata.name", "['metadata'].name"] {
        assert_eq!(fill(template, &pod()).as_deref(), Ok("a"), "{template}");
    }
    assert!(fill("metadata name", &pod()).is_err());
}

#[test]
fn text_of_a_cluster_is_escaped_and_text_of_the_user_is_not() {
    let root = json!({"a": "x\u{1b}[2J\n\u{202e}\u{9b}", "b": ["\u{1b}", "\u{202e}\u{e0001}"]});
    assert_eq!(
        fill("{.a}\u{1b}\n{\"\\t\"}", &root).unwrap(),
        "x\\u{1b}[2J\\u{a}\\u{202e}\\u{9b}\u{1b}\n\t"
    );
    let list = fill("{.b}", &root).unwrap();
    assert_eq!(list, "[\"\\u001b\",\"\\u202e\\udb40\\udc01\"]");
    assert_eq!(
        serde_json::from_str::<Value>(&list).unwrap(),
        root["b"],
        "it is still the same JSON"
    );
}
