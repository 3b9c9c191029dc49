//! Karpenter beside the control plane, with its provider for tests, whose nodes have no machines: what
//! the program says of pods that wait for a node, and what Karpenter then does for them.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};
use testing::assert_has;

use crate::objects::{NAMESPACE, Object, node, pod};
use crate::plane::{Plane, wait_for};
use crate::program::Program;
use crate::stage::Stage;
use crate::tool::run;

/// The name of the test.
pub const NAME: &str = "karpenter: nodes that come, that may not, and that nobody asks for";

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const POOLS: &str = "/apis/karpenter.sh/v1/nodepools";
const CLAIMS: &str = "/apis/karpenter.sh/v1/nodeclaims";
const CLASSES: &str = "/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses";
/// The only pool, and the label by which nodes and claims name it.
const POOL: &str = "general";
const POOL_LABEL: &str = "karpenter.sh/nodepool";
/// How long after a pod Karpenter asks for nodes: its own default, and as much again for a busy
/// machine.
const LONG_ENOUGH: Duration = Duration::from_secs(4);

/// The control plane with Karpenter.
struct Test<'p> {
    plane: &'p Plane,
    stage: Stage,
    karpenter: Program,
}

/// Three pods that wait: one is nominated, one gets a node of its own, one finds the pool full.
pub fn check(plane: &Plane, program: &Path) {
    let stage = Stage::new(plane);
    define_kinds(&stage, program);
    let_status_be_read(&stage);
    let class = json!({"apiVersion": "karpenter.kwok.sh/v1alpha1", "kind": "KWOKNodeClass",
        "metadata": {"name": "default"}, "spec": {"nodeRegistrationDelay": "3s"}});
    stage.admin.create(CLASSES, &class);
    stage.admin.create(POOLS, &pool());
    stage.build(&[node("n1", "2")]);
    let arguments = [
        plane.kubeconfig("admin").display().to_string(),
        "--metrics-port=0".to_owned(),
        "--health-probe-port=0".to_owned(),
        "--disable-leader-election=true".to_owned(),
    ];
    let karpenter = Program::start(program, "karpenter", &arguments, plane.folder());
    let mut test = Test { plane, stage, karpenter };
    test.wait_until_pool_is_ready();
    nominated_pod_gets_no_node(&test);
    let claim = waiting_pod_gets_a_node(&test);
    full_pool_gets_no_more(&test, &claim);
}

fn pool() -> Value {
    let is = |key: &str, value: &str| json!({"key": key, "operator": "In", "values": [value]});
    json!({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": POOL},
    "spec": {
        "limits": {"nodes": "1"},
        // It removes no node by itself.
        "disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "Never"},
        "template": {"spec": {
            "expireAfter": "Never",
            "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass",
                "name": "default"},
            "requirements": [
                is("node.kubernetes.io/instance-type", "c-4x-amd64-linux"),
                is("karpenter.sh/capacity-type", "on-demand"),
            ],
        }},
    }})
}

/// Installs the definitions that are in Karpenter's module.
fn define_kinds(stage: &Stage, program: &Path) {
    let folder = program.parent().expect("a folder").join("crds");
    for file in std::fs::read_dir(&folder).expect("definitions") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("a text");
        let definitions: Vec<Value> = serde_saphyr::from_multiple(&text).expect("YAML");
        for definition in definitions {
            stage.admin.create(DEFINITIONS, &definition);
        }
    }
    for path in [POOLS, CLAIMS, CLASSES] {
        wait_for("the kinds of Karpenter", || stage.admin.serves(path));
    }
}

/// Lets the reader see that there is no cluster-autoscaler, which has its status in a ConfigMap: who
/// may not read that gets an answer in which it is unknown whether a node comes.
fn let_status_be_read(stage: &Stage) {
    let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": {"name": "reader"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
            "name": "kubectl-preempt-scheduler-config"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User",
            "name": "reader"}]});
    let bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings";
    stage.admin.create(bindings, &binding);
}

/// kube-scheduler makes room for a pod on the node that is there. Karpenter, which could make a node
/// for it, does not.
fn nominated_pod_gets_no_node(test: &Test) {
    test.plane.kubelets.finish(false);
    test.stage.build(&[pod("low").class("low").cpu("2").on("n1")]);
    let uid = test.stage.create(&pod("urgent").class("high").cpu("1"));
    wait_for("a nomination", || !test.plane.kubelets.life(&uid).nominations.is_empty());
    sleep(LONG_ENOUGH);
    let told = test.explain("urgent");
    assert_eq!(told["autoscaling"]["verdict"], "notLooking", "{told:#}");
    assert_eq!(test.claims(), Vec::<String>::new(), "{told:#}");
    test.plane.kubelets.finish(true);
    wait_for("its victim's end", || test.plane.kubelets.life(&uid).node == "n1");
}

