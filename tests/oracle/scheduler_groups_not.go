//go:build !from35 || from38

package main

import "oracle/cases"

// Before 1.35 there are no groups of pods; those of 1.38 are not asked about yet.
var groups cases.GroupDecider
