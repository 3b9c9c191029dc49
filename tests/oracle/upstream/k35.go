//go:build from35

package upstream

import (
	fwk "k8s.io/kube-scheduler/framework"
)

// From 1.35 on the types of the framework are in k8s.io/kube-scheduler.
type (
	Status             = fwk.Status
	NodeInfo           = fwk.NodeInfo
	NodeInfoLister     = fwk.NodeInfoLister
	NodeToStatusReader = fwk.NodeToStatusReader
	Handle             = fwk.Handle
	Extender           = fwk.Extender
	NodePluginScores   = fwk.NodePluginScores
	CycleState         = fwk.CycleState
)

const (
	Unschedulable = fwk.Unschedulable
	Unresolvable  = fwk.UnschedulableAndUnresolvable
	Error         = fwk.Error
)

// NewStatus is a status with these reasons.
var NewStatus = fwk.NewStatus
