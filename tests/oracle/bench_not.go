//go:build !from32

package main

import "errors"

func benchCommand([]string) error { return errors.New("only releases from 1.33 on are timed") }
