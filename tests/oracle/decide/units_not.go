//go:build from32 && !from36

package decide

import (
	v1 "k8s.io/api/core/v1"

	"oracle/cases"
)

// units are the victims' names; these releases have no groups that are disrupted as a whole.
func units(_ cases.Objects, victims []*v1.Pod) []string {
	names := []string{}
	for _, pod := range victims {
		names = append(names, cases.FullName(pod))
	}
	return names
}