/// A pod for which no pods can be evicted gets a node, which is reported from the first request on
/// until the pod is on it. Returns the name of the claim.
fn waiting_pod_gets_a_node(test: &Test) -> String {
    test.karpenter.pause();
    let uid = test.wait_in_vain(&pod("web").cpu("3"));
    let told = test.explain("web");
    assert_eq!(told["autoscaling"]["verdict"], "mayCome", "{told:#}");
    assert_eq!(told["autoscaling"]["pools"][0]["answer"], "may", "{told:#}");
    let page = test.page("web");
    assert_has(&page, "NodePool general may get a node for it");

    // The claim is named as soon as Karpenter has nominated it; its node comes seconds later.
    test.karpenter.go_on();
    let mut told = Value::Null;
    wait_for("what Karpenter does", || {
        told = test.explain("web");
        let verdict = told["autoscaling"]["verdict"].as_str().expect("a verdict");
        assert!(["mayCome", "coming"].contains(&verdict), "{told:#}");
        verdict == "coming"
    });
    let claims = test.claims();
    let [claim] = claims.as_slice() else { panic!("{claims:?}: {told:#}") };
    assert_eq!(told["autoscaling"]["coming"]["what"], json!(format!("nodeclaim/{claim}")));
    assert_eq!(told["autoscaling"]["coming"]["pool"], POOL, "{told:#}");
    let page = test.page("web");
    assert_has(&page, &format!("a node is coming: nodeclaim/{claim}"));

    // It is registered, and gets ready when its kubelet says so.
    let mut name = None;
    wait_for("a registered node", || {
        name = test.registered_node();
        name.is_some()
    });
    let name = name.expect("a node");
    wait_for("what is said of a registered node", || {
        let told = test.explain("web");
        let coming = &told["autoscaling"]["coming"];
        assert_eq!(coming["what"], json!(format!("nodeclaim/{claim}")), "{told:#}");
        let state = coming["state"].as_str().expect("a state");
        state.starts_with("registered ") && state.ends_with(" waits to get ready")
    });
    test.get_ready(&name);
    wait_for("a pod on the new node", || test.plane.kubelets.life(&uid).node == name);
    claim.clone()
}

/// The pool has all the nodes that it may have: that is reported before Karpenter says so, and
/// afterwards that it has said so. No node comes.
fn full_pool_gets_no_more(test: &Test, claim: &str) {
    wait_for("the pool's sum", || {
        test.stage.admin.get(&format!("{POOLS}/{POOL}"))["status"]["resources"]["nodes"] == "1"
    });
    test.karpenter.pause();
    test.wait_in_vain(&pod("more").cpu("3"));
    let told = test.explain("more");
    assert_eq!(told["autoscaling"]["verdict"], "cannot", "{told:#}");
    let causes = json!(["has all of its 1 nodes"]);
    assert_eq!(told["autoscaling"]["pools"][0]["causes"], causes, "{told:#}");
    let page = test.page("more");
    assert_has(&page, "nothing will happen by itself: no evictions, and no NodePool");

    test.karpenter.go_on();
    let mut told = Value::Null;
    wait_for("Karpenter's answer", || {
        told = test.explain("more");
        told["autoscaling"]["verdict"] != "cannot"
    });
    assert_eq!(told["autoscaling"]["verdict"], "refused", "{told:#}");
    let answer = &told["autoscaling"]["answers"][0];
    assert_eq!((&answer["by"], &answer["understood"]), (&json!("karpenter"), &json!(true)));
    assert_eq!(answer["causes"][0]["pool"], POOL, "{told:#}");
    sleep(LONG_ENOUGH);
    assert_eq!(test.claims(), [claim], "{told:#}");
}

impl Test<'_> {
    /// Waits until Karpenter runs and has looked at its pool.
    fn wait_until_pool_is_ready(&mut self) {
        wait_for("a pool that is ready", || {
            if let Some(why) = self.karpenter.ended() {
                panic!("{why}");
            }
            let pool = self.stage.admin.get(&format!("{POOLS}/{POOL}"));
            let conditions = pool["status"]["conditions"].as_array().cloned().unwrap_or_default();
            conditions.iter().any(|one| one["type"] == "Ready" && one["status"] == "True")
        });
    }

    /// Creates a pod, and waits until the scheduler has marked it. Returns its UID.
    fn wait_in_vain(&self, pod: &Object) -> String {
        let uid = self.stage.create(pod);
        wait_for("a pod that is marked", || !self.plane.kubelets.life(&uid).messages.is_empty());
        uid
    }

    /// What is said of a pod, as JSON.
    fn explain(&self, pod: &str) -> Value {
        let arguments = ["explain", pod, "-n", NAMESPACE, "-o", "json"];
        run(&self.plane.kubeconfig("reader"), &arguments).json()
    }

    /// The same as people read it.
    fn page(&self, pod: &str) -> String {
        run(&self.plane.kubeconfig("reader"), &["explain", pod, "-n", NAMESPACE]).out
    }

    fn claims(&self) -> Vec<String> {
        let claims = self.stage.admin.list(CLAIMS);
        let name = |claim: &Value| claim["metadata"]["name"].as_str().expect("a name").to_owned();
        claims.iter().map(name).collect()
    }

    /// The name of the pool's node once Karpenter has registered it.
    fn registered_node(&self) -> Option<String> {
        let nodes = self.stage.admin.list("/api/v1/nodes");
        let node = nodes.iter().find(|node| {
            node["metadata"]["labels"][POOL_LABEL] == POOL
                && node["metadata"]["labels"]["karpenter.sh/registered"] == "true"
        })?;
        node["metadata"]["name"].as_str().map(str::to_owned)
    }

    /// Does what kubelet and node controller do when a node has come up.
    fn get_ready(&self, node: &str) {
        let path = format!("/api/v1/nodes/{node}");
        let ready = json!({"type": "Ready", "status": "True", "reason": "KubeletReady"});
        self.stage
            .admin
            .patch(&format!("{path}/status"), &json!({"status": {"conditions": [ready]}}));
        let mut taints = self.stage.admin.get(&path)["spec"]["taints"].clone();
        if let Some(taints) = taints.as_array_mut() {
            taints.retain(|taint| taint["key"] != "node.kubernetes.io/not-ready");
        }
        self.stage.admin.patch(&path, &json!({"spec": {"taints": taints}}));
    }
}
