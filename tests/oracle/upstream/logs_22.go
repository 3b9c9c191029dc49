//go:build from19 && !from28

package upstream

import (
	"flag"
	"io"

	"k8s.io/klog/v2"
)

// Silence drops what the scheduler logs.
func Silence() {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	flags.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"})
	klog.SetOutput(io.Discard)
}
