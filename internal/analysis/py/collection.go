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
		keys := slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
		slices.Sort(keys)
		for _, k := range keys {
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

// blur forgets the order of a list, puts more into it and reports whether that
// is new.
func (l *list) blur(more val) bool {
	changed := l.exact
	if l.exact {
		l.rest, l.elems, l.exact = l.element(), nil, false
	}
	rest := join(l.rest, more)
	changed = changed || !same(rest, l.rest)
	l.rest = rest
	return changed
}

func newDict() *dict { return &dict{items: map[object]val{}, exact: true} }

// put stores a value under a key and reports whether that is new.
func (d *dict) put(key object, v val) bool {
	old, ok := d.items[key]
	if !ok {
		d.keys = append(d.keys, key)
	} else if same(old, v) {
		return false
	}
	d.items[key], d.summed = v, false
	return true
}

// key is what any known key of the dict may be.
func (d *dict) key() val {
	for _, k := range d.keys[d.joined:] {
		d.anyKey = join(d.anyKey, one(k))
	}
	d.joined = len(d.keys)
	return d.anyKey
}

// element is what any value of the dict may be.
func (d *dict) element() val {
	if d.summed {
		return d.sum
	}
	out := d.rest
	for _, k := range d.keys {
		out = join(out, d.items[k])
	}
	d.sum, d.summed = out, true
	return out
}

// blur records a value under a key that is not known and reports whether that
// is new.
func (d *dict) blur(more val) bool {
	rest := join(d.rest, more)
	changed := d.exact || !same(rest, d.rest)
	d.exact, d.rest = false, rest
	d.summed = d.summed && !changed
	return changed
}

// fromPairs fills a dict from an iterable of pairs.
func (in *interp) fromPairs(d *dict, v val, sure bool) (changed bool) {
	elems, exact := in.elements(nil, v)
	if !exact {
		return d.blur(in.each(nil, in.each(nil, v)))
	}
	for _, e := range elems {
		pair, ok := in.elements(nil, e)
		if !ok || len(pair) != 2 {
			changed = d.blur(in.each(nil, e)) || changed
			continue
		}
		changed = d.store(pair[0], pair[1], sure) || changed
	}
	return changed
}
