//! deploy/rbac.yaml and docs/RBAC.md are written from the one table of what the commands need.

use std::fmt::Write as _;

use answers::doctor::requirement::{Necessity, Role, all};
use answers::doctor::role;
use serde_json::Value;

use crate::golden;

const HEAD: &str = "\
# What kubectl preempt needs on a cluster

<!-- Written by `just bless` from crates/answers/src/doctor/requirement.rs; a test fails when it is not fresh. -->

[deploy/rbac.yaml](../deploy/rbac.yaml) has a ClusterRole for each section below, with the permissions listed there and no
others; `kubectl preempt doctor --rbac` prints the same file. They grant nothing until they are bound; the head of the file
shows how. `kubectl preempt doctor` asks the server about each permission, says what works without those that are missing,
and prints a ClusterRole with just these.

Commands that read need the verb `list` on all namespaces: a pod anywhere may matter. No object is read one by one.
`pending --watch` and `simulate --apply` also watch every kind that they have listed, and list those again that they may not
watch. Besides, they read the namespace-less `/version`, and `doctor` asks `/readyz`, the discovery
documents and access reviews, which every authenticated user may do by default (`system:discovery`, `system:basic-user`).

What happens without a permission: without nodes, or the pods of all namespaces, nothing is decided. Commands then say what the pods
show that can be read, and what was written about them; `audit` makes the checks that need neither; the exit code is 3. Without any
other kind there is one; a note names what could not be read, and if the answer depends on it, the exit code is 3 and its first line says so. A kind that the server does
not have is not missed if it belongs to dynamic resource allocation or is PodGroup.
";

#[test]
fn the_manifest_grants_what_the_table_asks_for() {
    let manifest = role::manifest("kubectl preempt");
    let roles: Vec<Value> = serde_saphyr::from_multiple(&manifest).expect("YAML");
    assert_eq!(roles.len(), Role::ALL.len());
    for (role, yaml) in Role::ALL.into_iter().zip(&roles) {
        assert_eq!(
            (&yaml["kind"], &yaml["metadata"]["name"]),
            (&"ClusterRole".into(), &role.name().into())
        );
        let mut granted: Vec<String> = Vec::new();
        for rule in yaml["rules"].as_array().expect("rules") {
            for (resource, verb) in product(&rule["resources"], &rule["verbs"]) {
                granted.push(format!(
                    "{verb} {}/{resource}",
                    rule["apiGroups"][0].as_str().expect("a group")
                ));
            }
        }
        let mut asked: Vec<String> = role::granted_by(role)
            .into_iter()
            .map(|p| format!("{} {}/{}", p.verb, p.group, p.rule_resource()))
            .collect();
        granted.sort();
        asked.sort();
        asked.dedup();
        assert_eq!(granted, asked, "{}", role.name());
        assert!(!granted.iter().any(|permission| permission.contains('*')));
    }
    golden::check("deploy/rbac.yaml", &manifest);
}

fn product<'v>(resources: &'v Value, verbs: &'v Value) -> Vec<(&'v str, &'v str)> {
    let texts =
        |value: &'v Value| value.as_array().expect("a list").iter().filter_map(Value::as_str);
    texts(resources).flat_map(|resource| texts(verbs).map(move |verb| (resource, verb))).collect()
}

#[test]
fn the_document_lists_the_table() {
    let mut text = HEAD.to_owned();
    for role in Role::ALL {
        let _ = write!(text, "\n## {}\n\n{}\n\n", role.name(), role.purpose());
        text.push_str("| permission | for | without it |\n| --- | --- | --- |\n");
        for row in all().iter().filter(|row| row.ability.role() == role) {
            let needed = if row.weight == Necessity::Essential { " (needed)" } else { "" };
            let _ = writeln!(
                text,
                "| `{}`{needed} | {} | {} |",
                row.permission,
                row.ability.commands(),
                row.without
            );
        }
    }
    golden::check("docs/RBAC.md", &text);
}
