package py

import (
	"maps"
	"slices"
)

// mark belongs to what functions share: a cell, a collection. It tells when
// that last changed.
type mark struct {
	since int    // the interpreter's clock then
	born  *scope // the frame that made it, for a collection
	// reader is the function that read it last, in which of its runs, and where
	// it stands in what that one has seen.
	reader         *function
	run, epoch, at int
}

// sight is what a function has read, and as of when.
type sight struct {
	of    *mark
	since int
}

// settle interprets functions that were never called, and those that read
// something which changed after they ran, until nothing changes.
func (in *interp) settle() {
	for round := 0; round < maxRounds; round++ {
		again := false
		in.settling = round
		for i := 0; i < len(in.order); i++ { // it may grow
			f := in.order[i]
			if round%2 == 1 { // to and fro: what flows against the order arrives sooner
				f = in.order[len(in.order)-1-i]
			}
			if f.called && !in.stale(f) && (f.wild || !f.escaped) {
				continue
			}
			again = true
			in.summarize(f)
		}
		for ; len(in.dead) > 0; again = true {
			d := in.dead[0]
			in.dead = in.dead[1:]
			unit, frame := in.unit, in.frame
			in.unit, in.frame = d.unit, d.scope.frame()
			in.maybe(d.scope, d.body)
			in.unit, in.frame = unit, frame
		}
		for _, name := range slices.Sorted(maps.Keys(in.units)) {
			again = in.again(in.units[name]) || again
		}
		if round == maxRounds-1 && again {
			panic(stop{ErrBudget})
		}
		if !again {
			return
		}
	}
}

// stale reports whether a function read something that has changed since.
func (in *interp) stale(f *function) bool {
	for _, s := range f.seen {
		if s.of.since != s.since {
			return true
		}
	}
	if len(f.followed) == 0 {
		return false
	}
	visited := map[*function]bool{f: true}
	defer func() { in.steps += len(visited) }()
	return f.behind(f.ranAt, visited)
}

// behind reports whether a call that was interpreted for this function alone
// has read something, beside its arguments, that changed after the clock.
func (f *function) behind(clock int, visited map[*function]bool) bool {
	for _, g := range f.followed {
		if visited[g] {
			continue
		}
		visited[g] = true
		for _, s := range g.seen[len(g.params):] {
			if s.of.since > clock {
				return true
			}
		}
		if g.behind(clock, visited) {
			return true
		}
	}
	return false
}

// Rounds end because values grow less and less finely: after generalRounds, any
// text and any number stand for those that are computed; after
// openRounds, what grows still may be anything. What has not settled after
// maxRounds is not read to its end.
const (
	generalRounds = 4
	openRounds    = 8
	maxRounds     = 20
)

// saw notes that the function that runs has read something that it shares.
func (in *interp) saw(m *mark) {
	f := in.run
	if f == nil {
		return
	}
	if m.reader == f && m.epoch == f.epoch {
		if m.run != f.runs {
			m.run, f.seen[m.at].since = f.runs, m.since
		}
		return
	}
	m.reader, m.run, m.epoch, m.at = f, f.runs, f.epoch, len(f.seen)
	f.seen = append(f.seen, sight{m, m.since})
}

// sawParts notes that the collections of a value were read.
func (in *interp) sawParts(v val) {
	for i := range v.size() {
		o := v.at(i)
		switch o := o.(type) {
		case *list:
			in.saw(&o.mark)
		case *dict:
			in.saw(&o.mark)
		}
	}
}

// changed notes that what functions share may have changed: what was remembered
// of calls no longer holds.
func (in *interp) changed(m *mark, is bool) {
	if is {
		in.clock++
		in.mixed++
		m.since = in.clock
	}
}
