//! Who may evict whom: which pods of classes, namespaces or subjects preempt which running pods, by
//! priority and `preemptionPolicy`. Whether such a pod has to preempt, and which victims a node then
//! offers, depends on the pod: what the waiting pods evict now is counted beside it.
//!
//! Upstream: `plugin/pkg/auth/authorizer/rbac/rbac.go` (`RuleAllows`),
//! `plugin/pkg/admission/priority/admission.go` (1.37).

use std::collections::{BTreeMap, BTreeSet};

use model::cluster::priority_class::{PriorityClass, SYSTEM_CLASSES};
use model::cluster::quota::ResourceQuota;
use model::cluster::{Cluster, PodIx};
use model::snapshot::access::{AccessName, AccessObject, AccessRule};

use crate::risk::Risk;

/// What the rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixKey {
    Class,
    Namespace,
    Subject,
}

impl MatrixKey {
    pub const ALL: [Self; 3] = [Self::Class, Self::Namespace, Self::Subject];

    /// Its name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Namespace => "namespace",
            Self::Subject => "subject",
        }
    }
}

/// Whom the pods of a class, of a namespace, or of a subject may evict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixRow {
    pub name: String,
    /// The highest priority of its pods that preempt, and its class if one gives it. `None` for a
    /// subject of which quotas admit no such pod.
    pub priority: Option<i64>,
    pub class: Option<String>,
    /// Of a subject: the resources with which it makes pods.
    pub through: BTreeSet<&'static str>,
    /// Of a subject: the namespaces in which it makes pods of this class; `None` for all.
    pub namespaces: Option<BTreeSet<String>>,
    /// How many running pods these may evict: those of lower priority.
    pub reach: usize,
    /// The same by class, or by namespace unless the rows are classes; the most first.
    pub victims: Vec<(String, usize)>,
    /// How many are evicted now for waiting pods of the class or namespace.
    pub now: usize,
}

/// Who may evict whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreemptionMatrix {
    pub key: MatrixKey,
    /// The highest priority first.
    pub rows: Vec<MatrixRow>,
    /// How many running pods are asked about, and how many of them some row may evict.
    pub running: usize,
    pub reachable: usize,
    /// Policies of admission that look at pods or their controllers; what they refuse is not judged.
    pub policies: Vec<String>,
    /// Of subjects: whether roles and bindings were read.
    pub access_is_read: bool,
    /// Kinds and roles that could not be read, or are missing.
    pub unread: Vec<String>,
}

/// The matrix of the pods that `risk` is about.
pub fn of(key: MatrixKey, risk: &Risk, cluster: &Cluster) -> PreemptionMatrix {
    let asked = risk.pods().filter_map(|pod| cluster.find_pod(&pod.pod.namespace, &pod.pod.name));
    let asked: Vec<PodIx> = asked.collect();
    let programs = cluster.header.programs.as_ref();
    let access = programs.map_or(&[][..], |programs| &programs.access);
    let mut rows = match key {
        MatrixKey::Class => by_class(cluster),
        MatrixKey::Namespace => by_namespace(cluster),
        MatrixKey::Subject => by_subject(access, cluster),
    };
    for row in &mut rows {
        let mut victims: BTreeMap<String, usize> = BTreeMap::new();
        for pod in asked.iter().map(|pod| cluster.pod(*pod)) {
            if Some(i64::from(pod.priority)) < row.priority {
                let group = match key {
                    MatrixKey::Class => class_of(pod, cluster),
                    _ => cluster.text(pod.namespace).to_owned(),
                };
                *victims.entry(group).or_default() += 1;
            }
        }
        row.reach = victims.values().sum();
        row.victims = victims.into_iter().collect();
        row.victims.sort_by_key(|(_, pods)| std::cmp::Reverse(*pods));
    }
    // What waiting pods evict counts for their class, or namespace.
    for by in risk.pods().filter_map(|pod| pod.evicted_by.as_ref()) {
        let preemptor = cluster.find_pod(by.namespace(), by.name()).map(|pod| cluster.pod(pod));
        let name = match key {
            MatrixKey::Class => preemptor.map(|pod| class_of(pod, cluster)),
            MatrixKey::Namespace => Some(by.namespace().to_owned()),
            MatrixKey::Subject => None,
        };
        if let Some(row) = rows.iter_mut().find(|row| Some(&row.name) == name.as_ref()) {
            row.now += 1;
        }
    }
    rows.sort_by(|a, b| b.priority.cmp(&a.priority).then_with(|| a.name.cmp(&b.name)));
    let reachable = asked.iter().filter(|pod| {
        rows.iter().any(|row| Some(i64::from(cluster.pod(**pod).priority)) < row.priority)
    });
    PreemptionMatrix {
        key,
        running: asked.len(),
        reachable: reachable.count(),
        policies: policies(access),
        unread: unread(cluster, access),
        access_is_read: access.iter().any(|object| object.role_ref.is_some()),
        rows,
    }
}

