//go:build !from29

package upstream

import "errors"

// SetGates is not known of these releases.
func SetGates(map[string]bool) (restore func(), err error) {
	return nil, errors.New("feature gates are set from 1.29 on only")
}

// Gate says that there is none.
func Gate(string) (settable, on bool) { return false, false }
