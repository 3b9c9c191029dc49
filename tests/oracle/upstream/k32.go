//go:build from32 && !from34

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Where 1.32 and 1.33 declare the types that the later ones have in k8s.io/kube-scheduler.
type (
	Status             = framework.Status
	NodeInfo           = *framework.NodeInfo
	NodeInfoLister     = framework.NodeInfoLister
	NodeToStatusReader = framework.NodeToStatusReader
	Handle             = framework.Handle
	Extender           = framework.Extender
	NodePluginScores   = framework.NodePluginScores
	CycleState         = *framework.CycleState
)

const (
	Unschedulable = framework.Unschedulable
	Unresolvable  = framework.UnschedulableAndUnresolvable
	Error         = framework.Error
)

// NewStatus is a status with these reasons.
var NewStatus = framework.NewStatus

// SchedulePod runs the scheduler's own cycle up to the choice of a node.
func SchedulePod(ctx context.Context, s *scheduler.Scheduler, f framework.Framework, state CycleState, pod *v1.Pod) (string, error) {
	result, err := s.SchedulePod(ctx, f, state, pod)
	return result.SuggestedHost, err
}
