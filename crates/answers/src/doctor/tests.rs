use super::access::{AccessDecision, Identity, Permission, ServerHealth};
use super::requirement::{Ability, Role, all, questions};
use super::role::{binding, granted_by, rules, yaml};
use super::{Availability, ClusterReport, ConnectionInfo, DoctorReport, SchedulerRules};

/// What a ready 1.37 says that answers `answer` to each permission.
fn cluster(answer: impl Fn(&str) -> AccessDecision) -> ClusterReport {
    ClusterReport {
        version: Some("v1.37.1".to_owned()),
        rules: SchedulerRules { minor: "1.37".to_owned(), exact: true, remark: String::new() },
        health: ServerHealth::Ready,
        millis: 3,
        identity: Identity::Known {
            user: "jane".to_owned(),
            uid: String::new(),
            groups: Vec::new(),
        },
        answers: questions(None).into_iter().map(|(p, _)| (p, answer(&p.to_string()))).collect(),
        warnings: Vec::new(),
    }
}

fn report(cluster: ClusterReport) -> DoctorReport {
    DoctorReport {
        version: "0",
        program: "kubectl preempt",
        connection: ConnectionInfo::default(),
        cluster: Ok(cluster),
        cautions: Vec::new(),
    }
}

fn yes() -> AccessDecision {
    AccessDecision::Allowed(String::new())
}

fn no() -> AccessDecision {
    AccessDecision::Denied(String::new())
}

fn unknown() -> AccessDecision {
    AccessDecision::Unknown("why".to_owned())
}

/// How each ability stands when `these` are answered with `answer` and all others with yes.
fn availabilities(answer: &AccessDecision, these: &[&str]) -> [Availability; 13] {
    let cluster = cluster(|p| if these.contains(&p) { answer.clone() } else { yes() });
    Ability::ALL.map(|ability| cluster.availability(ability))
}

#[test]
fn missing_permission_limits_the_commands_that_need_it() {
    use Availability::{No, Partly, Unknown, Works};
    for (answer, these, expected) in [
        (no(), &[][..], [Works; 13]),
        (
            no(),
            &["list poddisruptionbudgets.policy"],
            [
                Partly, Works, Works, Works, Works, Works, Works, Works, Works, Works, Works,
                Works, Works,
            ],
        ),
        (no(), &["list nodes"], [No, Works, No, No, No, No, No, No, No, No, No, No, No]),
        (
            no(),
            &["list events"],
            [
                Works, Works, Works, Works, Works, Works, Works, Partly, Works, Works, Works,
                Works, Works,
            ],
        ),
        (
            no(),
            &["list nodepools.karpenter.sh"],
            [
                Works, Works, Works, Works, Works, Works, Works, Works, Partly, Works, Works,
                Works, Works,
            ],
        ),
        (
            no(),
            &["list deployments.apps"],
            [
                Works, Works, Works, Works, Works, Works, Works, Works, Works, Partly, Works,
                Works, Works,
            ],
        ),
        (
            no(),
            &["patch deployments.apps"],
            [
                Works, Works, Works, Works, Works, Works, Works, Works, Works, Works, Works, Works,
                Partly,
            ],
        ),
        (AccessDecision::NotServed, &["list jobsets.jobset.x-k8s.io"], [Works; 13]),
        (AccessDecision::NotServed, &["list nodepools.karpenter.sh"], [Works; 13]),
        (
            no(),
            &["create pods/eviction"],
            [
                Works, Works, No, Works, Works, Works, Works, Works, Works, Works, Works, Works,
                Works,
            ],
        ),
        (
            no(),
            &["create pods/eviction", "delete pods"],
            [Works, Works, No, No, No, No, Works, Works, Works, Works, Works, Works, Works],
        ),
        (
            no(),
            &["patch pods/status"],
            [
                Works, Works, Works, Works, Partly, No, Works, Works, Works, Works, Works, Works,
                Works,
            ],
        ),
        (
            no(),
            &["get pods"],
            [Works, Works, No, No, No, No, Works, Works, Works, Works, Works, Works, Works],
        ),
        (
            no(),
            &["watch pods"],
            [
                Works, Works, Partly, Works, Partly, Works, Partly, Works, Works, Works, Works,
                Works, Works,
            ],
        ),
        (
            no(),
            &["create events.events.k8s.io", "get configmaps"],
            [Works, No, Works, No, Works, Works, Works, Works, Works, Works, Partly, Works, Works],
        ),
        (
            unknown(),
            &["list pods"],
            [
                Unknown, Works, Works, Works, Works, Works, Works, Works, Works, Works, Works,
                Works, Works,
            ],
        ),
        (
            unknown(),
            &["list services"],
            [
                Unknown, Works, Works, Works, Works, Works, Works, Works, Works, Works, Works,
                Works, Works,
            ],
        ),
        (
            unknown(),
            &["create pods/eviction", "delete pods"],
            [
                Works, Works, Unknown, Unknown, Unknown, Unknown, Works, Works, Works, Works,
                Works, Works, Works,
            ],
        ),
        (
            AccessDecision::Forbidden(String::new()),
            &["list services"],
            [
                Partly, Works, Works, Works, Works, Works, Works, Works, Works, Works, Works,
                Works, Works,
            ],
        ),
        (AccessDecision::NotServed, &["list deviceclasses.resource.k8s.io"], [Works; 13]),
        (
            AccessDecision::NotServed,
            &["list csinodes.storage.k8s.io"],
            [
                Partly, Works, Works, Works, Works, Works, Works, Works, Works, Works, Works,
                Works, Works,
            ],
        ),
        (
            AccessDecision::NotServed,
            &["list nodes"],
            [No, Works, No, No, No, No, No, No, No, No, No, No, No],
        ),
    ] {
        assert_eq!(availabilities(&answer, these), expected, "{answer:?} {these:?}");
    }
}

