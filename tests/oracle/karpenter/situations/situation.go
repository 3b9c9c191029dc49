package main

import (
	"fmt"
	"math/rand"
	"time"

	"github.com/awslabs/operatorpkg/status"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

// A cluster, and the sizes that the cloud has for its pools.
type situation struct {
	random    *rand.Rand
	pools     []*v1.NodePool
	sizes     map[string][]*cloudprovider.InstanceType
	nodes     []*corev1.Node
	claims    []*v1.NodeClaim
	pods      []*corev1.Pod
	daemons   []*appsv1.DaemonSet
	classes   []*storagev1.StorageClass
	pvcs      []*corev1.PersistentVolumeClaim
	volumes   []*corev1.PersistentVolume
	nodeCount int
}

var (
	now   = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	zones = []string{"a", "b", "c"}
	// What is asked for and given: a provider's own label, and one that only some pools have.
	teams = []string{"red", "blue"}
	soft  = corev1.Taint{Key: "soft", Value: "yes", Effect: corev1.TaintEffectPreferNoSchedule}
	gpu   = corev1.Taint{Key: "gpu", Value: "true", Effect: corev1.TaintEffectNoSchedule}
	start = corev1.Taint{Key: "example.com/starting", Effect: corev1.TaintEffectNoSchedule}
)

func (s *situation) objects() []client.Object {
	var all []client.Object
	for _, o := range s.pools {
		all = append(all, o)
	}
	for _, o := range s.nodes {
		all = append(all, o)
	}
	for _, o := range s.claims {
		all = append(all, o)
	}
	for _, o := range s.pods {
		all = append(all, o)
	}
	for _, o := range s.daemons {
		all = append(all, o)
	}
	for _, o := range s.classes {
		all = append(all, o)
	}
	for _, o := range s.pvcs {
		all = append(all, o)
	}
	for _, o := range s.volumes {
		all = append(all, o)
	}
	return all
}

func (s *situation) web() *corev1.Pod {
	for _, pod := range s.pods {
		if pod.Name == "web" {
			return pod
		}
	}
	return nil
}

// True once in `of` times.
func (s *situation) once(of int) bool { return s.random.Intn(of) == 0 }

func (s *situation) any(of []string) string { return of[s.random.Intn(len(of))] }

func randomSituation(random *rand.Rand) *situation {
	s := &situation{random: random, sizes: map[string][]*cloudprovider.InstanceType{}}
	if s.once(3) {
		s.daemons = append(s.daemons, daemon())
	}
	for index := range 1 + random.Intn(3) {
		s.addPool(fmt.Sprintf("p%d", index))
	}
	for range random.Intn(4) {
		s.addNode()
	}
	s.addWeb()
	if s.once(5) {
		other := pending("other", fmt.Sprint(1+random.Intn(3)))
		s.pods = append(s.pods, other)
	}
	return s
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), CreationTimestamp: metav1.NewTime(now.Add(-time.Hour))}
}

func inNamespace(name string) metav1.ObjectMeta {
	o := meta(name)
	o.Namespace = "shop"
	return o
}

func class() *v1.NodeClassReference {
	return &v1.NodeClassReference{Group: "karpenter.kwok.sh", Kind: "KWOKNodeClass", Name: "default"}
}

func cpu(amount string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(amount)}
}

func is(kind, value, reason string) status.Condition {
	return status.Condition{Type: kind, Status: metav1.ConditionStatus(value), Reason: reason, LastTransitionTime: metav1.NewTime(now.Add(-10 * time.Minute))}
}

