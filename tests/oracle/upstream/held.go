package upstream

import "k8s.io/apimachinery/pkg/runtime"

// Held makes the form in which the scheduler's informers hold objects of these Kinds; the others stay as they are.
var Held = map[string]func(runtime.Object) (runtime.Object, error){}
