package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"
	"sync"

	"oracle/admit"
	"oracle/cases"
)

// admitCommand passes cases on with their objects as the API server would have stored them. What it would have refused is
// told on standard error, grouped; with -drop such a case is left out.
func admitCommand(args []string) error {
	flags := flag.NewFlagSet("admit", flag.ExitOnError)
	drop := flags.Bool("drop", false, "leave out cases with an object that the API server would refuse")
	check := flags.Bool("check", false, "fail when there is such an object; print no cases")
	if err := flags.Parse(args); err != nil {
		return err
	}
	refusals := &tally{counts: map[string]int{}, examples: map[string]string{}}
	total := 0
	err := stream(os.Stdin, os.Stdout, 2, func(line []byte) []byte {
		c, wrong, err := admitCase(line)
		refusals.Lock()
		defer refusals.Unlock()
		total++
		if err != nil {
			refusals.add(err.Error(), string(line[:min(60, len(line))]))
			return nil
		}
		for _, why := range wrong {
			refusals.add(why, c.ID)
		}
		if *check || *drop && len(wrong) > 0 {
			return nil
		}
		text, err := encode(c)
		if err != nil {
			refusals.add(err.Error(), c.ID)
		}
		return text
	})
	refusals.print()
	fmt.Fprintf(stderr, "%d cases, %d objects that the API server would refuse\n", total, refusals.total)
	if err == nil && *check && refusals.total > 0 {
		err = errors.New("there are such objects")
	}
	return err
}

func admitCase(line []byte) (*cases.Case, []string, error) {
	var c cases.Case
	if err := json.Unmarshal(line, &c); err != nil {
		return nil, nil, err
	}
	var wrong []string
	var err error
	if unset := cases.Under(c.Scheduler.Gates, func() { wrong, err = admitItems(&c) }); unset != nil {
		return nil, nil, unset
	}
	return &c, wrong, err
}

// admitItems stores the objects of a case; gives back what is wrong with them.
func admitItems(c *cases.Case) ([]string, error) {
	var cluster map[string]json.RawMessage
	if err := json.Unmarshal(c.Cluster, &cluster); err != nil {
		return nil, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(cluster["items"], &items); err != nil {
		return nil, err
	}
	var wrong []string
	seen := map[string]bool{}
	for i, item := range items {
		if key := identity(item); seen[key] {
			wrong = append(wrong, "twice: "+key)
		} else {
			seen[key] = true
		}
		stored, err := admit.Object(item)
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		if stored != nil {
			items[i] = stored
		}
	}
	var err error
	if cluster["items"], err = encode(items); err != nil {
		return nil, err
	}
	c.Cluster, err = encode(cluster)
	return wrong, err
}

func identity(object json.RawMessage) string {
	var head struct {
		APIVersion string
		Kind       string
		Metadata   struct{ Namespace, Name string }
	}
	if err := json.Unmarshal(object, &head); err != nil {
		return err.Error()
	}
	return strings.Join([]string{head.APIVersion, head.Kind, head.Metadata.Namespace, head.Metadata.Name}, " ")
}

// tally counts messages that differ only in names and numbers.
type tally struct {
	sync.Mutex
	counts   map[string]int
	examples map[string]string
	total    int
}

var particular = regexp.MustCompile(`\[\d+\]|"[^"]*"|\d+`)

func (t *tally) add(message, example string) {
	key := particular.ReplaceAllString(strings.ReplaceAll(message, "\n", " "), "*")
	t.counts[key]++
	t.examples[key] = example + ": " + message
	t.total++
}

func (t *tally) print() {
	keys := []string{}
	for key := range t.counts {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(i, j int) bool { return t.counts[keys[i]] > t.counts[keys[j]] })
	for _, key := range keys {
		example := []byte(t.examples[key])
		fmt.Fprintf(stderr, "%6d  %s\n", t.counts[key], bytes.TrimSpace(example[:min(400, len(example))]))
	}
}
