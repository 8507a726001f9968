package shell

import (
	"errors"
	"fmt"
	"reflect"

	"mvdan.cc/sh/v3/syntax"
)

// spelling are the fields that say how something was written, not what it is:
// the printer has one spelling for each.
func spelling(field string) bool {
	switch field {
	case "CmdSubst.Backquotes", "ArithmExp.Bracket", "ParamExp.Short", "FuncDecl.RsrvWord", "FuncDecl.Parens", "ForClause.Braces", "CaseClause.Braces":
		return true
	}
	return false
}

// same reports whether two trees say the same, wherever it stands in the text.
func same(a, b *syntax.File) error {
	c := comparison{fields: map[reflect.Type][]int{}}
	return c.same(reflect.ValueOf(a.Stmts), reflect.ValueOf(b.Stmts))
}

// comparison remembers which fields of each type are compared.
type comparison struct{ fields map[reflect.Type][]int }

func (c comparison) same(a, b reflect.Value) error {
	if a.Type() != b.Type() {
		return fmt.Errorf("%s and %s", a.Type(), b.Type())
	}
	ok := true
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !a.IsNil() && !b.IsNil() {
			return c.same(a.Elem(), b.Elem())
		}
		ok = a.IsNil() == b.IsNil()
	case reflect.Slice:
		if ok = a.Len() == b.Len(); !ok {
			break
		}
		for i := range a.Len() {
			if err := c.same(a.Index(i), b.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if r, ok := a.Addr().Interface().(*syntax.Redirect); ok && r.Op == syntax.DashHdoc && r.Hdoc != nil {
			return c.sameTabbed(r, b.Addr().Interface().(*syntax.Redirect))
		}
		for _, i := range c.compared(a.Type()) {
			if err := c.same(a.Field(i), b.Field(i)); err != nil {
				return fmt.Errorf("%s.%s: %w", a.Type().Name(), a.Type().Field(i).Name, err)
			}
		}
	case reflect.String:
		ok = a.String() == b.String()
	case reflect.Bool:
		ok = a.Bool() == b.Bool()
	default:
		ok = a.Equal(b)
	}
	if !ok {
		return fmt.Errorf("%s differs", a.Type())
	}
	return nil
}

// sameTabbed compares <<- without the tabs that lines of its body begin with:
// the shell drops them, and the printer makes its own.
func (c comparison) sameTabbed(a, b *syntax.Redirect) error {
	if a.Op != b.Op || b.Hdoc == nil {
		return errors.New("here-document differs")
	}
	x, y := *a, *b
	x.Op, y.Op = syntax.Hdoc, syntax.Hdoc
	x.Hdoc, y.Hdoc = untabbed(a.Hdoc), untabbed(b.Hdoc)
	return c.same(reflect.ValueOf(&x), reflect.ValueOf(&y))
}

// compared are the fields of a struct that say what a program does: no places,
// no comments, no spelling.
func (c comparison) compared(t reflect.Type) []int {
	if list, ok := c.fields[t]; ok {
		return list
	}
	list := []int{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type != reflect.TypeFor[syntax.Pos]() && f.Type != reflect.TypeFor[[]syntax.Comment]() && !spelling(t.Name()+"."+f.Name) {
			list = append(list, i)
		}
	}
	c.fields[t] = list
	return list
}
