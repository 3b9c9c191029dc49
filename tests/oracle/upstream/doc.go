// Package upstream says where each minor of kube-scheduler keeps what the others name the same: one build tag per minor
// (k12 for 1.12, k33 for 1.33 and so on), and no file that knows more than one difference.
package upstream
