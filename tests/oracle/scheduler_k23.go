//go:build from23 && !from32

package main

import (
	"oracle/cases"
	"oracle/decide/k23"
)

var scheduler cases.Decider = k23.Once
