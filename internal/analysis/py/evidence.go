package py

import (
	"strconv"
	"strings"

	"palisade/internal/analysis"
	"palisade/internal/python"
)

// binding is one statement that gives a name its value. Few of a program's are
// ever explained, so it is written down only then.
type binding struct {
	line   int
	form   bindingForm
	target python.Expr // all that the statement binds
	from   python.Expr // what the value is taken from; nil: nothing to follow
	text   string      // of an import
}

type bindingForm uint8

const (
	imports bindingForm = iota
	assigns
	loops
	enters
)

// how writes a binding down: "o = os", "from os import system as s".
func (b binding) how() string {
	switch b.form {
	case assigns:
		return render(b.target) + " = " + render(b.from)
	case loops:
		return "for " + render(b.target) + " in " + render(b.from)
	case enters:
		return "with " + render(b.from) + " as " + render(b.target)
	}
	return b.text
}

// explain says in one line how a fact was reached: what the names that it uses
// are bound to, the expression as it is written, and what it resolves to.
func (in *interp) explain(n python.Node, f analysis.Fact) string {
	callee := calleeOf(n)
	e, ok := callee.(python.Expr)
	if !ok {
		return f.Evidence
	}
	line := n.Position().Line
	written := render(e)
	parts := in.origins(e, line)
	if c, ok := n.(*python.Call); ok && len(c.Args) > 0 {
		written = render(c)
		parts = append(parts, in.origins(c.Args[0], line)...)
	}
	if look, ok := e.(*python.Call); ok && len(look.Args) > 1 {
		parts = append(parts, in.origins(look.Args[1], line)...) // the name in getattr
	}
	parts = append(parts, written)
	if last := f.Symbol[strings.LastIndexByte(f.Symbol, '.')+1:]; last != "" && f.Symbol[0] != '?' && !strings.HasSuffix(render(e), last) {
		parts = append(parts, f.Symbol)
	}
	chain := strings.Join(parts, " → ")
	rest, _ := strings.CutPrefix(f.Evidence, spelled(callee))
	if rest = strings.TrimSpace(rest); rest == "" || strings.HasPrefix(rest, "(…)") {
		return chain
	}
	return chain + ": " + rest
}

// maxOrigins bounds the bindings that are followed for an explanation.
const maxOrigins = 5

// origins are the bindings that lead to an expression, the earliest first.
func (in *interp) origins(e python.Expr, line int) []string {
	var out []string
	for range maxOrigins {
		name := rootName(e)
		b, ok := in.bindingOf(name, line)
		if name == "" || !ok {
			break
		}
		out = append(out, b.how())
		if b.from == nil || b.line > line {
			break
		}
		e, line = b.from, b.line-1
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// bindingOf is the last binding of a name up to a line, else its first.
func (in *interp) bindingOf(name string, line int) (binding, bool) {
	u := in.unit
	if u.bindings == nil {
		u.bindings = map[string][]binding{}
		if u.tree != nil {
			u.collect(u.tree.Body)
		}
	}
	list := u.bindings[name]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].line <= line {
			return list[i], true
		}
	}
	if len(list) > 0 {
		return list[0], true
	}
	return binding{}, false
}

// collect indexes the bindings of statements, those inside others too.
func (u *unit) collect(list []python.Stmt) {
	for _, st := range list {
		line := st.Position().Line
		switch st := st.(type) {
		case *python.Assign:
			for _, t := range st.Targets {
				u.bind(t, binding{line, assigns, t, st.Value, ""})
			}
		case *python.AnnAssign:
			if st.Value != nil {
				u.bind(st.Target, binding{line, assigns, st.Target, st.Value, ""})
			}
		case *python.Import:
			for _, a := range st.Names {
				if a.Asname != "" {
					u.add(a.Asname, binding{line: line, text: "import " + a.Name + " as " + a.Asname})
				}
			}
		case *python.ImportFrom:
			for _, a := range st.Names {
				name, how := a.Name, "from "+strings.Repeat(".", st.Level)+st.Module+" import "+a.Name
				if a.Asname != "" {
					name, how = a.Asname, how+" as "+a.Asname
				}
				u.add(name, binding{line: line, text: how})
			}
		case *python.For:
			u.bind(st.Target, binding{line, loops, st.Target, st.Iter, ""})
			u.collect(st.Body)
			u.collect(st.Orelse)
		case *python.With:
			for _, i := range st.Items {
				if i.OptionalVars != nil {
					u.bind(i.OptionalVars, binding{line, enters, i.OptionalVars, i.ContextExpr, ""})
				}
			}
			u.collect(st.Body)
		case *python.If:
			u.collect(st.Body)
			u.collect(st.Orelse)
		case *python.While:
			u.collect(st.Body)
			u.collect(st.Orelse)
		case *python.Try:
			u.collect(st.Body)
			for _, h := range st.Handlers {
				u.collect(h.Body)
			}
			u.collect(st.Orelse)
			u.collect(st.Finalbody)
		case *python.FunctionDef:
			u.collect(st.Body)
		case *python.AsyncFunctionDef:
			u.collect(st.Body)
		case *python.ClassDef:
			u.collect(st.Body)
		}
	}
}

