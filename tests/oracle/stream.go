package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"oracle/admit"
	"oracle/cases"
)

// stream answers every line of `in` with a line on `out` (or none, if the answer is nil), several at a time and in order. What is answered is written at
// once when no further answer is ready, so that a program may ask line by line.
func stream(in io.Reader, out io.Writer, jobs int, answer func([]byte) []byte) error {
	type pending struct{ answer chan []byte }
	queue := make(chan pending, 2*jobs)
	slots := make(chan struct{}, jobs)
	failed := make(chan error, 1)
	go func() {
		defer close(queue)
		reader := bufio.NewReaderSize(in, 1<<20)
		for {
			line, err := reader.ReadBytes('\n')
			if line = bytes.TrimSpace(line); len(line) > 0 {
				next := pending{make(chan []byte, 1)}
				slots <- struct{}{}
				queue <- next
				go func() {
					next.answer <- answer(line)
					<-slots
				}()
			}
			if err != nil {
				if err != io.EOF {
					failed <- err
				}
				return
			}
		}
	}()
	writer := bufio.NewWriterSize(out, 1<<20)
	for next := range queue {
		var line []byte
		select {
		case line = <-next.answer:
		default:
			if err := writer.Flush(); err != nil {
				return err
			}
			line = <-next.answer
		}
		if line != nil {
			writer.Write(append(line, '\n'))
		}
		if len(queue) == 0 {
			if err := writer.Flush(); err != nil {
				return err
			}
		}
	}
	select {
	case err := <-failed:
		return err
	default:
		return writer.Flush()
	}
}

func decideLine(line []byte, runs int, refuse bool) []byte {
	var c cases.Case
	if err := json.Unmarshal(line, &c); err != nil {
		c.Failed = err.Error()
	} else if wrong := refused(&c, refuse); wrong != "" {
		c.Failed = "refused: " + wrong
	} else if c.Group != "" {
		groups.Decide(&c, runs)
	} else {
		scheduler.Decide(&c, runs)
	}
	text, err := encode(c)
	if err != nil {
		text, _ = encode(cases.Case{ID: c.ID, Failed: err.Error()})
	}
	return text
}

// refused is why the API server would not have taken some object of a case.
func refused(c *cases.Case, ask bool) string {
	if !ask || !admit.Available {
		return ""
	}
	asked := *c
	var wrong []string
	var err error
	if unset := cases.Under(c.Scheduler.Gates, func() { wrong, err = admitItems(&asked) }); unset != nil {
		return unset.Error()
	}
	if err != nil {
		return err.Error()
	}
	return strings.Join(wrong, "; ")
}

// encode makes one line of JSON and leaves `<` and `&` as they are.
func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(text.Bytes()), err
}
