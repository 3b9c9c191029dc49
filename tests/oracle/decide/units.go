//go:build from36

package decide

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"oracle/cases"
	"oracle/upstream"
)

// units are the victims' names. The pods of a group that is disrupted as a whole come in the order of a map; here by name.
func units(objects cases.Objects, victims []*v1.Pod) []string {
	names := []string{}
	for start, end := 0, 0; start < len(victims); start = end {
		end = start + 1
		for unit := upstream.Unit(victims[start], objects.Find); unit != "" && end < len(victims) && upstream.Unit(victims[end], objects.Find) == unit; {
			end++
		}
		for _, pod := range victims[start:end] {
			names = append(names, cases.FullName(pod))
		}
		slices.Sort(names[start:end])
	}
	return names
}
