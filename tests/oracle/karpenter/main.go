// Judges random pools and pods by Karpenter's own code: which pools are compatible with a pod by
// requirements and taints, in which order they are tried, and which are over their limits. Each line
// is a case: the objects, and what Karpenter says of each pool.
//
//	go run . CASES SEED > cases.jsonl
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/utils/nodepool"
)

// One case: the objects as the API has them, and the verdict on each pool.
type testCase struct {
	Pod   *corev1.Pod            `json:"pod"`
	Pools []*v1.NodePool         `json:"pools"`
	Order []string               `json:"order"`
	Says  map[string]poolVerdict `json:"says"`
}

type poolVerdict struct {
	Compatible bool `json:"compatible"`
	Exceeded   bool `json:"exceeded"`
}

// Labels with their values: well known ones, custom ones, an old spelling, the host's, numbers.
var keys = []struct {
	name   string
	values []string
}{
	{"kubernetes.io/arch", []string{"amd64", "arm64"}},
	{"beta.kubernetes.io/arch", []string{"amd64", "arm64"}},
	{"topology.kubernetes.io/zone", []string{"a", "b", "c"}},
	{"karpenter.sh/capacity-type", []string{"spot", "on-demand"}},
	{"karpenter.sh/nodepool", []string{"p0", "p1", "p2"}},
	{"team", []string{"red", "blue"}},
	{"generation", []string{"1", "2", "3", "4", "5", "x"}},
	{"example.com/tier", []string{"gold", "iron"}},
	{"kubernetes.io/hostname", []string{"n1", "n2"}},
}

var taints = []corev1.Taint{
	{Key: "gpu", Value: "true", Effect: corev1.TaintEffectNoSchedule},
	{Key: "gpu", Effect: corev1.TaintEffectNoExecute},
	{Key: "soft", Value: "yes", Effect: corev1.TaintEffectPreferNoSchedule},
	{Key: "team", Value: "red", Effect: corev1.TaintEffectNoSchedule},
}

func main() {
	cases, seed := number(1, 10000), number(2, 7)
	random := rand.New(rand.NewSource(int64(seed)))
	out := json.NewEncoder(os.Stdout)
	for range cases {
		if err := out.Encode(judge(random)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func number(at, otherwise int) int {
	if len(os.Args) <= at {
		return otherwise
	}
	value, err := strconv.Atoi(os.Args[at])
	if err != nil {
		fmt.Fprintf(os.Stderr, "not a number: %s\n", os.Args[at])
		os.Exit(2)
	}
	return value
}

func judge(random *rand.Rand) testCase {
	pod := randomPod(random)
	result := testCase{Pod: pod, Says: map[string]poolVerdict{}}
	for index := range 1 + random.Intn(3) {
		result.Pools = append(result.Pools, randomPool(random, fmt.Sprintf("p%d", index)))
	}
	for _, pool := range result.Pools {
		result.Says[pool.Name] = poolVerdict{
			Compatible: isCompatible(pool, pod),
			Exceeded:   pool.Spec.Limits.ExceededBy(pool.Status.Resources) != nil,
		}
	}
	ordered := append([]*v1.NodePool{}, result.Pools...)
	nodepool.OrderByWeight(ordered)
	for _, pool := range ordered {
		result.Order = append(result.Order, pool.Name)
	}
	return result
}

// Whether taints and labels let the pool make a node for the pod, with what Karpenter relaxes: it
// drops one alternative of the node affinity after the other, and tolerates soft taints in the end.
func isCompatible(pool *v1.NodePool, pod *corev1.Pod) bool {
	// A pod that asks for no pool is refused before anything is tried.
	for _, wanted := range scheduling.NewPodRequirements(pod) {
		if wanted.Key == v1.NodePoolLabelKey && wanted.Operator() == corev1.NodeSelectorOpDoesNotExist {
			return false
		}
	}
	hard := scheduling.Taints{}
	for _, taint := range pool.Spec.Template.Spec.Taints {
		if taint.Effect != corev1.TaintEffectPreferNoSchedule {
			hard = append(hard, taint)
		}
	}
	if hard.ToleratesPod(pod) != nil {
		return false
	}
	has := scheduling.NewNodeSelectorRequirementsWithMinValues(pool.Spec.Template.Spec.Requirements...)
	has.Add(scheduling.NewLabelRequirements(pool.Spec.Template.Labels).Values()...)
	has.Add(scheduling.NewRequirement(v1.NodePoolLabelKey, corev1.NodeSelectorOpIn, pool.Name))
	// Each claim gets a host name of its own.
	has.Add(scheduling.NewRequirement(corev1.LabelHostname, corev1.NodeSelectorOpIn, "hostname-placeholder-0001"))
	for tries := pod.DeepCopy(); ; {
		wants := scheduling.NewStrictPodRequirements(tries)
		if has.IsCompatible(wants, scheduling.AllowUndefinedWellKnownLabels) {
			return true
		}
		affinity := tries.Spec.Affinity
		if affinity == nil || affinity.NodeAffinity == nil {
			return false
		}
		required := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		if required == nil || len(required.NodeSelectorTerms) < 2 {
			return false
		}
		required.NodeSelectorTerms = required.NodeSelectorTerms[1:]
	}
}

func randomPod(random *rand.Rand) *corev1.Pod {
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "uid-web"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}}}}},
		Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}},
	}
	for range random.Intn(2) {
		key := keys[random.Intn(len(keys))]
		pod.Spec.NodeSelector = map[string]string{key.name: key.values[random.Intn(len(key.values))]}
	}
	if terms := random.Intn(3); terms > 0 {
		selector := &corev1.NodeSelector{}
		for range terms {
			term := corev1.NodeSelectorTerm{}
			for range 1 + random.Intn(2) {
				key, operator, values := requirement(random, false)
				term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{
					Key: key, Operator: operator, Values: values})
			}
			selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, term)
		}
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: selector}}
	}
	for range random.Intn(3) {
		taint := taints[random.Intn(len(taints))]
		toleration := corev1.Toleration{Key: taint.Key, Operator: corev1.TolerationOpExists}
		if random.Intn(2) == 0 {
			toleration.Operator, toleration.Value = corev1.TolerationOpEqual, taint.Value
		}
		if random.Intn(2) == 0 {
			toleration.Effect = taint.Effect
		}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, toleration)
	}
	return pod
}

