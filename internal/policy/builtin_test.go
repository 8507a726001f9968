package policy

import (
	"testing"
)

func load(t *testing.T, files ...string) *Set {
	t.Helper()
	s, err := Load(Config{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBuiltinProfiles(t *testing.T) {
	s := load(t)
	for _, name := range s.Names() {
		p, _ := s.Profile(name)
		t.Log(p.summary())
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(Config{}); err != nil {
			b.Fatal(err)
		}
	}
}
