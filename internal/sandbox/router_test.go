package sandbox

import (
	"context"
	"errors"
	"testing"

	"palisade"
)

// stand is a back-end that knows only its name.
type stand struct{ name string }

func (s stand) Image(context.Context, palisade.Language, palisade.Isolation) (string, error) {
	return s.name, nil
}
func (s stand) Run(context.Context, palisade.Permit) (palisade.Result, error) {
	return palisade.Result{}, errors.New(s.name)
}
func (s stand) Try(context.Context, palisade.Language) (palisade.Ready, error) {
	return palisade.Ready{Backend: s.name}, nil
}
func (s stand) Close() error { return nil }

// TestRouter: the first back-end that is named and there is used; no other is
// opened.
func TestRouter(t *testing.T) {
	opened := map[string]int{}
	open := func(name string, err error) func(context.Context) (Backend, error) {
		return func(context.Context) (Backend, error) {
			opened[name]++
			return stand{name}, err
		}
	}
	r := NewRouter(map[string]func(context.Context) (Backend, error){
		"a": open("a", nil), "b": open("b", errors.New("not here")), "c": open("c", nil),
	})
	for _, c := range []struct {
		names []string
		want  string
	}{{[]string{"a"}, "a"}, {[]string{"b", "a"}, "a"}, {[]string{"a", "c"}, "a"}, {[]string{"b"}, ""}, {nil, ""}, {[]string{"moon"}, ""}} {
		got, err := r.Image(t.Context(), palisade.Python, palisade.Isolation{Backends: c.names})
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v: %q, %v", c.names, got, err)
		}
	}
	if opened["a"] != 1 || opened["b"] != 1 || opened["c"] != 0 {
		t.Errorf("opened %v", opened)
	}
	if _, err := r.Run(t.Context(), palisade.Permit{}); !errors.Is(err, palisade.ErrNoPermit) {
		t.Errorf("a zero permit: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := r.Backend(t.Context(), "a"); err == nil {
		t.Error("a closed router opens back-ends")
	}
}
