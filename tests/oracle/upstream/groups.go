//go:build from36

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// followed is a profile that tells how its last resort for a group ends, and binds nothing while the world lasts.
type followed struct {
	framework.Framework
	begins func()
	tell   func(*Status)
}

func (followed) RunPreBindPreFlights(ctx context.Context, _ fwk.CycleState, _ *v1.Pod, _ string) *fwk.Status {
	<-ctx.Done()
	return fwk.AsStatus(ctx.Err())
}
