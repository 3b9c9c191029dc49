"""Incidents that people have described in public, rebuilt as small clusters.

Each has the question, the cause as values of the answer, and the changes that are right. The objects are ours; the
descriptions are at `source`.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

NOW = "2026-06-01T12:00:00Z"
K8S = "https://github.com/kubernetes/kubernetes/issues/"


@dataclass
class Incident:
    """What happened, and what is right."""

    name: str
    source: str
    objects: list[dict]
    # Values that the first answer has: the path in `values`, and what stands there.
    cause: dict[str, object]
    # The kinds of changes that are right; the first advice must be one of them.
    fixes: set[str]
    tool: str = "pod_explain"
    arguments: dict = field(default_factory=lambda: {"pod": "web", "namespace": "shop"})


def node(name: str, cpu: str = "4", memory: str = "16Gi", pods: str = "110", zone: str = "a", **more) -> dict:
    """A Ready node. `labels`, `taints`, `extended` resources and `unschedulable` are added."""
    amounts = {"cpu": cpu, "memory": memory, "pods": pods, "ephemeral-storage": more.get("disk", "100Gi")}
    amounts.update(more.get("extended", {}))
    labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/zone": f"eu-1{zone}",
        **more.get("labels", {}),
    }
    spec: dict = {"taints": more.get("taints", [])}
    if more.get("unschedulable"):
        spec["unschedulable"] = True
        spec["taints"] = spec["taints"] + [taint("node.kubernetes.io/unschedulable")]
    ready = more.get("ready", "True")
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": f"node-{name}", "labels": labels, "annotations": more.get("annotations", {})},
        "spec": spec,
        "status": {
            "allocatable": amounts,
            "capacity": amounts,
            "conditions": [{"type": "Ready", "status": ready, **more.get("condition", {})}],
            "nodeInfo": {"kubeletVersion": "v1.35.2"},
        },
    }


def taint(key: str, value: str = "", effect: str = "NoSchedule") -> dict:
    return {"key": key, "value": value, "effect": effect} if value else {"key": key, "effect": effect}


def pod(name: str = "web", on: str | None = None, cpu: str = "1", memory: str = "1Gi", **more) -> dict:
    """A pod of namespace shop, which waits if it is on no node. `spec` is added to its own."""
    requests = {"cpu": cpu, "memory": memory, **more.get("extended", {})}
    spec = {
        "containers": [{"name": "c", "image": "c:1", "resources": {"requests": requests}, **more.get("container", {})}],
        "schedulerName": "default-scheduler",
        "priority": more.get("priority", 0),
        "preemptionPolicy": "PreemptLowerPriority",
        **more.get("spec", {}),
    }
    if on:
        spec["nodeName"] = on
    owner = more.get("owner")
    owners = [{"apiVersion": "apps/v1", "kind": owner[0], "name": owner[1], "uid": f"{owner[0]}-{owner[1]}", "controller": True}] if owner else []
    status: dict = {"phase": "Running" if on else "Pending"}
    if on:
        status["startTime"] = "2026-05-01T00:00:00Z"
        status["conditions"] = [{"type": "Ready", "status": "True"}]
    status.update(more.get("status", {}))
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": f"pod-{name}",
            "labels": more.get("labels", {"app": name.split("-")[0]}),
            "creationTimestamp": "2026-06-01T11:59:40Z",
            "ownerReferences": owners,
            **more.get("metadata", {}),
        },
        "spec": spec,
        "status": status,
    }


def fillers(on: str, count: int = 1, cpu: str = "4", **more) -> list[dict]:
    """Pods of another application that fill a node."""
    return [pod(f"api-{on}-{n}", on, cpu, **more) for n in range(count)]


def obj(kind: str, name: str, api: str = "v1", namespace: str | None = "shop", **body) -> dict:
    meta = {"name": name, "uid": f"{kind}-{name}", **body.pop("metadata", {})}
    if namespace:
        meta["namespace"] = namespace
    return {"apiVersion": api, "kind": kind, "metadata": meta, **body}


def priority_class(name: str, value: int) -> dict:
    return obj("PriorityClass", name, "scheduling.k8s.io/v1", None, value=value)


def claim(name: str, volume: str | None = None, storage_class: str = "standard") -> dict:
    return obj(
        "PersistentVolumeClaim",
        name,
        metadata={"annotations": {"pv.kubernetes.io/bind-completed": "yes"}} if volume else {},
        spec={
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": storage_class,
            "resources": {"requests": {"storage": "10Gi"}},
            **({"volumeName": volume} if volume else {}),
        },
        status={"phase": "Bound" if volume else "Pending"},
    )


def volume(name: str, key: str, value: str, claimed_by: str = "data") -> dict:
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}]
    return obj(
        "PersistentVolume",
        name,
        namespace=None,
        spec={
            "capacity": {"storage": "10Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "standard",
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": "shop", "name": claimed_by, "uid": f"PersistentVolumeClaim-{claimed_by}"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
            "local": {"path": "/data"} if key == "kubernetes.io/hostname" else None,
            "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": name} if key != "kubernetes.io/hostname" else None,
        },
        status={"phase": "Bound"},
    )


def storage_class(name: str = "standard", mode: str = "WaitForFirstConsumer", provisioner: str = "ebs.csi.aws.com") -> dict:
    return obj("StorageClass", name, "storage.k8s.io/v1", None, provisioner=provisioner, volumeBindingMode=mode)


def mounts(name: str = "data") -> dict:
    return {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]}


def needs_labels(key: str, *values: str) -> dict:
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}]
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}}


def near(kind: str, app: str, key: str = "kubernetes.io/hostname") -> dict:
    """podAffinity or podAntiAffinity to the pods of an application."""
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def deployment(name: str = "web", replicas: int = 1, cpu: str = "1", created: int = 0, **template) -> list[dict]:
    """A Deployment with its ReplicaSet, of whose pods `created` exist."""
    selector = {"matchLabels": {"app": name}}
    labels = {"app": name}
    spec = {"containers": [{"name": "c", "image": "c:1", "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}], **template}
    tmpl = {"metadata": {"labels": labels}, "spec": spec}
    body = {"replicas": replicas, "selector": selector, "template": tmpl}
    return [
        obj("Deployment", name, "apps/v1", spec=copy.deepcopy(body), status={"replicas": created}),
        obj(
            "ReplicaSet",
            f"{name}-6d4cf56db6",
            "apps/v1",
            metadata={
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": name, "uid": f"Deployment-{name}", "controller": True}],
                "labels": labels,
            },
            spec=copy.deepcopy(body),
            status={"replicas": created},
        ),
    ]


def failed_create(message: str, owner: str = "web-6d4cf56db6") -> dict:
    return obj(
        "Event",
        "web.1",
        involvedObject={"apiVersion": "apps/v1", "kind": "ReplicaSet", "namespace": "shop", "name": owner, "uid": f"ReplicaSet-{owner}"},
        reason="FailedCreate",
        type="Warning",
        message=message,
        firstTimestamp="2026-06-01T11:50:00Z",
        lastTimestamp="2026-06-01T11:59:00Z",
        count=9,
        source={"component": "replicaset-controller"},
    )


def plugin(name: str, nearness: str | None = None) -> dict:
    wanted: dict = {"nearest.plugin": name}
    if nearness:
        wanted["nearest.nearness"] = nearness
    return wanted


GPU = taint("nvidia.com/gpu", "present")
MASTER = taint("node-role.kubernetes.io/control-plane")


def master(name: str = "cp") -> dict:
    return node(name, labels={"node-role.kubernetes.io/control-plane": ""}, taints=[MASTER])


INCIDENTS = [
    # Taints
    Incident(
        "gpu-pool-without-toleration",
        "https://koti.dev/posts/taints-and-tolerations-mismatch",
        [node("n1"), node("gpu1", "16", extended={"nvidia.com/gpu": "4"}, taints=[GPU]),
         pod(extended={"nvidia.com/gpu": "1"}, cpu="2")],
        plugin("TaintToleration"), {"toleration"},
    ),
    Incident(
        "one-node-cluster-with-control-plane-taint",
        "https://stackoverflow.com/questions/55191980/remove-node-role-kubernetes-io-masternoschedule-taint",
        [master(), pod()],
        plugin("TaintToleration"), {"toleration", "remove_taint", "add_node_like"},
    ),
    Incident(
        "dedicated-pool-only",
        "https://devopsaitoolkit.com/blog/kubernetes-error-untolerated-taint-node-affinity/",
        [master(), *[node(f"d{n}", taints=[taint("dedicated", "batch")]) for n in range(3)], pod()],
        plugin("TaintToleration"), {"toleration", "remove_taint"},
    ),
    Incident(
        "daemonset-misses-toleration-on-a-new-node",
        "https://koti.dev/posts/taints-and-tolerations-mismatch",
        [node("n1"), node("n2", taints=[taint("team", "ml")]),
         pod("agent-n1", "n1", "100m", owner=("DaemonSet", "agent")),
         pod("agent-n2", cpu="100m", owner=("DaemonSet", "agent"), spec={"affinity": {"nodeAffinity": {
             "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                 {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]}}}})],
        plugin("TaintToleration"), {"toleration", "remove_taint"},
        arguments={"pod": "agent-n2", "namespace": "shop"},
    ),
    Incident(
        "cordoned-after-an-upgrade",
        K8S + "96788",
        [node("n1"), node("n2", unschedulable=True), *fillers("n1"), pod()],
        {}, {"uncordon"},
    ),
    Incident(
        "all-nodes-cordoned",
        "https://stackoverflow.com/questions/62166622/pods-pending-because-of-node-cordon",
        [node("n1", unschedulable=True), node("n2", unschedulable=True), pod()],
        plugin("NodeUnschedulable", "Closed"), {"uncordon"},
    ),
    Incident(
        "cloud-provider-has-not-initialized",
        "https://github.com/kubernetes/cloud-provider-aws/issues/736",
        [node("n1", taints=[taint("node.cloudprovider.kubernetes.io/uninitialized", "true")]), pod()],
        plugin("TaintToleration", "Closed"), {"remove_taint"},
    ),
    Incident(
        "node-is-not-ready",
        K8S + "45126",
        [node("n1", ready="False", taints=[taint("node.kubernetes.io/not-ready")]), node("n2"), *fillers("n2"), pod()],
        {}, {"remove_taint", "add_node_like", "free", "remove_pod"},
    ),
    Incident(
        "disk-pressure",
        K8S + "66525",
        [node("n1", taints=[taint("node.kubernetes.io/disk-pressure")]), pod()],
        plugin("TaintToleration", "Closed"), {"remove_taint", "toleration"},
    ),
    # Labels
    Incident(
        "selector-for-a-label-that-no-node-has",
        "https://koti.dev/posts/affinity-rules-violation",
        [node("n1"), node("n2"), pod(spec={"nodeSelector": {"disktype": "ssd"}})],
        plugin("NodeAffinity", "OtherPool"), {"label_node", "node_selector"},
    ),
    Incident(
        "misspelt-pool",
        "https://intellira.ai/troubleshoot/kubernetes/pod-pending",
        [node("n1", labels={"pool": "general"}), node("n2", labels={"pool": "general"}),
         pod(spec={"nodeSelector": {"pool": "genral"}})],
        plugin("NodeAffinity"), {"node_selector", "label_node"},
    ),
    Incident(
        "arm-image-pinned-to-arm-nodes",
        "https://github.com/aws/karpenter-provider-aws/issues/1480",
        [node("n1"), node("n2"), pod(spec=needs_labels("kubernetes.io/arch", "arm64"))],
        plugin("NodeAffinity"), {"add_node"},
    ),
    Incident(
        "region-that-does-not-exist",
        "https://randomwrites.com/tshooting/04-Pending-Pods",
        [node("n1", labels={"region": "earth"}), pod(spec=needs_labels("region", "mars-colony-1"))],
        plugin("NodeAffinity"), {"label_node", "node_selector"},
    ),
    Incident(
        "selected-pool-is-full",
        "https://github.com/kubernetes/autoscaler/issues/4893",
        [node("n1", labels={"pool": "db"}), node("n2", labels={"pool": "web"}), *fillers("n1"),
         pod(spec={"nodeSelector": {"pool": "db"}})],
        plugin("NodeResourcesFit", "Full"), {"add_node_like", "free", "remove_pod"},
    ),
    # Room
    Incident(
        "larger-than-any-node",
        "https://intellira.ai/troubleshoot/kubernetes/pod-pending",
        [node("n1"), node("n2"), pod(cpu="12")],
        plugin("NodeResourcesFit", "TooSmall"), {"requests"},
    ),
    Incident(
        "requests-fill-idle-nodes",
        "https://stackoverflow.com/questions/38869673/pod-in-pending-state-due-to-insufficient-cpu",
        [node("n1"), node("n2"), *fillers("n1", 4, "900m"), *fillers("n2", 4, "900m"), pod(cpu="2")],
        plugin("NodeResourcesFit", "Full"), {"requests", "add_node_like", "free", "remove_pod"},
    ),
    Incident(
        "memory-in-pieces",
        K8S + "93032",
        [*[node(f"n{n}", memory="8Gi") for n in range(3)],
         *[p for n in range(3) for p in fillers(f"n{n}", 1, "1", memory="5Gi")], pod(memory="4Gi")],
        plugin("NodeResourcesFit", "Full"), {"requests", "add_node_like", "free", "remove_pod"},
    ),
    Incident(
        "too-many-pods-on-small-instances",
        "https://github.com/aws/amazon-vpc-cni-k8s/issues/1160",
        [node("n1", "8", pods="4"), *fillers("n1", 4, "100m"), pod(cpu="100m")],
        plugin("NodeResourcesFit", "Full"), {"add_node_like", "free", "remove_pod"},
    ),
    Incident(
        "ephemeral-storage-runs-out",
        K8S + "110064",
        [node("n1", disk="20Gi"), *fillers("n1", 1, "1", extended={"ephemeral-storage": "15Gi"}),
         pod(extended={"ephemeral-storage": "10Gi"})],
        plugin("NodeResourcesFit", "Full"), {"requests", "add_node_like", "free", "remove_pod"},
    ),
    Incident(
        "device-plugin-does-not-run",
        "https://github.com/NVIDIA/k8s-device-plugin/issues/33",
        [node("n1", "16"), pod(extended={"nvidia.com/gpu": "1"})],
        plugin("NodeResourcesFit", "OtherPool"), {"device_plugin"},
    ),
    Incident(
        "init-container-is-the-largest",
        K8S + "124282",
        [node("n1"), pod(cpu="500m", spec={"initContainers": [
            {"name": "warm", "image": "c:1", "resources": {"requests": {"cpu": "6"}}}]})],
        plugin("NodeResourcesFit", "TooSmall"), {"requests"},
    ),
    Incident(
        "overhead-of-a-runtime-class",
        "https://github.com/kata-containers/kata-containers/issues/2071",
        [node("n1", "2"), pod(cpu="1900m", spec={"overhead": {"cpu": "250m"}, "runtimeClassName": "kata"})],
        plugin("NodeResourcesFit", "TooSmall"), {"requests"},
    ),
    Incident(
        "daemonset-too-large-for-a-small-node",
        "https://github.com/DataDog/helm-charts/issues/395",
        [node("n1"), node("n2", "1"), *fillers("n2", 1, "700m"),
         pod("agent-n2", cpu="500m", owner=("DaemonSet", "agent"), spec={"affinity": {"nodeAffinity": {
             "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                 {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]}}}})],
        plugin("NodeResourcesFit", "Full"), {"requests", "free", "remove_pod", "priority"},
        arguments={"pod": "agent-n2", "namespace": "shop"},
    ),
    # Other pods
    Incident(
        "third-replica-with-anti-affinity-on-two-nodes",
        "https://stackoverflow.com/questions/60988911/pod-anti-affinity-and-re-balance",
        [node("n1"), node("n2"),
         *[pod(f"db-{n}", f"n{n + 1}", labels={"app": "db"}) for n in range(2)],
         pod(labels={"app": "db"}, spec=near("podAntiAffinity", "db"))],
        plugin("InterPodAffinity"), {"add_node_like", "remove_pod"},
    ),
    Incident(
        "must-be-near-a-cache-that-is-gone",
        K8S + "61894",
        [node("n1"), node("n2"), pod(spec=near("podAffinity", "cache"))],
        plugin("InterPodAffinity"), {"run_target"},
    ),
    Incident(
        "zone-spread-with-a-full-zone",
        K8S + "98215",
        [node("a1", zone="a"), node("b1", zone="b"), *fillers("b1"),
         pod("web-1", "a1", labels={"app": "web"}),
         pod(spec={"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
             "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}}]})],
        {}, {"add_node_like", "free", "remove_pod", "requests"},
    ),
    Incident(
        "host-port-is-taken",
        "https://github.com/kubernetes/ingress-nginx/issues/4408",
        [node("n1"), pod("ingress-1", "n1", labels={"app": "ingress"},
                         container={"ports": [{"containerPort": 80, "hostPort": 80}]}),
         pod(labels={"app": "ingress"}, container={"ports": [{"containerPort": 80, "hostPort": 80}]})],
        plugin("NodePorts"), {"add_node_like", "remove_pod"},
    ),
    # Priority and preemption
    Incident(
        "scheduler-will-make-room",
        "https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/",
        [node("n1"), *fillers("n1"), priority_class("high", 1000), pod(priority=1000, spec={"priorityClassName": "high"})],
        {"outcome": "Preempt"}, {"wait"},
    ),
    Incident(
        "high-priority-that-never-preempts",
        "https://github.com/kubernetes/enhancements/issues/902",
        [node("n1"), *fillers("n1"), pod(priority=1000, spec={"preemptionPolicy": "Never"})],
        plugin("NodeResourcesFit", "Full"), {"preemption_policy", "add_node_like", "free", "remove_pod", "requests"},
    ),
    Incident(
        "all-have-the-same-priority",
        K8S + "77202",
        [node("n1"), *fillers("n1", priority=500), priority_class("shop", 500), priority_class("urgent", 1000),
         pod(priority=500, spec={"priorityClassName": "shop"})],
        plugin("NodeResourcesFit", "Full"), {"priority", "add_node_like", "free", "remove_pod", "requests"},
    ),
    Incident(
        "preemption-violates-a-budget",
        K8S + "91492",
        [node("n1"), *fillers("n1", labels={"app": "api"}), priority_class("high", 1000),
         obj("PodDisruptionBudget", "api", "policy/v1", spec={"minAvailable": 1, "selector": {"matchLabels": {"app": "api"}}},
             status={"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}),
         pod(priority=1000, spec={"priorityClassName": "high"})],
        {"outcome": "Preempt"}, {"wait"},
    ),
    Incident(
        "victim-does-not-terminate",
        K8S + "95752",
        [node("n1"), pod("api-1", "n1", "4", metadata={"finalizers": ["example.com/wait"],
                                                        "deletionTimestamp": "2026-06-01T10:00:00Z",
                                                        "deletionGracePeriodSeconds": 30}),
         pod(priority=1000, status={"nominatedNodeName": "n1"})],
        {"outcome": "Preempt", "nomination.node": "n1"}, {"remove_pod", "add_node_like", "wait"},
    ),
    # Volumes
    Incident(
        "volume-in-a-full-zone",
        "https://github.com/aws/karpenter-provider-aws/issues/2971",
        [node("a1", zone="a"), node("b1", zone="b"), *fillers("a1"), storage_class(),
         claim("data", "pv-1"), volume("pv-1", "topology.kubernetes.io/zone", "eu-1a"), pod(spec=mounts())],
        {}, {"add_node_like", "free", "remove_pod", "requests"},
    ),
    Incident(
        "local-volume-of-a-lost-node",
        K8S + "121906",
        [node("n1"), node("n2"), storage_class("standard", provisioner="kubernetes.io/no-provisioner"),
         claim("data", "pv-1"), volume("pv-1", "kubernetes.io/hostname", "n0"), pod(spec=mounts())],
        plugin("VolumeBinding"), {"new_volume"},
    ),
    Incident(
        "claim-does-not-exist",
        "https://stackoverflow.com/questions/54456549/persistentvolumeclaim-not-found",
        [node("n1"), pod(spec=mounts("dta")), storage_class(), claim("data")],
        {"preFilter.reasonCodes.0": "PRE-240"}, {"create_claim"},
    ),
    Incident(
        "immediate-claim-is-not-bound",
        "https://stackoverflow.com/questions/52668938/pod-has-unbound-persistentvolumeclaims",
        [node("n1"), storage_class("standard", "Immediate"), claim("data"), pod(spec=mounts())],
        {"preFilter.reasonCodes.0": "PRE-239"}, {"bind_claim"},
    ),
    Incident(
        "volumes-per-node-are-used-up",
        "https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/1163",
        [node("n1"), storage_class(),
         obj("CSINode", "n1", "storage.k8s.io/v1", None, spec={"drivers": [
             {"name": "ebs.csi.aws.com", "nodeID": "n1", "allocatable": {"count": 1}}]}),
         claim("old", "pv-0"), volume("pv-0", "topology.kubernetes.io/zone", "eu-1a", "old"),
         pod("api-1", "n1", spec=mounts("old")),
         claim("data", "pv-1"), volume("pv-1", "topology.kubernetes.io/zone", "eu-1a"), pod(spec=mounts())],
        plugin("NodeVolumeLimits"), {"add_node_like", "remove_pod"},
    ),
    # Not in the queue, or never created
    Incident(
        "scheduler-name-that-nothing-answers-to",
        K8S + "113762",
        [node("n1"), pod(spec={"schedulerName": "defualt-scheduler"})],
        {"hold.kind": "OtherScheduler"}, {"scheduler_name"},
    ),
    Incident(
        "gate-that-was-left",
        "https://github.com/kubernetes-sigs/kueue/issues/1656",
        [node("n1"), pod(spec={"schedulingGates": [{"name": "example.com/quota"}]})],
        {"hold.kind": "Gated"}, {"remove_gate"},
    ),
    Incident(
        "quota-is-used-up",
        "https://devopsaitoolkit.com/blog/kubernetes-error-replicafailure/",
        [node("n1", "64"), *deployment(cpu="2"),
         obj("ResourceQuota", "team", spec={"hard": {"requests.cpu": "10"}},
             status={"hard": {"requests.cpu": "10"}, "used": {"requests.cpu": "9"}}),
         failed_create('Error creating: pods "web-6d4cf56db6-x2x2x" is forbidden: exceeded quota: team, requested: requests.cpu=2, used: requests.cpu=9, limited: requests.cpu=10')],
        {"items.0.refusedBy": "ResourceQuota"}, {"quota"},
        arguments={"pod": "deploy/web", "namespace": "shop"},
    ),
    Incident(
        "priority-class-was-deleted",
        "https://stackoverflow.com/questions/63408184/no-priorityclass-with-name-was-found",
        [node("n1"), *deployment(priorityClassName="gold"), priority_class("silver", 100),
         failed_create('Error creating: pods "web-6d4cf56db6-" is forbidden: no PriorityClass with name gold was found')],
        {"items.0.refusedBy": "PriorityClass"}, {"priority_class"},
        arguments={"pod": "deploy/web", "namespace": "shop"},
    ),
    Incident(
        "limit-range-maximum",
        "https://www.fixdevs.com/blog/kubernetes-resource-quota-exceeded/",
        [node("n1", "64"), *deployment(cpu="4"),
         obj("LimitRange", "limits", spec={"limits": [{"type": "Pod", "max": {"cpu": "2"}}]}),
         failed_create('Error creating: pods "web-6d4cf56db6-x" is forbidden: maximum cpu usage per Pod is 2, but request is 4')],
        {"items.0.refusedBy": "LimitRange"}, {"limit_range"},
        arguments={"pod": "deploy/web", "namespace": "shop"},
    ),
    Incident(
        "scheduler-is-dead",
        K8S + "61122",
        [master(), node("n1"), pod(metadata={"creationTimestamp": "2026-06-01T09:00:00Z"}),
         obj("Lease", "kube-scheduler", "coordination.k8s.io/v1", "kube-system",
             spec={"holderIdentity": "cp_1", "leaseDurationSeconds": 15, "renewTime": "2026-06-01T08:00:00.000000Z"})],
        {"silence.state": "Down"}, {"scheduler"},
    ),
]
