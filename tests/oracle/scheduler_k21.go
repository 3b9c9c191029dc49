//go:build from21 && !from23

package main

import (
	"oracle/cases"
	"oracle/decide/k21"
)

var scheduler cases.Decider = k21.Once
