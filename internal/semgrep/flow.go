package semgrep

// flow is what is known of names at one point of a program. A branch starts
// with what was known before it and keeps only what it changes.
type flow[T any] struct {
	parent *flow[T]
	vars   map[string]T
	dead   bool // the point cannot be reached
}

func (f *flow[T]) branch() *flow[T] { return &flow[T]{parent: f, dead: f.dead} }

// fork is branch for one that is met by f itself. It leaves out what f did not
// change, so that a long chain of elif is no chain of branches.
func (f *flow[T]) fork() *flow[T] {
	if len(f.vars) == 0 && f.parent != nil {
		return &flow[T]{parent: f.parent, dead: f.dead}
	}
	return f.branch()
}

// get returns what is known of a name, or the zero value.
func (f *flow[T]) get(name string) T {
	for ; f != nil; f = f.parent {
		if v, ok := f.vars[name]; ok {
			return v
		}
	}
	var none T
	return none
}

func (f *flow[T]) set(name string, v T) {
	if f.vars == nil {
		f.vars = map[string]T{}
	}
	f.vars[name] = v
}

// forget makes names unknown.
func (f *flow[T]) forget(names map[string]bool) {
	var none T
	for name := range names {
		f.set(name, none)
	}
}

// flat lets a branch of a branch be one of the base.
func (f *flow[T]) flat(base *flow[T]) *flow[T] {
	out := &flow[T]{parent: base, dead: f.dead, vars: map[string]T{}}
	for ; f != base; f = f.parent {
		for name, v := range f.vars {
			if _, done := out.vars[name]; !done {
				out.vars[name] = v
			}
		}
	}
	return out
}

// meet makes f what is known behind its branches, of which one was taken.
func (f *flow[T]) meet(join func(a, b T) T, branches ...*flow[T]) {
	live := branches[:0]
	for _, b := range branches {
		if !b.dead {
			live = append(live, b)
		}
	}
	if len(live) == 0 {
		f.dead = true
		return
	}
	changed := map[string]T{}
	for _, b := range live {
		for name := range b.vars {
			if _, done := changed[name]; done {
				continue
			}
			v := live[0].get(name)
			for _, o := range live[1:] {
				v = join(v, o.get(name))
			}
			changed[name] = v
		}
	}
	for name, v := range changed {
		f.set(name, v)
	}
}
