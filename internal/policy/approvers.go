package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/yamlfile"
)

// maxApprovers bounds how many humans a profile may want.
const maxApprovers = 10

// Approvals says how many humans, each another, must say yes to what a profile
// asks about: the largest number that applies. Zero fields want one.
type Approvals struct {
	Count        int                         `json:"count,omitempty"`        // of whatever is asked
	Capabilities map[palisade.Capability]int `json:"capabilities,omitempty"` // where it is asked about
	Severity     map[palisade.Severity]int   `json:"severity,omitempty"`     // of a finding that is asked about, and of graver ones
}

// Approvers is how many humans must say yes to a verdict of the set's. More
// reasons never make it fewer.
func (s *Set) Approvers(v palisade.Verdict) int {
	p, ok := s.profiles[v.Profile]
	if !ok {
		return maxApprovers // no profile of this set's: doubt wants the most
	}
	n := max(p.Approvals.Count, 1)
	for _, r := range v.Reasons {
		if r.Decision != palisade.Ask {
			continue
		}
		n = max(n, p.Approvals.Capabilities[r.Finding.Capability])
		for severity, count := range p.Approvals.Severity {
			if r.Finding.Severity >= severity {
				n = max(n, count)
			}
		}
	}
	return n
}

// approvals reads how many humans must say yes. A number stands for what is
// extended, one by one.
func (r *reading) approvals(n *yamlfile.Node) {
	r.place("approvals", n)
	a := &r.p.Approvals
	count := func(n *yamlfile.Node, key string) int {
		r.place("approvals."+key, n)
		return int(r.Int(n, 1, maxApprovers))
	}
	r.Keys(n, map[string]func(*yamlfile.Node){
		"count": func(n *yamlfile.Node) { a.Count = count(n, "count") },
		"capabilities": func(n *yamlfile.Node) {
			r.Each(n, func(f yamlfile.Field) {
				c := palisade.Capability(f.Name)
				_, known := plain[c]
				if _, section := sections[c]; !known && !section {
					r.Fail(f.Value, fmt.Sprintf("unknown capability %q", f.Name), yamlfile.Suggest(f.Name, names(plain)))
					return
				}
				if a.Capabilities == nil {
					a.Capabilities = map[palisade.Capability]int{}
				}
				a.Capabilities[c] = count(f.Value, "capabilities."+f.Name)
			})
		},
		"severity": func(n *yamlfile.Node) {
			r.Each(n, func(f yamlfile.Field) {
				var s palisade.Severity
				if err := s.UnmarshalText([]byte(f.Name)); err != nil {
					r.Fail(f.Value, err.Error(), "write a severity: info, low, medium, high or critical")
					return
				}
				if a.Severity == nil {
					a.Severity = map[palisade.Severity]int{}
				}
				a.Severity[s] = count(f.Value, "severity."+f.Name)
			})
		},
	})
}

// approversLine says how many humans must say yes to what.
func (p *Profile) approversLine() string {
	a := p.Approvals
	parts := []string{fmt.Sprintf("%d to whatever is asked%s", max(a.Count, 1), p.at("approvals.count"))}
	for _, c := range slices.Sorted(maps.Keys(a.Capabilities)) {
		parts = append(parts, fmt.Sprintf("%d to %s%s", a.Capabilities[c], c, p.at("approvals.capabilities."+string(c))))
	}
	for s := palisade.Critical; s >= palisade.Info; s-- {
		if n, ok := a.Severity[s]; ok {
			parts = append(parts, fmt.Sprintf("%d from severity %s on%s", n, s, p.at("approvals.severity."+s.String())))
		}
	}
	return "humans who must say yes: " + strings.Join(parts, "; ") + "\n"
}
