package main

import (
	"fmt"
	"math/rand"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"k8s.io/autoscaler/cluster-autoscaler/cloudprovider"
	"k8s.io/autoscaler/cluster-autoscaler/config"
	"k8s.io/autoscaler/cluster-autoscaler/estimator"
	"k8s.io/autoscaler/cluster-autoscaler/utils/units"
)

// A group of nodes, as the cloud has it.
type group struct {
	id, zone         string
	min, max, target int
	// The cloud gives it no more nodes.
	isBroken bool
	// What a new node of it is like.
	template *corev1.Node
	// How its nodes' names begin.
	prefix string
	// What its nodes have only while they start.
	startTaint string
	// Its nodes are in several zones.
	isSpread bool
	// How many devices each node has.
	devices int
}

// A cluster, and what the cloud has for it.
type situation struct {
	random  *rand.Rand
	groups  []*group
	groupOf map[string]string
	nodes   []*corev1.Node
	pods    []*corev1.Pod
	daemons []*appsv1.DaemonSet
	classes []*storagev1.StorageClass
	claims  []*corev1.PersistentVolumeClaim
	volumes []*corev1.PersistentVolume
	slices  []*resourcev1.ResourceSlice
	devices []runtime.Object
	flags   []string
	options config.AutoscalingOptions
	now     time.Time
	// The pod that is asked about comes with those beside it once the others have been looked at.
	late []*corev1.Pod
}

var (
	zones = []string{"a", "b", "c"}
	teams = []string{"red", "blue"}
	// Names that contain each other.
	names = []string{"app", "app-gpu", "app-gpu-spot", "gpu", "app-a1b2c3d4"}
	// Taints that a group's nodes have for good, or while they start.
	gpu         = corev1.Taint{Key: "gpu", Value: "true", Effect: corev1.TaintEffectNoSchedule}
	soft        = corev1.Taint{Key: "soft", Value: "yes", Effect: corev1.TaintEffectPreferNoSchedule}
	startTaints = []string{"startup-taint.cluster-autoscaler.kubernetes.io/agent", "example.com/agent-not-ready"}
)

// True once in `of` times.
func (s *situation) once(of int) bool { return s.random.Intn(of) == 0 }

func (s *situation) any(of ...string) string { return of[s.random.Intn(len(of))] }

func (s *situation) ago(age time.Duration) metav1.Time { return metav1.NewTime(s.now.Add(-age)) }

func (s *situation) flag(name, value string) { s.flags = append(s.flags, "--"+name+"="+value) }

func randomSituation(random *rand.Rand) *situation {
	s := &situation{random: random, groupOf: map[string]string{}, now: time.Now().UTC().Truncate(time.Second)}
	if s.once(3) {
		s.daemons = append(s.daemons, s.daemon())
	}
	s.nodes = append(s.nodes, s.controlPlane())
	s.addGroups()
	for _, group := range s.groups {
		for range random.Intn(4) {
			s.addNode(group)
		}
		group.target = s.count(group)
		// Nodes of which no one knows when they were asked for, as after a restart.
		if s.once(12) {
			group.target++
		}
		group.max = group.target
		if !s.once(4) {
			group.max += 1 + random.Intn(4)
		}
		if s.once(20) {
			group.min = min(group.target, 1)
		}
	}
	s.choose()
	s.pods = append(s.pods, s.program())
	s.addWeb()
	if s.isPatient() {
		return s
	}
	// Earlier pods, for which nodes may be on their way when the one that is asked about comes.
	for index := range random.Intn(3) {
		pod := s.pending(fmt.Sprintf("early-%d", index), s.any("1", "1900m", "3", "7"))
		if s.once(2) {
			pod.Spec.NodeSelector = map[string]string{"group": s.groups[random.Intn(len(s.groups))].template.Labels["group"]}
		}
		s.pods = append(s.pods, pod)
	}
	return s
}

func (s *situation) count(group *group) int {
	count := 0
	for _, id := range s.groupOf {
		if id == group.id {
			count++
		}
	}
	return count
}

func (s *situation) group(id string) *group {
	for _, group := range s.groups {
		if group.id == id {
			return group
		}
	}
	return nil
}

// Whether the pod is left until it is older. Others would take the room meanwhile.
func (s *situation) isPatient() bool {
	return s.options.NewPodScaleUpDelay > 0 || len(s.web().Annotations) > 0
}

