//go:build k22

package main

import (
	"oracle/cases"
	"oracle/decide/k22"
)

var scheduler cases.Decider = k22.Once
