use clap::Parser;
use proptest::prelude::*;

use super::WhatIfFlags;
use crate::error::Error;
use answers::commands::arguments;
use engine::cluster::template::TaintEffect;
use engine::edits::{Edit, PreemptionPolicy, TaintPattern};

fn read(edits: &WhatIfFlags) -> Result<Vec<Edit>, String> {
    edits.read("shop").map_err(|e| match e {
        Error::Usage { problem, .. } => problem,
        other => format!("{other:?}"),
    })
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

#[test]
fn priority_flag_is_a_number_or_a_class() {
    let priority = |text: &str| {
        read(&WhatIfFlags { priority: Some(text.to_owned()), ..WhatIfFlags::default() })
    };
    assert_eq!(priority("7"), Ok(vec![Edit::Priority { priority: 7 }]));
    assert_eq!(priority("-7"), Ok(vec![Edit::Priority { priority: -7 }]));
    assert_eq!(priority("high"), Ok(vec![Edit::PriorityClass { name: "high".to_owned() }]));
    assert_eq!(priority("7up"), Ok(vec![Edit::PriorityClass { name: "7up".to_owned() }]));
    let range = "a priority lies between -2147483648 and 2147483647";
    assert_eq!(priority("3000000000"), Err(format!("--priority `3000000000`: {range}")));
    assert_eq!(priority("-3000000000"), Err(format!("--priority `-3000000000`: {range}")));
    assert_eq!(
        priority(""),
        Err("--priority ``: use a number or the name of a PriorityClass".to_owned())
    );
}

#[test]
fn requests_flag_becomes_edits() {
    let requests =
        |values: &[&str]| read(&WhatIfFlags { requests: texts(values), ..WhatIfFlags::default() });
    let request = |resource: &str, amount: &str| Edit::Request {
        resource: resource.into(),
        amount: amount.into(),
    };
    assert_eq!(
        requests(&[
            "cpu=500m",
            "memory=1Gi",
            "nvidia.com/gpu=0",
            "hugepages-2Mi=4Mi",
            "ephemeral-storage=1G"
        ]),
        Ok(vec![
            request("cpu", "500m"),
            request("memory", "1Gi"),
            request("nvidia.com/gpu", "0"),
            request("hugepages-2Mi", "4Mi"),
            request("ephemeral-storage", "1G")
        ])
    );
    for (value, want) in [
        ("cpu", "--requests `cpu`: use RESOURCE=AMOUNT, such as cpu=500m"),
        ("=1", "--requests `=1`: use RESOURCE=AMOUNT, such as cpu=500m"),
        ("cpu=", "--requests `cpu=`: "),
        ("cpu=much", "--requests `cpu=much`: "),
        ("cpu=-1", "--requests `cpu=-1`: a request cannot be negative"),
        ("gpu=1", "--requests `gpu=1`: `gpu` is not a resource that a pod can request"),
        ("pods=1", "--requests `pods=1`: `pods` is not a resource that a pod can request"),
        ("nvidia.com/gpu=500m", "--requests `nvidia.com/gpu=500m`: use a whole number"),
    ] {
        let problem = requests(&[value]).expect_err("an error");
        assert!(problem.starts_with(want), "{problem}");
    }
}

#[test]
fn toleration_flag_becomes_an_edit() {
    let toleration = |value: &str| {
        let edits = read(&WhatIfFlags { toleration: texts(&[value]), ..WhatIfFlags::default() })?;
        match edits.as_slice() {
            [Edit::Toleration { taint: t }] => {
                let value = t.value.as_deref().unwrap_or("any value");
                Ok([t.key.as_str(), value, t.effect.map_or("any effect", |e| e.name())].join("|"))
            }
            other => Err(format!("{other:?}")),
        }
    };
    assert_eq!(toleration("gpu"), Ok("gpu|any value|any effect".to_owned()));
    assert_eq!(toleration("gpu:NoSchedule"), Ok("gpu|any value|NoSchedule".to_owned()));
    assert_eq!(toleration("gpu=yes"), Ok("gpu|yes|any effect".to_owned()));
    assert_eq!(toleration("gpu=:NoExecute"), Ok("gpu||NoExecute".to_owned()));
    assert_eq!(toleration("a.b/c=d:PreferNoSchedule"), Ok("a.b/c|d|PreferNoSchedule".to_owned()));
    for value in ["", ":NoSchedule", "=yes", "gpu:", "gpu=yes:", "gpu:Never", "gpu:a:NoSchedule"] {
        let problem = toleration(value).expect_err("an error");
        assert!(
            problem.starts_with(&format!("--toleration `{value}`: use KEY[=VALUE][:EFFECT]")),
            "{problem}"
        );
    }
}

#[test]
fn labels_pods_nodes_and_budgets() {
    let edits = WhatIfFlags {
        node_selector: texts(&["zone=a", "empty="]),
        remove_pod: texts(&["a", "other/b"]),
        cordon: texts(&["n"]),
        pdb: texts(&["web=2", "other/db=0"]),
        ..WhatIfFlags::default()
    };
    let label =
        |key: &str, value: &str| Edit::NodeSelector { key: key.into(), value: value.into() };
    let gone = |namespace: &str, name: &str| Edit::RemovePod {
        namespace: namespace.into(),
        name: name.into(),
    };
    let budget = |namespace: &str, name: &str, allowed| Edit::Budget {
        namespace: namespace.into(),
        name: name.into(),
        allowed,
    };
    assert_eq!(
        read(&edits),
        Ok(vec![
            label("zone", "a"),
            label("empty", ""),
            gone("shop", "a"),
            gone("other", "b"),
            Edit::Cordon { node: "n".to_owned() },
            budget("shop", "web", 2),
            budget("other", "db", 0),
        ])
    );
    for value in ["zone", "=a", ""] {
        let problem =
            read(&WhatIfFlags { node_selector: texts(&[value]), ..WhatIfFlags::default() });
        assert_eq!(problem, Err(format!("--node-selector `{value}`: use KEY=VALUE")));
    }
    for value in ["web", "web=", "web=many", "web=-1", "=1", "/web=1", "other/=1", "a/b/c=1"] {
        let problem = read(&WhatIfFlags { pdb: texts(&[value]), ..WhatIfFlags::default() });
        assert_eq!(problem, Err(format!("--pdb `{value}`: use [NAMESPACE/]NAME=N")));
    }
    for value in ["", "/a", "other/", "a/b/c"] {
        let problem = read(&WhatIfFlags { remove_pod: texts(&[value]), ..WhatIfFlags::default() });
        assert_eq!(problem, Err(format!("--remove-pod `{value}`: use [NAMESPACE/]NAME")));
    }
}

#[test]
fn node_flags_become_edits() {
    let edits = WhatIfFlags {
        preemption_policy: Some("Never".to_owned()),
        add_node_like: texts(&["n"]),
        free: texts(&["n:cpu=250m,memory=1Gi", "n:pods=2"]),
        uncordon: texts(&["n"]),
        drain: texts(&["n"]),
        remove_taint: texts(&["n:gpu", "n:gpu=yes:NoSchedule"]),
        remove_node: texts(&["n"]),
        ..WhatIfFlags::default()
    };
    let node = || "n".to_owned();
    let freed = |pairs: &[(&str, &str)]| Edit::Free {
        node: node(),
        resources: pairs.iter().map(|(r, a)| ((*r).to_owned(), (*a).to_owned())).collect(),
    };
    let taint = |text| Edit::RemoveTaint {
        node: node(),
        taint: TaintPattern::parse(text).expect("a taint"),
    };
    assert_eq!(
        read(&edits),
        Ok(vec![
            Edit::PreemptionPolicy { policy: PreemptionPolicy::Never },
            Edit::AddNodeLike { node: node() },
            freed(&[("cpu", "250m"), ("memory", "1Gi")]),
            freed(&[("pods", "2")]),
            Edit::Drain { node: node() },
            Edit::Uncordon { node: node() },
            taint("gpu"),
            taint("gpu=yes:NoSchedule"),
            Edit::RemoveNode { node: node() },
        ])
    );
    let form = "use NODE:RESOURCE=AMOUNT,..., such as n1:cpu=500m";
    for (value, want) in [
        ("n", form),
        (":cpu=1", form),
        ("n:cpu", form),
        ("n:", form),
        ("n:cpu=1,", form),
        ("n:gpu=1", "`gpu` is not a resource that a pod can request"),
        ("n:cpu=-1", "a request cannot be negative"),
        ("n:a.b/c=500m", "use a whole number"),
        ("n:pods=1.5", "use a whole number of pods"),
        ("n:cpu=1,cpu=2", "cpu is given twice"),
    ] {
        let problem = read(&WhatIfFlags { free: texts(&[value]), ..WhatIfFlags::default() });
        assert_eq!(problem, Err(format!("--free `{value}`: {want}")));
    }
    for value in ["n", "n:", ":gpu", "n:gpu:", "n:=yes", "n:gpu:Never", ""] {
        let problem =
            read(&WhatIfFlags { remove_taint: texts(&[value]), ..WhatIfFlags::default() });
        let problem = problem.expect_err("an error");
        assert!(
            problem
                .starts_with(&format!("--remove-taint `{value}`: use NODE:KEY[=VALUE][:EFFECT]")),
            "{problem}"
        );
    }
}

/// A command line with these flags alone.
#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    flags: WhatIfFlags,
}

