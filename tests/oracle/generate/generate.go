// Package generate makes small clusters that are hard on a scheduler: the same seed and index make the same cluster.
package generate

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// Now is the instant of every generated decision.
const Now = "2026-01-01T00:00:00Z"

// family is what a kind of cluster is made of: what always goes in, and what sometimes does.
type family struct {
	always    []ingredient
	sometimes []ingredient
	since     int  // the first minor that it is made for
	until     int  // the last one, if it is not made for later ones
	groups    bool // about groups, and made only when it is asked for by name
}

// ingredient puts one kind of trouble into a cluster.
type ingredient func(*cluster)

const (
	// storage is the first minor that is asked about volumes and configurations; older ones about nodes and pods alone.
	storage = 29
	// extended is the first minor that is asked with extenders, and which candidates for preemption it looks for.
	extended = 32
	// recent is the first minor that is asked about claims too, and whose nodes have no labels of old.
	recent = 33
)

// since leaves an ingredient out for older minors.
func since(minor int, add ingredient) ingredient {
	return func(c *cluster) {
		if c.minor >= minor {
			add(c)
		}
	}
}

var families = map[string]family{
	"resources":    {always: []ingredient{requests}, sometimes: []ingredient{budgets}},
	"taints":       {always: []ingredient{taints}, sometimes: []ingredient{requests, unschedulable}},
	"affinity":     {always: []ingredient{nodeAffinity}, sometimes: []ingredient{images, taints, nodeName}},
	"ports":        {always: []ingredient{ports}, sometimes: []ingredient{taints, nodeAffinity}},
	"interpod":     {always: []ingredient{podAffinity}, sometimes: []ingredient{spread, budgets, nodeAffinity}},
	"spread":       {always: []ingredient{spread}, sometimes: []ingredient{taints, nodeAffinity, budgets, services}},
	"volumes":      {always: []ingredient{volumes}, sometimes: []ingredient{budgets, taints, requests}, since: storage},
	"dra":          {always: []ingredient{claims}, sometimes: []ingredient{budgets, taints, requests}, since: recent},
	"priority":     {always: []ingredient{ladderSteps}, sometimes: []ingredient{budgets, nominations}},
	"pdb":          {always: []ingredient{budgets}, sometimes: []ingredient{ladderSteps, nominations, budgets}},
	"gates":        {always: []ingredient{gates}, sometimes: []ingredient{nominations, declaredFeatures, taints}},
	"config":       {always: []ingredient{configuration}, sometimes: []ingredient{taints, nodeAffinity, spread, podAffinity, images, requests, services}, since: storage},
	"points":       {always: []ingredient{points}, sometimes: []ingredient{taints, requests, spread, budgets}, since: storage},
	"orders":       {always: []ingredient{orders}, sometimes: []ingredient{taints, requests, budgets}, since: recent},
	"extenders":    {always: []ingredient{extenders}, sometimes: []ingredient{nodeName, nominations, budgets, images}, since: extended},
	"sampled":      {always: []ingredient{sampled}, since: extended},
	"annotations":  {always: []ingredient{annotations}, sometimes: []ingredient{budgets, requests}, since: storage},
	"states":       {always: []ingredient{claimStates}, sometimes: []ingredient{volumes, budgets, taints}, since: storage},
	"prefilters":   {always: []ingredient{preFilters}, sometimes: []ingredient{budgets, taints, nominations}, since: storage},
	"homeless":     {always: []ingredient{homeless}, sometimes: []ingredient{requests, budgets}},
	"odd":          {always: []ingredient{oddNodes}, sometimes: []ingredient{budgets, images}},
	"blanks":       {always: []ingredient{blanks}},
	"switches":     {always: []ingredient{switches}, sometimes: []ingredient{taints, requests, budgets}, since: recent},
	"binding":      {always: []ingredient{binding}, sometimes: []ingredient{taints, nodeAffinity, budgets, nominations}, since: 36},
	"attribute":    {always: []ingredient{attributes}, sometimes: []ingredient{taints, budgets}, since: 36},
	"exact":        {always: []ingredient{exact}, sometimes: []ingredient{taints, budgets}, since: 38},
	"empty":        {always: []ingredient{emptyValues}, sometimes: []ingredient{taints, spread, podAffinity, services}},
	"spelling":     {always: []ingredient{spellings}, sometimes: []ingredient{taints, budgets, nominations}},
	"invalid":      {always: []ingredient{invalidTerms}, sometimes: []ingredient{emptyValues, taints, spread}},
	"many":         {always: []ingredient{many}, sometimes: []ingredient{taints, nodeAffinity, spread, podAffinity, budgets}},
	"gang":         {always: []ingredient{gang}, since: 36, groups: true},
	"gangbatch":    {always: []ingredient{gangBatch}, since: 37, groups: true},
	"gangdevices":  {always: []ingredient{gangDevices}, since: 36, groups: true},
	"gangmixed":    {always: []ingredient{gangMixed}, since: 36, groups: true},
	"gangparts":    {always: []ingredient{gangParts}, since: 35, until: 35, groups: true},
	"gangturns":    {always: []ingredient{gangTurns}, since: 35, until: 35, groups: true},
	"gangpreempt":  {always: []ingredient{gangPreempts}, since: 36, groups: true},
	"gangtopology": {always: []ingredient{gangTopology}, since: 36, groups: true},
	"gangtree":     {always: []ingredient{gangTree}, since: 37, groups: true},
	"units":        {always: []ingredient{units}, since: 36, groups: true},
	"mixed": {sometimes: []ingredient{
		requests, taints, unschedulable, nodeAffinity, ports, podAffinity, spread, services, images,
		since(storage, volumes), since(recent, claims),
		ladderSteps, budgets, nominations, declaredFeatures, nodeName, crowded,
	}},
}

