//go:build k12 || k16

package main

import (
	"oracle/cases"
	"oracle/decide/generic"
)

var scheduler cases.Decider = generic.Once
