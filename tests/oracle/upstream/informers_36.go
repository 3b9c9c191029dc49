//go:build from36

package upstream

import (
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
)

// NoEvents makes recorders that record nothing.
func NoEvents(string) events.EventRecorderLogger { return &events.FakeRecorder{} }

// Registered is the registration of a handler that has seen everything there is.
type Registered struct{}

// HasSynced says that the handler has seen everything.
func (Registered) HasSynced() bool { return true }

// HasSyncedChecker says the same through a closed channel.
func (Registered) HasSyncedChecker() cache.DoneChecker { return done{} }

type done struct{}

func (done) Name() string { return "a fixed set of objects" }

func (done) Done() <-chan struct{} { return closed }

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
