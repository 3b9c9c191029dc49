// Package upstream says where each minor of kube-scheduler keeps what the others name the same: a build tag for each minor
// (k33 is 1.33 and no other) and one for it and all later ones (from33), and no file that knows more than one difference.
package upstream
