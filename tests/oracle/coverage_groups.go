package main

import (
	"encoding/json"

	"oracle/cases"
)

// addGroup counts what a case of a pod group exercises.
func (s coverage) addGroup(line []byte) {
	var c struct {
		cases.Case
		Expect *cases.GroupExpect `json:"expect"`
	}
	if err := json.Unmarshal(line, &c); err != nil || c.Expect == nil || c.Unspecified != "" {
		s.count("proves nothing", "about a group")
		return
	}
	s.count("group", c.Expect.Outcome)
	if c.Expect.Waiting != nil {
		s.count("group waits", text(*c.Expect.Waiting))
	}
	if c.Expect.Condition != nil {
		s.count("group's condition", c.Expect.Condition.Reason+": "+text(c.Expect.Condition.Message))
	}
	if c.Expect.Outcome == "Preempt" {
		s.count("group's victims", bucket(len(c.Expect.Victims)))
	}
	for _, member := range c.Expect.Members {
		s.count("member", member.Result)
	}
}
