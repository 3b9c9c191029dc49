//go:build from24 && !from32

package upstream

import "k8s.io/kubernetes/pkg/scheduler/framework"

// keeps says which nodes PreFilter keeps; it is nil if it keeps all.
func keeps(result *framework.PreFilterResult) func(node string) bool {
	if result.AllNodes() {
		return nil
	}
	return result.NodeNames.Has
}
