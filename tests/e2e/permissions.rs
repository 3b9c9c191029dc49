//! `doctor` and the manifest of roles, against a server that has RBAC: the roles do, and what
//! `doctor` prints is exactly what was missing.

use serde_json::{Value, json};

use crate::plane::{Plane, wait_for};
use crate::tool;

const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1";

/// What `doctor` says to `user`, and how it ends.
pub fn doctor(plane: &Plane, user: &str, more: &[&str]) -> (Option<i32>, Value) {
    let run = tool::run(&plane.kubeconfig(user), &[&["doctor", "-o", "json"], more].concat());
    (run.code, run.json())
}

/// How each ability stands, in the order of the table.
fn standings(doctor: &Value) -> Vec<&str> {
    doctor["abilities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|ability| ability["standing"].as_str().unwrap())
        .collect()
}

/// The roles of deploy/rbac.yaml are enough for what they are for, and for no more.
pub fn roles(plane: &Plane) {
    let (code, reader) = doctor(plane, "reader", &[]);
    assert_eq!(
        (code, standings(&reader)),
        (Some(0), [&["Works"][..], &["No"; 5], &["Works"; 4], &["Partly"; 3]].concat()),
        "{reader:#}"
    );
    assert_eq!(reader["user"]["name"], "reader");
    assert_eq!(reader["server"]["version"], format!("v{}", plane.release.version));
    assert_eq!(
        (&reader["server"]["health"], &reader["server"]["rulesAreExact"]),
        (&json!("Ready"), &json!(true))
    );
    let (code, applier) = doctor(plane, "applier", &[]);
    assert_eq!(
        (code, standings(&applier)),
        (Some(0), [&["Works", "No"][..], &["Works"; 8], &["Partly"; 3]].concat())
    );
    // What doctor finds is what the server does.
    let explain = tool::run(&plane.kubeconfig("reader"), &["explain", "-A", "-o", "json"]);
    assert!(explain.code == Some(0) && !explain.out.contains("could not be read"), "{explain:?}");
    let snapshot = tool::run(&plane.kubeconfig("reader"), &["snapshot", "-o", "-"]);
    assert!(
        snapshot.code == Some(0) && !snapshot.err.contains("could not be read"),
        "{}",
        snapshot.err
    );
}

/// Somebody who may do nothing runs what `doctor` prints, as an administrator, and may do
/// everything.
pub fn missing(plane: &Plane) {
    let admin = plane.admin();
    let (code, before) = doctor(plane, "nobody", &["-n", "default"]);
    assert_eq!((code, standings(&before)), (Some(1), vec!["No"; 13]), "{before:#}");
    let answers = before["permissions"].as_array().unwrap();
    assert!(
        answers.iter().all(|p| ["Denied", "NotServed"].contains(&p["answer"].as_str().unwrap())),
        "{before:#}"
    );
    let mut made = Vec::new();
    for gap in before["missing"].as_array().unwrap() {
        let role: Value = serde_saphyr::from_str(gap["manifest"].as_str().unwrap()).unwrap();
        admin.create(ROLES, &role);
        made.push(format!("{ROLES}/{}", gap["name"].as_str().unwrap()));
        let (path, binding) = bind(gap["binding"].as_str().unwrap());
        admin.create(&path, &binding);
        made.push(format!("{path}/{}", gap["name"].as_str().unwrap()));
    }
    wait_for("the authorizer to see the new roles", || {
        doctor(plane, "nobody", &["-n", "default"]).0 == Some(0)
    });
    let (_, after) = doctor(plane, "nobody", &["-n", "default"]);
    assert_eq!(
        (standings(&after), &after["missing"]),
        (vec!["Works"; 13], &json!([])),
        "{after:#}"
    );
    // Evicting was granted in one namespace, and is denied in others.
    assert_eq!(standings(&doctor(plane, "nobody", &["-n", "kube-system"]).1)[2], "No");
    for path in made {
        admin.must("DELETE", &path, None);
    }
    wait_for("the authorizer to forget them", || doctor(plane, "nobody", &[]).0 == Some(1));
}

/// The object that `kubectl create rolebinding` or `clusterrolebinding` makes, and where.
fn bind(command: &str) -> (String, Value) {
    let words: Vec<&str> = command.split(' ').collect();
    let flag = |name: &str| words.iter().find_map(|word| word.strip_prefix(&format!("--{name}=")));
    let kind = match words[..3] {
        ["kubectl", "create", "rolebinding"] => "RoleBinding",
        ["kubectl", "create", "clusterrolebinding"] => "ClusterRoleBinding",
        _ => panic!("{command}"),
    };
    let path = match flag("namespace") {
        Some(namespace) => format!("{BINDINGS}/namespaces/{namespace}/rolebindings"),
        None => format!("{BINDINGS}/clusterrolebindings"),
    };
    let group = "rbac.authorization.k8s.io";
    let binding = json!({"apiVersion": format!("{group}/v1"), "kind": kind, "metadata": {"name": words[3]},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": flag("clusterrole")},
        "subjects": [{"apiGroup": group, "kind": "User", "name": flag("user")}]});
    (path, binding)
}
