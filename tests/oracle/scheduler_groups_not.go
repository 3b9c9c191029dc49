//go:build !from35

package main

import "oracle/cases"

// Before 1.35 there are no groups of pods.
var groups cases.GroupDecider