// A pool with up to three sizes, of which some zones may have none.
func (s *situation) addPool(name string) {
	weight := int32(s.random.Intn(3))
	pool := &v1.NodePool{
		TypeMeta:   metav1.TypeMeta{APIVersion: "karpenter.sh/v1", Kind: "NodePool"},
		ObjectMeta: meta(name),
		Spec: v1.NodePoolSpec{Weight: &weight, Template: v1.NodeClaimTemplate{
			Spec: v1.NodeClaimTemplateSpec{NodeClassRef: class()}}},
	}
	ready := "True"
	if s.once(12) {
		ready = "False"
	}
	// Karpenter makes the sum of the two others itself.
	pool.Status.Conditions = []status.Condition{is("ValidationSucceeded", "True", "ValidationSucceeded"),
		is("NodeClassReady", ready, "NodeClassReady"), is("Ready", ready, "Ready")}
	requires := func(key string, operator corev1.NodeSelectorOperator, least *int, values ...string) {
		pool.Spec.Template.Spec.Requirements = append(pool.Spec.Template.Spec.Requirements,
			v1.NodeSelectorRequirementWithMinValues{Key: key, Operator: operator, Values: values, MinValues: least})
	}
	if s.once(3) {
		requires(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, nil, s.any(zones), s.any(zones))
	}
	if s.once(3) {
		requires(corev1.LabelArchStable, corev1.NodeSelectorOpIn, nil, s.any([]string{"amd64", "arm64"}))
	}
	if s.once(8) {
		least := 2
		requires(corev1.LabelInstanceTypeStable, corev1.NodeSelectorOpExists, &least)
	}
	if s.once(3) {
		pool.Spec.Template.Labels = map[string]string{"team": s.any(teams)}
	}
	if s.once(5) {
		pool.Spec.Template.Spec.Taints = append(pool.Spec.Template.Spec.Taints, gpu)
	}
	if s.once(8) {
		pool.Spec.Template.Spec.Taints = append(pool.Spec.Template.Spec.Taints, soft)
	}
	if s.once(4) {
		pool.Spec.Template.Spec.StartupTaints = []corev1.Taint{start}
	}
	if s.once(3) {
		pool.Spec.Limits = v1.Limits(cpu(fmt.Sprint(2 + s.random.Intn(12))))
	}
	for index := range 1 + s.random.Intn(3) {
		s.sizes[name] = append(s.sizes[name], s.size(fmt.Sprintf("%s-size-%d", name, index)))
	}
	s.pools = append(s.pools, pool)
}

func (s *situation) size(name string) *cloudprovider.InstanceType {
	arch := "amd64"
	if s.once(4) {
		arch = "arm64"
	}
	var offered cloudprovider.Offerings
	var available []string
	for _, zone := range zones {
		if s.once(3) {
			continue
		}
		available = append(available, zone)
		offered = append(offered, &cloudprovider.Offering{Available: true, Price: 1,
			Requirements: scheduling.NewLabelRequirements(map[string]string{
				v1.CapacityTypeLabelKey: "on-demand", corev1.LabelTopologyZone: zone})})
	}
	capacity := cpu([]string{"2", "4", "8"}[s.random.Intn(3)])
	capacity[corev1.ResourceMemory] = resource.MustParse("8Gi")
	capacity[corev1.ResourcePods] = resource.MustParse("10")
	return &cloudprovider.InstanceType{
		Name: name,
		Requirements: scheduling.NewRequirements(
			scheduling.NewRequirement(corev1.LabelInstanceTypeStable, corev1.NodeSelectorOpIn, name),
			scheduling.NewRequirement(corev1.LabelArchStable, corev1.NodeSelectorOpIn, arch),
			scheduling.NewRequirement(corev1.LabelOSStable, corev1.NodeSelectorOpIn, "linux"),
			scheduling.NewRequirement(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, available...),
			scheduling.NewRequirement(v1.CapacityTypeLabelKey, corev1.NodeSelectorOpIn, "on-demand"),
		),
		Offerings: offered,
		Capacity:  capacity,
		Overhead:  &cloudprovider.InstanceTypeOverhead{KubeReserved: cpu("100m")},
	}
}

