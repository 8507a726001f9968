package httpapi

import (
	"testing"

	"palisade"
	"palisade/internal/auth"
)

// usual are policies in which the shell has a profile of its own.
type usual struct{ Policies }

func (usual) Usual(l palisade.Language) (name, fallback string) {
	if l == palisade.Shell {
		return "agent", "data"
	}
	return "data", "data"
}

// TestProfilesOfAKeyBind: leaving the profile out is no way to one that the key may
// not name.
func TestProfilesOfAKeyBind(t *testing.T) {
	s := &Server{c: Config{Policies: usual{}}}
	for _, c := range []struct {
		profiles []string
		language palisade.Language
		asked    string
		want     string // empty: refused
	}{
		{nil, palisade.Python, "", "data"},
		{nil, palisade.Python, "data", "data"},
		{nil, palisade.Shell, "", "data"},
		{nil, palisade.Shell, "agent", ""},
		{[]string{"pal"}, palisade.Python, "", "pal"},
		{[]string{"pal"}, palisade.Shell, "", "pal"},
		{[]string{"pal"}, palisade.Python, "data", ""},
		{[]string{"pal", "data"}, palisade.Shell, "", "data"},
		{[]string{"pal", "strict"}, palisade.Python, "", ""},
		{[]string{"pal", "strict"}, palisade.Python, "strict", "strict"},
		{[]string{"agent"}, palisade.Shell, "", "agent"},
	} {
		got, refused := s.profileFor(auth.Caller{Profiles: c.profiles}, c.language, c.asked)
		if got != c.want || (refused == nil) != (c.want != "") || refused != nil && refused.status != 403 {
			t.Errorf("key with %q, %s, asks for %q: %q, %v; want %q", c.profiles, c.language, c.asked, got, refused, c.want)
		}
	}
	if got, refused := s.profileFor(auth.Caller{Profiles: []string{auth.AnyProfile}}, palisade.Shell, ""); got != "" || refused != nil {
		t.Errorf("a key that may name any: %q, %v", got, refused)
	}
}
