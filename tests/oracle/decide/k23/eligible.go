//go:build from24

package k23

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func (w *watch) PodEligibleToPreemptOthers(pod *corev1.Pod, nominated *framework.Status) (bool, string) {
	eligible, why := w.Interface.PodEligibleToPreemptOthers(pod, nominated)
	w.eligible, w.why = eligible, &why
	return eligible, why
}
