//go:build k23

package k23

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func (w *watch) PodEligibleToPreemptOthers(pod *corev1.Pod, nominated *framework.Status) bool {
	w.eligible = w.Interface.PodEligibleToPreemptOthers(pod, nominated)
	return w.eligible
}
