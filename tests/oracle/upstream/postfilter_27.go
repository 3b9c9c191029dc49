//go:build from27 && !from32

package upstream

import "k8s.io/kubernetes/pkg/scheduler/framework"

// TellPostFilter adds to the message what preemption said.
func TellPostFilter(fit *framework.FitError, status *framework.Status) {
	fit.Diagnosis.PostFilterMsg = status.Message()
}
