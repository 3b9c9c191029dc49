//go:build from36 && !from38

package main

import (
	"oracle/cases"
	"oracle/decide"
)

var groups cases.GroupDecider = decide.Group