func (u *unit) bind(target python.Expr, b binding) {
	switch t := target.(type) {
	case *python.Name:
		u.add(t.Id, b)
	case *python.Starred:
		u.bind(t.Value, b)
	case *python.Tuple:
		for _, e := range t.Elts {
			u.bind(e, b)
		}
	case *python.List:
		for _, e := range t.Elts {
			u.bind(e, b)
		}
	}
}

func (u *unit) add(name string, b binding) {
	if len(u.bindings[name]) < 64 {
		u.bindings[name] = append(u.bindings[name], b)
	}
}

// rootName is the name that an expression starts from; for a lookup by name
// that of what is looked up in.
func rootName(e python.Expr) string {
	for range 50 {
		switch n := e.(type) {
		case *python.Name:
			return n.Id
		case *python.Attribute:
			e = n.Value
		case *python.Subscript:
			e = n.Value
		case *python.Starred:
			e = n.Value
		case *python.Call:
			e = n.Func
			if f, ok := n.Func.(*python.Name); ok && len(n.Args) > 0 && (f.Id == "getattr" || f.Id == "vars" || f.Id == "next" || f.Id == "iter") {
				e = n.Args[0]
			}
		default:
			return ""
		}
	}
	return ""
}

// maxRendered bounds the text of an expression in an explanation, in bytes.
const maxRendered = 120

// render writes an expression down, long ones cut.
func render(e python.Expr) string {
	w := writer{left: 60}
	w.expr(e)
	s := w.b.String()
	if len(s) > maxRendered {
		s = strings.ToValidUTF8(s[:maxRendered], "") + "…"
	}
	return s
}

// writer writes expressions; left bounds the nodes that it still writes.
type writer struct {
	b    strings.Builder
	left int
}

func (w *writer) expr(e python.Expr) {
	if w.left--; w.left < 0 || w.b.Len() > maxRendered {
		return
	}
	switch e := e.(type) {
	case *python.Name:
		w.b.WriteString(e.Id)
	case *python.Attribute:
		w.expr(e.Value)
		w.b.WriteString("." + e.Attr)
	case *python.Subscript:
		w.expr(e.Value)
		w.group("[", []python.Expr{e.Slice}, "]")
	case *python.Call:
		w.expr(e.Func)
		args := e.Args
		for _, k := range e.Keywords {
			args = append(args[:len(args):len(args)], k.Value)
		}
		w.group("(", args, ")")
	case *python.Starred:
		w.b.WriteString("*")
		w.expr(e.Value)
	case *python.Constant:
		w.constant(e.Value)
	case *python.BinOp:
		w.expr(e.Left)
		w.b.WriteString(" " + operatorSigns[e.Op] + " ")
		w.expr(e.Right)
	case *python.Tuple:
		w.group("(", e.Elts, ")")
	case *python.List:
		w.group("[", e.Elts, "]")
	case *python.Slice:
		w.b.WriteString(":")
	case *python.Lambda:
		w.b.WriteString("lambda: ")
		w.expr(e.Body)
	case *python.NamedExpr:
		w.expr(e.Target)
		w.b.WriteString(" := ")
		w.expr(e.Value)
	default:
		w.b.WriteString("…")
	}
}

func (w *writer) group(open string, list []python.Expr, end string) {
	w.b.WriteString(open)
	for i, e := range list {
		if i > 0 {
			w.b.WriteString(", ")
		}
		w.expr(e)
	}
	w.b.WriteString(end)
}

func (w *writer) constant(v python.Value) {
	switch v.Kind {
	case python.Str:
		w.b.WriteString(quote(v.Str))
	case python.Bytes:
		w.b.WriteString("b" + quote(v.Str))
	case python.Int:
		if v.Big == nil {
			w.b.WriteString(strconv.FormatInt(v.Int, 10))
			return
		}
		w.b.WriteString("…")
	case python.None:
		w.b.WriteString("None")
	default:
		w.b.WriteString("…")
	}
}

// quote writes a text in Python's quotes, on one line, long ones cut.
func quote(s string) string {
	const most = 40
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	q := strconv.Quote(s)
	return "'" + strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`) + "'"
}

// operatorSigns are Python's.
var operatorSigns = [...]string{
	python.Add: "+", python.Sub: "-", python.Mult: "*", python.MatMult: "@", python.Div: "/", python.Mod: "%", python.Pow: "**",
	python.LShift: "<<", python.RShift: ">>", python.BitOr: "|", python.BitXor: "^", python.BitAnd: "&", python.FloorDiv: "//",
}
