//go:build !from20 && whole

package main

import (
	"k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper"
)

// The score of NodeAffinity parses terms one after the other, and ends with the first error.
var preferred = func(terms []v1.PreferredSchedulingTerm) error {
	for _, term := range terms {
		if term.Weight == 0 {
			continue
		}
		if _, err := helper.NodeSelectorRequirementsAsSelector(term.Preference.MatchExpressions); err != nil {
			return err
		}
	}
	return nil
}
