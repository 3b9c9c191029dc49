//go:build from36

package decide

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"oracle/cases"
	"oracle/upstream"
)

// podGroup is the object of this name, nil if there is none.
func podGroup(objects cases.Objects, namespace, name string) *upstream.PodGroup {
	for _, object := range objects[upstream.GroupKind] {
		if group := object.(*upstream.PodGroup); group.Namespace == namespace && group.Name == name {
			return group
		}
	}
	return nil
}

// units are the victims' names. The pods of a group that is disrupted as a whole come in the order of a map; here by name.
func units(objects cases.Objects, victims []*v1.Pod) []string {
	whole := map[string]bool{}
	for _, object := range objects[upstream.GroupKind] {
		if group := object.(*upstream.PodGroup); upstream.DisruptedAsOne(group) {
			whole[group.Namespace+"/"+group.Name] = true
		}
	}
	unit := func(pod *v1.Pod) string {
		if group := pod.Spec.SchedulingGroup; group != nil && whole[pod.Namespace+"/"+*group.PodGroupName] {
			return pod.Namespace + "/" + *group.PodGroupName
		}
		return ""
	}
	names := []string{}
	for start, end := 0, 0; start < len(victims); start = end {
		end = start + 1
		for of := unit(victims[start]); of != "" && end < len(victims) && unit(victims[end]) == of; {
			end++
		}
		for _, pod := range victims[start:end] {
			names = append(names, cases.FullName(pod))
		}
		slices.Sort(names[start:end])
	}
	return names
}
