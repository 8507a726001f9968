package py

// maxAlike is how many collections of one kind a value keeps apart once rounds
// are counted.
const maxAlike = 3

// absorb returns the part of v that have does not cover. Where have holds many
// collections already, a further one is poured into one of them, so that
// rounds end.
func (in *interp) absorb(have, v val) val {
	out := collector{val: val{open: v.open && !have.open}}
	for i := range v.size() {
		o := v.at(i)
		if have.has(o) || have.has(general(o)) || in.poured(have, o) {
			continue
		}
		out.put(o)
	}
	return out.val
}

// poured reports whether o was joined into an object of have that is like it.
func (in *interp) poured(have val, o object) bool {
	like := alike(have, func(x object) bool { return ofOneKind(x, o) })
	return like != nil && in.pouredInto(like, o)
}

// ofOneKind reports whether two objects are collections of one kind, or methods
// of one name.
func ofOneKind(x, o object) bool {
	switch o := o.(type) {
	case *list:
		l, ok := x.(*list)
		return ok && l.kind == o.kind
	case *dict:
		_, ok := x.(*dict)
		return ok
	case bound:
		b, ok := x.(bound)
		return ok && b.name == o.name
	}
	return false
}

// pouredInto reports whether o could be joined into an object that is like it.
func (in *interp) pouredInto(like, o object) bool {
	if !ofOneKind(like, o) {
		return false
	}
	switch o := o.(type) {
	case *list:
		if l := like.(*list); !covers(l.element(), o.element()) {
			in.changed(&l.mark, l.blur(o.element()))
		}
	case *dict:
		if d := like.(*dict); !covers(d.element(), o.element()) {
			in.changed(&d.mark, d.blur(o.element()))
		}
	case bound:
		return in.pouredInto(like.(bound).recv, o.recv) || isConstant(o.recv)
	}
	return true
}

// alike returns an object that passes, if at least maxAlike do.
func alike(v val, pass func(object) bool) object {
	n := 0
	for i := range v.size() {
		o := v.at(i)
		if pass(o) {
			if n++; n >= maxAlike {
				return o
			}
		}
	}
	return nil
}

// generalize keeps what a growing value is made of: any text, any number.
func generalize(v val) val {
	out := collector{val: val{open: v.open}, want: v.size()}
	var text, num, bytes bool // the value has any of these
	for i := range v.size() {
		o := v.at(i)
		var twice *bool
		switch o.(type) {
		case cStr, pattern, prefix:
			twice = &text
		case cInt, cFloat, number:
			twice = &num
		case cBytes, anyBytes:
			twice = &bytes
		default:
			if !out.has(o) {
				out.put(o)
			}
			continue
		}
		if !*twice {
			*twice = true
			out.put(general(o))
		}
	}
	return out.val
}
