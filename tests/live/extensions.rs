//! What is read of autoscalers: only what the cluster serves, and of Events and ConfigMaps only the
//! few that are named.

use kubectl_preempt::capture::live::{self, ReadScope};

use engine::cluster::build::Builder;
use engine::snapshot::Kind;

use super::not_preempting::{pod, run, server_with};
use super::server::{Answer, Server};
use super::{Home, flags};

const GROUPS: &str =
    r#"{"kind":"APIGroupList","groups":[{"name":"apps"},{"name":"karpenter.sh"}]}"#;
const POOLS: &str = r#"{"kind":"NodePoolList","apiVersion":"karpenter.sh/v1","metadata":
    {"resourceVersion":"9"},"items":[{"metadata":{"name":"general"},"spec":{"weight":7}}]}"#;
const STATUS: &str = r#"{"kind":"ConfigMap","metadata":{"namespace":"kube-system",
    "name":"cluster-autoscaler-status"},"data":{"status":"autoscalerStatus: Running\n","x":"y"}}"#;
const PODS: &str = r#"{"kind":"PodList","items":[{"metadata":{"namespace":"kube-system",
    "name":"cluster-autoscaler-1"},"spec":{"containers":[{"image":
    "registry.k8s.io/autoscaling/cluster-autoscaler:v1.33.0","command":["./cluster-autoscaler",
    "--max-nodes-total=50","--cloud-config=secret"]}]}}]}"#;

fn scope() -> ReadScope {
    ReadScope { extensions: true, ..ReadScope::of(&[Kind::Node, Kind::Pod]) }
}

#[test]
fn extensions_that_the_server_has_are_read_and_no_others() {
    let server = Server::start(|r| match r.path.as_str() {
        "/apis" => Some(Answer::ok(GROUPS)),
        "/apis/karpenter.sh/v1/nodepools" => Some(Answer::ok(POOLS)),
        "/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status" => {
            Some(Answer::ok(STATUS))
        }
        "/api/v1/namespaces/kube-system/pods" if r.query.contains("cluster-autoscaler") => {
            Some(Answer::ok(PODS))
        }
        _ => None,
    });
    let home = Home::new(&server, "token: secret");
    let mut builder = Builder::new();
    live::capture(&home.env(), &flags(""), &scope(), &mut builder, &mut |_| {}).unwrap();
    let cluster = builder.finish();
    assert_eq!(cluster.autoscaling.pools.len(), 1);
    assert_eq!(cluster.autoscaling.pools[0].weight, 7);
    let shown = cluster.header.autoscaler.as_ref().unwrap();
    assert_eq!(shown.status.as_deref(), Some("autoscalerStatus: Running\n"));
    assert_eq!(shown.version.as_deref(), Some("v1.33.0"));
    assert_eq!(shown.flags["max-nodes-total"], ["50"]);
    assert!(!format!("{shown:?}").contains("secret"));
    assert!(cluster.header.resource_versions.contains_key("nodepools.karpenter.sh"));
    assert!(
        !cluster.header.resource_versions.contains_key("events"),
        "a part of the Events is no list of them"
    );

    let requests = server.requests();
    let of_events: Vec<&str> = requests
        .iter()
        .filter(|r| r.path == "/api/v1/events")
        .filter_map(|r| r.query.split('&').find(|part| part.starts_with("fieldSelector")))
        .collect();
    assert_eq!(
        of_events,
        ["fieldSelector=source%3Dcluster-autoscaler", "fieldSelector=source%3Dkarpenter"]
    );
    let foreign = requests.iter().find(|r| {
        r.path.starts_with("/apis/autoscaling.x-k8s.io")
            || r.path.starts_with("/apis/cluster.x-k8s.io")
    });
    assert!(foreign.is_none(), "{foreign:?}");
}

/// What is carried out says of the victim's replacement whether a node comes for it, as the plan
/// does.
#[test]
fn apply_reads_the_extensions_that_the_server_has() {
    let server =
        server_with(pod("low", 0, Some("n1")), pod("vip", 100, None), |r| match r.path.as_str() {
            "/apis" => Some(Answer::ok(GROUPS)),
            "/apis/karpenter.sh/v1/nodepools" => Some(Answer::ok(POOLS)),
            path if path.contains("configmaps") => Some(Answer::status(404, "NotFound", "none")),
            _ => None,
        });
    let (_, plan, _) = run(&server, &["simulate", "vip"]);
    let (code, out, err) = run(&server, &["simulate", "vip", "--apply", "--yes", "--wait=false"]);
    assert_eq!(code, Some(0), "{out}{err}");
    for text in [plan, out] {
        assert!(text.contains("NodePool general may get a node for it"), "{text}");
    }
    let lists = server.all();
    let of_pools = lists.iter().filter(|r| r.path == "/apis/karpenter.sh/v1/nodepools");
    assert_eq!(of_pools.count(), 2);
}

