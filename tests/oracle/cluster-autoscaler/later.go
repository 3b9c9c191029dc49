package main

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cloud "k8s.io/autoscaler/cluster-autoscaler/cloudprovider/test"
)

// What happens between the first loops: nodes that were asked for register, others leave.
func (s *situation) later(a *autoscaler) {
	for _, g := range s.groups {
		target, _ := a.cloud.GetNodeGroup(g.id).TargetSize()
		if target > s.count(g) && g.devices == 0 && s.once(3) {
			node := s.addNode(g)
			node.CreationTimestamp = s.ago(10 * time.Second)
			a.cloud.AddNode(g.id, node)
		}
		if s.once(6) {
			s.remove(g, a)
		}
	}
}

// A node of a group leaves: marked, gone from the cloud, or no longer counted.
func (s *situation) remove(g *group, a *autoscaler) {
	for _, node := range s.nodes {
		if s.groupOf[node.Name] != g.id {
			continue
		}
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: "ToBeDeletedByClusterAutoscaler",
			Value: fmt.Sprint(s.now.Unix()), Effect: corev1.TaintEffectNoSchedule})
		if s.once(2) {
			in := a.cloud.GetNodeGroup(g.id).(*cloud.TestNodeGroup)
			size, _ := in.TargetSize()
			in.SetTargetSize(size - 1)
			if s.once(2) {
				a.cloud.DeleteNode(node)
			}
		}
		return
	}
}

// The pod that is asked about, and sometimes others beside it.
func (s *situation) addWeb() {
	pod := s.pending("web", s.any("500m", "1", "1500m", "1900m", "1900m", "3", "3500m", "7", "12"))
	pod.Labels = map[string]string{"app": "web"}
	pod.OwnerReferences = []metav1.OwnerReference{controller("ReplicaSet", "rs")}
	s.restrict(pod)
	switch s.random.Intn(36) {
	case 0, 1, 2:
		pod.Spec.SchedulerName = "volcano"
		if s.once(3) {
			pod.Status.Conditions = nil
		}
	case 3:
		pod.Status.NominatedNodeName = s.any(s.nodes[s.random.Intn(len(s.nodes))].Name, "gone")
	case 4:
		pod.OwnerReferences = []metav1.OwnerReference{controller("DaemonSet", "agent")}
	case 5:
		low := int32(-20)
		pod.Spec.Priority = &low
	case 6:
		pod.Annotations = map[string]string{"cluster-autoscaler.kubernetes.io/pod-scale-up-delay": s.any("10s", "5m")}
	case 7:
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/hold"}}
		pod.Status.Conditions[0].Reason = corev1.PodReasonSchedulingGated
	case 8, 9, 10, 11:
		s.addClaimOf(pod)
	case 12, 13:
		s.addDeviceClaimOf(pod)
	}
	if s.once(3) {
		never := corev1.PreemptNever
		pod.Spec.PreemptionPolicy = &never
	}
	s.late = append(s.late, pod)
	if s.isPatient() {
		return
	}
	if s.once(4) {
		s.late = append(s.late, s.pending("other", fmt.Sprint(1+s.random.Intn(3))))
	}
	if s.once(6) {
		twin := pod.DeepCopy()
		twin.Name, twin.UID = "web-twin", "uid-web-twin"
		s.late = append(s.late, twin)
	}
}

// Where a pod may be.
func (s *situation) restrict(pod *corev1.Pod) {
	selects := map[string]string{}
	if s.once(7) {
		selects[corev1.LabelTopologyZone] = s.any(zones...)
	}
	if s.once(9) {
		selects["team"] = s.any(teams...)
	}
	if s.once(6) {
		selects[corev1.LabelArchStable] = s.any("amd64", "arm64")
	}
	if s.once(6) {
		selects["group"] = s.groups[s.random.Intn(len(s.groups))].template.Labels["group"]
	}
	if s.once(30) {
		selects["example.com/unknown"] = "x"
	}
	if len(selects) > 0 {
		pod.Spec.NodeSelector = selects
	}
	if s.once(2) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists})
	}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": s.any("web", "db")}}
	key := s.any(corev1.LabelHostname, corev1.LabelTopologyZone)
	term := []corev1.PodAffinityTerm{{LabelSelector: selector, TopologyKey: key}}
	switch s.random.Intn(12) {
	case 0:
		pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: key,
			WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: selector}}
	case 1:
		pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term}}
	case 2:
		pod.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term}}
	case 3:
		pod.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 8080, ContainerPort: 8080, Protocol: corev1.ProtocolTCP}}
	}
}

// A claim of the pod, in one of the states of its life.
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
			ObjectMeta: s.meta(name), Provisioner: "disks.example.com", VolumeBindingMode: mode})
	}
	claim := &corev1.PersistentVolumeClaim{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"}, ObjectMeta: s.inShop("data"),
		Spec: corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}}
	name := []string{"", "now", "later", "missing", "later"}[state-1]
	claim.Spec.StorageClassName = &name
	if state == 5 {
		claim.Spec.VolumeName, claim.Status.Phase = "pv", corev1.ClaimBound
		claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
		s.volumes = append(s.volumes, &corev1.PersistentVolume{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"}, ObjectMeta: s.meta("pv"),
			Spec: corev1.PersistentVolumeSpec{StorageClassName: name, Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
				AccessModes:            []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				ClaimRef:               &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: "shop", Name: "data", UID: claim.UID},
				PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "disks.example.com", VolumeHandle: "pv"}},
				NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{s.any(zones...)}}}}}}}},
			Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound}})
	}
	s.claims = append(s.claims, claim)
}

// A claim of a device for the pod.
func (s *situation) addDeviceClaimOf(pod *corev1.Pod) {
	name := "gpu"
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: name, ResourceClaimName: &name}}
	pod.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: name}}
	class := &resourcev1.DeviceClass{TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "DeviceClass"}, ObjectMeta: s.meta("gpus"),
		Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "gpu.example.com"`}}}}}
	claim := &resourcev1.ResourceClaim{TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceClaim"}, ObjectMeta: s.inShop(name),
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{Name: "gpu",
			Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpus", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1}}}}}}
	s.devices = append(s.devices, class, claim)
}
