//go:build !from19

package main

import (
	"oracle/cases"
	"oracle/decide/generic"
)

var scheduler cases.Decider = generic.Once
