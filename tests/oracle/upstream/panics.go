//go:build from31

package upstream

import (
	"context"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// OnPanic has panics of the scheduler's goroutines told instead of ending the program.
func OnPanic(tell func(any)) {
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = append(utilruntime.PanicHandlers, func(_ context.Context, p any) { tell(p) })
}
