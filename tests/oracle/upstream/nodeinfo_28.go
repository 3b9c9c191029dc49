//go:build from23 && !from29

package upstream

import "k8s.io/kubernetes/pkg/scheduler/framework"

// Copy is a node as it is now.
func Copy(info *framework.NodeInfo) *framework.NodeInfo { return info.Clone() }