func (s *situation) web() *corev1.Pod {
	for _, pod := range append(s.late, s.pods...) {
		if pod.Name == "web" {
			return pod
		}
	}
	return nil
}

// What the API lists of it.
func (s *situation) objects() []runtime.Object {
	all := s.listed()
	for _, o := range s.pods {
		all = append(all, o.DeepCopy())
	}
	return all
}

// The same without pods, which only loops read.
func (s *situation) listed() []runtime.Object {
	var all []runtime.Object
	for _, o := range s.nodes {
		all = append(all, o.DeepCopy())
	}
	for _, o := range s.daemons {
		all = append(all, o)
	}
	for _, o := range s.classes {
		all = append(all, o)
	}
	for _, o := range s.claims {
		all = append(all, o)
	}
	for _, o := range s.volumes {
		all = append(all, o)
	}
	for _, o := range s.slices {
		all = append(all, o)
	}
	return append(all, s.devices...)
}

func (s *situation) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), CreationTimestamp: s.ago(time.Hour)}
}

func (s *situation) inShop(name string) metav1.ObjectMeta {
	meta := s.meta(name)
	meta.Namespace = "shop"
	return meta
}

func cpu(amount string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(amount)}
}

// The groups of one provider: how it names them, and how their nodes show it.
func (s *situation) addGroups() {
	provider := s.any("eks", "eks", "gke", "gke", "aks", "scaleway", "asg")
	order := s.random.Perm(len(names))
	for _, index := range order[:1+s.random.Intn(3)] {
		name := names[index]
		g := &group{zone: s.any(zones...), prefix: "node-" + name}
		labels := map[string]string{"group": name, corev1.LabelOSStable: "linux",
			corev1.LabelArchStable: s.any("amd64", "amd64", "arm64"), corev1.LabelTopologyZone: g.zone}
		switch provider {
		case "eks":
			g.id = fmt.Sprintf("eks-%s-%08x-1111-2222-3333-444455556666", name, s.random.Uint32())
			labels["eks.amazonaws.com/nodegroup"] = name
		case "gke":
			base := fmt.Sprintf("gke-shop-%s-%08x", name, s.random.Uint32())
			g.id = "https://www.googleapis.com/compute/v1/projects/p/zones/" + g.zone + "/instanceGroups/" + base + "-grp"
			g.prefix = base
			labels["cloud.google.com/gke-nodepool"] = name
		case "aks":
			name = strings.ReplaceAll(name, "-", "")
			g.id = fmt.Sprintf("aks-%s-%d-vmss", name, 10000000+s.random.Intn(1000))
			labels["kubernetes.azure.com/agentpool"] = name
		case "scaleway":
			g.id = name
			labels["k8s.scaleway.com/pool-name"] = name
		default:
			g.id = "shop-" + name + "-asg"
		}
		if s.once(3) {
			labels["team"] = s.any(teams...)
		}
		node := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: s.meta("template-" + name)}
		node.Labels = labels
		if s.once(5) {
			node.Spec.Taints = append(node.Spec.Taints, gpu)
		}
		if s.once(8) {
			node.Spec.Taints = append(node.Spec.Taints, soft)
		}
		if s.once(5) {
			g.startTaint = s.any(startTaints...)
		}
		capacity := cpu(s.any("2", "4", "8"))
		capacity[corev1.ResourceMemory] = resource.MustParse("8Gi")
		capacity[corev1.ResourcePods] = resource.MustParse("10")
		node.Status = corev1.NodeStatus{Capacity: capacity, Allocatable: capacity,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: s.ago(50 * time.Minute)}}}
		g.template = node
		g.isBroken = s.once(6)
		g.isSpread = provider != "gke" && s.once(4)
		if s.once(6) {
			g.devices = 1 + s.random.Intn(2)
		}
		s.groups = append(s.groups, g)
	}
}

// The devices of a node of a group.
func (s *situation) slicesOf(g *group, node string) []*resourcev1.ResourceSlice {
	if g.devices == 0 {
		return nil
	}
	slice := &resourcev1.ResourceSlice{TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceSlice"},
		ObjectMeta: s.meta("slice-" + node), Spec: resourcev1.ResourceSliceSpec{Driver: "gpu.example.com", NodeName: &node,
			Pool: resourcev1.ResourcePool{Name: node, ResourceSliceCount: 1}}}
	for index := range g.devices {
		slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{Name: fmt.Sprintf("gpu-%d", index)})
	}
	return []*resourcev1.ResourceSlice{slice}
}

