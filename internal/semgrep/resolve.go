package semgrep

import "strings"

// scope is what names mean in a module, a class or a function.
type scope struct {
	parent   *scope
	class    bool
	function bool
	imports  map[string][]imported
	bound    map[string]bool // names that other statements bind
	hidden   map[string]bool // parameters, functions and classes
}

// imported is what an import makes of a name, and where.
type imported struct {
	at   place
	path string
}

func newScope(parent *scope) *scope {
	return &scope{parent: parent, imports: map[string][]imported{}, bound: map[string]bool{}, hidden: map[string]bool{}}
}

// resolve gives each name that an import brought in its dotted path. As in
// Semgrep, a name means the last import before it; in a function, which runs
// later, the first one behind it will do. An assignment does not hide an
// import, a parameter or a definition does.
func resolve(f *file) {
	r := &resolver{file: f}
	top := newScope(nil)
	r.collect(f.root, top)
	for name := range top.bound {
		f.defined[name] = true
	}
	r.visit(f.root, top)
}

type resolver struct{ file *file }

// collect notes what the statements of one scope bind.
func (r *resolver) collect(n *node, s *scope) {
	if n == nil {
		return
	}
	switch n.kind {
	case kFunc, kClass:
		s.bound[n.kids[1].text], s.hidden[n.kids[1].text] = true, true
		return
	case kLambda, kComp:
		return
	case kImport:
		r.imports(n, s)
		return
	case kAssign, kDelete:
		targets(n.kids[0], s.bound)
	case kAugment, kFor, kClause, kWalrus:
		targets(n.kids[0], s.bound)
	case kWithItem:
		targets(n.kids[1], s.bound)
	case kHandler:
		targets(n.kids[1], s.bound)
	}
	for _, k := range n.kids {
		r.collect(k, s)
	}
}

// targets notes the names that an assignment binds.
func targets(n *node, bound map[string]bool) {
	if n == nil {
		return
	}
	switch n.kind {
	case kName, kIdent:
		bound[n.text] = true
	case kTuple, kList, kSeq, kStar:
		for _, k := range n.kids {
			targets(k, bound)
		}
	}
}

func (r *resolver) imports(n *node, s *scope) {
	for _, entry := range n.kids {
		path, as := entry.kids[0], entry.kids[1]
		switch {
		case strings.HasPrefix(path.text, "."):
		case entry.text == "*":
			if s.parent == nil {
				r.file.stars = append(r.file.stars, path.text)
			}
		case as != nil:
			s.imports[as.text] = append(s.imports[as.text], imported{n.from, path.text})
		case n.text == "from":
			name := path.kids[len(path.kids)-1].text
			s.imports[name] = append(s.imports[name], imported{n.from, path.text})
		default: // `import a.b` is the module a
			name := path.kids[0].text
			s.imports[name] = append(s.imports[name], imported{n.from, ""})
		}
	}
}

// visit resolves the names in a scope and opens the scopes inside it.
func (r *resolver) visit(n *node, s *scope) {
	if n == nil {
		return
	}
	switch n.kind {
	case kName:
		r.name(n, s)
		return
	case kFunc:
		r.visit(n.kids[0], s)
		r.function(n.kids[2], n.kids[4], s)
		r.visit(n.kids[3], s)
		return
	case kLambda:
		r.function(n.kids[0], n.kids[1], s)
		return
	case kClass:
		r.visit(n.kids[0], s)
		r.visit(n.kids[2], s)
		inner := newScope(s)
		inner.class = true
		r.collect(n.kids[3], inner)
		r.visit(n.kids[3], inner)
		return
	case kComp:
		inner := newScope(s)
		collectClauses(n.kids[1], inner.hidden)
		s = inner
	}
	for _, k := range n.kids {
		r.visit(k, s)
	}
}

// function visits the defaults and annotations of parameters outside, the body
// inside.
func (r *resolver) function(params, body *node, s *scope) {
	inner := newScope(s)
	inner.function = true
	for _, p := range params.kids {
		inner.hidden[p.kids[0].text] = true
		r.visit(p.kid(1), s)
		r.visit(p.kid(2), s)
	}
	r.collect(body, inner)
	r.visit(body, inner)
}

// name gives a name its alias.
func (r *resolver) name(n *node, s *scope) {
	later := false // the code runs later than what is around it
	for first := true; s != nil; s, first = s.parent, false {
		if s.class && !first {
			continue
		}
		if path, ok := pathAt(s.imports[n.text], n.from, later); ok {
			if path != "" {
				n.alias = dottedNode(path, n)
			}
			return
		}
		if s.hidden[n.text] {
			return
		}
		later = later || s.function
	}
}

// pathAt chooses among the imports of a name.
func pathAt(list []imported, at place, later bool) (path string, ok bool) {
	for _, one := range list {
		if one.at < at || later && !ok {
			path, ok = one.path, true
		}
	}
	return path, ok
}

// dottedNode makes the expression `a.b.c` in the place of a name.
func dottedNode(path string, n *node) *node {
	var out *node
	for part := range strings.SplitSeq(path, ".") {
		if out == nil {
			out = &node{kind: kName, text: part, span: n.span}
			continue
		}
		out = &node{kind: kAttr, kids: []*node{out, {kind: kIdent, text: part, span: n.span}}, span: n.span}
	}
	return out
}
