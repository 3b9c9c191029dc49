//go:build from23 && !from32

package main

import (
	"oracle/cases"
	"oracle/decide/k28"
)

var scheduler cases.Decider = k28.Once
