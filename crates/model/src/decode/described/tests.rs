use super::*;
use crate::cluster::Cluster;
use crate::decode::read_cluster;

const NODE: &str = "\
Name:               n1
Roles:              worker
Labels:             disk=ssd
                    kubernetes.io/hostname=n1
Annotations:        a: b
CreationTimestamp:  Mon, 01 Jun 2026 11:00:00 +0000
Taints:             gpu=yes:NoSchedule
                    old:NoExecute
Unschedulable:      false
Lease:
  HolderIdentity:  n1
  RenewTime:       Mon, 01 Jun 2026 12:00:00 +0000
Conditions:
  Type    Status  LastHeartbeatTime                 LastTransitionTime                Reason        Message
  ----    ------  -----------------                 ------------------                ------        -------
  Ready   True    Mon, 01 Jun 2026 11:59:00 +0000   Mon, 01 Jun 2026 11:00:10 +0000   KubeletReady  is ready
Capacity:
  cpu:     4
  memory:  8Gi
  pods:    110
Allocatable:
  cpu:     3900m
  memory:  7Gi
  pods:    110
System Info:
  Operating System:  linux
  Kubelet Version:   v1.31.2
Non-terminated Pods:  (2 in total)
  Namespace    Name   CPU Requests  CPU Limits  Memory Requests  Memory Limits  Age
  ---------    ----   ------------  ----------  ---------------  -------------  ---
  kube-system  dns-1  100m (2%)     0 (0%)      70Mi (1%)        170Mi (2%)     94d
  shop         low    2 (51%)       0 (0%)      0 (0%)           0 (0%)         3h
Allocated resources:
  (Total limits may be over 100 percent, i.e., overcommitted.)
  Resource  Requests     Limits
  --------  --------     ------
  cpu       2100m (53%)  0 (0%)
Events:     <none>
";

const POD: &str = "\
Name:                 web
Namespace:            shop
Priority:             1000
Priority Class Name:  high
Service Account:      default
Node:                 <none>
Labels:               app=web
Annotations:          <none>
Status:               Pending
IP:
IPs:                  <none>
NominatedNodeName:    n1
Controlled By:        ReplicaSet/web-1
Init Containers:
  first:
    Image:  a:1
    Requests:
      cpu:  250m
Containers:
  main:
    Image:       registry:5000/web:1
    Ports:       80/TCP (http), 443/TCP (https)
    Host Ports:  8080/TCP (http), 0/TCP (https)
    Limits:
      memory:  1Gi
    Requests:
      cpu:     2500m
      memory:  1Gi
    Mounts:
      /data from data (rw)
Conditions:
  Type           Status
  PodScheduled   False
Volumes:
  data:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  data
    ReadOnly:   false
QoS Class:                    Burstable
Node-Selectors:               disk=ssd
Tolerations:                  gpu=yes:NoSchedule
                              node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                              op=Exists
Topology Spread Constraints:  zone:DoNotSchedule when max skew 1 is exceeded for selector app=web
Events:
  Type     Reason             Age               From                Message
  ----     ------             ----              ----                -------
  Warning  FailedScheduling   5m (x3 over 20m)  default-scheduler   0/1 nodes are available: old.
  Warning  FailedScheduling   70s               default-scheduler   0/1 nodes are available: 1 Insufficient cpu.
  Normal   NotTriggerScaleUp  60s               cluster-autoscaler  pod didn't trigger scale-up:
";

