package main

import (
	"reflect"
	"slices"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// strangers are plugins that are not the scheduler's own: one for each name that a configuration enables and that no release
// has had. Another build of the scheduler may have them, with the points at which it is named, and is asked.
func strangers(loaded *config.KubeSchedulerConfiguration) frameworkruntime.Registry {
	registry := frameworkruntime.Registry{}
	for _, profile := range loaded.Profiles {
		points := reflect.ValueOf(*profile.Plugins)
		for i := range points.NumField() {
			point := points.Type().Field(i).Name
			_, isSpecial := special[point]
			for _, plugin := range points.Field(i).Interface().(config.PluginSet).Enabled {
				name := plugin.Name
				if name == "" || slices.Contains(inTree, name) || slices.Contains(gone, name) {
					continue
				}
				if _, known := registry[name]; !known || isSpecial {
					registry[name] = newStranger(name, point)
				}
			}
		}
	}
	return registry
}
