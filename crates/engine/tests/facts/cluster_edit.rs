use serde_json::json;

use model::cluster::build::Builder;
use model::cluster::devices::ClaimIx;
use model::cluster::notes::GIVEN_TWICE;
use model::cluster::pod::Phase;
use model::cluster::{BudgetIx, Cluster};
use testing::{NOW, at, budget, claim, cluster, find, node, objects, pod};

fn small() -> Cluster {
    cluster(objects![
        node("n1").cpu("4"),
        node("n2").cpu("4"),
        pod("a").cpu("1").on("n1"),
        pod("b").cpu("1").on("n1"),
        pod("p").cpu("1").nominated("n1"),
        budget("b").allowed(1),
    ])
}

/// Names of the pods on each node.
fn places(cluster: &Cluster) -> Vec<String> {
    let names = |node| {
        cluster
            .pods_on(node)
            .iter()
            .map(|pod| &*cluster.pod(*pod).name)
            .collect::<Vec<_>>()
            .join(" ")
    };
    cluster.node_indices().map(names).collect()
}

/// A claim is free once its last user is gone, also one that does not exist yet.
#[test]
fn claims_without_users_lose_their_devices() {
    let claim = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"name": "c", "namespace": "default"},
        "status": {
            "allocation": {"devices": {"results": []}},
            "reservedFor": [{"resource": "pods", "name": "a", "uid": "uid-a"}],
        },
    });
    let objects = objects![node("n"), claim, pod("a").on("n"), pod("new").unmade().on("n")];
    let mut cluster = cluster(objects);
    let [a, new] = ["a", "new"].map(|name| find(&cluster, name));
    let user = cluster.claim_user(new).into_owned();
    cluster.devices.reserve(ClaimIx(0), &user);
    let is_allocated = |cluster: &Cluster| cluster.devices.claims[0].allocation.is_some();
    cluster.remove_pod(a);
    assert!(is_allocated(&cluster), "the other pod still uses it");
    cluster.remove_pod(new);
    assert!(!is_allocated(&cluster));
}

#[test]
fn pods_come_and_go() {
    let mut cluster = small();
    let [a, b, p] = ["a", "b", "p"].map(|name| find(&cluster, name));
    let [n1, n2] = ["n1", "n2"].map(|name| cluster.find_node(name).expect("a node"));
    cluster.remove_pod(a);
    assert_eq!(places(&cluster), ["b", ""]);
    assert_eq!(cluster.pod(a).phase, Phase::Succeeded);
    cluster.bind(p, n1);
    assert_eq!(places(&cluster), ["b p", ""]);
    assert!(cluster.pod(p).nominated_node.is_empty());
    cluster.bind(b, n2);
    assert_eq!(places(&cluster), ["p", "b"]);
    cluster.recreate(b, NOW.parse().expect("a time"));
    assert_eq!(places(&cluster), ["p", ""]);
    cluster.bind(b, n1);
    assert_eq!(places(&cluster), ["b p", ""], "by name");
    cluster.nominate(a, Some(n2));
    assert_eq!(cluster.text(cluster.pod(a).nominated_node), "n2");
    cluster.nominate(a, None);
    assert!(cluster.pod(a).nominated_node.is_empty());
}

#[test]
fn a_pod_that_is_preempted_keeps_the_date_it_has() {
    let mut cluster =
        cluster(objects![node("n"), pod("a").on("n"), pod("b").terminating().on("n")]);
    let [a, b] = ["a", "b"].map(|name| find(&cluster, name));
    let later = "2026-02-01T00:00:00Z".parse().expect("a time");
    for pod in [a, b] {
        cluster.preempt(pod, later);
        assert!(cluster.pod(pod).is_disrupted_by_scheduler());
    }
    assert_eq!([a, b].map(|pod| cluster.pod(pod).deletion), [Some(later), NOW.parse().ok()]);
    assert_eq!(places(&cluster), ["a b"], "it is still there");
}

#[test]
fn pods_that_join_are_found_by_name() {
    let mut cluster = small();
    let now = NOW.parse().expect("a time");
    let n2 = cluster.find_node("n2").expect("a node");
    let model = find(&cluster, "a");
    let mut new = cluster.copy(model, now);
    new.name = "aa".into();
    new.node_name = cluster.node(n2).name;
    let mut first = new.clone();
    first.namespace = cluster.symbols.intern("before");
    cluster.insert(vec![new, first]);
    assert_eq!(places(&cluster), ["a b", "aa aa"]);
    let names: Vec<String> = cluster.pod_indices().map(|pod| cluster.pod_name(pod)).collect();
    assert_eq!(names, ["before/aa", "default/a", "default/aa", "default/b", "default/p"]);
    assert_eq!(&*cluster.pod(find(&cluster, "before/aa")).name, "aa");
}

#[test]
fn a_copy_has_the_spec_and_nothing_else() {
    let statuses = json!([{"name": "c", "allocatedResources": {"cpu": "1"}}]);
    let full = pod("a")
        .cpu("2")
        .priority(3)
        .replica_of("web")
        .label("app", "web")
        .preempted()
        .started(NOW)
        .created(NOW);
    let full =
        full.refused("no").nominated("n").on("n").with("/status/containerStatuses", statuses);
    let full = full.with("/metadata/resourceVersion", "7").phase("Failed");
    let mut cluster = cluster(objects![node("n"), full, pod("plain").cpu("2").priority(3)]);
    let now = "2026-02-01T00:00:00Z".parse().expect("a time");
    let (a, plain) = (find(&cluster, "a"), find(&cluster, "plain"));
    let copy = cluster.copy(a, now);
    assert_eq!(
        (&*copy.uid, copy.resource_version.to_string().as_str(), copy.phase, copy.created),
        ("", "", Phase::Active, Some(now))
    );
    assert!(
        copy.node_name.is_empty()
            && copy.nominated_node.is_empty()
            && copy.scheduled_condition.is_none()
    );
    assert_eq!(
        (copy.start_time, copy.deletion, copy.is_disrupted_by_scheduler()),
        (None, None, false)
    );
    assert_eq!(
        copy.resource_requests,
        cluster.pod(plain).resource_requests,
        "without statuses the resource requests are the same"
    );
    let old = cluster.pod(a);
    assert_eq!(
        (copy.labels, copy.template, copy.priority),
        (old.labels, old.template, old.priority)
    );
    assert_eq!(copy.controller, old.controller);
}