// Families are the names of the families that are made for this release, except those about groups.
func Families(version string) []string { return familiesOf(version, false) }

// GroupFamilies are those about groups, which are made by name only.
func GroupFamilies(version string) []string { return familiesOf(version, true) }

func familiesOf(version string, groups bool) []string {
	names := []string{}
	minor, err := minorOf(version)
	for name, family := range families {
		if err == nil && family.isFor(minor) && family.groups == groups {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (f family) isFor(minor int) bool {
	return minor >= f.since && (f.until == 0 || minor <= f.until)
}

// minorOf is 37 for 1.37.1.
func minorOf(version string) (minor int, err error) {
	if _, err = fmt.Sscanf(version, "1.%d", &minor); err != nil {
		err = fmt.Errorf("version %q: %w", version, err)
	}
	return minor, err
}

// One makes the case of this seed, family and index, without an answer; `version` is the release that will be asked.
func One(version string, seed uint64, name string, index int) ([]byte, error) {
	minor, err := minorOf(version)
	if err != nil {
		return nil, err
	}
	made, known := families[name]
	if !known || !made.isFor(minor) {
		return nil, fmt.Errorf("no family %q for %s; there are %v", name, version, Families(version))
	}
	hash := fnv.New64a()
	hash.Write([]byte(name))
	c := &cluster{Rand: rand.New(rand.NewPCG(seed, hash.Sum64()+uint64(index))), minor: minor, id: fmt.Sprintf("%s/%d-%06d", name, seed, index)}
	c.begin()
	for _, add := range made.always {
		add(c)
	}
	odds := 0.35
	if len(made.always) == 0 {
		odds = 0.2
	}
	for _, add := range made.sometimes {
		if c.chance(odds) {
			add(c)
		}
	}
	if c.chance(0.04) {
		crowded(c)
	}
	c.finish()
	return c.encode(version)
}

func (c *cluster) encode(version string) ([]byte, error) {
	items, made := list{}, map[string]bool{}
	for _, group := range [][]obj{c.nodes, c.namespaces, c.pods, c.others} {
		for _, item := range group {
			// An ingredient that was added twice may have made an object twice.
			key := fmt.Sprint(item["kind"], item["metadata"].(obj)["namespace"], "/", nameOf(item))
			if !made[key] {
				made[key] = true
				items = append(items, item)
			}
		}
	}
	c.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	kind, about := "pod", c.pod
	if c.group != nil {
		kind, about = "group", c.group
	}
	meta := about["metadata"].(obj)
	scheduler := obj{"version": version, "config": c.config}
	if len(c.gates) > 0 {
		scheduler["featureGates"] = c.gates
	}
	question := obj{
		"id":        "v" + version + "/" + c.id,
		"scheduler": scheduler,
		"now":       Now,
		kind:        fmt.Sprintf("%s/%s", meta["namespace"], meta["name"]),
		"cluster":   obj{"apiVersion": "v1", "kind": "List", "items": items, "metadata": obj{"resourceVersion": ""}},
	}
	if c.extenders != nil {
		question["extenders"] = c.extenders
	}
	return json.Marshal(question)
}
