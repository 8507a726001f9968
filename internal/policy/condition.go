package policy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/env"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"

	"palisade"
)

// budget bounds one evaluation, in steps: nodes of the expression times what
// the findings hold. It is reckoned before the evaluation, from the size of the
// case alone, and CEL's own cost limit is not used: that one depends on the
// order of findings (one that ends a loop early could turn a deny into an ask),
// and its bookkeeping is quadratic in the length of a loop (cel-go v0.31.0).
const budget = 5_000_000

// maxExpression bounds the text of one condition, in characters.
const maxExpression = 2000

// celProgram is a condition made ready; the zero value does not exist in a
// profile.
type celProgram struct {
	cel.Program
	nodes int
}

// celFinding is a finding as conditions see it. Evidence is left out: it is
// for people.
type celFinding struct {
	Rule       string `cel:"rule"`
	Severity   int    `cel:"severity"`
	Capability string `cel:"capability"`
	Symbol     string `cel:"symbol"`
	Argument   string `cel:"argument"`
	Unknown    bool   `cel:"unknown"`
	File       string `cel:"file"`
	Line       int    `cel:"line"`
}

// variables that an expression sees, other than findings.
var variables = map[string]*cel.Type{
	"program.language": cel.StringType,
	"program.lines":    cel.IntType,
	"program.bytes":    cel.IntType,
	"program.modules":  cel.IntType,
	"program.score":    cel.IntType,
	"prompt.bytes":     cel.IntType,
	"submitter":        cel.StringType,
	"door":             cel.StringType,
}

// vocabulary says what an expression may name, for whoever has to mend one.
func vocabulary() string {
	return "findings (its items: " + strings.Join(celFields(), ", ") + "), " + strings.Join(slices.Sorted(maps.Keys(variables)), ", ")
}

// celFields are the names of a finding's fields in expressions.
func celFields() []string {
	t := reflect.TypeFor[celFinding]()
	var names []string
	for i := range t.NumField() {
		names = append(names, t.Field(i).Tag.Get("cel"))
	}
	return names
}

// functions that cannot fail, so that only the cost limit can end an
// evaluation. Arithmetic (overflow), conversions and indexing are left out.
var functions = []string{
	operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Conditional, operators.NotStrictlyFalse,
	operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater,
	operators.GreaterEquals, operators.In, "size", "contains", "startsWith", "endsWith", "matches",
}

// celEnv compiles conditions; the environment is made with the first.
type celEnv struct{ env *cel.Env }

func (e *celEnv) make() error {
	subset := &env.LibrarySubset{IncludeMacros: []string{operators.All, operators.Exists, operators.Filter}}
	for _, name := range functions {
		subset.IncludeFunctions = append(subset.IncludeFunctions, env.NewFunction(name))
	}
	// filter is written with a list's +.
	subset.IncludeFunctions = append(subset.IncludeFunctions, env.NewFunction(operators.Add, &env.Overload{ID: "add_list"}))
	options := []cel.EnvOption{
		cel.StdLib(cel.StdLibSubset(subset)),
		cel.EnableMacroCallTracking(),
		cel.ParserExpressionSizeLimit(maxExpression),
		cel.ParserRecursionLimit(64),
		cel.ASTValidators(cel.ValidateRegexLiterals()),
		ext.NativeTypes(reflect.TypeFor[celFinding](), ext.ParseStructTags(true)),
		cel.Variable("findings", cel.ListType(cel.ObjectType("policy.celFinding"))),
	}
	for name, t := range variables {
		options = append(options, cel.Variable(name, t))
	}
	made, err := cel.NewCustomEnv(options...)
	e.env = made
	return err
}

// compile checks an expression: its types, and that more findings can never
// make it false.
func (e *celEnv) compile(when string) (celProgram, error) {
	if e.env == nil {
		if err := e.make(); err != nil {
			return celProgram{}, fmt.Errorf("prepare conditions: %w", err)
		}
	}
	tree, issues := e.env.Compile(when)
	if issues.Err() != nil {
		var texts []string
		for _, one := range issues.Errors() {
			texts = append(texts, fmt.Sprintf("at %d:%d: %s", one.Location.Line(), one.Location.Column()+1, one.Message))
		}
		return celProgram{}, errors.New(strings.Join(texts, "; "))
	}
	if tree.OutputType() != cel.BoolType {
		return celProgram{}, fmt.Errorf("the expression is of type %s, not bool", tree.OutputType())
	}
	m := monotone{info: tree.NativeRep().SourceInfo()}
	if err := m.check(tree.NativeRep().Expr(), true); err != nil {
		return celProgram{}, err
	}
	program, err := e.env.Program(tree, cel.InterruptCheckFrequency(1000))
	return celProgram{program, len(tree.NativeRep().IDs())}, err
}

// monotone walks an expression and refuses what more findings could turn from
// true to false.
type monotone struct{ info *ast.SourceInfo }

var errMonotone = errors.New("more findings could make this false: use findings only with exists, " +
	"with size(findings) or size(findings.filter(…)) on the large side of a comparison, or with !findings.all(…)")

// check holds an expression of type bool to growing (or, where up is false, to
// falling) with the findings.
func (m monotone) check(e ast.Expr, up bool) error {
	if err := m.plain(e); err != nil {
		return err
	}
	if !m.mentions(e) {
		return nil
	}
	switch e.Kind() {
	case ast.ComprehensionKind:
		return m.comprehension(e, up)
	case ast.CallKind:
		return m.call(e.AsCall(), up)
	default:
		return errMonotone
	}
}

