//go:build k12

package generic

import (
	"sync"
	"time"
	_ "unsafe" // for steps of Preempt that the scheduler keeps to itself

	corev1 "k8s.io/api/core/v1"
	kube "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/algorithm"
	"k8s.io/kubernetes/pkg/scheduler/algorithmprovider"
	"k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/cache"
	"k8s.io/kubernetes/pkg/scheduler/core"
	"k8s.io/kubernetes/pkg/scheduler/factory"

	"oracle/cases"
	"oracle/world"
)

// Where 1.12 declares what 1.16 has elsewhere.
type (
	fitPredicate      = algorithm.FitPredicate
	predicateMetadata = algorithm.PredicateMetadata
	failureReason     = algorithm.PredicateFailureReason
	priorityConfig    = algorithm.PriorityConfig
	nodeInfo          = cache.NodeInfo
)

type scheduler struct{ config *kube.Config }

// applyFeatureGates is what kube-scheduler does once, before anything else.
var applyFeatureGates = sync.OnceFunc(func() { algorithmprovider.ApplyFeatureGates() })

// start is what kube-scheduler's own start does with its default provider, and an extender that only watches.
func start(q *cases.Question, seen *watch, stop <-chan struct{}) (*scheduler, error) {
	applyFeatureGates()
	informers, err := world.Informers(q.Objects)
	if err != nil {
		return nil, err
	}
	configurator := factory.NewConfigFactory(&factory.ConfigFactoryArgs{
		SchedulerName:                  corev1.DefaultSchedulerName,
		Client:                         world.Client,
		NodeInformer:                   informers.Core().V1().Nodes(),
		PodInformer:                    informers.Core().V1().Pods(),
		PvInformer:                     informers.Core().V1().PersistentVolumes(),
		PvcInformer:                    informers.Core().V1().PersistentVolumeClaims(),
		ReplicationControllerInformer:  informers.Core().V1().ReplicationControllers(),
		ReplicaSetInformer:             informers.Apps().V1().ReplicaSets(),
		StatefulSetInformer:            informers.Apps().V1().StatefulSets(),
		ServiceInformer:                informers.Core().V1().Services(),
		PdbInformer:                    informers.Policy().V1beta1().PodDisruptionBudgets(),
		StorageClassInformer:           informers.Storage().V1().StorageClasses(),
		HardPodAffinitySymmetricWeight: corev1.DefaultHardPodAffinitySymmetricWeight,
		PercentageOfNodesToScore:       100,
		BindTimeoutSeconds:             600,
	})
	provider, err := factory.GetAlgorithmProvider(factory.DefaultProvider)
	if err != nil {
		return nil, err
	}
	config, err := configurator.CreateFromKeys(provider.FitPredicateKeys, provider.PriorityFunctionKeys, []algorithm.SchedulerExtender{seen})
	if err != nil {
		return nil, err
	}
	go func() {
		<-stop
		close(config.StopEverything)
	}()
	// The scheduler takes the pod from its queue, and with that from the pods that were promised a node.
	informers.Core().V1().Pods().Informer().(world.Forgetful).Forget(q.Pod)
	return &scheduler{config}, nil
}

func (s *scheduler) schedule(pod *corev1.Pod) (string, error) {
	return s.config.Algorithm.Schedule(pod, s.config.NodeLister)
}

func (s *scheduler) preempt(pod *corev1.Pod, fit *core.FitError) error {
	_, _, _, err := s.config.Algorithm.Preempt(pod, s.config.NodeLister, fit)
	return err
}

func (s *scheduler) eligible(pod *corev1.Pod) (bool, error) {
	infos := map[string]*nodeInfo{}
	err := s.config.SchedulerCache.UpdateNodeNameToInfoMap(infos)
	return podEligibleToPreemptOthers(pod, infos), err
}

func mightHelp(nodes []*corev1.Node, fit *core.FitError) []*corev1.Node {
	return nodesWherePreemptionMightHelp(nodes, fit.FailedPredicates)
}

// earliestStart is none: the tie-break of this release does not ask.
func earliestStart(*api.Victims) time.Time { return time.Time{} }

//go:linkname podEligibleToPreemptOthers k8s.io/kubernetes/pkg/scheduler/core.podEligibleToPreemptOthers
func podEligibleToPreemptOthers(*corev1.Pod, map[string]*nodeInfo) bool

//go:linkname nodesWherePreemptionMightHelp k8s.io/kubernetes/pkg/scheduler/core.nodesWherePreemptionMightHelp
func nodesWherePreemptionMightHelp([]*corev1.Node, core.FailedPredicateMap) []*corev1.Node
