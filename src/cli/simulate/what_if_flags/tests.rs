use super::WhatIfFlags;
use crate::error::Error;
use engine::simulation::what_if::WhatIf;

fn read(edits: &WhatIfFlags) -> Result<Vec<WhatIf>, String> {
    edits.read("shop").map_err(|e| match e {
        Error::Usage { problem, .. } => problem,
        other => format!("{other:?}"),
    })
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

#[test]
fn priorities() {
    let priority = |text: &str| read(&WhatIfFlags { priority: Some(text.to_owned()), ..WhatIfFlags::default() });
    assert_eq!(priority("7"), Ok(vec![WhatIf::Priority(7)]));
    assert_eq!(priority("-7"), Ok(vec![WhatIf::Priority(-7)]));
    assert_eq!(priority("high"), Ok(vec![WhatIf::PriorityClass("high".to_owned())]));
    assert_eq!(priority("7up"), Ok(vec![WhatIf::PriorityClass("7up".to_owned())]));
    let range = "a priority lies between -2147483648 and 2147483647";
    assert_eq!(priority("3000000000"), Err(format!("--priority `3000000000`: {range}")));
    assert_eq!(priority("-3000000000"), Err(format!("--priority `-3000000000`: {range}")));
    assert_eq!(priority(""), Err("--priority ``: use a number or the name of a PriorityClass".to_owned()));
}

#[test]
fn requests() {
    let requests = |values: &[&str]| read(&WhatIfFlags { requests: texts(values), ..WhatIfFlags::default() });
    let request = |resource: &str, amount: &str| WhatIf::Request { resource: resource.into(), amount: amount.into() };
    assert_eq!(
        requests(&["cpu=500m", "memory=1Gi", "nvidia.com/gpu=0", "hugepages-2Mi=4Mi", "ephemeral-storage=1G"]),
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
        ("cpu=-1", "--requests `cpu=-1`: a pod cannot ask for less than nothing"),
        ("gpu=1", "--requests `gpu=1`: `gpu` is no resource that a pod can ask for"),
        ("pods=1", "--requests `pods=1`: `pods` is no resource that a pod can ask for"),
        ("nvidia.com/gpu=500m", "--requests `nvidia.com/gpu=500m`: there are whole ones only"),
    ] {
        let problem = requests(&[value]).expect_err("an error");
        assert!(problem.starts_with(want), "{problem}");
    }
}

#[test]
fn tolerations() {
    let toleration = |value: &str| {
        let edits = read(&WhatIfFlags { toleration: texts(&[value]), ..WhatIfFlags::default() })?;
        match edits.as_slice() {
            [WhatIf::Toleration(t)] => Ok([&*t.key, &*t.operator, &*t.value, &*t.effect].join("|")),
            other => Err(format!("{other:?}")),
        }
    };
    assert_eq!(toleration("gpu"), Ok("gpu|Exists||".to_owned()));
    assert_eq!(toleration("gpu:NoSchedule"), Ok("gpu|Exists||NoSchedule".to_owned()));
    assert_eq!(toleration("gpu=yes"), Ok("gpu|Equal|yes|".to_owned()));
    assert_eq!(toleration("gpu=:NoExecute"), Ok("gpu|Equal||NoExecute".to_owned()));
    assert_eq!(toleration("a.b/c=d:PreferNoSchedule"), Ok("a.b/c|Equal|d|PreferNoSchedule".to_owned()));
    for value in ["", ":NoSchedule", "=yes", "gpu:", "gpu=yes:", "gpu:Never", "gpu:a:NoSchedule"] {
        let problem = toleration(value).expect_err("an error");
        assert!(problem.starts_with(&format!("--toleration `{value}`: use KEY[=VALUE][:EFFECT]")), "{problem}");
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
    let label = |key: &str, value: &str| WhatIf::NodeSelector { key: key.into(), value: value.into() };
    let gone = |namespace: &str, name: &str| WhatIf::RemovePod { namespace: namespace.into(), name: name.into() };
    let budget = |namespace: &str, name: &str, allowed| WhatIf::Budget {
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
            WhatIf::Cordon("n".to_owned()),
            budget("shop", "web", 2),
            budget("other", "db", 0),
        ])
    );
    for value in ["zone", "=a", ""] {
        let problem = read(&WhatIfFlags { node_selector: texts(&[value]), ..WhatIfFlags::default() });
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
fn whether_anything_is_changed() {
    assert!(WhatIfFlags::default().is_empty());
    assert!(
        WhatIfFlags { on: Some("n".to_owned()), ..WhatIfFlags::default() }.is_empty(),
        "another node changes nothing"
    );
    assert!(!WhatIfFlags { cordon: texts(&["n"]), ..WhatIfFlags::default() }.is_empty());
    assert!(!WhatIfFlags { priority: Some("1".to_owned()), ..WhatIfFlags::default() }.is_empty());
    assert!(!WhatIfFlags { add_node: texts(&["n.yaml"]), ..WhatIfFlags::default() }.is_empty());
}
