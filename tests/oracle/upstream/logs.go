//go:build from28

package upstream

import (
	"context"
	"io"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// Silence drops what the scheduler logs.
func Silence() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}

// Silent is a context whose logger says nothing.
func Silent(ctx context.Context) context.Context { return klog.NewContext(ctx, logr.Discard()) }
