package py

// collector puts a new value together.
type collector struct {
	val
	want int // how many objects there may be; no more than a hint
}

// oneOf is a value that may be any of several objects.
func oneOf(list ...object) val {
	c := collector{want: len(list)}
	for _, o := range list {
		c.put(o)
	}
	return c.val
}

// collect starts a value of the objects of another one, to which more are added.
// It takes more again where that one was full. A value that grows object by
// object is not copied each time: the first that is made of it goes on behind it.
func (v val) collect(more int) collector {
	c := collector{val: v}
	c.takes = min(c.takes, takesThings)
	if v.many == nil {
		return c
	}
	list := v.many.list
	n := len(list) + more
	switch {
	case n <= cap(list) && !v.many.grown:
		v.many.grown = true
		c.many = &objects{list: list}
	case n <= 4:
		c.many = newObjects(n)
		c.many.list = append(c.many.list, list...)
	default:
		c.many = &objects{list: append(make([]object, 0, max(n, min(2*n, maxObjects+1))), list...)}
	}
	return c
}

// put adds an object, which the value does not have yet.
func (c *collector) put(o object) {
	switch {
	case c.many != nil:
		c.many.list = append(c.many.list, o)
	case c.alone == nil:
		c.alone = o
	default:
		c.many = newObjects(max(c.want, 2))
		c.many.list = append(c.many.list, c.alone, o)
		c.alone = nil
	}
}

// without is a value without its object at i.
func (v val) without(i int) val {
	out := collector{val: val{open: v.open}, want: v.size() - 1}
	for j := range v.size() {
		o := v.at(j)
		if j != i {
			out.put(o)
		}
	}
	return out.val
}

// newObjects makes room for n objects, beside the list itself where they are few.
func newObjects(n int) *objects {
	switch {
	case n <= 2:
		m := &struct {
			objects
			few [2]object
		}{}
		m.list = m.few[:0]
		return &m.objects
	case n <= 4:
		m := &struct {
			objects
			few [4]object
		}{}
		m.list = m.few[:0]
		return &m.objects
	}
	return &objects{list: make([]object, 0, n)}
}
