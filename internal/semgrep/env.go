package semgrep

// env holds what metavariables are bound to. Envs share their tails; nil is
// the empty one.
type env struct {
	name   string
	val    *node
	parent *env
	print  uint64 // of all bindings, whatever their order
}

// lookup returns what a metavariable is bound to, or nil.
func (e *env) lookup(name string) *node {
	for ; e != nil; e = e.parent {
		if e.name == name {
			return e.val
		}
	}
	return nil
}

func (e *env) fingerprint() uint64 {
	if e == nil {
		return 0
	}
	return e.print
}

// with adds a binding.
func (e *env) with(name string, val *node) *env {
	return &env{name: name, val: val, parent: e, print: e.fingerprint() + mix(name, val)}
}

// mix spreads the bits of a binding, so that sums of them tell sets apart. The
// constants are those of FNV-1a and of splitmix64.
func mix(name string, val *node) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	h ^= uint64(val.from)*0x9e3779b97f4a7c15 + uint64(val.to)*0xbf58476d1ce4e5b9 + uint64(val.kind)<<56 + uint64(len(val.kids))
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}

// envs are the ways in which a pattern matches; none: it does not.
type envs []*env

// ways collects envs without repetition.
type ways struct {
	list envs
	seen map[uint64]bool // made when the list grows long
}

// few is how many envs are compared one by one.
const few = 16

// add appends what is not there yet.
func (w *ways) add(m *matcher, more ...*env) {
	for _, e := range more {
		m.step(1)
		if !w.has(e) {
			w.put(e)
		}
	}
	if len(w.list) > maxEnvs {
		panic(errBudget)
	}
}

func (w *ways) has(e *env) bool {
	if w.seen != nil {
		return w.seen[e.fingerprint()]
	}
	for _, o := range w.list {
		if o == e || o.fingerprint() == e.fingerprint() {
			return true
		}
	}
	return false
}

func (w *ways) put(e *env) {
	w.list = append(w.list, e)
	switch {
	case w.seen != nil:
		w.seen[e.fingerprint()] = true
	case len(w.list) > few:
		w.seen = make(map[uint64]bool, 4*few)
		for _, o := range w.list {
			w.seen[o.fingerprint()] = true
		}
	}
}