fn cluster(text: &str) -> Cluster {
    read_cluster(text, "pasted").unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn objects(text: &str) -> Vec<Value> {
    read(text).unwrap_or_else(|| panic!("no description: {text}")).objects
}

#[test]
fn a_node_is_what_its_description_shows() {
    let node = &objects(NODE)[0];
    assert_eq!(node["metadata"]["labels"], json!({"disk": "ssd", "kubernetes.io/hostname": "n1"}));
    assert_eq!(
        node["spec"]["taints"],
        json!([{"key": "gpu", "value": "yes", "effect": "NoSchedule"},
            {"key": "old", "value": "", "effect": "NoExecute"}])
    );
    assert_eq!(
        node["status"]["allocatable"],
        json!({"cpu": "3900m", "memory": "7Gi", "pods": "110"})
    );
    assert_eq!(node["status"]["conditions"][0]["lastTransitionTime"], "2026-06-01T11:00:10Z");
}

#[test]
fn pods_of_the_table_of_a_node_have_its_requests_alone() {
    let objects = objects(NODE);
    assert_eq!(
        objects[1]["spec"],
        json!({"nodeName": "n1",
            "containers": [{"name": "all", "resources": {"requests": {"cpu": "100m", "memory": "70Mi"}}}]})
    );
    assert_eq!(objects[2]["metadata"]["creationTimestamp"], "2026-06-01T09:00:00Z");
    // What is described itself is taken from there.
    let both = format!(
        "{NODE}\n\n{}",
        POD.replace("Name:                 web", "Name:                 low")
    );
    let pods = cluster(&both);
    assert_eq!(pods.pods.iter().filter(|pod| &*pod.name == "low").count(), 1);
}

#[test]
fn a_pod_is_what_its_description_shows() {
    let objects = objects(&format!("{NODE}\n\n{POD}"));
    let pod = objects.iter().find(|object| object["metadata"]["name"] == "web").expect("the pod");
    assert_eq!(
        pod["spec"]["containers"][0],
        json!({"name": "main", "image": "registry:5000/web:1",
            "resources": {"requests": {"cpu": "2500m", "memory": "1Gi"}, "limits": {"memory": "1Gi"}},
            "ports": [{"containerPort": 80, "protocol": "TCP", "hostPort": 8080},
                {"containerPort": 443, "protocol": "TCP"}]})
    );
    assert_eq!(pod["spec"]["initContainers"][0]["resources"]["requests"], json!({"cpu": "250m"}));
    assert_eq!(
        pod["spec"]["tolerations"],
        json!([{"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"},
            {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
                "tolerationSeconds": 300},
            {"operator": "Exists"}])
    );
    assert_eq!(
        pod["spec"]["topologySpreadConstraints"],
        json!([{"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 1,
            "labelSelector": {"matchLabels": {"app": "web"}, "matchExpressions": []}}])
    );
    assert_eq!(pod["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"], "data");
    assert_eq!(pod["status"]["nominatedNodeName"], "n1");
    // The last try of kube-scheduler, not what others write.
    assert_eq!(
        pod["status"]["conditions"],
        json!([{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
            "message": "0/1 nodes are available: 1 Insufficient cpu."}])
    );
    let events: Vec<&Value> = objects.iter().filter(|object| object["kind"] == "Event").collect();
    assert_eq!(events.len(), 3);
    let captured = cluster(&format!("{NODE}\n\n{POD}")).header.captured_at;
    assert_eq!(captured.as_deref(), Some("2026-06-01T12:00:00Z"), "what answers are as of");
    assert_eq!(
        (&events[0]["count"], &events[1]["lastTimestamp"]),
        (&json!(3), &json!("2026-06-01T11:58:50Z"))
    );
}

#[test]
fn what_kubectl_does_not_print_is_told() {
    let cluster = cluster(&format!("{NODE}\n\n{POD}"));
    let hidden: Vec<&str> = cluster
        .notes
        .iter()
        .filter(|note| note.doc.code == "PRE-937")
        .map(|note| note.text.as_str())
        .collect();
    assert!(hidden.iter().any(|text| text.contains("affinity, scheduling gates")), "{hidden:?}");
    assert!(hidden.iter().any(|text| text.starts_with("only the table")), "{hidden:?}");
}

#[test]
fn prompts_and_headings_between_descriptions_are_passed_over() {
    let pasted = format!(
        "$ kubectl describe pod web -n shop\r\n{}\n\nand the node:\n[me@host ~]$ kubectl describe node n1\n{NODE}\n$ \n",
        POD.replace('\n', "\r\n")
    );
    let cluster = cluster(&pasted);
    assert_eq!((cluster.nodes.len(), cluster.pods.len()), (1, 3));
}

#[test]
fn a_manifest_of_the_owner_shows_what_descriptions_hide() {
    let owner = "$ kubectl get deploy web -o yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n\
                 spec:\n  template:\n    spec:\n      affinity:\n        nodeAffinity: {}\n";
    let pod = POD.replace("app=web\nAnn", "pod-template-hash=1\nAnn");
    for pasted in [format!("{owner}\n{pod}"), format!("{pod}\n{owner}$ \n")] {
        let described = read(&pasted).expect("descriptions");
        let is_pod = |object: &&Value| object["kind"] == "Pod";
        let pod = described.objects.iter().find(is_pod).expect("the pod");
        assert_eq!(pod["spec"]["affinity"], json!({"nodeAffinity": {}}), "{pasted}");
        assert!(described.hidden.is_empty(), "{:?}", described.hidden);
    }
}

#[test]
fn a_table_of_events_is_read() {
    let pasted = "\
NAMESPACE   LAST SEEN   TYPE      REASON             OBJECT      MESSAGE
shop        70s         Warning   FailedScheduling   pod/web-1   0/1 nodes are available: 1 Insufficient cpu.
shop        2m          Normal    Scheduled          pod/low     Successfully assigned shop/low to n1
";
    let events = objects(pasted);
    assert_eq!(events.len(), 2);
    assert_eq!(
        events[0]["involvedObject"],
        json!({"kind": "Pod", "namespace": "shop", "name": "web-1"})
    );
    assert_eq!(events[1]["message"], "Successfully assigned shop/low to n1");
}

#[test]
fn claims_volumes_and_budgets_are_read() {
    let pasted = "\
Name:          data
Namespace:     shop
StorageClass:  fast
Status:        Pending
Volume:
Labels:        <none>
Capacity:
Access Modes:
VolumeMode:    Filesystem
Used By:       web
Events:        <none>


Name:            pv
StorageClass:    fast
Status:          Bound
Claim:           shop/other
Reclaim Policy:  Retain
Access Modes:    RWO
Capacity:        1Gi
Node Affinity:
  Required Terms:
    Term 0:        zone in [a, b]
                   disk in [ssd]
Source:
    Type:          CSI (a Container Storage Interface (CSI) volume source)
    Driver:        disks.example.com
    VolumeHandle:  v1

Name:           web
Namespace:      shop
Min available:  2
Selector:       app=web,tier in (a,b)
Status:
    Allowed disruptions:  0
    Current:              2
    Desired:              2
    Total:                2
Events:                   <none>
";
    let objects = objects(pasted);
    let kinds: Vec<&str> = objects.iter().filter_map(|object| object["kind"].as_str()).collect();
    assert_eq!(kinds, ["PersistentVolumeClaim", "PersistentVolume", "PodDisruptionBudget"]);
    assert_eq!(
        objects[1]["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"],
        json!([{"matchExpressions": [
            {"key": "zone", "operator": "In", "values": ["a", "b"]},
            {"key": "disk", "operator": "In", "values": ["ssd"]}]}])
    );
    assert_eq!(objects[2]["spec"]["minAvailable"], 2);
    assert_eq!(
        objects[2]["spec"]["selector"],
        json!({"matchLabels": {"app": "web"},
            "matchExpressions": [{"key": "tier", "operator": "In", "values": ["a", "b"]}]})
    );
    assert_eq!(objects[2]["status"]["disruptionsAllowed"], 0);
}

#[test]
fn objects_are_no_descriptions() {
    for text in [
        "",
        "{\"kind\": \"Pod\", \"note\": \"\nName:  x\"}",
        "kind: Pod\nmetadata:\n  annotations:\n    a: |\n      Name:  x\n",
        "apiVersion: v1\nName: x\n",
        "Name:\n",
        "NAME   READY\nweb    1/1\n",
    ] {
        assert!(read(text).is_none(), "{text}");
    }
    let secret = "Name:         token\nNamespace:    shop\nType:  Opaque\n";
    let error = read_cluster(secret, "pasted").expect_err("nothing that decides");
    assert!(error.problem.contains("are of no kind that decides"), "{error}");
}

#[test]
fn ages_are_read_as_kubectl_prints_them() {
    for (age, seconds) in [
        ("0s", 0),
        ("70s", 70),
        ("5m30s", 330),
        ("3h", 10_800),
        ("2y40d", 2 * 31_536_000 + 40 * 86_400),
    ] {
        assert_eq!(events::duration(age).map(|time| time.as_secs()), Some(seconds), "{age}");
    }
    for age in ["", "<invalid>", "5", "5x", "99999999999999999999s"] {
        let known = events::duration(age).map(|time| time.as_secs());
        assert!(known.is_none() || age.is_empty(), "{age}: {known:?}");
    }
}

#[test]
fn what_viewers_and_tickets_add_is_taken_away() {
    let text = format!("{NODE}\n{POD}");
    let plain = objects(&text);
    let each =
        |change: &dyn Fn(&str) -> String| text.lines().map(change).collect::<Vec<_>>().join("\n");
    let framed = each(&|line| format!("│ {line:<140}│"));
    for (how, changed) in [
        ("colours", each(&|line| format!("\u{1b}[1;33m{line}\u{1b}[0m"))),
        ("quoted", each(&|line| format!("> {line}"))),
        ("indented", each(&|line| format!("    {line}"))),
        ("framed", format!("┌── Describe(shop/web) ──┐\n{framed}\n└────┘\n")),
        ("other spaces", text.replace("  ", "\u{a0}\u{a0}")),
        ("HTML", text.replace('<', "&lt;").replace('>', "&gt;")),
        ("Windows", text.replace('\n', "\r\n")),
        ("fences", format!("my node\n```\n{NODE}```\nmy pod\n```\n{POD}```\n")),
        (
            "line numbers",
            text.lines()
                .enumerate()
                .map(|(at, line)| format!("{at:4}  {line}"))
                .collect::<Vec<_>>()
                .join("\n"),
        ),
    ] {
        assert_eq!(objects(&changed), plain, "{how}");
    }
    // Single spaces still part names and values.
    let single = with_single_spaces(&text);
    let pod = &objects(&single)[objects(&single).len() - 4];
    assert_eq!(pod["metadata"]["name"], "web", "{single}");
}

/// The text with one space for several inside its lines.
fn with_single_spaces(text: &str) -> String {
    let line = |line: &str| {
        let inner = line.trim_start();
        let indent = line.len() - inner.len();
        let words: Vec<&str> = inner.split_whitespace().collect();
        format!("{}{}", " ".repeat(indent), words.join(" "))
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn pods_that_a_table_lacks_hold_what_is_allocated() {
    let cut = NODE.replace(
        "  shop         low    2 (51%)       0 (0%)      0 (0%)           0 (0%)         3h\n",
        "",
    );
    let others = |text: &str| {
        let found =
            objects(text).into_iter().find(|object| object["metadata"]["namespace"] == "not-shown");
        found.map(|pod| pod["spec"]["containers"][0]["resources"]["requests"]["cpu"].clone())
    };
    assert_eq!(others(NODE), None);
    assert_eq!(others(&cut), Some("2".into()));
    let from = NODE.find("Non-terminated").unwrap();
    let without = format!("{}{}", &NODE[..from], &NODE[NODE.find("Allocated").unwrap()..]);
    assert_eq!(others(&without), Some("2100m".into()));
    // Nothing says how much they request, but that there are some is said.
    let cluster = cluster(&NODE[..from]);
    let notes: Vec<&str> = cluster.notes.iter().map(|note| &*note.text).collect();
    assert!(notes.iter().any(|note| note.contains("that the text does not show")), "{notes:?}");
}

#[test]
fn nodes_that_were_counted_and_are_not_described_are_told() {
    let pod = POD.replace("0/1 nodes are available: 1 I", "0/3 nodes are available: 3 I");
    let notes = |text: &str| -> Vec<String> {
        cluster(text).notes.iter().map(|note| note.text.clone()).collect()
    };
    let told = |text: &str| notes(text).iter().any(|note| note.contains("counted 3 nodes"));
    assert!(told(&format!("{NODE}\n{pod}")), "{:?}", notes(&format!("{NODE}\n{pod}")));
    assert!(!told(&format!("{NODE}\n{POD}")));
}

#[test]
fn class_that_is_not_described_waits_as_the_events_of_its_claim_say() {
    let claim = |reason: &str| {
        format!(
            "Name:          data\nNamespace:     shop\nStorageClass:  fast\nStatus:        Pending\nVolume:\nLabels:        \
             <none>\nUsed By:       web\nEvents:\n  Type    Reason  Age  From  Message\n  ----    ------  ----  ----  -------\n  \
             Normal  {reason}  3s (x2 over 10s)  persistentvolume-controller  waiting\n"
        )
    };
    for (reason, mode) in [
        ("WaitForFirstConsumer", json!("WaitForFirstConsumer")),
        // Claims of both modes are provisioned.
        ("ExternalProvisioning", Value::Null),
        ("Other", Value::Null),
    ] {
        let class = objects(&claim(reason)).into_iter().find(|one| one["kind"] == "StorageClass");
        assert_eq!(class.map_or(Value::Null, |class| class["volumeBindingMode"].clone()), mode);
    }
}
