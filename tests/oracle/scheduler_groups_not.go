//go:build !from36

package main

import "oracle/cases"

// From 1.36 on there are cycles of pod groups.
var groups cases.GroupDecider
