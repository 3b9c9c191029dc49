//go:build k16

package upstream

import (
	"flag"
	"io"

	"k8s.io/klog"
)

// Silence drops what the scheduler logs.
func Silence() {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	flags.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"})
	klog.SetOutput(io.Discard)
}
