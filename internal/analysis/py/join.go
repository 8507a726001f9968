package py

// join returns a value that may be either. It does not change its operands.
func join(a, b val) val {
	if a.empty() {
		return b
	}
	if b.empty() || a.takes == takesNone {
		return a
	}
	if a.takes == takesThings {
		b = b.things()
	}
	open := a.open || b.open
	if a.many != nil && a.many == b.many {
		a.open = open
		return a
	}
	i, n := 0, b.size()
	for i < n && a.holds(b.at(i)) {
		i++
	}
	if i == n {
		a.open = open
		return a
	}
	out := a.collect(n - i)
	out.open = open
	out.put(b.at(i))
	for i++; i < n; i++ {
		if o := b.at(i); !out.holds(o) {
			out.put(o)
		}
	}
	if n := out.size(); n > maxObjects {
		return shrink(thin(out.val))
	} else if n > maxNumbers {
		return thin(out.val)
	}
	return out.val
}

// same reports whether two values are one: what join gives where it adds
// nothing. Values that are equal may differ.
func same(a, b val) bool {
	return a.open == b.open && a.many == b.many && a.alone == b.alone
}

// maxNumbers bounds the numbers of one value.
const maxNumbers = 8

// thin lets any number stand for many.
func thin(v val) val {
	n := 0
	for i := range v.size() {
		o := v.at(i)
		switch o.(type) {
		case cInt, cFloat:
			n++
		}
	}
	if n <= maxNumbers {
		return v
	}
	out := collector{val: val{alone: number{}, open: v.open, takes: v.takes}, want: v.size()}
	for i := range v.size() {
		o := v.at(i)
		switch o.(type) {
		case cInt, cFloat, number:
		default:
			out.put(o)
		}
	}
	return out.val
}

// holds reports whether a value may be o, also as one of any text or number.
func (v val) holds(o object) bool {
	if v.has(o) {
		return true
	}
	switch o.(type) {
	case cInt, cFloat:
		return v.has(number{})
	case cStr, pattern, prefix:
		return v.has(prefix(""))
	}
	return false
}

// shrink makes a large value coarser: first any text and any number stand for
// the many, then constants are dropped. What a program does with a module or a
// function must stay in sight.
func shrink(v val) val {
	if v.size() <= maxObjects {
		return v
	}
	out := generalize(v)
	if out.size() <= maxObjects {
		return out
	}
	kept := collector{val: val{open: true, takes: takesThings}, want: maxObjects}
	for i := range out.size() {
		o := out.at(i)
		if !isConstant(o) && kept.size() < maxObjects {
			kept.put(o)
		}
	}
	if kept.size() == maxObjects {
		kept.takes = takesNone
	}
	return kept.val
}

// things is a value without its constants.
func (v val) things() val {
	out := collector{val: val{open: v.open}, want: v.size()}
	for i := range v.size() {
		o := v.at(i)
		if !isConstant(o) {
			out.put(o)
		}
	}
	return out.val
}

// covers reports whether a holds everything that b does.
func covers(a, b val) bool {
	if b.open && !a.open {
		return false
	}
	if a.many != nil && a.many == b.many {
		return true
	}
	for i := range b.size() {
		o := b.at(i)
		if a.has(o) {
			continue
		}
		if g := general(o); g == o || !a.has(g) {
			return false
		}
	}
	return true
}

// general is what a constant is one of.
func general(o object) object {
	switch o.(type) {
	case cStr, pattern, prefix:
		return prefix("")
	case cInt, cFloat, number:
		return number{}
	case cBytes:
		return anyBytes{}
	}
	return o
}