#[test]
fn an_unknown_essential_outweighs_what_is_missing() {
    let cluster = cluster(|p| match p {
        "list nodes" => unknown(),
        "list services" => no(),
        _ => yes(),
    });
    assert_eq!(cluster.availability(Ability::Read), Availability::Unknown);
}

#[test]
fn the_role_that_is_missing_has_just_what_is_denied() {
    let cluster = cluster(|p| match p {
        "list nodes"
        | "list namespaces"
        | "list poddisruptionbudgets.policy"
        | "create pods/eviction" => no(),
        "list services" => AccessDecision::Forbidden(String::new()),
        "list jobs.batch" => unknown(),
        _ => yes(),
    });
    let missing_roles = cluster.missing_roles(Some("shop"));
    assert_eq!(
        missing_roles.iter().map(|missing| missing.role).collect::<Vec<_>>(),
        [Role::Reader, Role::Applier]
    );
    let name = &missing_roles[0].name;
    assert!(name.starts_with("kubectl-preempt-reader-missing-"), "{name}");
    let expected = "\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: NAME
rules:
  - apiGroups: [\"\"]
    resources:
      - namespaces
      - nodes
    verbs: [list]
  - apiGroups: [policy]
    resources:
      - poddisruptionbudgets
    verbs: [list]
";
    assert_eq!(missing_roles[0].yaml(), expected.replace("NAME", name));
    assert_eq!(
        missing_roles[0].binding,
        format!("kubectl create clusterrolebinding {name} --clusterrole={name} --user=jane")
    );
    assert!(
        missing_roles[1].binding.starts_with("kubectl create rolebinding ")
            && missing_roles[1].binding.ends_with(" --namespace=shop")
    );
}

#[test]
fn role_name_depends_on_user_and_missing_permission() {
    let name = |denied: &str, user: &str, namespace| {
        let user =
            Identity::Known { user: user.to_owned(), uid: String::new(), groups: Vec::new() };
        let cluster =
            ClusterReport { identity: user, ..cluster(|p| if p == denied { no() } else { yes() }) };
        cluster.missing_roles(namespace)[0].name.clone()
    };
    let eviction = "create pods/eviction";
    let one = name(eviction, "jane", None);
    assert_eq!(one, name(eviction, "jane", None));
    for other in [
        name(eviction, "joe", None),
        name(eviction, "jane", Some("a")),
        name("get pods", "jane", None),
    ] {
        assert_ne!(one, other);
    }
}

#[test]
fn user_name_that_a_shell_would_interpret_is_quoted_or_left_out() {
    for (user, subject) in [
        (Some("jane"), "--user=jane"),
        (Some("oidc:jane@corp.example"), "--user=oidc:jane@corp.example"),
        (Some("system:serviceaccount:ops:bot"), "--serviceaccount=ops:bot"),
        (Some("Jane Doe;$(rm)"), "--user='Jane Doe;$(rm)'"),
        (Some("a'b"), "--user=USER"),
        (Some("a\u{1b}[31m"), "--user=USER"),
        (Some("a\nb"), "--user=USER"),
        (Some(""), "--user=USER"),
        (None, "--user=USER"),
    ] {
        assert_eq!(
            binding("r", user, None),
            format!("kubectl create clusterrolebinding r --clusterrole=r {subject}")
        );
    }
    let evil = binding("r", None, Some("x; rm -rf"));
    assert_eq!(
        evil,
        "kubectl create rolebinding r --clusterrole=r --user=USER --namespace=NAMESPACE"
    );
}

#[test]
fn a_rule_joins_verbs_of_a_resource_and_resources_of_the_same_verbs() {
    let on = |verb, resource, subresource| Permission { verb, group: "", resource, subresource };
    let permissions = [
        on("watch", "pods", ""),
        on("get", "pods", ""),
        on("create", "pods", "eviction"),
        on("get", "pods", ""),
        on("get", "nodes", ""),
        on("watch", "nodes", ""),
    ];
    let text = yaml("r", &rules(&permissions));
    let rules = "rules:
  - apiGroups: [\"\"]
    resources:
      - pods/eviction
    verbs: [create]
  - apiGroups: [\"\"]
    resources:
      - nodes
      - pods
    verbs: [get, watch]
";
    assert!(text.ends_with(&rules), "{text}");
}

#[test]
fn the_reader_may_read_and_the_applier_may_not_pass_budgets() {
    let verbs = |role| granted_by(role).into_iter().map(|p| p.to_string()).collect::<Vec<_>>();
    assert!(granted_by(Role::Reader).iter().all(|p| p.verb == "list" || p.verb == "watch"));
    assert_eq!(
        verbs(Role::Applier),
        ["create pods/eviction", "get pods", "watch pods", "create events.events.k8s.io"]
    );
    assert!(verbs(Role::ApplierExtra).contains(&"delete pods".to_owned()));
    assert_eq!(verbs(Role::SchedulerConfig), ["get configmaps", "list leases.coordination.k8s.io"]);
}

#[test]
fn every_permission_is_asked_once_and_where_it_is_used() {
    let asked = questions(Some("shop"));
    let place = |wanted: &str| {
        let found: Vec<_> = asked.iter().filter(|(p, _)| p.to_string() == wanted).collect();
        assert_eq!(found.len(), 1, "{wanted}");
        found[0].1.as_deref()
    };
    assert_eq!((place("list pods"), place("create pods/eviction")), (None, Some("shop")));
    assert_eq!((place("get configmaps"), place("get pods")), (Some("kube-system"), Some("shop")));
    for requirement in all() {
        place(&requirement.permission.to_string());
    }
}

#[test]
fn the_verdict_comes_to_the_point() {
    let verdict = |answer: &dyn Fn(&str) -> AccessDecision| report(cluster(answer)).verdict();
    assert_eq!(
        verdict(&|_| yes()),
        "Every command that reads works; simulate --apply may evict pods of all namespaces."
    );
    let partly = verdict(&|p| {
        if p.contains("pods") && p != "list pods" || p.contains("policy") { no() } else { yes() }
    });
    assert_eq!(
        partly,
        "Read commands partly work: you cannot list 1 of 26 types; answers that depend on them are marked (exit code 3); \
         simulate --apply may not evict pods of all namespaces."
    );
    assert_eq!(
        verdict(&|_| no()),
        "Nothing can be read: nodes and pods of all namespaces must be listed."
    );
    let silent = verdict(&|_| unknown());
    assert!(
        silent.starts_with(
            "The server does not say whether everything that the commands read may be listed"
        ),
        "{silent}"
    );
}

#[test]
fn a_server_that_is_not_ready_is_not_well() {
    let sick = ClusterReport {
        health: ServerHealth::NotReady(vec!["etcd".to_owned()]),
        ..cluster(|_| yes())
    };
    let report = report(sick);
    assert!(
        !report.is_well() && report.hints()[0].contains("/readyz?verbose"),
        "{:?}",
        report.hints()
    );
}
