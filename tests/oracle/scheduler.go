//go:build !(k12 || k16 || k19 || k22 || k28)

package main

import (
	"oracle/cases"
	"oracle/decide"
)

var scheduler cases.Decider = decide.Once
