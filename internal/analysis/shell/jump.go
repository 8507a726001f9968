package shell

// target is where break, continue or return lead to: behind a loop, a turn of
// it, or a function. What the variables are at a jump, they may be there.
type target struct {
	base *scope // under every layer of what is left
	kind byte   // 'l' for a loop, 'c' for one turn of it, 'f' for a function
	left *scope // what they may be; nil: nothing jumped
}

// within runs a body in a layer over sc, which a jump may leave, and returns the
// layer that holds what the body makes of the variables however it ends.
func (in *interp) within(sc *scope, kind byte, body func(*scope)) *scope {
	t := &target{base: sc, kind: kind}
	in.targets = append(in.targets, t)
	layer := sc.layer()
	if kind == 'f' {
		layer.locals = map[string]bool{}
	}
	body(layer)
	in.targets = in.targets[:len(in.targets)-1]
	if t.left == nil {
		return layer
	}
	out := sc.layer()
	out.locals = layer.locals
	out.merge(layer, t.left)
	return out
}

// jump remembers the variables for wherever a jump may lead: break and continue
// can name a loop further out.
func (in *interp) jump(sc *scope, kind byte) {
	for i := len(in.targets) - 1; i >= 0; i-- {
		t := in.targets[i]
		if t.kind == kind {
			here := t.base.layer()
			for at := sc; at != nil && at != t.base; at = at.outer {
				in.step(1 + len(at.vars)/8)
				for name, v := range at.vars {
					if _, inner := here.vars[name]; !inner {
						here.vars[name] = v
					}
				}
			}
			if t.left != nil {
				both := t.base.layer()
				both.merge(t.left, here)
				here = both
			}
			t.left = here
		}
		if t.kind == 'f' {
			return
		}
	}
}
