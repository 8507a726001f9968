package lang

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"palisade"
	"palisade/internal/python"
)

// signature is what the text of a program says of its entry function.
type signature struct {
	name string
	def  bool // it is a def, so that its parameters are known
	// loose: a decorator may give it other parameters than those written.
	loose    bool
	params   []param
	rest     python.Expr // annotation of **kwargs
	takesAny bool        // it has **kwargs
	version  python.Version
}

type param struct {
	name       string
	annotation python.Expr // nil: none
	required   bool
	positional bool // positional only
}

// signature finds the entry function. A program that cannot be parsed has an
// empty one: it will not run.
func (p Preparer) signature(prog palisade.Program) (signature, error) {
	sig := signature{name: prog.Entry, loose: true, version: p.Python}
	if !isIdentifier(prog.Entry) {
		return sig, fmt.Errorf("the entry function %.60q is not an identifier", prog.Entry)
	}
	f := finder{name: prog.Entry}
	tree, unparsable := python.Parse(prog.Source, python.Options{Version: p.Python})
	if unparsable == nil {
		f.body(tree.Body)
	}
	switch {
	case unparsable != nil: // the reading finds it, and nothing runs
	case f.args != nil:
		sig.read(f.args, f.decorated)
	case !f.bound && !f.star:
		return sig, fmt.Errorf("the program defines no function %s", prog.Entry)
	}
	return sig, nil
}

// isIdentifier is for names that come from outside: ASCII is what is accepted,
// since everything else would have to be normalized first.
func isIdentifier(name string) bool {
	return len(name) <= maxModuleName && isASCIIIdentifier(name) && !pythonKeywords[name]
}

func (s *signature) read(args *python.Arguments, decorated bool) {
	s.def, s.loose = true, decorated
	all := slices.Concat(args.Posonlyargs, args.Args)
	for i, a := range all {
		s.params = append(s.params, param{
			name: a.Arg, annotation: a.Annotation,
			required:   i < len(all)-len(args.Defaults),
			positional: i < len(args.Posonlyargs),
		})
	}
	for i, a := range args.Kwonlyargs {
		s.params = append(s.params, param{name: a.Arg, annotation: a.Annotation, required: args.KwDefaults[i] == nil})
	}
	if args.Kwarg != nil {
		s.takesAny, s.rest = true, args.Kwarg.Annotation
	}
}

// checkNames holds the names of arguments to the parameters.
func (s *signature) checkNames(args map[string]json.RawMessage) error {
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !isIdentifier(name) {
			return fmt.Errorf("argument %.60q: the name is not an identifier", name)
		}
		if !s.def || s.loose || s.takesAny || s.param(name) != nil {
			continue
		}
		return fmt.Errorf("argument %q: %s has no such parameter%s", name, s.name, s.has())
	}
	if s.loose {
		return nil
	}
	gap := ""
	for _, p := range s.params {
		_, given := args[p.name]
		if !given && p.required {
			return fmt.Errorf("argument %q is missing: %s needs it", p.name, s.name)
		}
		if p.positional && !given && gap == "" {
			gap = p.name
		}
		if p.positional && given && gap != "" {
			return fmt.Errorf("argument %q needs argument %q before it: both are positional only", p.name, gap)
		}
	}
	return nil
}

func (s *signature) has() string {
	if len(s.params) == 0 {
		return "; it has none"
	}
	names := make([]string, len(s.params))
	for i, p := range s.params {
		names[i] = p.name
	}
	return "; it has " + strings.Join(names, ", ")
}

func (s *signature) param(name string) *param {
	for i := range s.params {
		if s.params[i].name == name {
			return &s.params[i]
		}
	}
	return nil
}

// maxShapeWork bounds the size of a value times that of its annotation.
const maxShapeWork = 1 << 30

// checkTypes holds arguments to the annotations of the parameters.
func (s *signature) checkTypes(args map[string]json.RawMessage) error {
	for _, name := range slices.Sorted(maps.Keys(args)) {
		annotation := s.rest
		if p := s.param(name); p != nil {
			annotation = p.annotation
		} else if !s.takesAny {
			continue
		}
		if annotation == nil {
			continue
		}
		shape, err := readShape(annotation, s.version, 0)
		if err != nil {
			return fmt.Errorf("argument %q of %s: %w; give a schema, or leave the argument out", name, s.name, err)
		}
		value, err := decode(args[name])
		if err != nil {
			return fmt.Errorf("argument %q: %w", name, err)
		}
		if sizeOf(value)*len(shape.String()) > maxShapeWork {
			return fmt.Errorf("argument %q of %s is too large for its annotation", name, s.name)
		}
		if err := shape.check(value, ""); err != nil {
			return fmt.Errorf("argument %q of %s: %w", name, s.name, err)
		}
	}
	return nil
}

// finder looks for what binds a name at the top level of a module. As when the
// module runs, the last one counts; what stands in a branch may be it.
type finder struct {
	name      string
	bound     bool
	star      bool // a star import may bind it
	args      *python.Arguments
	decorated bool
}

func (f *finder) body(stmts []python.Stmt) {
	for _, s := range stmts {
		f.stmt(s)
	}
}

func (f *finder) stmt(s python.Stmt) {
	switch s := s.(type) {
	case *python.FunctionDef:
		f.function(s.Name, s.Args, s.DecoratorList)
	case *python.AsyncFunctionDef:
		f.function(s.Name, s.Args, s.DecoratorList)
	case *python.ClassDef:
		f.other(s.Name)
	case *python.Assign:
		for _, t := range s.Targets {
			f.target(t)
		}
	case *python.AnnAssign:
		if s.Value != nil {
			f.target(s.Target)
		}
	case *python.Import:
		for _, a := range s.Names {
			f.alias(a)
		}
	case *python.ImportFrom:
		for _, a := range s.Names {
			f.star = f.star || a.Name == "*"
			f.alias(a)
		}
	case *python.If:
		f.body(s.Body)
		f.body(s.Orelse)
	case *python.For:
		f.body(s.Body)
		f.body(s.Orelse)
	case *python.While:
		f.body(s.Body)
		f.body(s.Orelse)
	case *python.With:
		f.body(s.Body)
	case *python.Try:
		f.body(s.Body)
		for _, h := range s.Handlers {
			f.body(h.Body)
		}
		f.body(s.Orelse)
		f.body(s.Finalbody)
	}
}

func (f *finder) function(name string, args *python.Arguments, decorators []python.Expr) {
	if name == f.name {
		f.bound, f.args, f.decorated = true, args, len(decorators) > 0
	}
}

// other binds the name to something whose parameters are not known.
func (f *finder) other(name string) {
	if name == f.name {
		f.bound, f.args = true, nil
	}
}

func (f *finder) alias(a *python.Alias) {
	name := a.Asname
	if name == "" {
		name, _, _ = strings.Cut(a.Name, ".")
	}
	f.other(name)
}

func (f *finder) target(t python.Expr) {
	switch t := t.(type) {
	case *python.Name:
		f.other(t.Id)
	case *python.Tuple:
		for _, e := range t.Elts {
			f.target(e)
		}
	case *python.List:
		for _, e := range t.Elts {
			f.target(e)
		}
	}
}
