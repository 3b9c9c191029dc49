// Package extender is an HTTP extender on loopback that answers what a case says: the scheduler calls it as it would call any other.
package extender

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
)

// Script is what one extender answers. What it says depends on the request alone, so that it may be asked any number of times.
type Script struct {
	Filter     *Filter     `json:"filter,omitempty"`
	Prioritize *Prioritize `json:"prioritize,omitempty"`
	Preempt    *Preempt    `json:"preempt,omitempty"`
}

// Filter is what is answered to the filter verb. Without a script every node is kept.
type Filter struct {
	// Status is that of the HTTP answer, if it is not 200.
	Status int `json:"status,omitempty"`
	// Error is the extender's own.
	Error string `json:"error,omitempty"`
	// Drop are nodes that are left out of the answer.
	Drop []string `json:"drop,omitempty"`
	// Add are nodes at the end of the answer, whether they were asked about or not.
	Add []string `json:"add,omitempty"`
	// Form is `names` or `nodes`, or `none` of both; the form of the question if it is empty.
	Form         string            `json:"form,omitempty"`
	Failed       map[string]string `json:"failed,omitempty"`
	Unresolvable map[string]string `json:"unresolvable,omitempty"`
}

// Prioritize is what is answered to the prioritize verb.
type Prioritize struct {
	Status int     `json:"status,omitempty"`
	Scores []Score `json:"scores,omitempty"`
}

// Score is that of one node, which may be there several times, or not exist.
type Score struct {
	Host  string `json:"host"`
	Score int64  `json:"score"`
}

// Preempt is what is answered to the preempt verb. Without a script every node keeps its victims.
type Preempt struct {
	Status int `json:"status,omitempty"`
	// Drop are nodes that are left out of the answer.
	Drop []string `json:"drop,omitempty"`
	// First is how many of the victims of a node are named, if not all.
	First map[string]int `json:"first,omitempty"`
	// Victims are in the answer as they are, whether the extender was asked about the node or not.
	Victims map[string]Victims `json:"victims,omitempty"`
}

// Victims of one node, by their UIDs.
type Victims struct {
	UIDs       []string `json:"uids"`
	Violations int64    `json:"violations"`
}

// Answers are what the script has in it, in words.
func (s Script) Answers() (answers []string) {
	note := func(is bool, words string) {
		if is {
			answers = append(answers, words)
		}
	}
	if f := s.Filter; f != nil {
		note(f.Status != 0 || f.Error != "", "fails to filter")
		note(len(f.Drop) > 0, "leaves nodes out")
		note(len(f.Add) > 0, "names nodes twice, or others")
		note(len(f.Failed) > 0, "says why nodes fail")
		note(len(f.Unresolvable) > 0, "says that no eviction helps")
		note(f.Form != "", "answers in a form that it chooses")
	}
	if p := s.Prioritize; p != nil {
		note(p.Status != 0, "fails to score")
		note(len(p.Scores) > 0, "scores")
	}
	if p := s.Preempt; p != nil {
		note(p.Status != 0, "fails to preempt")
		note(len(p.Drop) > 0, "leaves candidates out")
		note(len(p.First) > 0, "spares victims")
		note(len(p.Victims) > 0, "names other victims")
	}
	return answers
}

// registered are the extenders that may be asked now, by their `urlPrefix`.
var registered = struct {
	sync.Mutex
	begun   bool
	scripts map[string]*served
}{scripts: map[string]*served{}}

// served is an extender that may be asked.
type served struct {
	Script
	nodes map[string]json.RawMessage
}

// Serve has extenders answer, of a cluster with these nodes, until `end` is called. Their addresses are names that only this
// program's proxy knows: they are the same every time, since the scheduler says them in errors.
func Serve(scripts map[string]Script, nodes func() map[string]json.RawMessage) (end func(), err error) {
	if len(scripts) == 0 {
		return func() {}, nil
	}
	registered.Lock()
	defer registered.Unlock()
	if err := begin(); err != nil {
		return nil, err
	}
	for url := range scripts {
		if registered.scripts[trimmed(url)] != nil {
			return nil, fmt.Errorf("another case has an extender %s", url)
		}
	}
	known := nodes()
	for url, script := range scripts {
		registered.scripts[trimmed(url)] = &served{Script: script, nodes: known}
	}
	return func() {
		registered.Lock()
		defer registered.Unlock()
		for url := range scripts {
			delete(registered.scripts, trimmed(url))
		}
	}, nil
}

// trimmed is a prefix as the scheduler writes it before a verb.
func trimmed(url string) string { return strings.TrimRight(url, "/") }