// A node of a pool, in one of the states of its life: in flight, starting, there, leaving; or one of no pool.
func (s *situation) addNode() {
	s.nodeCount++
	name := fmt.Sprintf("n%d", s.nodeCount)
	pool := s.pools[s.random.Intn(len(s.pools))]
	size := s.sizes[pool.Name][s.random.Intn(len(s.sizes[pool.Name]))]
	if len(size.Offerings) == 0 {
		return
	}
	labels := map[string]string{corev1.LabelHostname: name, corev1.LabelOSStable: "linux",
		corev1.LabelArchStable:         size.Requirements.Get(corev1.LabelArchStable).Any(),
		corev1.LabelTopologyZone:       size.Offerings[s.random.Intn(len(size.Offerings))].Zone(),
		corev1.LabelInstanceTypeStable: size.Name, v1.CapacityTypeLabelKey: "on-demand"}
	for key, value := range pool.Spec.Template.Labels {
		labels[key] = value
	}
	node := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: meta(name)}
	node.Labels = labels
	node.Spec.ProviderID = "test://" + name
	node.Status = corev1.NodeStatus{Capacity: size.Capacity, Allocatable: size.Allocatable(),
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(now.Add(-10 * time.Minute))}}}
	if s.once(5) {
		s.nodes = append(s.nodes, node)
		s.fill(node)
		return
	}
	labels[v1.NodePoolLabelKey] = pool.Name
	claim := s.claim(node, pool)
	state := s.random.Intn(5)
	if state == 0 {
		claim.Status.NodeName = ""
		claim.Status.Conditions = []status.Condition{is("Launched", "True", "Launched"),
			is("Registered", "Unknown", "NodeNotFound"), is("Initialized", "Unknown", "NodeNotFound"), is("Ready", "Unknown", "NodeNotFound")}
		s.claims = append(s.claims, claim)
		s.used(pool, size)
		return
	}
	labels[v1.NodeRegisteredLabelKey] = "true"
	switch state {
	case 1:
		node.Spec.Taints = append(node.Spec.Taints, pool.Spec.Template.Spec.StartupTaints...)
		node.Status.Conditions[0].Status = corev1.ConditionFalse
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule})
		claim.Status.Conditions = []status.Condition{is("Launched", "True", "Launched"),
			is("Registered", "True", "Registered"), is("Initialized", "Unknown", "NodeNotReady"), is("Ready", "Unknown", "NodeNotReady")}
	case 2:
		labels[v1.NodeInitializedLabelKey] = "true"
		leaves := metav1.NewTime(now.Add(-time.Minute))
		claim.DeletionTimestamp, claim.Finalizers = &leaves, []string{v1.TerminationFinalizer}
		node.DeletionTimestamp, node.Finalizers = &leaves, []string{v1.TerminationFinalizer}
		node.Spec.Taints = append(node.Spec.Taints, v1.DisruptedNoScheduleTaint)
	default:
		labels[v1.NodeInitializedLabelKey] = "true"
	}
	node.Spec.Taints = append(node.Spec.Taints, pool.Spec.Template.Spec.Taints...)
	claim.Labels = node.Labels
	s.nodes = append(s.nodes, node)
	s.claims = append(s.claims, claim)
	s.fill(node)
	if state != 2 {
		s.used(pool, size)
	}
}

func (s *situation) claim(node *corev1.Node, pool *v1.NodePool) *v1.NodeClaim {
	claim := &v1.NodeClaim{TypeMeta: metav1.TypeMeta{APIVersion: "karpenter.sh/v1", Kind: "NodeClaim"}, ObjectMeta: meta("c-" + node.Name)}
	claim.Labels = node.Labels
	claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "karpenter.sh/v1", Kind: "NodePool", Name: pool.Name, UID: pool.UID}}
	claim.Spec = v1.NodeClaimSpec{NodeClassRef: class(), Taints: pool.Spec.Template.Spec.Taints,
		StartupTaints: pool.Spec.Template.Spec.StartupTaints}
	claim.Status = v1.NodeClaimStatus{NodeName: node.Name, ProviderID: node.Spec.ProviderID,
		Capacity: node.Status.Capacity, Allocatable: node.Status.Allocatable,
		Conditions: []status.Condition{is("Launched", "True", "Launched"), is("Registered", "True", "Registered"),
			is("Initialized", "True", "Initialized"), is("Ready", "True", "Ready")}}
	return claim
}

// The pool's own count of what its nodes have.
func (s *situation) used(pool *v1.NodePool, size *cloudprovider.InstanceType) {
	if pool.Status.Resources == nil {
		pool.Status.Resources = corev1.ResourceList{}
	}
	sum := pool.Status.Resources[corev1.ResourceCPU]
	sum.Add(size.Capacity[corev1.ResourceCPU])
	pool.Status.Resources[corev1.ResourceCPU] = sum
}