func requirement(random *rand.Rand, ofPool bool) (string, corev1.NodeSelectorOperator, []string) {
	key := keys[random.Intn(len(keys))]
	operators := []corev1.NodeSelectorOperator{"In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}
	if ofPool {
		operators = append(operators, "Gte", "Lte")
	}
	operator := operators[random.Intn(len(operators))]
	switch operator {
	case "Exists", "DoesNotExist":
		return key.name, operator, nil
	case "Gt", "Lt", "Gte", "Lte":
		return "generation", operator, []string{strconv.Itoa(random.Intn(7))}
	default:
		values := []string{}
		for range 1 + random.Intn(2) {
			values = append(values, key.values[random.Intn(len(key.values))])
		}
		return key.name, operator, values
	}
}

func randomPool(random *rand.Rand, name string) *v1.NodePool {
	weight := int32(random.Intn(3))
	pool := &v1.NodePool{
		TypeMeta:   metav1.TypeMeta{APIVersion: "karpenter.sh/v1", Kind: "NodePool"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1.NodePoolSpec{Weight: &weight, Template: v1.NodeClaimTemplate{Spec: v1.NodeClaimTemplateSpec{
			NodeClassRef: &v1.NodeClassReference{Group: "karpenter.k8s.aws", Kind: "EC2NodeClass", Name: "default"}}}},
	}
	for range random.Intn(4) {
		key, operator, values := requirement(random, true)
		if key == corev1.LabelHostname || key == v1.NodePoolLabelKey {
			continue
		}
		pool.Spec.Template.Spec.Requirements = append(pool.Spec.Template.Spec.Requirements,
			v1.NodeSelectorRequirementWithMinValues{Key: key, Operator: operator, Values: values})
	}
	if random.Intn(3) == 0 {
		pool.Spec.Template.Labels = map[string]string{"team": []string{"red", "blue"}[random.Intn(2)]}
	}
	for _, taint := range taints {
		if random.Intn(6) == 0 {
			pool.Spec.Template.Spec.Taints = append(pool.Spec.Template.Spec.Taints, taint)
		}
	}
	if random.Intn(3) == 0 {
		amount := func(most int) resource.Quantity { return resource.MustParse(strconv.Itoa(random.Intn(most))) }
		pool.Spec.Limits = v1.Limits{corev1.ResourceCPU: amount(20)}
		pool.Status.Resources = corev1.ResourceList{corev1.ResourceCPU: amount(20)}
	}
	return pool
}
