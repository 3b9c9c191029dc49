// kubectl itself, linked from its own library: the program that people run plugins through.
package main

import (
	_ "k8s.io/client-go/plugin/pkg/client/auth" // as the program itself does
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
