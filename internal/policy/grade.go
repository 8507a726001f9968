package policy

import (
	"fmt"

	"palisade"
	"palisade/internal/yamlfile"
)

// Score says at which score a program is asked about or denied; 0: at none.
// Scores go from 1 to 100; [palisade.Inspection] says what they mean.
type Score struct {
	Ask  int `json:"ask,omitempty"`
	Deny int `json:"deny,omitempty"`
}

func (r *reading) score(n *yamlfile.Node) {
	r.Keys(n, map[string]func(*yamlfile.Node){
		"ask":  func(n *yamlfile.Node) { r.place("score.ask", n); r.p.Score.Ask = int(r.Int(n, 0, 100)) },
		"deny": func(n *yamlfile.Node) { r.place("score.deny", n); r.p.Score.Deny = int(r.Int(n, 0, 100)) },
	})
}

// scored returns a reason for a program whose score is too high.
func (p *Profile) scored(program palisade.Program, score int) []palisade.Reason {
	var d palisade.Decision
	var key string
	switch {
	case p.Score.Deny > 0 && score >= p.Score.Deny:
		d, key = palisade.Deny, "score.deny"
	case p.Score.Ask > 0 && score >= p.Score.Ask:
		d, key = palisade.Ask, "score.ask"
	default:
		return nil
	}
	f := ownFinding("score", program, "reaches for too much, or hides too much, in one program")
	f.Evidence = fmt.Sprintf("its score is %d", score)
	return []palisade.Reason{{Finding: f, Decision: d, Policy: p.line(key), Next: "write a plainer program: fewer capabilities, nothing encoded"}}
}

// bySeverity reads what is decided about findings of pattern rules, by their
// severity.
func (r *reading) bySeverity(n *yamlfile.Node) {
	r.place("patterns", n)
	r.Each(n, func(f yamlfile.Field) {
		var s palisade.Severity
		if err := s.UnmarshalText([]byte(f.Name)); err != nil {
			r.Fail(f.Value, err.Error(), "write a severity: info, low, medium, high or critical")
			return
		}
		if r.p.Patterns == nil {
			r.p.Patterns = map[palisade.Severity]palisade.Decision{}
		}
		r.p.Patterns[s] = r.decision(f.Value, "patterns."+f.Name)
	})
}
