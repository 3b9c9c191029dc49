//go:build from20

package main

import (
	"k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

var preferred = func(terms []v1.PreferredSchedulingTerm) error {
	_, err := nodeaffinity.NewPreferredSchedulingTerms(terms)
	return err
}