// begin listens, once, and makes the listener the proxy of whatever this program asks over HTTP.
func begin() error {
	if registered.begun {
		return nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	for _, name := range []string{"NO_PROXY", "no_proxy", "http_proxy", "REQUEST_METHOD"} {
		os.Unsetenv(name)
	}
	if err := os.Setenv("HTTP_PROXY", "http://"+listener.Addr().String()); err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(answer)}
	// Each scheduler has clients of its own, which would keep their connections open.
	server.SetKeepAlivesEnabled(false)
	go server.Serve(listener)
	registered.begun = true
	return nil
}

// request is that of any verb.
type request struct {
	Nodes                 *struct{ Items []json.RawMessage }
	NodeNames             *[]string
	NodeNameToVictims     map[string]proposal
	NodeNameToMetaVictims map[string]proposal
}

// proposal are the victims of a node, as whole pods or as their UIDs.
type proposal struct {
	Pods []struct {
		UID      string
		Metadata struct{ UID string }
	}
	NumPDBViolations int64
}

type object = map[string]any

func answer(writer http.ResponseWriter, asked *http.Request) {
	url := "http://" + asked.Host + asked.URL.Path
	cut := strings.LastIndex(url, "/")
	registered.Lock()
	extender := registered.scripts[url[:cut]]
	registered.Unlock()
	var question request
	if extender == nil || json.NewDecoder(asked.Body).Decode(&question) != nil {
		http.Error(writer, "no such extender, or no such question", http.StatusNotFound)
		return
	}
	var status int
	var body any
	switch url[cut+1:] {
	case "filter":
		status, body = extender.filter(&question)
	case "prioritize":
		status, body = extender.prioritize()
	case "preempt":
		status, body = extender.preempt(&question)
	}
	if status == 0 {
		status = http.StatusOK
	}
	writer.WriteHeader(status)
	json.NewEncoder(writer).Encode(body)
}

// names are the nodes of a question, in its order.
func (r *request) names() (names []string) {
	if r.NodeNames != nil {
		return *r.NodeNames
	}
	if r.Nodes != nil {
		for _, node := range r.Nodes.Items {
			names = append(names, nameOf(node))
		}
	}
	return names
}

func nameOf(node json.RawMessage) string {
	var named struct{ Metadata struct{ Name string } }
	if err := json.Unmarshal(node, &named); err != nil {
		panic(err) // the scheduler made it
	}
	return named.Metadata.Name
}

func (s *served) filter(asked *request) (int, any) {
	script := s.Filter
	if script == nil {
		script = &Filter{}
	}
	names := slices.DeleteFunc(slices.Clone(asked.names()), func(name string) bool { return slices.Contains(script.Drop, name) })
	names = append(names, script.Add...)
	body := object{"Error": script.Error, "FailedNodes": script.Failed, "FailedAndUnresolvableNodes": script.Unresolvable}
	form := script.Form
	if form == "" && asked.NodeNames != nil {
		form = "names"
	}
	switch form {
	case "none":
	case "names":
		body["NodeNames"] = append([]string{}, names...)
	default:
		items := []any{}
		for _, name := range names {
			if node, known := s.nodes[name]; known {
				items = append(items, node)
			} else {
				items = append(items, object{"metadata": object{"name": name}})
			}
		}
		body["Nodes"] = object{"items": items}
	}
	return script.Status, body
}

func (s *served) prioritize() (int, any) {
	if s.Prioritize == nil {
		return 0, []any{}
	}
	return s.Prioritize.Status, append([]Score{}, s.Prioritize.Scores...)
}

func (s *served) preempt(asked *request) (int, any) {
	script := s.Preempt
	if script == nil {
		script = &Preempt{}
	}
	proposed := asked.NodeNameToVictims
	if proposed == nil {
		proposed = asked.NodeNameToMetaVictims
	}
	named := map[string]Victims{}
	for node, of := range proposed {
		if slices.Contains(script.Drop, node) {
			continue
		}
		victims := Victims{Violations: of.NumPDBViolations}
		for i, pod := range of.Pods {
			if first, cut := script.First[node]; !cut || i < first {
				victims.UIDs = append(victims.UIDs, pod.UID+pod.Metadata.UID)
			}
		}
		named[node] = victims
	}
	maps.Copy(named, script.Victims)
	body := object{}
	for node, victims := range named {
		pods := []object{}
		for _, uid := range victims.UIDs {
			pods = append(pods, object{"UID": uid})
		}
		body[node] = object{"Pods": pods, "NumPDBViolations": victims.Violations}
	}
	return script.Status, object{"NodeNameToMetaVictims": body}
}
