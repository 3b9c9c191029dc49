//go:build k35

package main

import (
	"oracle/cases"
	"oracle/decide"
)

var groups cases.GroupDecider = decide.Parts
