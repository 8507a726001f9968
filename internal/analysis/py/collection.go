package py

import (
	"iter"
	"maps"
	"slices"
)

// ordered iterates over a map in the order of its keys, so that reading a
// program twice takes the same steps.
func ordered[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		if len(m) == 0 {
			return
		}
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

func newList(kind listKind, elems ...val) *list {
	return &list{kind: kind, elems: elems, exact: true}
}

// element is what any element may be.
func (l *list) element() val {
	if len(l.elems) == 0 {
		return l.rest
	}
	if l.sumOf == &l.elems[0] && l.sumLen == len(l.elems) {
		return l.sum
	}
	out := l.rest
	for _, e := range l.elems {
		out = join(out, e)
	}
	l.sum, l.sumOf, l.sumLen = out, &l.elems[0], len(l.elems)
	return out
}

// blur forgets the order of a list.
func (l *list) blur(more val) {
	if l.exact {
		l.rest, l.elems, l.exact = l.element(), nil, false
	}
	l.rest = join(l.rest, more)
}

func newDict() *dict { return &dict{items: map[object]val{}, exact: true} }

func (d *dict) put(key object, v val) {
	if _, ok := d.items[key]; !ok {
		d.keys = append(d.keys, key)
	}
	d.items[key] = v
}

// element is what any value of the dict may be.
func (d *dict) element() val {
	out := d.rest
	for _, k := range d.keys {
		out = join(out, d.items[k])
	}
	return out
}

// blur records a value under a key that is not known.
func (d *dict) blur(more val) {
	d.exact = false
	d.rest = join(d.rest, more)
}
