package main

import (
	"encoding/json"
	"slices"
	"strings"
)

// object is a JSON object that keeps the order of its fields and may have one twice.
type object struct{ fields []member }

// list is a JSON array.
type list struct{ items []any }

type member struct {
	name  string
	value any
}

func (o *object) set(name string, value any) {
	o.fields = append(o.fields, member{name, value})
}

// text writes a value as JSON.
func text(value any) string {
	var out strings.Builder
	write(&out, value)
	return out.String()
}

func write(out *strings.Builder, value any) {
	switch value := value.(type) {
	case *object:
		out.WriteByte('{')
		for i, field := range value.fields {
			if i > 0 {
				out.WriteByte(',')
			}
			write(out, field.name)
			out.WriteByte(':')
			write(out, field.value)
		}
		out.WriteByte('}')
	case *list:
		out.WriteByte('[')
		for i, item := range value.items {
			if i > 0 {
				out.WriteByte(',')
			}
			write(out, item)
		}
		out.WriteByte(']')
	default:
		plain, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		out.Write(plain)
	}
}

// copied is a value that shares nothing with the one it is made of.
func copied(value any) any {
	switch value := value.(type) {
	case *object:
		made := &object{}
		for _, field := range value.fields {
			made.set(field.name, copied(field.value))
		}
		return made
	case *list:
		made := &list{}
		for _, item := range value.items {
			made.items = append(made.items, copied(item))
		}
		return made
	}
	return value
}

// sorted puts the fields of all objects within a value in the order of their names.
func sorted(value any) {
	switch value := value.(type) {
	case *object:
		slices.SortStableFunc(value.fields, func(a, b member) int { return strings.Compare(a.name, b.name) })
		for _, field := range value.fields {
			sorted(field.value)
		}
	case *list:
		for _, item := range value.items {
			sorted(item)
		}
	}
}

// place is where a value stands: a field of an object or an item of a list.
type place struct {
	object *object
	list   *list
	index  int
}

func (p place) value() any {
	if p.object != nil {
		return p.object.fields[p.index].value
	}
	return p.list.items[p.index]
}

func (p place) set(value any) {
	if p.object != nil {
		p.object.fields[p.index].value = value
	} else {
		p.list.items[p.index] = value
	}
}

func (p place) remove() {
	if p.object != nil {
		p.object.fields = append(p.object.fields[:p.index:p.index], p.object.fields[p.index+1:]...)
	} else {
		p.list.items = append(p.list.items[:p.index:p.index], p.list.items[p.index+1:]...)
	}
}

func (p place) double() {
	if p.object != nil {
		field := p.object.fields[p.index]
		p.object.set(field.name, copied(field.value))
	} else {
		p.list.items = append(p.list.items, copied(p.list.items[p.index]))
	}
}

// places are all values within a value.
func places(value any) []place {
	var found []place
	switch value := value.(type) {
	case *object:
		for i, field := range value.fields {
			found = append(append(found, place{object: value, index: i}), places(field.value)...)
		}
	case *list:
		for i, item := range value.items {
			found = append(append(found, place{list: value, index: i}), places(item)...)
		}
	}
	return found
}