/// Edits that `simulate` can make, with names as Kubernetes has them. Nodes of files are another
/// matter: they come with their file.
fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let name = || "[a-z][a-z0-9.-]{0,8}[a-z0-9]";
    let key = || "([a-z]{1,5}\\.io/)?[a-zA-Z][a-zA-Z0-9_.-]{0,8}[a-z0-9]";
    let value = || "[a-zA-Z0-9]{0,6}";
    let effects = [TaintEffect::NoSchedule, TaintEffect::PreferNoSchedule, TaintEffect::NoExecute];
    let taint = move || {
        (key(), prop::option::of(value()), prop::option::of(prop::sample::select(effects.to_vec())))
            .prop_map(|(key, value, effect)| TaintPattern { key, value, effect })
    };
    let pair = || {
        let native =
            ["cpu", "memory", "ephemeral-storage", "hugepages-2Mi"].map(str::to_owned).to_vec();
        prop_oneof![
            (prop::sample::select(native), "[1-9][0-9]{0,3}(m|Mi|k)?"),
            ("[a-z]{1,6}\\.com/[a-z]{1,5}", "[1-9][0-9]?"),
        ]
    };
    let policies = [PreemptionPolicy::Never, PreemptionPolicy::PreemptLowerPriority];
    let freed = prop::collection::btree_map(
        prop_oneof![3 => pair(), 1 => (Just("pods".to_owned()), "[1-9]")]
            .prop_map(|(resource, _)| resource),
        "[1-9]",
        1..=3,
    );
    let edit = prop_oneof![
        any::<i32>().prop_map(|priority| Edit::Priority { priority }),
        name().prop_map(|name| Edit::PriorityClass { name }),
        prop::sample::select(policies.to_vec())
            .prop_map(|policy| Edit::PreemptionPolicy { policy }),
        pair().prop_map(|(resource, amount)| Edit::Request { resource, amount }),
        taint().prop_map(|taint| Edit::Toleration { taint }),
        (key(), value()).prop_map(|(key, value)| Edit::NodeSelector { key, value }),
        (name(), name()).prop_map(|(namespace, name)| Edit::RemovePod { namespace, name }),
        (name(), freed).prop_map(|(node, resources)| Edit::Free {
            node,
            resources: resources.into_iter().collect(),
        }),
        name().prop_map(|node| Edit::Cordon { node }),
        name().prop_map(|node| Edit::Uncordon { node }),
        name().prop_map(|node| Edit::Drain { node }),
        (name(), taint()).prop_map(|(node, taint)| Edit::RemoveTaint { node, taint }),
        name().prop_map(|node| Edit::RemoveNode { node }),
        name().prop_map(|node| Edit::AddNodeLike { node }),
        (name(), name(), 0..9_i64).prop_map(|(namespace, name, allowed)| Edit::Budget {
            namespace,
            name,
            allowed
        }),
    ];
    prop::collection::vec(edit, 1..4)
}

