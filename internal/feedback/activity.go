package feedback

import (
	"cmp"
	"maps"
	"slices"

	"palisade"
)

// Bounds of what is told of a program's acts; the record has all that were seen.
const (
	maxActs = 40  // listed
	maxName = 160 // bytes of a name, and of a detail
)

// activity returns the acts that matter most, in their order, with names that
// are fit to be shown.
func (s *Sanitizer) activity(a palisade.Activity) palisade.Activity {
	out := palisade.Activity{Counts: maps.Clone(a.Counts), Dropped: a.Dropped}
	order := make([]int, len(a.Acts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(weight(a.Acts[i]), weight(a.Acts[j])) })
	for _, i := range order[min(len(order), maxActs):] {
		out.Dropped += max(a.Acts[i].Count, 1)
	}
	order = order[:min(len(order), maxActs)]
	slices.Sort(order)
	for _, i := range order {
		act := a.Acts[i]
		act.What, act.Detail = s.name(act.What), s.name(act.Detail)
		out.Acts = append(out.Acts, act)
	}
	return out
}

func (s *Sanitizer) name(text string) string {
	return short(s.redactor.Clean([]byte(text)), maxName)
}

// weight orders acts: the lightest are told first.
func weight(a palisade.Act) int {
	weights := []string{"exec", "peer", "connect", "listen", "syscall", "fork", "delete", "rename", "create", "write", "open", "library"}
	w := 2 * slices.Index(weights, a.Kind)
	if w < 0 {
		w = 0 // a kind that is not known here may be any
	}
	if a.Refused {
		w = min(w, 2*slices.Index(weights, "delete")) - 1
	}
	return w
}
