//go:build from24 && !from27

package upstream

import "k8s.io/kubernetes/pkg/scheduler/framework"

// TellPostFilter adds to the message what preemption said, errors left out.
func TellPostFilter(fit *framework.FitError, status *framework.Status) {
	if status.Code() != framework.Error {
		fit.Diagnosis.PostFilterMsg = status.Message()
	}
}