proptest! {
    #[test]
    fn the_arguments_of_an_edit_make_the_same_edit(edits in edits()) {
        for edit in edits {
            let argv = std::iter::once("simulate".to_owned()).chain(arguments(&edit));
            let line = Line::try_parse_from(argv).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(read(&line.flags), Ok(vec![edit]));
        }
    }
}

#[test]
fn whether_anything_is_changed() {
    assert!(WhatIfFlags::default().is_empty());
    assert!(
        WhatIfFlags { on: Some("n".to_owned()), ..WhatIfFlags::default() }.is_empty(),
        "another node changes nothing"
    );
    assert!(!WhatIfFlags { cordon: texts(&["n"]), ..WhatIfFlags::default() }.is_empty());
    assert!(!WhatIfFlags { free: texts(&["n:cpu=1"]), ..WhatIfFlags::default() }.is_empty());
    assert!(
        !WhatIfFlags { preemption_policy: Some("Never".to_owned()), ..WhatIfFlags::default() }
            .is_empty()
    );
    assert!(!WhatIfFlags { priority: Some("1".to_owned()), ..WhatIfFlags::default() }.is_empty());
    assert!(!WhatIfFlags { add_node: texts(&["n.yaml"]), ..WhatIfFlags::default() }.is_empty());
}
