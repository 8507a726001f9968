package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"palisade"
)

// Any stands for every profile in the lists of [Callers].
const Any = "*"

// cliDoor is the door of the command line.
const cliDoor = "cli"

// Callers says who may name which profile. Everyone may name the default one,
// by naming none; the zero value grants nothing more.
type Callers struct {
	// Owner is who owns the gate, such as "uid:1000": on the command line
	// (door "cli") the owner may name any profile.
	Owner string
	// Doors maps a door to the profiles that may be named through it.
	Doors map[string][]string
	// Submitters maps an identity to the profiles that it may name through
	// whatever door; its line stands instead of the door's.
	Submitters map[string][]string
}

// may reports whether the submission may name its profile, and which line of
// configuration says so.
func (c Callers) may(s palisade.Submission, profile string) (bool, string) {
	if c.Owner != "" && s.Submitter == c.Owner && s.Door == cliDoor {
		return true, "callers.owner"
	}
	grants, line := c.grants(s)
	return slices.Contains(grants, profile) || slices.Contains(grants, Any), line
}

// grants returns the profiles that a caller other than the owner may name, and
// the line of configuration that lists them.
func (c Callers) grants(s palisade.Submission) (profiles []string, line string) {
	if grants, ok := c.Submitters[s.Submitter]; ok {
		return grants, "callers.submitters." + s.Submitter
	}
	return c.Doors[s.Door], "callers.doors." + s.Door
}

// named says in words which profiles a caller may name: its own grants, and
// nothing of others'.
func (c Callers) named(s palisade.Submission) string {
	const by = "`callers` in config.yaml gives it"
	if grants, _ := c.grants(s); len(grants) > 0 {
		return "those that " + by + ": " + listed(union(nil, grants), maxListed)
	}
	return "no other, since only what " + by + " may be named, and that is none"
}

// checkCallers reports a grant of a profile that does not exist.
func (c Config) checkCallers(s *Set) error {
	for kind, grants := range map[string]map[string][]string{"doors": c.Callers.Doors, "submitters": c.Callers.Submitters} {
		for _, who := range slices.Sorted(maps.Keys(grants)) {
			for _, name := range grants[who] {
				if _, ok := s.profiles[name]; !ok && name != Any {
					return fmt.Errorf("%s.%s: profile %q: %w; there are %s", c.at("callers."+kind), who, name, ErrNoProfile, strings.Join(s.Names(), ", "))
				}
			}
		}
	}
	return nil
}
