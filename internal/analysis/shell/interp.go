package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"palisade"
	"palisade/internal/analysis"
)

const (
	// maxSteps bounds the work on one program, in about microseconds.
	maxSteps = 600_000
	// maxFacts bounds what is found.
	maxFacts = 10_000
	// maxCalls bounds functions, texts and commands inside one another.
	maxCalls = 24
	// maxRecursion bounds how often one function is inside itself.
	maxRecursion = 2
)

var (
	errBudget = errors.New("the program takes more steps to read than there are")
	errFacts  = errors.New("the program does more things than are kept")
	errBroken = errors.New("the reading itself failed")
)

// interp interprets one program.
type interp struct {
	name  string
	lines []int // where each line begins
	// place is where everything is said to stand while text is read that the
	// program made itself; nil: where it does stand.
	place *place
	// via says how that text came to run, outermost first.
	via []string

	steps int
	calls int
	// weight is how often the loops around a place read it.
	weight    int
	facts     []analysis.Fact
	seen      map[analysis.Fact]bool
	embedded  []analysis.Embedded
	functions map[string][]*syntax.Stmt
	// fixed and integers are the variables that were declared so somewhere: an
	// assignment may fail, or is evaluated.
	fixed, integers map[string]bool
	// lastPipe says that the last command of a pipe may set variables.
	lastPipe bool
	// traps are what may run at any time; ever, what the variables were since
	// the first.
	traps   []trapped
	ever    map[string]value
	targets []*target
	// input is what exec made standard input; nil: it is what it was.
	input   value
	running map[*syntax.Stmt]int
	called  map[*syntax.Stmt]bool
	// files are the contents that the program wrote, by path.
	files map[string]value
	// descriptors are what can be read from open descriptors, by number.
	descriptors map[string]value
}

type place struct{ line, column int }

// trapped is code that runs later.
type trapped struct {
	place place
	code  string
}

func newInterp(name, source string) *interp {
	in := &interp{
		weight: 1, name: name, lines: []int{0}, seen: map[analysis.Fact]bool{}, functions: map[string][]*syntax.Stmt{},
		fixed: map[string]bool{}, integers: map[string]bool{}, ever: map[string]value{},
		running: map[*syntax.Stmt]int{}, called: map[*syntax.Stmt]bool{}, files: map[string]value{}, descriptors: map[string]value{},
	}
	for i := range len(source) {
		if source[i] == '\n' {
			in.lines = append(in.lines, i+1)
		}
	}
	return in
}

// stop carries an error out of the recursion.
type stop struct{ err error }

// program interprets a whole program, and the functions that it never calls.
func (in *interp) program(file *syntax.File) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			err = r.err
		default:
			err = fmt.Errorf("%w: %v", errBroken, r)
		}
	}()
	sc := &scope{vars: map[string]variable{}}
	sc.vars[keyFolder] = variable{value: text(analysis.Workspace)}
	in.statements(sc, file.Stmts, value{string([]byte{holeInput})})
	in.trapped(sc)
	in.uncalled(sc)
	return nil
}

// trapped reads what traps run once more, now that everything is known that the
// variables may be then.
func (in *interp) trapped(sc *scope) {
	for _, t := range in.traps {
		layer := sc.layer()
		for name, v := range in.ever {
			layer.vars[name] = either(in.quiet(sc, name), variable{value: v})
		}
		in.run(layer, t.place, value{t.code}, "trap", unknown)
	}
}

// uncalled reads the bodies of functions that nothing called by name: a trap, a
// computed name or a library may.
func (in *interp) uncalled(sc *scope) {
	for range 4 { // a body can define functions
		var bodies []*syntax.Stmt
		for _, list := range in.functions {
			for _, body := range list {
				if !in.called[body] {
					bodies = append(bodies, body)
				}
			}
		}
		if len(bodies) == 0 {
			return
		}
		slices.SortFunc(bodies, func(a, b *syntax.Stmt) int { return int(a.Position.Offset()) - int(b.Position.Offset()) })
		for _, body := range bodies {
			in.enter(sc, body, []value{{string([]byte{holeInput})}}, unknown)
		}
	}
}

// step accounts for work.
func (in *interp) step(n int) {
	if in.steps += n; in.steps > maxSteps {
		panic(stop{errBudget})
	}
}

// at is the place of a node in the program.
func (in *interp) at(n syntax.Node) place {
	if in.place != nil {
		return *in.place
	}
	offset := int(n.Pos().Offset())
	line, found := slices.BinarySearch(in.lines, offset)
	if found {
		line++
	}
	line = max(line, 1)
	return place{line, offset - in.lines[line-1] + 1}
}

// fact reports something that the program could do.
func (in *interp) fact(p place, f analysis.Fact) {
	f.File, f.Line, f.Column = in.name, p.line, p.column
	if len(in.via) > 0 {
		f.Evidence = strings.TrimSuffix("in "+strings.Join(in.via, ", ")+": "+f.Evidence, ": ")
	}
	key := f
	key.Evidence = ""
	if in.seen[key] {
		return
	}
	if len(in.facts) >= maxFacts {
		panic(stop{errFacts})
	}
	in.seen[key] = true
	in.facts = append(in.facts, f)
}