func (m monotone) comprehension(e ast.Expr, up bool) error {
	c := e.AsComprehension()
	macro := m.macro(e)
	if macro != operators.Exists && macro != operators.All {
		return errMonotone
	}
	// The body does not mention findings: see plain.
	if !m.grows(c.IterRange()) || up != (macro == operators.Exists) {
		return errMonotone
	}
	return nil
}

func (m monotone) call(c ast.CallExpr, up bool) error {
	args := c.Args()
	large, small := 0, 1
	switch c.FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr:
		for _, arg := range args {
			if err := m.check(arg, up); err != nil {
				return err
			}
		}
		return nil
	case operators.LogicalNot:
		return m.check(args[0], !up)
	case operators.Conditional:
		if m.mentions(args[0]) {
			return errMonotone
		}
		return errors.Join(m.check(args[1], up), m.check(args[2], up))
	case operators.Greater, operators.GreaterEquals:
	case operators.Less, operators.LessEquals:
		large, small = 1, 0
	default:
		return errMonotone
	}
	if !up {
		large, small = small, large
	}
	if m.mentions(args[small]) || m.mentions(args[large]) && !m.counts(args[large]) {
		return errMonotone
	}
	return nil
}

// counts reports whether e is size() of something that grows.
func (m monotone) counts(e ast.Expr) bool {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "size" {
		return false
	}
	c := e.AsCall()
	if c.IsMemberFunction() {
		return m.grows(c.Target())
	}
	return len(c.Args()) == 1 && m.grows(c.Args()[0])
}

// grows reports whether e is findings, filtered or not.
func (m monotone) grows(e ast.Expr) bool {
	if e.Kind() == ast.IdentKind {
		return e.AsIdent() == "findings"
	}
	if e.Kind() != ast.ComprehensionKind || m.macro(e) != operators.Filter {
		return false
	}
	c := e.AsComprehension()
	return m.grows(c.IterRange())
}

func (m monotone) macro(e ast.Expr) string {
	call, ok := m.info.GetMacroCall(e.ID())
	if !ok || call.Kind() != ast.CallKind {
		return ""
	}
	return call.AsCall().FunctionName()
}

// plain refuses loops in loops, so that the work is bounded by nodes times
// findings; names that hide others; and patterns that are not literals.
func (m monotone) plain(e ast.Expr) error {
	var err error
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.ComprehensionKind:
			name := e.AsComprehension().IterVar()
			if _, taken := variables[name]; taken || slices.Contains([]string{"findings", "program", "prompt"}, name) {
				err = fmt.Errorf("the name %s is taken", name)
			}
			if step := e.AsComprehension().LoopStep(); m.mentions(step) || m.loops(step) {
				err = errors.New("a loop stands inside another, or findings inside a loop over findings: join two conditions with && instead")
			}
		case ast.CallKind:
			if c := e.AsCall(); c.FunctionName() == "matches" && (len(c.Args()) == 0 || c.Args()[len(c.Args())-1].Kind() != ast.LiteralKind) {
				err = errors.New("the pattern of matches must stand there as a text")
			}
		}
	}))
	return err
}

func (m monotone) mentions(e ast.Expr) bool {
	found := false
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		found = found || e.Kind() == ast.IdentKind && e.AsIdent() == "findings"
	}))
	return found
}

func (m monotone) loops(e ast.Expr) bool {
	found := false
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		found = found || e.Kind() == ast.ComprehensionKind
	}))
	return found
}

// activation is a case as conditions see it.
func activation(c palisade.Case) seen {
	s := c.Submission
	findings := make([]celFinding, len(c.Inspection.Findings))
	size := 1 + len(findings)
	for i, f := range c.Inspection.Findings {
		f = whole(f)
		// CEL reckons one step for ten bytes of a text.
		size += (len(f.Rule) + len(f.Symbol) + len(f.Argument) + len(f.File)) / 10
		findings[i] = celFinding{f.Rule, int(f.Severity), string(f.Capability), f.Symbol, f.Argument, f.Unknown, f.File, f.Line}
	}
	return seen{size, map[string]any{
		"findings":         findings,
		"program.language": string(s.Program.Language),
		"program.lines":    strings.Count(string(s.Program.Source), "\n") + 1,
		"program.bytes":    len(s.Program.Source),
		"program.modules":  len(s.Program.Modules),
		"program.score":    c.Inspection.Score,
		"prompt.bytes":     len(s.Prompt),
		"submitter":        s.Submitter,
		"door":             s.Door,
	}}
}

// seen is a case as conditions see it, with its size in steps.
type seen struct {
	size      int
	variables map[string]any
}

// judge evaluates the condition. What cannot be evaluated denies.
func (c Condition) judge(ctx context.Context, in seen) (palisade.Decision, error) {
	if steps := c.program.nodes * in.size; steps > budget {
		return palisade.Deny, fmt.Errorf("the condition would take about %d steps, more than %d", steps, budget)
	}
	value, _, err := c.program.ContextEval(ctx, in.variables)
	if err != nil {
		return palisade.Deny, err
	}
	holds, ok := value.(types.Bool)
	switch {
	case !ok:
		return palisade.Deny, fmt.Errorf("the expression gave %s, not a bool", value.Type().TypeName())
	case bool(holds):
		return c.Then, nil
	default:
		return palisade.Allow, nil
	}
}