// A node of a group, ready or in some other state.
func (s *situation) addNode(g *group) *corev1.Node {
	node := g.template.DeepCopy()
	node.ObjectMeta = s.meta(fmt.Sprintf("%s-%s%d", g.prefix, s.any("x", "y", "z"), len(s.nodes)))
	node.Labels = map[string]string{}
	for key, value := range g.template.Labels {
		node.Labels[key] = value
	}
	node.Labels[corev1.LabelHostname] = node.Name
	if g.isSpread {
		node.Labels[corev1.LabelTopologyZone] = s.any(zones...)
	}
	node.Spec.ProviderID = node.Name
	switch s.random.Intn(16) {
	case 0:
		node.Spec.Unschedulable = true
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	case 1:
		s.unready(node)
	case 2:
		s.unready(node)
		node.CreationTimestamp = s.ago(2 * time.Minute)
	case 3:
		if g.startTaint != "" {
			node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: g.startTaint, Effect: corev1.TaintEffectNoSchedule})
			node.CreationTimestamp = s.ago(2 * time.Minute)
		}
	}
	s.nodes = append(s.nodes, node)
	s.groupOf[node.Name] = g.id
	s.slices = append(s.slices, s.slicesOf(g, node.Name)...)
	s.fill(node)
	return node
}

func (s *situation) unready(node *corev1.Node) {
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionFalse, LastTransitionTime: s.ago(90 * time.Second)}}
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule},
		corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute})
}

func (s *situation) controlPlane() *corev1.Node {
	node := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: s.meta("cp")}
	node.Labels = map[string]string{corev1.LabelHostname: "cp", "node-role.kubernetes.io/control-plane": "", corev1.LabelTopologyZone: "a"}
	node.Spec.Taints = []corev1.Taint{{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule}}
	capacity := cpu("4")
	capacity[corev1.ResourceMemory], capacity[corev1.ResourcePods] = resource.MustParse("8Gi"), resource.MustParse("10")
	node.Status = corev1.NodeStatus{Capacity: capacity, Allocatable: capacity,
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: s.ago(50 * time.Minute)}}}
	return node
}

// The settings, as flags and as the program has them.
func (s *situation) choose() {
	s.options = config.AutoscalingOptions{
		NodeGroupDefaults: config.NodeGroupAutoscalingOptions{ScaleDownUnneededTime: 10 * time.Minute,
			ScaleDownUnreadyTime: 20 * time.Minute, ScaleDownUtilizationThreshold: 0.5,
			MaxNodeProvisionTime: 15 * time.Minute, MaxNodeStartupTime: 15 * time.Minute},
		MaxTotalUnreadyPercentage: 45, OkTotalUnreadyCount: 3, EstimatorName: estimator.BinpackingEstimatorName,
		ExpanderNames: "random", ScaleUpFromZero: true, MaxBinpackingTime: 5 * time.Minute, MaxNodesPerScaleUp: 1000,
		MaxNodeGroupBinpackingDuration: 10 * time.Second, WriteStatusConfigMap: true, ConfigNamespace: namespace,
		StatusConfigMapName: statusName, ExpendablePodsPriorityCutoff: -10, PredicateParallelism: 1,
		InitialNodeGroupBackoffDuration: 5 * time.Minute, MaxNodeGroupBackoffDuration: 30 * time.Minute,
		NodeGroupBackoffResetTimeout: 3 * time.Hour, NodeInfoCacheExpireTime: 87600 * time.Hour,
		MaxCoresTotal: 320000, MaxMemoryTotal: 6400000 * units.GiB,
	}
	s.flag("v", "4")
	s.flag("expander", "random")
	if s.once(6) {
		s.options.MaxNodesTotal = len(s.nodes) + s.random.Intn(3)
		s.flag("max-nodes-total", fmt.Sprint(s.options.MaxNodesTotal))
	}
	if s.once(6) {
		s.options.MaxCoresTotal = int64(4 + s.random.Intn(24))
		s.flag("cores-total", fmt.Sprintf("0:%d", s.options.MaxCoresTotal))
	}
	if s.once(12) {
		gigabytes := int64(16 + 4*s.random.Intn(12))
		s.options.MaxMemoryTotal = gigabytes * units.GiB
		s.flag("memory-total", fmt.Sprintf("0:%d", gigabytes))
	}
	if s.once(15) {
		s.options.ExpendablePodsPriorityCutoff = s.random.Intn(2)
		s.flag("expendable-pods-priority-cutoff", fmt.Sprint(s.options.ExpendablePodsPriorityCutoff))
	}
	if s.once(20) {
		s.options.NewPodScaleUpDelay = time.Minute
		s.flag("new-pod-scale-up-delay", "1m")
	}
	if s.once(10) {
		s.options.AllowedSchedulers = map[string]bool{"default-scheduler": true}
		s.flag("allowed-scheduler-names", "default-scheduler")
	}
	if s.once(10) {
		s.options.BypassedSchedulers = map[string]bool{"volcano": true}
		s.flag("bypassed-scheduler-names", "volcano")
	}
	if s.once(2) {
		s.options.DynamicResourceAllocationEnabled = true
		s.flag("enable-dynamic-resource-allocation", "true")
	}
	if s.once(2) {
		s.options.StartupTaints = []string{startTaints[1]}
		s.flag("startup-taint", startTaints[1])
	}
}

