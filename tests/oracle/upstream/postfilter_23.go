//go:build k23

package upstream

import "k8s.io/kubernetes/pkg/scheduler/framework"

// TellPostFilter adds nothing: the message of these releases does not say what preemption did.
func TellPostFilter(*framework.FitError, *framework.Status) {}