#[test]
fn nodes_and_budgets_are_set() {
    let mut cluster = small();
    let n1 = cluster.find_node("n1").expect("a node");
    cluster.cordon(n1, true);
    assert!(cluster.node(n1).unschedulable);
    cluster.cordon(n1, false);
    assert!(!cluster.node(n1).unschedulable);
    cluster.set_disruptions_allowed(BudgetIx(0), 5);
    assert_eq!(cluster.budget(BudgetIx(0)).allowed, 5);
}

#[test]
fn a_template_that_many_share_changes_for_one() {
    let mut cluster = small();
    let (a, b) = (find(&cluster, "a"), find(&cluster, "b"));
    assert_eq!(cluster.pod(a).template, cluster.pod(b).template);
    cluster.add_node_selector(a, "zone", "x");
    cluster.add_node_selector(a, "disk", "ssd");
    cluster.add_node_selector(a, "zone", "y");
    let selector = |pod| cluster.template(cluster.pod(pod)).node_selector.clone();
    let texts: Vec<(&str, &str)> = selector(a)
        .iter()
        .flatten()
        .map(|(k, v)| (cluster.text(*k), cluster.text(*v)))
        .map(|(k, v)| {
            (if k == "zone" { "zone" } else { "disk" }, if v == "y" { "y" } else { "ssd" })
        })
        .collect();
    assert_eq!(texts, [("disk", "ssd"), ("zone", "y")]);
    assert_eq!(selector(b), None);
}

#[test]
fn a_request_that_is_no_quantity_changes_nothing() {
    let mut cluster = small();
    let a = find(&cluster, "a");
    let before = cluster.pod(a).resource_requests;
    assert!(cluster.set_request(a, "cpu", "much").is_err());
    assert_eq!(cluster.pod(a).resource_requests, before);
    cluster.set_request(a, "cpu", "3").expect("a quantity");
    assert_ne!(cluster.pod(a).resource_requests, before);
}

#[test]
fn claims_of_a_further_pod() {
    let mut cluster = cluster(objects![
        claim("data-db-0", "fast").bound("pv"),
        claim("data-db-1", "fast").bound("other"),
        claim("shared", "fast").bound("pv"),
        claim("db-0", "fast").bound("pv"),
        pod("db-0").claim("data-db-0"),
    ]);
    let namespace = cluster.pod(find(&cluster, "db-0")).namespace;
    let mut like = |name: &str, new: &str| {
        let sym = cluster.symbols.intern(name);
        let sym = cluster.claim_like(namespace, sym, "db-0", new);
        let bound =
            cluster.storage.claim(namespace, sym).map(|c| cluster.text(c.volume_name).to_owned());
        (cluster.text(sym).to_owned(), bound.unwrap_or_else(|| "absent".to_owned()))
    };
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(like("data-db-0", "db-7"), pair("data-db-7", ""));
    assert_eq!(like("data-db-0", "db-1"), pair("data-db-1", "other"), "one that is there stays");
    assert_eq!(like("shared", "db-7"), pair("shared", "pv"));
    assert_eq!(like("db-0", "db-7"), pair("db-0", "pv"), "a name of its own");
    assert_eq!(like("gone-db-0", "db-7"), pair("gone-db-7", "absent"));
}

#[test]
fn later_duplicate_of_an_object_replaces_the_earlier() {
    use model::decode::decode;
    let mut builder = Builder::reopen(small());
    let again = objects![
        budget("b").allowed(9),
        budget("c").allowed(2),
        node("n1").cpu("8"),
        pod("a").cpu("7").on("n2"),
        testing::priority_class("x", 1),
        testing::priority_class("x", 2),
        testing::owner("ReplicaSet", "web", None),
        testing::owner("ReplicaSet", "web", Some(("Deployment", "web"))),
        testing::limit_range("l", json!({"default": {"cpu": "1"}})),
        testing::limit_range("l", json!({"default": {"cpu": "2"}})),
    ];
    for object in again {
        decode(&object.to_string(), "again", &mut builder).expect("objects");
    }
    let cluster = builder.finish();
    let budgets: Vec<(&str, i64)> = cluster.budgets.iter().map(|b| (&*b.name, b.allowed)).collect();
    assert_eq!(budgets, [("b", 9), ("c", 2)]);
    assert_eq!(places(&cluster), ["b", "a"]);
    assert_eq!(cluster.priority_classes.iter().map(|c| c.value).collect::<Vec<_>>(), [2]);
    assert!(matches!(cluster.owners.as_slice(), [owner] if owner.controller.is_some()));
    assert_eq!(
        cluster.limit_ranges.iter().map(|l| cluster.text(l.limits[0].1)).collect::<Vec<_>>(),
        ["2"]
    );
    let given_twice =
        cluster.notes.iter().find(|note| note.doc == &GIVEN_TWICE).map(|note| note.count);
    assert_eq!(given_twice, Some(6), "{:?}", cluster.notes);
    assert_eq!(at("1.37").decide_in(&cluster, "p").outcome(), "Schedulable");
}