func (s *situation) settings() config.AutoscalingOptions { return s.options }

// The most of each resource.
func (s *situation) most() map[string]int64 {
	return map[string]int64{cloudprovider.ResourceNameCores: s.options.MaxCoresTotal,
		cloudprovider.ResourceNameMemory: s.options.MaxMemoryTotal}
}

// The pod of cluster-autoscaler itself, with its flags.
func (s *situation) program() *corev1.Pod {
	pod := s.pending("cluster-autoscaler-6d5f7c9b8-x2k4p", "100m")
	pod.Namespace = namespace
	pod.Spec.NodeName = "cp"
	pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	pod.Spec.Containers[0] = corev1.Container{Name: "cluster-autoscaler", Image: "registry.k8s.io/autoscaling/cluster-autoscaler:v1.36.1",
		Command: append([]string{"./cluster-autoscaler"}, s.flags...), Resources: pod.Spec.Containers[0].Resources}
	pod.Status = s.running()
	return pod
}

func (s *situation) running() corev1.PodStatus {
	started := s.ago(30 * time.Minute)
	return corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &started, Conditions: []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, {Type: corev1.PodReady, Status: corev1.ConditionTrue}}}
}

func controller(kind, name string) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{APIVersion: "apps/v1", Kind: kind, Name: name, UID: types.UID("uid-" + name), Controller: &yes}
}

func (s *situation) pending(name, asks string) *corev1.Pod {
	zero := int32(0)
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: s.inShop(name),
		Spec: corev1.PodSpec{Priority: &zero, SchedulerName: "default-scheduler", Containers: []corev1.Container{
			{Name: "c", Image: "i", Resources: corev1.ResourceRequirements{Requests: cpu(asks)}}}},
		Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
			LastTransitionTime: s.ago(5 * time.Second)}}}}
	pod.CreationTimestamp = s.ago(20 * time.Second)
	return pod
}

// Pods on a node: the daemon's, and some of the same importance as the one that is asked about, or
// so unimportant that cluster-autoscaler does not count them.
func (s *situation) fill(node *corev1.Node) {
	free := node.Status.Allocatable.Cpu().MilliValue()
	put := func(name string, asks int64, owner metav1.OwnerReference) *corev1.Pod {
		free -= asks
		pod := s.pending(name, fmt.Sprintf("%dm", asks))
		pod.Spec.NodeName = node.Name
		pod.OwnerReferences = []metav1.OwnerReference{owner}
		pod.CreationTimestamp = s.ago(30 * time.Minute)
		pod.Status = s.running()
		s.pods = append(s.pods, pod)
		return pod
	}
	if len(s.daemons) > 0 && !s.once(5) {
		put("agent-"+node.Name, 300, controller("DaemonSet", "agent")).Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	for index := range 1 + s.random.Intn(3) {
		asks := int64(500 * (1 + s.random.Intn(10)))
		if asks > free {
			continue
		}
		pod := put(fmt.Sprintf("on-%s-%d", node.Name, index), asks, controller("ReplicaSet", "rs"))
		pod.Labels = map[string]string{"app": s.any("web", "db", "other")}
		if s.once(10) {
			low := int32(-20)
			pod.Spec.Priority = &low
		}
	}
}

func (s *situation) daemon() *appsv1.DaemonSet {
	labels := map[string]string{"app": "agent"}
	pod := s.pending("agent", "300m").Spec
	pod.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	return &appsv1.DaemonSet{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"}, ObjectMeta: s.inShop("agent"),
		Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod}}}
}
