//go:build from23

package world

import (
	"encoding/json"
	"fmt"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
)

// Configuration is what a KubeSchedulerConfiguration says; nothing stands for the defaults.
func Configuration(raw json.RawMessage) (*config.KubeSchedulerConfiguration, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return &config.KubeSchedulerConfiguration{}, nil
	}
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(raw, nil, nil)
	if err != nil {
		return nil, err
	}
	configuration, is := object.(*config.KubeSchedulerConfiguration)
	if !is {
		return nil, fmt.Errorf("not a KubeSchedulerConfiguration: %T", object)
	}
	return configuration, nil
}
