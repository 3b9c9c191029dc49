//go:build from19 && !from28

package upstream

import (
	"context"
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

// Silent is the context itself: these releases have no loggers in contexts.
func Silent(ctx context.Context) context.Context { return ctx }
