package lang

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"palisade/internal/python"
)

// shape is what an annotation asks of a JSON value.
type shape interface {
	// check reports where a value, as decode returns it, does not fit.
	check(v any, place string) error
	String() string
}

// maxAnnotationDepth bounds how deep an annotation may be nested.
const maxAnnotationDepth = 50

// readShape reads an annotation: the types that JSON has, by the names that
// builtins, typing and collections.abc give them. An annotation that is none of
// these is an error that quotes it.
func readShape(e python.Expr, v python.Version, depth int) (shape, error) {
	if depth > maxAnnotationDepth {
		return nil, fmt.Errorf("its annotation is nested deeper than %d", maxAnnotationDepth)
	}
	switch e := e.(type) {
	case *python.Constant:
		switch e.Value.Kind {
		case python.None:
			return scalar("None"), nil
		case python.Str: // a forward reference
			tree, err := python.Parse([]byte(e.Value.Str), python.Options{Version: v, MaxBytes: 4096})
			if err == nil && len(tree.Body) == 1 {
				if inner, ok := tree.Body[0].(*python.ExprStmt); ok {
					return readShape(inner.Value, v, depth+1)
				}
			}
		default: // no other constant is a type
		}
	case *python.Name, *python.Attribute:
		return namedShape(typeName(e))
	case *python.BinOp:
		if e.Op == python.BitOr {
			return readUnion([]python.Expr{e.Left, e.Right}, v, depth)
		}
	case *python.Subscript:
		return subscriptShape(typeName(e.Value), arguments(e.Slice), v, depth)
	}
	return nil, unknownType(e)
}

func unknownType(e python.Expr) error {
	name := typeName(e)
	if s, ok := e.(*python.Subscript); ok {
		name = typeName(s.Value) + "[...]"
	}
	if name == "" {
		name = "a " + e.TypeName()
	}
	p := e.Position()
	return fmt.Errorf("the annotation %s at line %d, column %d is not understood", name, p.Line, p.Col+1)
}

// typeName is the last name of a dotted one, whatever module is before it.
func typeName(e python.Expr) string {
	switch e := e.(type) {
	case *python.Name:
		return e.Id
	case *python.Attribute:
		return e.Attr
	}
	return ""
}

func arguments(slice python.Expr) []python.Expr {
	if t, ok := slice.(*python.Tuple); ok {
		return t.Elts
	}
	return []python.Expr{slice}
}

// listNames, mapNames and tupleNames are the generic types of builtins, typing
// and collections.abc that a JSON value stands for.
var (
	listNames  = []string{"list", "List", "Sequence", "MutableSequence", "Iterable", "Collection"}
	mapNames   = []string{"dict", "Dict", "Mapping", "MutableMapping"}
	tupleNames = []string{"tuple", "Tuple"}
)

func namedShape(name string) (shape, error) {
	switch {
	case slices.Contains([]string{"int", "float", "str", "bool", "None"}, name):
		return scalar(name), nil
	case name == "Any" || name == "object":
		return anything{}, nil
	case slices.Contains(listNames, name), slices.Contains(tupleNames, name):
		return listOf{anything{}}, nil
	case slices.Contains(mapNames, name):
		return mapOf{anything{}}, nil
	}
	return nil, fmt.Errorf("the annotation %s is not understood", name)
}

