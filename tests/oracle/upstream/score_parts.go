//go:build from26 && !from32

package upstream

import "k8s.io/kubernetes/pkg/scheduler/framework"

// parts are what each plugin gives to each node.
func parts(scored []framework.NodePluginScores) map[string]map[string]int64 {
	parts := map[string]map[string]int64{}
	for _, node := range scored {
		parts[node.Name] = map[string]int64{}
		for _, part := range node.Scores {
			parts[node.Name][part.Name] = part.Score
		}
	}
	return parts
}
