// Command labels says what one release's modules find wrong with label selectors and with preferred terms of node affinity.
// Cases are on stdin, as in tests/recorded/selectors/recorded.json; on stdout is what is said of each, null where this program does
// not reach the release's code. See record.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type question struct {
	Labels *metav1.LabelSelector
	Nodes  []v1.PreferredSchedulingTerm
}

func main() {
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		fmt.Fprintln(os.Stderr, "labels:", err)
		os.Exit(1)
	}
	said := []any{}
	for _, q := range questions {
		switch {
		case q.Labels != nil:
			_, err := metav1.LabelSelectorAsSelector(q.Labels)
			said = append(said, text(err))
		case preferred != nil:
			said = append(said, text(preferred(asDecoded(q.Nodes))))
		default:
			said = append(said, nil)
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.Encode(said)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// asDecoded makes empty lists nil, as they are in objects that come from an API server.
func asDecoded(terms []v1.PreferredSchedulingTerm) []v1.PreferredSchedulingTerm {
	for _, term := range terms {
		for _, list := range [][]v1.NodeSelectorRequirement{term.Preference.MatchExpressions, term.Preference.MatchFields} {
			for i := range list {
				if len(list[i].Values) == 0 {
					list[i].Values = nil
				}
			}
		}
	}
	return terms
}
