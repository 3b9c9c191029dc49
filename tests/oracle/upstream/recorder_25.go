//go:build from25 && !from32

package upstream

import "k8s.io/kubernetes/pkg/scheduler/framework"

// EndRecorder does nothing: what flushes a framework's metrics ends with the scheduler.
func EndRecorder(framework.Framework) {}
