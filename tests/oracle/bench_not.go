//go:build k12 || k16 || k19 || k22 || k28

package main

import "errors"

func benchCommand([]string) error { return errors.New("only releases from 1.33 on are timed") }
