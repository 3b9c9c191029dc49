//go:build from32

package main

import (
	"oracle/cases"
	"oracle/decide"
)

var scheduler cases.Decider = decide.Once
