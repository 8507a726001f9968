package semgrep

import "strings"

// imports finds each entry of a pattern among those of an import. The forms
// `import a.b` and `from a import b` bring the same in.
func (m *matcher) imports(p, t *node, e *env) envs {
	if len(p.kids) > len(t.kids) {
		return nil
	}
	return m.pick(p.kids, t.kids, e, func(a, b *node, e *env) envs { return m.entry(p.text, a, b, e) })
}

// entry compares one path. `import a` finds all that lies under a.
func (m *matcher) entry(form string, p, t *node, e *env) envs {
	if p.text != "" && p.text != t.text {
		return nil
	}
	list := m.path(form, p.kids[0], t.kids[0], e)
	if p.kids[1] == nil {
		return list
	}
	return m.each(list, func(e *env) envs { return m.match(p.kids[1], t.kids[1], e) })
}

func (m *matcher) path(form string, p, t *node, e *env) envs {
	if len(p.kids) > len(t.kids) {
		return nil
	}
	list := envs{e}
	for i, part := range p.kids {
		if part.kind == kDots {
			return list
		}
		have := t.kids[i]
		if part.kind == kMvar && len(p.kids) == 1 && form == "import" && len(t.kids) > 1 {
			return m.bind(part.text, &node{kind: kName, text: t.text, span: t.span}, e)
		}
		if list = m.each(list, func(e *env) envs { return m.match(part, have, e) }); list == nil {
			return nil
		}
	}
	if form == "from" && len(p.kids) != len(t.kids) {
		return m.fromModule(p, t, e)
	}
	return list
}

// fromModule lets a metavariable stand for a module of several parts.
func (m *matcher) fromModule(p, t *node, e *env) envs {
	if len(p.kids) != 2 || p.kids[0].kind != kMvar {
		return nil
	}
	last := len(t.kids) - 1
	module := strings.TrimSuffix(strings.TrimSuffix(t.text, t.kids[last].text), ".")
	return m.each(m.bind(p.kids[0].text, &node{kind: kName, text: module, span: t.span}, e), func(e *env) envs {
		return m.match(p.kids[1], t.kids[last], e)
	})
}
