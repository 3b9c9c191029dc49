//go:build !from20 && !whole

package main

import "k8s.io/api/core/v1"

var preferred func(terms []v1.PreferredSchedulingTerm) error
