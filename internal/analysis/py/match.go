package py

import "palisade/internal/python"

func (in *interp) matchStmt(s *scope, st *python.Match) {
	subject := in.eval(s, st.Subject)
	s.weak++
	for _, c := range st.Cases {
		in.pattern(s, c.Pattern, subject)
		if c.Guard != nil {
			in.eval(s, c.Guard)
		}
		in.body(s, c.Body)
	}
	s.weak--
}

// pattern binds what a pattern captures of v. Patterns look attributes up and
// call __instancecheck__: they are read as code.
func (in *interp) pattern(s *scope, p python.Pattern, v val) {
	in.step()
	switch p := p.(type) {
	case *python.MatchValue:
		in.eval(s, p.Value)
	case *python.MatchSequence:
		each := in.each(p, v)
		elems, exact := in.elements(p, v)
		for i, sub := range p.Patterns {
			if exact && len(elems) == len(p.Patterns) {
				in.pattern(s, sub, elems[i])
				continue
			}
			in.pattern(s, sub, each)
		}
	case *python.MatchStar:
		if p.Name != "" {
			in.store(s, p.Name, in.place(p, one(&list{rest: v})))
		}
	case *python.MatchMapping:
		for i, k := range p.Keys {
			in.pattern(s, p.Patterns[i], in.item(p, v, in.eval(s, k)))
		}
		if p.Rest != "" {
			in.store(s, p.Rest, v)
		}
	case *python.MatchClass:
		in.matchClass(s, p, v)
	case *python.MatchAs:
		if p.Pattern != nil {
			in.pattern(s, p.Pattern, v)
		}
		if p.Name != "" {
			in.store(s, p.Name, v)
		}
	case *python.MatchOr:
		for _, sub := range p.Patterns {
			in.pattern(s, sub, v)
		}
	}
}

func (in *interp) matchClass(s *scope, p *python.MatchClass, v val) {
	cls := in.load(s, p.Cls, asBase)
	in.refer(p, cls, false)
	var names []string
	for i := range cls.size() {
		o := cls.at(i)
		c, ok := o.(*class)
		if !ok {
			continue
		}
		for i := range c.meta.size() {
			o := c.meta.at(i)
			if m, ok := o.(*class); ok {
				if check := in.classAttribute(m, "__instancecheck__"); !check.empty() {
					in.call(p, in.bindMeta(check, c, m), callArgs{pos: []val{v}})
				}
			}
		}
		names = append(names, c.fields...)
		args := in.classAttribute(c, "__match_args__")
		if elems, ok := in.elements(p, args); ok {
			names = names[:0]
			for _, e := range elems {
				if n, ok := first(e).(cStr); ok {
					names = append(names, string(n))
				}
			}
		}
	}
	for i, sub := range p.Patterns {
		part := v // a builtin class captures the subject itself
		if i < len(names) {
			part = in.attribute(p, v, names[i])
		} else if cls.open {
			part = join(part, unknown)
		}
		in.pattern(s, sub, part)
	}
	for i, name := range p.KwdAttrs {
		in.pattern(s, p.KwdPatterns[i], in.attribute(p, v, name))
	}
}
