package py

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"palisade"
	"palisade/internal/analysis"
)

// plainForms are the forms of programs of what a plain program may have. $e is
// an expression, $n a variable, $f a builtin, $m a method, $p a module's name,
// $b an indented block, $r a
// return behind one.
var plainForms = struct{ atoms, expressions, statements []string }{
	strings.Fields("1 2.5 'ab' '{}' '%s' [] {} () None True '' $n $n $n $n $n $n"),
	strings.Split("$n|$n($e)|$e($e)|$e($e, $e)|$e[$e]|$e + $e|$e % $e|$e * $e|[$e, $e]|($e, $e)|{$e: $e}|{$e}|$e if $e else $e|"+
		"lambda a: $e|lambda *a, b=$e: $e|[$e for $n in $e]|{a: $e for a, b in $e}|sum($e for a in $e if $e)|f\"{$e} {$e:>3}\"|$e[$e:$e]|"+
		"$e and $e|not $e|$e < $e|[*$e, $e]|$f($e)|$f($e, $e)|$f($e, key=$e)|$e.$m($e)|$e.$m($e, $e)|$e.$m|$p($e)|$p($e, $e)|$p($p, $e)|$p", "|"),
	strings.Split("$n = $e|$n, *$n = $e|$n += $e|print($e)|$e|$n[$e] = $e|assert $e|for $n in $e:$b|while $e:$b|if $e:$b|"+
		"def $n(a, b=$e, *c, **d):$b$r|def $n(f):$b$r|def $n():$b$r|try:$b|del $n", "|"),
}

// plainWriter fills forms in.
type plainWriter struct {
	*rand.Rand
	strings.Builder
	names, builtins, methods, parts []string
}

func newPlainWriter(seed uint64) *plainWriter {
	w := &plainWriter{Rand: rand.New(rand.NewPCG(seed, 1)), names: strings.Fields("a b c d f g")}
	w.builtins = slices.Sorted(maps.Keys(plainBuiltins))
	w.methods = slices.Sorted(maps.Keys(plainMethods))
	w.parts = strings.Fields("math.sqrt math.pi cmath.exp heapq.heappush bisect.bisect itertools.chain itertools.starmap statistics.mean")
	for mod, names := range plainModules {
		for name := range names {
			w.parts = append(w.parts, mod+"."+name)
		}
	}
	slices.Sort(w.parts)
	return w
}

func (w *plainWriter) any(list []string) string { return list[w.IntN(len(list))] }

// fill writes a form with all that it stands for, to a depth.
func (w *plainWriter) fill(form, indent string, depth int) {
	for {
		text, rest, more := strings.Cut(form, "$")
		w.WriteString(text)
		if !more {
			return
		}
		switch form = rest[1:]; rest[0] {
		case 'e':
			if depth <= 0 {
				w.fill(w.any(plainForms.atoms), "", 0)
				break
			}
			w.WriteString("(")
			w.fill(w.any(plainForms.expressions), "", depth-1-w.IntN(2))
			w.WriteString(")")
		case 'b':
			w.block(indent+" ", depth-1)
		case 'r':
			w.WriteString("\n" + indent + " return ")
			w.fill("$e", "", depth)
		case 'n':
			w.WriteString(w.any(w.names))
		case 'f':
			w.WriteString(w.any(w.builtins))
		case 'm':
			w.WriteString(w.any(w.methods))
		case 'p':
			w.WriteString(w.any(w.parts))
		}
	}
}

func (w *plainWriter) block(indent string, depth int) {
	for range 1 + w.IntN(4) {
		form := w.any(plainForms.statements)
		if depth <= 0 {
			form = "$n = $e"
		}
		w.WriteString("\n" + indent)
		w.fill(form, indent, depth)
		if strings.HasPrefix(form, "try") {
			w.WriteString("\n" + indent + "except ValueError as " + w.any(w.names) + ":\n" + indent + " pass")
		}
	}
}

func (w *plainWriter) program() string {
	w.Reset()
	w.WriteString("import " + strings.Join(slices.Sorted(maps.Keys(plainModules)), ", "))
	for _, name := range w.names {
		w.WriteString("\n" + name + " = ")
		w.fill("$e", "", 0)
	}
	for range 3 {
		w.block("", 3)
	}
	return w.String() + "\n"
}

// TestPlainGenerated holds the short way to the long one on programs that call,
// index, keep and hand on anything.
func TestPlainGenerated(t *testing.T) {
	const programs = 1000
	took := 0
	for seed := range uint64(programs) {
		src := newPlainWriter(seed).program()
		plain, short, full := readBoth(t, src)
		if !plain {
			continue // or it does not parse
		}
		took++
		if short, full = unplaced(short), unplaced(full); !slices.Equal(short, full) {
			t.Fatalf("seed %d\n%s\nas a plain program %v\ninterpreted        %v", seed, src, short, full)
		}
	}
	if took < programs/10 {
		t.Errorf("%d of %d programs are plain: this tests little", took, programs)
	}
}

// unplaced takes the places of calls away: each callable is reported where it
// is used first, and the body of a function is interpreted after what follows it.
func unplaced(facts []analysis.Fact) []analysis.Fact {
	for i := range facts {
		if f := &facts[i]; f.Capability == palisade.CapCall {
			f.Line, f.Column, f.Evidence = 0, 0, ""
		}
	}
	return analysis.Sort(facts)
}
