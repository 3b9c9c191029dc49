//go:build from36

package main

import (
	"oracle/cases"
	"oracle/decide"
)

var groups cases.GroupDecider = decide.Group