// unresolved reports something that could not be told.
func (in *interp) unresolved(p place, symbol, why string) {
	in.fact(p, analysis.Fact{Capability: palisade.CapUnresolved, Symbol: symbol, Unknown: true, Kind: analysis.KindComputed, Evidence: why})
}

// define makes a function known. One that hides a command is told.
func (in *interp) define(p place, name string, body *syntax.Stmt) {
	if !slices.Contains(in.functions[name], body) {
		in.functions[name] = append(in.functions[name], body)
	}
	if name == "command_not_found_handle" || isCommand(name) {
		in.fact(p, analysis.Fact{
			Capability: palisade.CapObfuscation, Symbol: "function " + name, Kind: analysis.KindShadow,
			Evidence: fmt.Sprintf("the function %s takes the place of a command", name),
		})
	}
}

// enter runs a function's body with arguments.
func (in *interp) enter(sc *scope, body *syntax.Stmt, arguments []value, stdin value) value {
	in.called[body] = true
	if in.calls >= maxCalls {
		in.unresolved(in.at(body), "function", "calls inside calls, too deep to be read")
		return unknown
	}
	if in.running[body] >= maxRecursion {
		sc.forget()
		return unknown
	}
	in.calls++
	in.running[body]++
	defer func() { in.calls--; in.running[body]-- }()
	out := text("")
	after := in.within(sc, 'f', func(inner *scope) {
		inner.vars[keyArguments] = variable{array: true, list: arguments}
		out = in.statement(inner, body, stdin)
	})
	after.commit()
	return out
}

// run reads text that the program runs as shell code.
func (in *interp) run(sc *scope, p place, code value, how string, stdin value) value {
	out := value{}
	for _, s := range code {
		out = join(out, in.runText(sc, p, s, how, stdin))
	}
	if len(out) == 0 {
		return text("")
	}
	return out
}

func (in *interp) runText(sc *scope, p place, s, how string, stdin value) value {
	in.step(1 + len(s)/8)
	if strings.TrimSpace(s) == "" {
		return text("")
	}
	in.computed(p, s, how)
	if prefix(s) == "" && suffix(s) == "" {
		return unknown // there is nothing to read
	}
	if in.calls >= maxCalls {
		in.unresolved(p, how, "text inside text, too deep to be read")
		return unknown
	}
	file, err := parse(filled(s))
	if err != nil {
		in.fact(p, analysis.Fact{
			Capability: palisade.CapUnresolved, Symbol: how, Unknown: true, Kind: analysis.KindSyntax,
			Evidence: fmt.Sprintf("runs text that does not parse: %v: %s", err, shown(s)),
		})
		return unknown
	}
	in.calls++
	before := in.place
	in.place, in.via = &p, append(in.via, how)
	defer func() {
		in.calls--
		in.place, in.via = before, in.via[:len(in.via)-1]
	}()
	return in.statements(sc, file.Stmts, stdin)
}

// filler stands in text that is parsed for a hole, followed by the hole's kind.
// A program that writes it itself says only that it is unknown.
const filler = "_PALISADE_UNKNOWN_"

// filled makes a text with holes one that can be parsed.
func filled(s string) string {
	if !hasHole(s) {
		return plain(s)
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] >= holeFile {
			b.WriteString(filler)
			b.WriteByte('A' + s[i] - holeFile)
		} else {
			b.WriteByte(s[i])
		}
	}
	return plain(b.String())
}

// emptied is the reverse, for a literal of a parsed text.
func emptied(s string) string {
	for {
		before, after, found := strings.Cut(s, filler)
		if !found || after == "" {
			return s
		}
		s = meld(meld(before, string([]byte{min(after[0]-'A', 3) + holeFile})), after[1:])
	}
}

// computed reports that text which the program made at run time is run.
func (in *interp) computed(p place, s, how string) {
	switch {
	case has(s, holeNetwork):
		in.fact(p, analysis.Fact{
			Capability: palisade.CapRemoteCode, Symbol: how, Unknown: true, Kind: analysis.KindComputed,
			Evidence: "runs what came over the network: " + shown(s),
		})
	case has(s, markDecoded):
		in.fact(p, analysis.Fact{
			Capability: palisade.CapObfuscation, Symbol: how, Kind: analysis.KindComputed,
			Evidence: "runs text that was decoded: " + shown(s),
		})
	}
	if hasHole(s) {
		in.fact(p, analysis.Fact{
			Capability: palisade.CapEvaluate, Symbol: how, Unknown: true, Kind: analysis.KindComputed,
			Evidence: "runs text that is not wholly known: " + shown(s),
		})
		in.unresolved(p, how, "text that is not wholly known is run: "+shown(s))
	}
}