fn row(name: String, priority: Option<i64>, class: Option<String>) -> MatrixRow {
    MatrixRow {
        name,
        priority,
        class,
        through: BTreeSet::new(),
        namespaces: None,
        reach: 0,
        victims: Vec::new(),
        now: 0,
    }
}

/// The class of a pod, or its priority if no class gives it.
fn class_of(pod: &model::cluster::Pod, cluster: &Cluster) -> String {
    match cluster.text(cluster.template(pod).priority_class) {
        "" => format!("priority {}", pod.priority),
        class => class.to_owned(),
    }
}

/// The classes whose pods preempt, the two of the system included, which every API server has.
fn classes(cluster: &Cluster) -> BTreeMap<String, i64> {
    let mut classes: BTreeMap<String, i64> =
        SYSTEM_CLASSES.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    for class in &cluster.priority_classes {
        let name = cluster.text(class.name).to_owned();
        if class.never_preempts {
            classes.remove(&name);
        } else {
            classes.insert(name, class.value);
        }
    }
    classes
}

/// A row for each class, and for each priority of pods without one.
fn by_class(cluster: &Cluster) -> Vec<MatrixRow> {
    let mut rows: Vec<MatrixRow> = Vec::new();
    for (name, value) in classes(cluster) {
        rows.push(row(name.clone(), Some(value), Some(name)));
    }
    for pod in preempting(cluster).map(|pod| cluster.pod(pod)) {
        let name = class_of(pod, cluster);
        if !rows.iter().any(|row| row.name == name) {
            rows.push(row(name, Some(i64::from(pod.priority)), None));
        }
    }
    rows
}

/// A row for each namespace with pods that preempt, with the highest priority that they have.
fn by_namespace(cluster: &Cluster) -> Vec<MatrixRow> {
    let mut highest: BTreeMap<&str, PodIx> = BTreeMap::new();
    for pod in preempting(cluster) {
        let of_namespace = highest.entry(cluster.text(cluster.pod(pod).namespace)).or_insert(pod);
        if cluster.pod(pod).priority > cluster.pod(*of_namespace).priority {
            *of_namespace = pod;
        }
    }
    let rows = highest.into_iter().map(|(namespace, pod)| {
        let pod = cluster.pod(pod);
        let class = cluster.text(cluster.template(pod).priority_class);
        let class = (!class.is_empty()).then(|| class.to_owned());
        row(namespace.to_owned(), Some(i64::from(pod.priority)), class)
    });
    rows.collect()
}

/// The pods that preempt where they are higher.
fn preempting(cluster: &Cluster) -> impl Iterator<Item = PodIx> + '_ {
    cluster.pod_indices().filter(|pod| {
        let pod = cluster.pod(*pod);
        pod.is_active() && !cluster.template(pod).never_preempts
    })
}

/// What makes pods: the API group and the resource.
const MAKERS: [(&str, &str); 8] = [
    ("", "pods"),
    ("", "replicationcontrollers"),
    ("apps", "deployments"),
    ("apps", "statefulsets"),
    ("apps", "daemonsets"),
    ("apps", "replicasets"),
    ("batch", "jobs"),
    ("batch", "cronjobs"),
];

/// Where a subject makes pods, and how.
#[derive(Default)]
struct Grant {
    everywhere: bool,
    namespaces: BTreeSet<String>,
    through: BTreeSet<&'static str>,
}

