//go:build from23 && !from29

package upstream

import "k8s.io/kubernetes/pkg/scheduler/framework"

// PluginOf is the plugin that gave this status.
func PluginOf(status *framework.Status) string { return status.FailedPlugin() }
