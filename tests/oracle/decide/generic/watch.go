package generic

import (
	"errors"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/algorithm"
	"k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/core"
)

// watch looks over the scheduler's shoulder: which predicate refuses a node and why, what a priority function gives it, and
// as an extender which nodes are left and which candidates preemption has. It changes nothing, but stops preemption where
// the candidates are known.
type watch struct {
	algorithm.SchedulerExtender
	sync.Mutex
	refused    map[string]string
	reasons    core.FailedPredicateMap
	scores     map[string]map[string]int64
	feasible   []string
	candidates map[*corev1.Node]*api.Victims
	panicked   any
}

func newWatch() *watch {
	return &watch{refused: map[string]string{}, reasons: core.FailedPredicateMap{}, scores: map[string]map[string]int64{}}
}

// predicates has every predicate of the scheduler watched, up to the one that is the first to refuse a node; those of dry
// runs come later and change nothing.
func (w *watch) predicates(all map[string]fitPredicate) {
	for name, predicate := range all {
		all[name] = func(pod *corev1.Pod, meta predicateMetadata, info *nodeInfo) (bool, []failureReason, error) {
			fits, reasons, err := predicate(pod, meta, info)
			if err == nil && !fits {
				w.Lock()
				defer w.Unlock()
				if node := info.Node().Name; w.refused[node] == "" {
					w.refused[node], w.reasons[node] = name, reasons
				}
			}
			return fits, reasons, err
		}
	}
}

// priorities has every priority function of the scheduler watched.
func (w *watch) priorities(all []priorityConfig) {
	for i := range all {
		own := all[i]
		switch {
		case own.Function != nil:
			all[i].Function = func(pod *corev1.Pod, infos map[string]*nodeInfo, nodes []*corev1.Node) (api.HostPriorityList, error) {
				defer w.guard()
				scores, err := own.Function(pod, infos, nodes)
				w.scored(own, scores...)
				return scores, err
			}
		case own.Reduce != nil:
			all[i].Reduce = func(pod *corev1.Pod, meta interface{}, infos map[string]*nodeInfo, scores api.HostPriorityList) error {
				defer w.guard()
				err := own.Reduce(pod, meta, infos, scores)
				w.scored(own, scores...)
				return err
			}
		default:
			all[i].Map = func(pod *corev1.Pod, meta interface{}, info *nodeInfo) (api.HostPriority, error) {
				score, err := own.Map(pod, meta, info)
				w.scored(own, score)
				return score, err
			}
		}
	}
}

// guard keeps a panic for the goroutine that decides the case: the scheduler has nothing that would stop one here.
func (w *watch) guard() {
	if p := recover(); p != nil {
		w.Lock()
		defer w.Unlock()
		w.panicked = p
	}
}

func (w *watch) scored(by priorityConfig, scores ...api.HostPriority) {
	w.Lock()
	defer w.Unlock()
	for _, score := range scores {
		if w.scores[score.Host] == nil {
			w.scores[score.Host] = map[string]int64{}
		}
		w.scores[score.Host][by.Name] = int64(score.Score) * int64(by.Weight)
	}
}

var errFound = errors.New("candidates were found")

func (w *watch) Name() string                  { return "watch" }
func (w *watch) IsBinder() bool                { return false }
func (w *watch) IsIgnorable() bool             { return false }
func (w *watch) SupportsPreemption() bool      { return true }
func (w *watch) IsInterested(*corev1.Pod) bool { return true }

func (w *watch) Filter(_ *corev1.Pod, nodes []*corev1.Node, _ map[string]*nodeInfo) ([]*corev1.Node, api.FailedNodesMap, error) {
	for _, node := range nodes {
		w.feasible = append(w.feasible, node.Name)
	}
	return slices.Clone(nodes), nil, nil
}

func (w *watch) Prioritize(*corev1.Pod, []*corev1.Node) (*api.HostPriorityList, int, error) {
	return &api.HostPriorityList{}, 0, nil
}

func (w *watch) ProcessPreemption(_ *corev1.Pod, candidates map[*corev1.Node]*api.Victims, _ map[string]*nodeInfo) (map[*corev1.Node]*api.Victims, error) {
	w.candidates = candidates
	return nil, errFound
}