// Pods of the same importance as the one that is asked about, so that none is evicted.
func (s *situation) fill(node *corev1.Node) {
	free := node.Status.Allocatable.Cpu().MilliValue()
	for index := range s.random.Intn(3) {
		asks := int64(500 * (1 + s.random.Intn(8)))
		if asks > free {
			continue
		}
		free -= asks
		pod := pending(fmt.Sprintf("on-%s-%d", node.Name, index), fmt.Sprintf("%dm", asks))
		pod.Spec.NodeName = node.Name
		pod.OwnerReferences = []metav1.OwnerReference{controller("ReplicaSet", "rs")}
		started := metav1.NewTime(now.Add(-30 * time.Minute))
		pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &started, Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, {Type: corev1.PodReady, Status: corev1.ConditionTrue}}}
		s.pods = append(s.pods, pod)
	}
}

func controller(kind, name string) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{APIVersion: "apps/v1", Kind: kind, Name: name, UID: types.UID("uid-" + name), Controller: &yes}
}

func pending(name, asks string) *corev1.Pod {
	zero := int32(0)
	return &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: inNamespace(name),
		Spec: corev1.PodSpec{Priority: &zero, SchedulerName: "default-scheduler", Containers: []corev1.Container{
			{Name: "c", Image: "i", Resources: corev1.ResourceRequirements{Requests: cpu(asks)}}}},
		Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
			LastTransitionTime: metav1.NewTime(now.Add(-20 * time.Second))}}}}
}

// The pod that is asked about.
func (s *situation) addWeb() {
	pod := pending("web", []string{"500m", "1", "1900m", "3", "5", "7", "12"}[s.random.Intn(7)])
	selects := map[string]string{}
	if s.once(4) {
		selects[corev1.LabelTopologyZone] = s.any(zones)
	}
	if s.once(5) {
		selects["team"] = s.any(teams)
	}
	if s.once(6) {
		selects[corev1.LabelArchStable] = s.any([]string{"amd64", "arm64"})
	}
	if s.once(15) {
		selects["example.com/unknown"] = "x"
	}
	if s.once(15) {
		selects[v1.NodePoolLabelKey] = s.pools[0].Name
	}
	if len(selects) > 0 {
		pod.Spec.NodeSelector = selects
	}
	if s.once(3) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists})
	}
	switch s.random.Intn(20) {
	case 0, 1:
		pod.Spec.SchedulerName = "volcano"
	case 2:
		pod.Status.NominatedNodeName = "n1"
	case 3:
		pod.OwnerReferences = []metav1.OwnerReference{controller("DaemonSet", "agent")}
	case 4, 5, 6, 7:
		s.addClaimOf(pod)
	}
	s.pods = append(s.pods, pod)
}

// A claim of the pod in one of the states that decide whether Karpenter looks at it.
func (s *situation) addClaimOf(pod *corev1.Pod) {
	pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	state := s.random.Intn(6)
	if state == 0 {
		return
	}
	immediate, waits := storagev1.VolumeBindingImmediate, storagev1.VolumeBindingWaitForFirstConsumer
	for name, mode := range map[string]*storagev1.VolumeBindingMode{"now": &immediate, "later": &waits} {
		s.classes = append(s.classes, &storagev1.StorageClass{TypeMeta: metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"},
			ObjectMeta: meta(name), Provisioner: "disks.example.com", VolumeBindingMode: mode})
	}
	pvc := &corev1.PersistentVolumeClaim{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"}, ObjectMeta: inNamespace("data"),
		Spec: corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}}
	name := []string{"", "now", "later", "missing", "later"}[state-1]
	pvc.Spec.StorageClassName = &name
	if state == 5 {
		pvc.Spec.VolumeName, pvc.Status.Phase = "pv", corev1.ClaimBound
		pvc.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
		s.volumes = append(s.volumes, &corev1.PersistentVolume{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"}, ObjectMeta: meta("pv"),
			Spec: corev1.PersistentVolumeSpec{StorageClassName: name, Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
				AccessModes:            []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				ClaimRef:               &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: "shop", Name: "data", UID: pvc.UID},
				PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "disks.example.com", VolumeHandle: "pv"}},
				NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{s.any(zones)}}}}}}}},
			Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound}})
	}
	s.pvcs = append(s.pvcs, pvc)
}

// A DaemonSet whose pod every new node runs.
func daemon() *appsv1.DaemonSet {
	labels := map[string]string{"app": "agent"}
	pod := pending("agent", "300m").Spec
	pod.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	return &appsv1.DaemonSet{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"}, ObjectMeta: inNamespace("agent"),
		Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod}}}
}
