//go:build from19 && !from21

package main

import (
	"oracle/cases"
	"oracle/decide/k19"
)

var scheduler cases.Decider = k19.Once