#[test]
fn cluster_without_extensions_is_not_asked_for_events_or_node_pools() {
    let server = Server::start(|r| match r.path.as_str() {
        "/apis" => Some(Answer::ok(r#"{"kind":"APIGroupList","groups":[{"name":"apps"}]}"#)),
        path if path.contains("configmaps") => Some(Answer::status(404, "NotFound", "not found")),
        _ => None,
    });
    let home = Home::new(&server, "token: secret");
    let mut builder = Builder::new();
    live::capture(&home.env(), &flags(""), &scope(), &mut builder, &mut |_| {}).unwrap();
    let cluster = builder.finish();
    assert!(cluster.header.autoscaler.is_none());
    assert_eq!(server.count("/api/v1/events"), 0);
    let custom = server.requests().iter().filter(|r| r.path.contains("nodepools")).count();
    assert_eq!(custom, 0);
}

#[test]
fn unreadable_config_map_is_a_note_not_an_error() {
    let server = Server::start(|r| match r.path.as_str() {
        "/apis" => Some(Answer::ok(r#"{"kind":"APIGroupList","groups":[]}"#)),
        path if path.contains("configmaps") => Some(Answer::status(403, "Forbidden", "no")),
        _ => None,
    });
    let home = Home::new(&server, "token: secret");
    let mut builder = Builder::new();
    live::capture(&home.env(), &flags(""), &scope(), &mut builder, &mut |_| {}).unwrap();
    let shown = builder.finish().header.autoscaler.unwrap();
    assert!(shown.status.is_none() && shown.unreadable.is_some());
}

#[test]
fn objects_of_programs_that_hold_pods_are_asked_for_where_their_group_is_served() {
    const GROUPS: [&str; 5] = [
        "kueue.x-k8s.io",
        "scheduling.volcano.sh",
        "scheduling.sigs.k8s.io",
        "scheduling.koordinator.sh",
        "scheduling.run.ai",
    ];
    // Each in its newest version, but for Kueue, whose server has only the one before.
    const PATHS: [&str; 9] = [
        "/apis/kueue.x-k8s.io/v1beta1/localqueues",
        "/apis/kueue.x-k8s.io/v1beta1/clusterqueues",
        "/apis/kueue.x-k8s.io/v1beta1/workloads",
        "/apis/scheduling.volcano.sh/v1beta1/podgroups",
        "/apis/scheduling.sigs.k8s.io/v1alpha1/podgroups",
        "/apis/scheduling.sigs.k8s.io/v1alpha1/elasticquotas",
        "/apis/scheduling.koordinator.sh/v1alpha1/reservations",
        "/apis/scheduling.run.ai/v2alpha2/podgroups",
        "/apis/scheduling.run.ai/v2/queues",
    ];
    let groups = GROUPS.map(|name| format!(r#"{{"name":"{name}"}}"#)).join(",");
    let server = Server::start(move |r| match r.path.as_str() {
        "/apis" => Some(Answer::ok(format!(r#"{{"groups":[{groups}]}}"#))),
        path if path.contains("configmaps") || path.contains("/v1beta2/") => {
            Some(Answer::status(404, "NotFound", "no such version"))
        }
        "/apis/scheduling.volcano.sh/v1beta1/queues" => {
            Some(Answer::status(403, "Forbidden", "queues is forbidden"))
        }
        // The program that answers for its own kinds is down.
        "/apis/scheduling.run.ai/v2/queues" => {
            Some(Answer::status(500, "InternalError", "conversion webhook failed"))
        }
        path if PATHS.contains(&path) => Some(super::server::list("List", &["one"], "7", "")),
        _ => None,
    });
    let home = Home::new(&server, "token: secret");
    let mut builder = Builder::new();
    live::capture(&home.env(), &flags(""), &scope(), &mut builder, &mut |_| {}).unwrap();
    let cluster = builder.finish();
    for path in PATHS {
        assert_eq!(server.count(path), 1, "{path}");
    }
    let mut kinds: Vec<Kind> = cluster.handling.works.iter().map(|work| work.kind).collect();
    kinds.sort();
    let mut expected = vec![
        Kind::KueueWorkload,
        Kind::VolcanoPodGroup,
        Kind::KoordinatorPodGroup,
        Kind::Reservation,
        Kind::KaiPodGroup,
    ];
    expected.sort();
    assert_eq!(kinds, expected);
    assert_eq!(cluster.handling.queues.len(), 3);
    let mut unread: Vec<(&str, &str)> = Vec::new();
    for one in &cluster.header.unreadable {
        unread.push((&one.resource, &one.reason));
    }
    unread.sort_unstable();
    assert_eq!(unread.len(), 2, "{unread:?}");
    assert!(unread[0].0 == "queues.scheduling.run.ai" && unread[0].1.contains("conversion"));
    assert!(unread[1].0 == "queues.scheduling.volcano.sh" && unread[1].1.contains("forbidden"));
}
