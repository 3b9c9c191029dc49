//go:build from29

package upstream

import (
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/pkg/features" // declares the gates
)

// SetGates sets feature gates as `--feature-gates` does; `restore` sets them back.
func SetGates(gates map[string]bool) (restore func(), err error) {
	known := utilfeature.DefaultMutableFeatureGate
	before := map[string]bool{}
	all := known.GetAll()
	for name := range gates {
		if _, is := all[featuregate.Feature(name)]; is {
			before[name] = known.Enabled(featuregate.Feature(name))
		}
	}
	restore = func() {
		if err := known.SetFromMap(before); err != nil {
			panic(err)
		}
	}
	if err := known.SetFromMap(gates); err != nil {
		restore()
		return nil, err
	}
	return restore, nil
}

// Gate says whether there is a gate of this name that can be set, and whether it is on by default.
func Gate(name string) (settable, on bool) {
	gate, known := utilfeature.DefaultMutableFeatureGate.GetAll()[featuregate.Feature(name)]
	return known && !gate.LockToDefault, gate.Default
}
