use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::cluster::Cluster;
use crate::cluster::build::Builder;
use crate::snapshot::{DecodeIssue, Header, Sink};

const LIMIT: usize = 1 << 30;

fn decoded(pod: &Value) -> Pod<'static> {
    let text: &'static str = Box::leak(pod.to_string().into_boxed_str());
    match Kind::Pod.decode_json(text) {
        Ok(Object::Pod(pod)) => *pod,
        other => panic!("{other:?}"),
    }
}

fn blocks_of(pods: &[Pod<'_>]) -> Vec<Vec<u8>> {
    let mut encoder = PodEncoder::default();
    let mut blocks: Vec<Vec<u8>> =
        pods.iter().filter_map(|pod| encoder.add(pod.clone()).expect("JSON")).collect();
    blocks.extend(encoder.finish());
    blocks
}

fn table(blocks: &[Vec<u8>]) -> Result<PodTable<'_>, Unusable> {
    let blocks: Result<Vec<_>, _> = blocks.iter().map(|block| Block::read(block)).collect();
    PodTable::of_blocks(blocks?, LIMIT)
}

fn expanded(table: &PodTable<'_>) -> Result<Vec<String>, Unusable> {
    let rows = table.blocks().iter().flat_map(|rows| table.rows(rows));
    rows.map(|row| Ok(format!("{:?}", table.pod(&row?)))).collect()
}

/// A sink that takes pods one by one, after it has interned what the other way interns.
struct OneByOne(Builder);

impl Sink for OneByOne {
    fn object(&mut self, object: Object<'_>) {
        self.0.object(object);
    }
    fn issue(&mut self, issue: DecodeIssue) {
        self.0.issue(issue);
    }
    fn header(&mut self, header: Header) {
        self.0.header(header);
    }
}

fn cluster(blocks: &[Vec<u8>], whole: bool) -> Cluster {
    let table = table(blocks).expect("a table");
    let mut builder = Builder::new();
    builder.intern_all(&table);
    let mut one_by_one = OneByOne(builder);
    if whole {
        one_by_one.0.pods(&table).expect("rows");
    } else {
        one_by_one.pods(&table).expect("rows");
    }
    one_by_one.0.finish()
}

/// A pod with everything that a row treats in a way of its own.
fn web(name: &str, node: &str) -> Value {
    json!({"metadata": {"name": name, "namespace": "shop", "uid": "0a1b2c3d-0000-4000-8000-0123456789ab",
            "resourceVersion": "17", "creationTimestamp": "2026-01-31T12:00:00Z",
            "labels": {"app": "web", "pod": name},
            "annotations": {"karpenter.sh/do-not-disrupt": "true"},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": true}]},
        "spec": {"nodeName": node, "priority": 5, "nodeSelector": {},
            "volumes": [{"name": "kube-api-access-x7z2q", "projected": {}}, {"name": "config", "configMap": {}},
                {"name": "data", "persistentVolumeClaim": {"claimName": format!("data-{name}")}},
                {"name": "kube-api-access-", "emptyDir": {}}, {"name": "kube-api-access-"}],
            "containers": [{"name": "main", "resources": {"requests": {"cpu": "100m"}}}]},
        "status": {"phase": "Running", "startTime": "2026-01-31T12:00:07Z",
            "conditions": [{"type": "Ready", "status": "True"}]}})
}

fn with(mut pod: Value, pointer: &str, value: Value) -> Value {
    let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
    pod.pointer_mut(parent).expect("the parent")[field] = value;
    pod
}

fn pinned(pod: Value, nodes: &Value) -> Value {
    let terms =
        json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": nodes}]}]);
    let required =
        json!({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}});
    with(pod, "/spec/affinity", json!({ "nodeAffinity": required }))
}

/// Pods that differ in every way that a table tells apart.
fn pods() -> Vec<Pod<'static>> {
    let web = |name: &str| web(name, "n1");
    let mut pods = vec![
        web("a"),
        self::web("b", "n2"),
        self::web("c", ""),
        self::web("d", "*"),
        web(""),
        web("é\"\\\u{1b}"),
        // The later one of two with a name is used.
        with(web("a"), "/spec/priority", json!(7)),
        pinned(self::web("e", "n1"), &json!(["n1"])),
        pinned(self::web("f", "n2"), &json!(["n2"])),
        pinned(self::web("g", "n2"), &json!(["n1"])),
        pinned(self::web("h", "n2"), &json!(["n2", "n2"])),
        pinned(self::web("i", ""), &json!(["n2"])),
        pinned(self::web("j", "*"), &json!(["*"])),
        with(web("k"), "/spec/priority", json!(null)),
        with(web("l"), "/spec/tolerations", json!([{"operator": "Maybe"}])),
        with(web("m"), "/spec/containers/0/resources/requests/cpu", json!("1Gx")),
        with(web("n"), "/spec/volumes", json!([{"name": "x", "persistentVolumeClaim": {}}])),
    ];
    for (at, uid) in
        ["", "u1", "0A1b2c3d-0000-4000-8000-0123456789ab", "0a1b2c3d0000400080000123456789ab"]
            .into_iter()
            .enumerate()
    {
        pods.push(with(web(&format!("uid-{at}")), "/metadata/uid", json!(uid)));
    }
    for (at, version) in ["", "0", "007", "18446744073709551615", "18446744073709551616", "x"]
        .into_iter()
        .enumerate()
    {
        pods.push(with(web(&format!("v-{at}")), "/metadata/resourceVersion", json!(version)));
    }
    let times =
        ["", "1969-12-31T23:59:59Z", "2026-01-31T12:00:00.5Z", "2026-01-31T13:00:00+01:00", "soon"];
    for (at, time) in times.into_iter().enumerate() {
        pods.push(with(web(&format!("t-{at}")), "/metadata/creationTimestamp", json!(time)));
        pods.push(with(web(&format!("s-{at}")), "/status/startTime", json!(time)));
    }
    pods.iter().map(decoded).collect()
}

