//go:build k12 || k16 || k19 || k22 || k28

package upstream

import utilruntime "k8s.io/apimachinery/pkg/util/runtime"

// OnPanic has panics of the scheduler's goroutines told instead of ending the program.
func OnPanic(tell func(any)) {
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = append(utilruntime.PanicHandlers, func(p any) { tell(p) })
}
