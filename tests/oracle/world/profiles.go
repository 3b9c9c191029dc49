//go:build from23

package world

import (
	"encoding/json"
	"fmt"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
)

// Profiles are those of a KubeSchedulerConfiguration; nil stands for the defaults.
func Profiles(raw json.RawMessage) ([]config.KubeSchedulerProfile, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(raw, nil, nil)
	if err != nil {
		return nil, err
	}
	configuration, is := object.(*config.KubeSchedulerConfiguration)
	if !is {
		return nil, fmt.Errorf("not a KubeSchedulerConfiguration: %T", object)
	}
	if len(configuration.Extenders) > 0 {
		return nil, fmt.Errorf("extenders are not part of a case")
	}
	return configuration.Profiles, nil
}