/// A row for each subject that makes pods, with the highest class that it may give them.
fn by_subject(access: &[AccessObject], cluster: &Cluster) -> Vec<MatrixRow> {
    let mut grants: BTreeMap<String, Grant> = BTreeMap::new();
    for binding in access {
        let Some(role) = &binding.role_ref else { continue };
        let rules = role_of(binding, role, access).map_or(&[][..], |object| &object.rules);
        let through = makers(rules);
        if through.is_empty() {
            continue;
        }
        for subject in &binding.subjects {
            let name = match subject.kind.as_str() {
                "ServiceAccount" => format!("{}/{}", subject.namespace, subject.name),
                _ => subject.name.clone(),
            };
            let grant = grants.entry(format!("{} {name}", subject.kind)).or_default();
            grant.through.extend(&through);
            if binding.kind == "ClusterRoleBinding" {
                grant.everywhere = true;
            } else {
                grant.namespaces.insert(binding.metadata.namespace.clone());
            }
        }
    }

    // The highest class that a quota does not keep out of every namespace of the subject.
    let mut classes: Vec<(String, i64)> = classes(cluster).into_iter().collect();
    if PriorityClass::default_of(&cluster.priority_classes).is_none() {
        // Pods without a class.
        classes.push((String::new(), 0));
    }
    classes.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
    let mut rows = Vec::new();
    for (name, grant) in grants {
        let open = classes.iter().find_map(|(class, value)| {
            let namespaces = grant.namespaces.iter().filter(|one| !is_closed(one, class, cluster));
            let namespaces: BTreeSet<String> = namespaces.cloned().collect();
            let is_open = grant.everywhere || !namespaces.is_empty();
            is_open.then_some((class, *value, namespaces))
        });
        let (class, value, namespaces) = open.map_or_else(Default::default, |open| {
            let (class, value, namespaces) = open;
            ((!class.is_empty()).then(|| class.clone()), Some(value), namespaces)
        });
        rows.push(MatrixRow {
            through: grant.through,
            namespaces: (!grant.everywhere).then_some(namespaces),
            ..row(name, value, class)
        });
    }
    rows
}

/// The role of a binding.
fn role_of<'a>(
    binding: &AccessObject,
    role: &AccessName,
    access: &'a [AccessObject],
) -> Option<&'a AccessObject> {
    access.iter().find(|object| {
        object.kind == role.kind
            && object.metadata.name == role.name
            && (role.kind != "Role" || object.metadata.namespace == binding.metadata.namespace)
    })
}

/// The resources with which rules let pods be made: by creating them or, but for pods, by changing
/// the template of one that exists.
fn makers(rules: &[AccessRule]) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    for (group, resource) in MAKERS {
        for rule in rules.iter().filter(|rule| rule.is_about(group, resource)) {
            // A rule for named objects allows no creation: the name is not known then.
            let creates = rule.allows("create") && rule.resource_names.is_empty();
            let changes = resource != "pods" && (rule.allows("update") || rule.allows("patch"));
            if creates || changes {
                found.insert(resource);
            }
        }
    }
    found
}

/// Whether a quota admits no pod of a class, or without one, in a namespace.
fn is_closed(namespace: &str, class: &str, cluster: &Cluster) -> bool {
    cluster.quotas.iter().any(|quota| {
        cluster.text(quota.namespace) == namespace
            && counts(quota, class, cluster)
            && admits_none(quota, cluster)
    })
}

/// Whether a quota counts the pods of a class.
fn counts(quota: &ResourceQuota, class: &str, cluster: &Cluster) -> bool {
    quota.scopes.iter().all(|scope| {
        let mut values = scope.values.iter().map(|value| cluster.text(*value));
        cluster.text(scope.name) == "PriorityClass"
            && match cluster.text(scope.operator) {
                "Exists" => !class.is_empty(),
                "DoesNotExist" => class.is_empty(),
                "In" => values.any(|value| value == class),
                "NotIn" => values.all(|value| value != class),
                _ => false,
            }
    })
}

fn admits_none(quota: &ResourceQuota, cluster: &Cluster) -> bool {
    quota.hard.iter().any(|(resource, most)| {
        ["pods", "count/pods"].contains(&cluster.text(*resource)) && cluster.text(*most) == "0"
    })
}