#[test]
fn pods_of_a_table_are_those_that_were_added() {
    let pods = pods();
    let expected: Vec<String> = pods.iter().map(|pod| format!("{pod:?}")).collect();
    let blocks = blocks_of(&pods);
    assert_eq!(expanded(&table(&blocks).expect("a table")).expect("rows"), expected);
}

#[test]
fn pods_of_several_blocks_are_those_that_were_added() {
    let pods: Vec<Pod> =
        (0..8_200).map(|at| decoded(&web(&format!("p-{at}"), &format!("n{}", at % 7)))).collect();
    let blocks = blocks_of(&pods);
    assert_eq!(blocks.len(), 2);
    let table = table(&blocks).expect("a table");
    assert_eq!((table.len(), table.shapes().len()), (8_200, 1));
    let expected: Vec<String> = pods.iter().map(|pod| format!("{pod:?}")).collect();
    assert_eq!(expanded(&table).expect("rows"), expected);
}

#[test]
fn cluster_of_a_table_is_the_one_of_its_pods() {
    let blocks = blocks_of(&pods());
    let [copied, read] = [true, false].map(|whole| format!("{:#?}", cluster(&blocks, whole)));
    for (copied, read) in copied.lines().zip(read.lines()) {
        assert_eq!(copied, read);
    }
    assert_eq!(copied.lines().count(), read.lines().count());
}

#[test]
fn damaged_table_is_refused() {
    let blocks = blocks_of(&pods());
    let block = &blocks[0];
    // Cut, it is refused; with a byte changed, it is refused or read as another one.
    for at in (0..block.len()).step_by(41) {
        let cut = [block[..at].to_vec()];
        assert!(table(&cut).and_then(|table| expanded(&table)).is_err(), "{at}");
        let mut changed = [block.clone()];
        changed[0][at] ^= 0x55;
        if let Ok(table) = table(&changed) {
            let _ = Builder::new().pods(&table);
        }
    }
}

#[test]
fn pods_that_share_something_large_are_limited() {
    let large = with(web("a", "n1"), "/metadata/labels", json!({"x": "y".repeat(1000)}));
    let pods: Vec<Pod> = (0..100)
        .map(|at| decoded(&with(large.clone(), "/metadata/name", json!(at.to_string()))))
        .collect();
    let blocks = blocks_of(&pods);
    let read: Vec<_> = blocks.iter().map(|block| Block::read(block).expect("a block")).collect();
    assert_eq!(PodTable::of_blocks(read, 50_000).err(), Some(Unusable::TooLarge));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(table) = table(&[bytes]) {
            let _ = Builder::new().pods(&table);
        }
    }

    #[test]
    fn any_texts_come_back(texts in prop::collection::vec(".{0,12}", 12)) {
        let pod = web(&texts[0], &texts[1]);
        let pod = with(pod, "/metadata/uid", json!(texts[2]));
        let pod = with(pod, "/metadata/resourceVersion", json!(texts[3]));
        let pod = with(pod, "/metadata/creationTimestamp", json!(texts[4]));
        let pod = with(pod, "/metadata/labels", json!({&*texts[5]: texts[6], &*texts[7]: texts[8]}));
        let pod = with(pod, "/spec/volumes/0/name", json!(format!("kube-api-access-{}", texts[9])));
        let pod = with(pod, "/spec/volumes/2/persistentVolumeClaim/claimName", json!(texts[10]));
        let pod = pinned(pod, &json!([texts[11]]));
        let pods = [decoded(&pod), decoded(&pinned(pod, &json!([texts[1]])))];
        let blocks = blocks_of(&pods);
        let expected: Vec<String> = pods.iter().map(|pod| format!("{pod:?}")).collect();
        prop_assert_eq!(expanded(&table(&blocks).expect("a table")).expect("rows"), expected);
    }
}
