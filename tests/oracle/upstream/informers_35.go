//go:build from23 && !from36

package upstream

import "k8s.io/client-go/tools/events"

// NoEvents makes recorders that record nothing.
func NoEvents(string) events.EventRecorder { return &events.FakeRecorder{} }

// Registered is the registration of a handler that has seen everything there is.
type Registered struct{}

// HasSynced says that the handler has seen everything.
func (Registered) HasSynced() bool { return true }