/// What could not be read of access, and the roles of bindings that the input lacks.
fn unread(cluster: &Cluster, access: &[AccessObject]) -> Vec<String> {
    let programs = cluster.header.programs.iter();
    let kinds = programs.flat_map(|programs| &programs.unread_access);
    let mut unread: BTreeSet<String> =
        kinds.map(|kind| format!("{} ({})", kind.resource, kind.reason)).collect();
    for binding in access {
        let Some(role) = &binding.role_ref else { continue };
        if role_of(binding, role, access).is_none() {
            let namespace = &binding.metadata.namespace;
            unread.insert(match role.kind.as_str() {
                "Role" => format!("Role {namespace}/{}", role.name),
                kind => format!("{kind} {}", role.name),
            });
        }
    }
    unread.into_iter().collect()
}

/// The policies of admission that look at what makes pods.
fn policies(access: &[AccessObject]) -> Vec<String> {
    let policies = access.iter().filter(|object| {
        let rules = object.spec.iter().flat_map(|spec| &spec.match_constraints.resource_rules);
        rules.into_iter().any(|rule| {
            let is_create = rule.operations.iter().any(|one| one == "CREATE" || one == "*");
            is_create && MAKERS.iter().any(|(group, resource)| rule.is_about(group, resource))
        })
    });
    policies.map(|object| object.metadata.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use testing::{cluster, node, objects, pod, priority_class};

    use super::{MatrixKey, by_class, by_namespace, by_subject, is_closed, unread};

    const RBAC: &str = "rbac.authorization.k8s.io/v1";

    fn role(kind: &str, namespace: &str, name: &str, rules: &Value) -> Value {
        json!({"apiVersion": RBAC, "kind": kind, "metadata": {"namespace": namespace, "name": name}, "rules": rules})
    }

    fn binding(kind: &str, namespace: &str, role: (&str, &str), subject: &Value) -> Value {
        json!({"apiVersion": RBAC, "kind": kind, "metadata": {"namespace": namespace, "name": "b"},
            "roleRef": {"kind": role.0, "name": role.1}, "subjects": [subject]})
    }

    fn quota(namespace: &str, class: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": namespace},
            "spec": {"hard": {"pods": "0"}, "scopeSelector": {"matchExpressions": [
                {"scopeName": "PriorityClass", "operator": "In", "values": [class]}]}}})
    }

    #[test]
    fn subjects_are_those_that_make_pods_directly_or_through_controllers() {
        let create = |group: &str, resource: &str| json!([{"apiGroups": [group], "resources": [resource], "verbs": ["create"]}]);
        let named = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["create"], "resourceNames": ["a"]}]);
        let patch =
            json!([{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["patch"]}]);
        let all = json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]);
        let read = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]);
        let user = json!({"kind": "User", "name": "alice"});
        for (rules, kind, want) in [
            (create("", "pods"), "RoleBinding", Some("shop: pods")),
            (create("batch", "cronjobs"), "RoleBinding", Some("shop: cronjobs")),
            (create("apps", "deployments"), "ClusterRoleBinding", Some("all: deployments")),
            (patch, "RoleBinding", Some("shop: deployments")),
            (all, "ClusterRoleBinding", Some("all: 8")),
            (named, "RoleBinding", None),
            (read, "RoleBinding", None),
            (create("extensions", "deployments"), "RoleBinding", None),
        ] {
            let mut input = objects![node("n"), priority_class("high", 1000)];
            input.push(role("ClusterRole", "", "r", &rules));
            input.push(binding(kind, "shop", ("ClusterRole", "r"), &user));
            let cluster = cluster(input);
            let access = &cluster.header.programs.as_ref().expect("roles").access;
            let rows = by_subject(access, &cluster);
            let told = rows.first().map(|row| {
                let spaces = row.namespaces.as_ref();
                let spaces = spaces.map_or("all".to_owned(), |all| {
                    all.iter().cloned().collect::<Vec<_>>().join(",")
                });
                let through: Vec<&str> = row.through.iter().copied().collect();
                let through =
                    if through.len() > 2 { through.len().to_string() } else { through.join(",") };
                assert_eq!(row.name, "User alice");
                format!("{spaces}: {through}")
            });
            assert_eq!(told.as_deref(), want, "{rules}");
        }
    }

    #[test]
    fn quota_for_a_class_keeps_it_out_of_its_namespace_alone() {
        let rules = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["create"]}]);
        let mut input = objects![node("n"), priority_class("high", 1000), priority_class("low", 1)];
        for class in ["system-node-critical", "system-cluster-critical", "high"] {
            let mut closed = quota("shop", class);
            closed["metadata"]["name"] = format!("no-{class}").into();
            input.push(closed);
        }
        input.push(role("Role", "shop", "r", &rules));
        input.push(role("Role", "other", "r", &json!([])));
        let account = json!({"kind": "ServiceAccount", "namespace": "shop", "name": "ci"});
        input.push(binding("RoleBinding", "shop", ("Role", "r"), &account));
        let cluster = cluster(input);
        assert!(is_closed("shop", "high", &cluster) && !is_closed("shop", "low", &cluster));
        assert!(!is_closed("other", "high", &cluster));
        let access = &cluster.header.programs.as_ref().expect("roles").access;
        let rows = by_subject(access, &cluster);
        let rows: Vec<_> = rows.iter().map(|row| (&*row.name, row.class.as_deref())).collect();
        assert_eq!(rows, [("ServiceAccount shop/ci", Some("low"))]);
    }

    #[test]
    fn subjects_whose_pods_have_no_class_have_a_row() {
        let quota = |operator: &str| {
            let mut quota = quota("shop", "any");
            let scope = json!({"scopeName": "PriorityClass", "operator": operator});
            quota["spec"]["scopeSelector"]["matchExpressions"][0] = scope;
            quota["metadata"]["name"] = operator.into();
            quota
        };
        let default = priority_class("usual", 5).with("/globalDefault", true);
        for (case, more, want) in [
            ("no class is admitted", objects![quota("Exists")], (Some(0), None)),
            ("no pod is", objects![quota("Exists"), quota("DoesNotExist")], (None, None)),
            (
                "pods get a class",
                objects![quota("DoesNotExist"), default],
                (Some(2_000_001_000), Some("system-node-critical")),
            ),
        ] {
            let rules = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["create"]}]);
            let user = json!({"kind": "User", "name": "alice"});
            let mut input = objects![node("n")];
            input.extend(more);
            input.push(role("Role", "shop", "r", &rules));
            // Objects of other groups have the same kind.
            input.push(json!({"apiVersion": "example.com/v1", "kind": "Role", "rules": [],
                "metadata": {"namespace": "shop", "name": "r"}}));
            input.push(binding("RoleBinding", "shop", ("Role", "r"), &user));
            input.push(binding("RoleBinding", "far", ("Role", "r"), &user));
            let cluster = cluster(input);
            let access = &cluster.header.programs.as_ref().expect("roles").access;
            let rows = by_subject(access, &cluster);
            let found: Vec<_> =
                rows.iter().map(|row| (row.priority, row.class.as_deref())).collect();
            assert_eq!(found, [want], "{case}");
            assert_eq!(unread(&cluster, access), ["Role far/r"], "{case}");
        }
    }

    #[test]
    fn classes_and_namespaces_that_preempt_have_a_row() {
        let never = pod("n").ns("calm").priority(900).never_preempts().on("n");
        let cluster = cluster(objects![
            node("n"),
            priority_class("high", 1000),
            priority_class("gentle", 2000).with("/preemptionPolicy", "Never"),
            never,
            pod("a").ns("shop").priority(7).on("n"),
            pod("b").ns("shop").priority(5).on("n"),
        ]);
        let names = |rows: Vec<super::MatrixRow>| {
            rows.into_iter()
                .map(|row| format!("{} {}", row.name, row.priority.expect("one")))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(by_class(&cluster)),
            [
                "high 1000",
                "system-cluster-critical 2000000000",
                "system-node-critical 2000001000",
                "priority 7 7",
                "priority 5 5"
            ]
        );
        assert_eq!(names(by_namespace(&cluster)), ["shop 7"]);
        assert_eq!(MatrixKey::ALL.map(MatrixKey::name), ["class", "namespace", "subject"]);
    }
}
