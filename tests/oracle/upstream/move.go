package upstream

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
)

// Move moves the times of an object from the clock of a case to this machine's, by `apiVersion/kind`.
var Move = map[string]func(object runtime.Object, shift time.Duration){}
