//go:build k34

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// 1.34 is half way through moving its types to k8s.io/kube-scheduler.
type (
	Status             = fwk.Status
	NodeInfo           = fwk.NodeInfo
	NodeInfoLister     = framework.NodeInfoLister
	NodeToStatusReader = framework.NodeToStatusReader
	Handle             = framework.Handle
	Extender           = framework.Extender
	NodePluginScores   = framework.NodePluginScores
	CycleState         = fwk.CycleState
)

const (
	Unschedulable = fwk.Unschedulable
	Unresolvable  = fwk.UnschedulableAndUnresolvable
	Error         = fwk.Error
)

// NewStatus is a status with these reasons.
var NewStatus = fwk.NewStatus

// SchedulePod runs the scheduler's own cycle up to the choice of a node.
func SchedulePod(ctx context.Context, s *scheduler.Scheduler, f framework.Framework, state CycleState, pod *v1.Pod) (string, error) {
	result, err := s.SchedulePod(ctx, f, state, pod)
	return result.SuggestedHost, err
}
