package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/auth"
)

// profileFor is the profile under which a caller's program is judged. A key's
// profiles bind whether one is named or not: left out, it is policy's for the
// language if the key has that, else the default if the key has that or none at
// all, else the key's only one. Empty: policy chooses, for a key that may name any.
func (s *Server) profileFor(c auth.Caller, language palisade.Language, asked string) (string, *Error) {
	usual, fallback := s.c.Policies.Usual(language)
	has := func(profile string) bool {
		return slices.Contains(c.Profiles, profile) || len(c.Profiles) == 0 && profile == fallback
	}
	switch {
	case slices.Contains(c.Profiles, auth.AnyProfile), asked != "" && has(asked):
		return asked, nil
	case asked != "":
		return "", fail(http.StatusForbidden, "forbidden", "body.profile: your key may not name the profile %q: name one of %s", asked, namesOf(c.Profiles, fallback))
	case has(usual):
		return usual, nil
	case has(fallback):
		return fallback, nil
	case len(c.Profiles) == 1:
		return c.Profiles[0], nil
	}
	return "", fail(http.StatusForbidden, "forbidden", "body.profile: left out, it is %s, which your key may not name: name one of %s", usual, namesOf(c.Profiles, fallback))
}

func namesOf(profiles []string, fallback string) string {
	if len(profiles) == 0 {
		return fallback
	}
	return strings.Join(profiles, ", ")
}
