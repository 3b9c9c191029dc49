package cases

import (
	"reflect"
	"slices"
	"unsafe"
)

// starts is from how many nodes a scheduler is made to start that does not look at every node.
const starts = 24

// Samples says whether a scheduler may stop before it has seen every node that passes the filters.
func Samples(nodes, passed int) bool { return nodes > 100 && passed >= 100 }

// Sample notes which nodes a scheduler chooses that does not look at every node, wherever it starts; `choose` runs its cycle.
func (a *Answer) Sample(scheduler any, nodes int, choose func() (string, error)) error {
	next := reflect.ValueOf(scheduler).Elem().FieldByName("nextStartNodeIndex")
	start := (*int)(unsafe.Pointer(next.UnsafeAddr()))
	for i := range starts {
		*start = i * nodes / starts
		host, err := choose()
		if err != nil {
			return err
		}
		if !slices.Contains(a.Expect.Sampled, host) {
			a.Expect.Sampled = append(a.Expect.Sampled, host)
		}
	}
	slices.Sort(a.Expect.Sampled)
	return nil
}
