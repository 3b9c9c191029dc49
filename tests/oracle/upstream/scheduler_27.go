//go:build from23 && !from28

package upstream

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/scheduler"
)

// NewScheduler makes the scheduler that runs until the context ends.
func NewScheduler(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory, options ...scheduler.Option) (*scheduler.Scheduler, error) {
	return scheduler.New(client, factory, nil, NoEvents, ctx.Done(), options...)
}