func subscriptShape(name string, args []python.Expr, v python.Version, depth int) (shape, error) {
	var all []shape
	switch {
	case name == "Literal":
		return literalShape(args)
	case name == "Union":
		return readUnion(args, v, depth)
	case name == "Annotated" && len(args) > 1:
		return readShape(args[0], v, depth+1)
	case slices.Contains(tupleNames, name) && len(args) == 2 && isEllipsis(args[1]):
		args = args[:1]
		name = "list"
	}
	for _, a := range args {
		s, err := readShape(a, v, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	switch {
	case slices.Contains(listNames, name) && len(all) == 1:
		return listOf{all[0]}, nil
	case slices.Contains(tupleNames, name):
		return tupleOf(all), nil
	case name == "Optional" && len(all) == 1:
		return union{all[0], scalar("None")}, nil
	case slices.Contains(mapNames, name) && len(all) == 2:
		if all[0] != scalar("str") && all[0] != (anything{}) {
			return nil, fmt.Errorf("the annotation %s[%s, ...] is not understood: the keys of a JSON object are str", name, all[0])
		}
		return mapOf{all[1]}, nil
	}
	return nil, fmt.Errorf("the annotation %s[...] is not understood", name)
}

func isEllipsis(e python.Expr) bool {
	c, ok := e.(*python.Constant)
	return ok && c.Value.Kind == python.Ellipsis
}

func readUnion(parts []python.Expr, v python.Version, depth int) (shape, error) {
	var u union
	for _, p := range parts {
		s, err := readShape(p, v, depth+1)
		if err != nil {
			return nil, err
		}
		u = append(u, s)
	}
	return u, nil
}

func literalShape(args []python.Expr) (shape, error) {
	var l literal
	for _, a := range args {
		c, ok := a.(*python.Constant)
		if !ok {
			return nil, unknownType(a)
		}
		switch c.Value.Kind {
		case python.None:
			l = append(l, nil)
		case python.Bool:
			l = append(l, c.Value.IsTrue())
		case python.Str:
			l = append(l, c.Value.Str)
		case python.Int:
			l = append(l, json.Number(c.Value.BigInt().String()))
		default:
			return nil, unknownType(a)
		}
	}
	return l, nil
}

type anything struct{}

func (anything) check(any, string) error { return nil }
func (anything) String() string          { return "Any" }

// scalar is one of int, float, str, bool and None.
type scalar string

func (s scalar) String() string { return string(s) }

func (s scalar) check(v any, place string) error {
	kind := kindOf(v)
	// A whole number is a float to Python's typing, and a bool is no int to us.
	if kind == string(s) || s == "float" && kind == "int" {
		return nil
	}
	return misfit(s, v, place)
}

// kindOf names the Python type that a JSON value becomes.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "bool"
	case string:
		return "str"
	case json.Number:
		if strings.ContainsAny(string(v), ".eE") {
			return "float"
		}
		return "int"
	case []any:
		return "list"
	}
	return "dict"
}

func misfit(want shape, v any, place string) error {
	at := ""
	if place != "" {
		at = " at " + place
	}
	return fmt.Errorf("want %.200s, got %s%s", want, kindOf(v), at)
}

type listOf struct{ item shape }

func (l listOf) String() string { return "list[" + l.item.String() + "]" }

func (l listOf) check(v any, place string) error {
	items, ok := v.([]any)
	if !ok {
		return misfit(l, v, place)
	}
	for i, item := range items {
		if err := l.item.check(item, place+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	return nil
}

type tupleOf []shape

func (t tupleOf) String() string { return "tuple[" + join(t, ", ") + "]" }

func (t tupleOf) check(v any, place string) error {
	items, ok := v.([]any)
	if !ok {
		return misfit(t, v, place)
	}
	if len(items) != len(t) {
		return fmt.Errorf("want %s, got %d items", t, len(items))
	}
	for i, item := range items {
		if err := t[i].check(item, place+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	return nil
}

type mapOf struct{ value shape }

func (m mapOf) String() string { return "dict[str, " + m.value.String() + "]" }

func (m mapOf) check(v any, place string) error {
	members, ok := v.(map[string]any)
	if !ok {
		return misfit(m, v, place)
	}
	for key, value := range members {
		if err := m.value.check(value, fmt.Sprintf("%s[%.40q]", place, key)); err != nil {
			return err
		}
	}
	return nil
}

type union []shape

func (u union) String() string { return join(u, " | ") }

func (u union) check(v any, place string) error {
	for _, s := range u {
		if s.check(v, place) == nil {
			return nil
		}
	}
	return misfit(u, v, place)
}

type literal []any

func (l literal) String() string {
	parts := make([]string, len(l))
	for i, v := range l {
		text, err := json.Marshal(v)
		if err != nil {
			text = []byte("?")
		}
		parts[i] = fmt.Sprintf("%.40s", text)
	}
	return "Literal[" + strings.Join(parts, ", ") + "]"
}

func (l literal) check(v any, place string) error {
	for _, want := range l {
		if want == v {
			return nil
		}
	}
	return misfit(l, v, place)
}

func join(shapes []shape, sep string) string {
	parts := make([]string, len(shapes))
	for i, s := range shapes {
		parts[i] = s.String()
	}
	return strings.Join(parts, sep)
}
