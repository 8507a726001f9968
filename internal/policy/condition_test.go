package policy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"palisade"
)

func TestConditionsThatCouldLoosenAreRefused(t *testing.T) {
	var e celEnv
	for _, when := range []string{
		"!findings.exists(f, f.severity > 1)",
		"findings.all(f, f.severity > 1)",
		"size(findings) < 3",
		"size(findings) == 3",
		"findings.size() != 3",
		"3 > size(findings)",
		"!(size(findings) > 3)",
		"findings.filter(f, f.line > 1).size() <= 1",
		"findings == findings",
		"findings.exists(f, f.severity > 1) ? false : true",
		"findings.exists(f, f.severity > 1) == false",
		"size(findings.filter(f, findings.exists(g, g.line > f.line))) > 1",
		"findings.exists(f, findings.all(g, g.line >= f.line))",
		"findings.exists(f, findings.exists(g, g.line > f.line))",
		"[1, 2].exists(x, size(findings) > x)",
		"findings.exists(f, size(findings) < f.line)",
		"size(findings) > size(findings)",
		"size(findings + findings) > 1",
		"size(findings) in [1, 2]",
		"!findings.exists(f, true) || true",
	} {
		if _, err := e.compile(when); err == nil {
			t.Errorf("%s was taken", when)
		}
	}
	for _, when := range []string{
		"findings[0].line > 1",                     // may fail
		"findings.map(f, f.line).exists(l, l > 1)", // not among the macros
		"1 / 0 == 1",                                          // may fail
		"int('x') == 1",                                       // may fail
		"program.lines + 1 > 2",                               // may overflow
		"findings.exists(f, f.evidence == '')",                // not for conditions
		"door.matches(submitter)",                             // pattern from outside
		"door.matches('(')",                                   // no pattern
		"findings.exists(findings, true)",                     // hides the findings
		"[1].exists(program, program > 0)",                    // hides a variable
		"timestamp('2020-01-01T00:00:00Z').getFullYear() > 1", // no clocks
		"",
		"(",
		"program.lines",
		strings.Repeat("(", 5000),
		strings.Repeat("true && ", 3000) + "true",
		"[1].exists(a, [2].exists(b, a == b))", // a loop in a loop
	} {
		if _, err := e.compile(when); err == nil {
			t.Errorf("%.60s was taken", when)
		}
	}
}

// growing are conditions that must be taken.
var growing = []string{
	"true",
	"program.lines > 100 && program.language == 'python'",
	"program.bytes >= 10 || prompt.bytes < 5 || program.modules == 0",
	"submitter.startsWith('key:') && !(door in ['cli', 'go'])",
	"door.matches('^c')",
	"findings.exists(f, f.severity >= 3)",
	"findings.exists(f, f.capability == 'network' && !f.unknown && f.argument.endsWith('.org'))",
	"size(findings) > 3",
	"3 <= findings.size()",
	"!(size(findings) < 3)",
	"!(3 > size(findings))",
	"findings.filter(f, f.severity >= 2).size() > 2",
	"findings.filter(f, f.severity >= 2).filter(f, f.line > 2).size() > 0",
	"findings.filter(f, f.line > 2).exists(f, f.unknown)",
	"!findings.all(f, f.line < 3)",
	"program.lines > 3 ? size(findings) > 1 : findings.exists(f, f.rule == 'a')",
	"door == 'cli' && (size(findings) > 1 || findings.exists(f, f.symbol.contains('x')))",
}

func randomFinding(r *rand.Rand) palisade.Finding {
	caps := []palisade.Capability{
		palisade.CapImport, palisade.CapCall, palisade.CapReadPath, palisade.CapWritePath, palisade.CapNetwork, palisade.CapEnvironment,
		palisade.CapThread, palisade.CapExit, palisade.CapUnresolved, palisade.CapProcess, palisade.CapUnparsable, palisade.CapDeserialize, "new",
	}
	words := []string{"", "math", "os", "os.getcwd", "numpy.ctypeslib", "/work/a", "/etc/passwd", "example.org", "169.254.169.254", "TZ", "x", "urllib.request"}
	return palisade.Finding{
		Rule: []string{"a", "b", "c"}[r.IntN(3)], Severity: palisade.Severity(r.IntN(5)), Capability: caps[r.IntN(len(caps))],
		Argument: words[r.IntN(len(words))], Symbol: words[r.IntN(len(words))], Unknown: r.IntN(4) == 0, Line: r.IntN(6),
	}
}

// TestMoreFindingsNeverLoosen is the promise of the package: whatever is added
// to a case, in whatever order, its verdict is as strict or stricter.
func TestMoreFindingsNeverLoosen(t *testing.T) {
	var conditions strings.Builder
	for i, when := range growing[1:] {
		fmt.Fprintf(&conditions, "\n      - {when: %q, then: %s, why: w}", when, []string{"ask", "deny"}[i%2])
	}
	s := owned(t, write(t, "version: 1\nprofiles:\n  loose:\n    extends: agent\n    modules: {allow: [ctypes]}\n    rules: {a: ask, b: deny}\n"+
		"  strict:\n    extends: agent\n    conditions:"+conditions.String()+"\n"))
	r := rand.New(rand.NewPCG(1, 2))
	counts := map[palisade.Decision]int{}
	for range 3000 {
		profile := s.Names()[r.IntN(len(s.Names()))]
		var some []palisade.Finding
		for range r.IntN(4) {
			some = append(some, randomFinding(r))
		}
		few := judged(profile, some...)
		if r.IntN(4) == 0 {
			few.Inspection.Trees = nil
		}
		more := few
		more.Inspection.Findings = append(append([]palisade.Finding{}, some...), randomFinding(r), randomFinding(r))
		r.Shuffle(len(more.Inspection.Findings), func(i, j int) {
			f := more.Inspection.Findings
			f[i], f[j] = f[j], f[i]
		})
		a, b := decide(t, s, few), decide(t, s, more)
		counts[a.Decision]++
		if b.Decision > a.Decision {
			t.Fatalf("%s: %s with %v, %s with %v", profile, a.Decision, few.Inspection.Findings, b.Decision, more.Inspection.Findings)
		}
		if again := decide(t, s, few); again.Decision != a.Decision || again.Policy != a.Policy || len(again.Reasons) != len(a.Reasons) {
			t.Fatal("equal cases got different verdicts")
		}
	}
	for _, d := range []palisade.Decision{palisade.Allow, palisade.Ask, palisade.Deny} {
		if counts[d] < 50 {
			t.Errorf("only %d cases were %s: the test says little", counts[d], d)
		}
	}
}

// TestGrowingConditions holds the compiler's judgment to evaluation: each
// condition that it takes never turns from true to false.
func TestGrowingConditions(t *testing.T) {
	var e celEnv
	r := rand.New(rand.NewPCG(3, 4))
	for _, when := range growing {
		program, err := e.compile(when)
		if err != nil {
			t.Errorf("%s: %v", when, err)
			continue
		}
		c := Condition{When: when, Then: palisade.Deny, program: program}
		for range 200 {
			in := judged("data")
			before := palisade.Allow
			for range 8 {
				d, err := c.judge(context.Background(), activation(in))
				if err != nil {
					t.Fatalf("%s: %v", when, err)
				}
				if d > before {
					t.Fatalf("%s was true and is false with %v", when, in.Inspection.Findings)
				}
				before = d
				in.Inspection.Findings = append([]palisade.Finding{randomFinding(r)}, in.Inspection.Findings...)
			}
		}
	}
}

func TestConditionRaises(t *testing.T) {
	s := owned(t, write(t, mine(
		"conditions:",
		"  - {when: 'program.lines > 2', then: ask, why: long programs are looked at}",
		"  - {when: 'findings.exists(f, f.severity >= 4)', then: deny, why: something critical}",
	)))
	c := judged("mine", imports("math"))
	if v := decide(t, s, c); v.Decision != palisade.Allow {
		t.Errorf("%s by %s", v.Decision, v.Policy)
	}
	c.Submission.Program.Source = []byte("a\nb\nc\n")
	v := decide(t, s, c)
	if v.Decision != palisade.Ask || v.Policy != "profiles.mine.conditions[0]" || v.Reasons[0].Finding.Message != "long programs are looked at" {
		t.Errorf("%+v", v)
	}
	critical := imports("math")
	critical.Severity = palisade.Critical
	c.Inspection.Findings = append(c.Inspection.Findings, critical)
	if v := decide(t, s, c); v.Decision != palisade.Deny || v.Policy != "profiles.mine.conditions[1]" || len(v.Reasons) != 2 {
		t.Errorf("%+v", v)
	}
}

func TestConditionOverBudgetDenies(t *testing.T) {
	s := owned(t, write(t, mine("conditions: [{when: 'findings.exists(f, f.line > 30000)', then: ask, why: x}]")))
	c := judged("mine")
	for i := range 20000 {
		f := imports("math")
		f.Line = i
		c.Inspection.Findings = append(c.Inspection.Findings, f)
	}
	start := time.Now()
	if v := decide(t, s, c); v.Decision != palisade.Allow {
		t.Errorf("%s by %s: %+v", v.Decision, v.Policy, v.Reasons)
	}
	t.Logf("20,000 findings took %s", time.Since(start))
	for range 4 {
		c.Inspection.Findings = append(c.Inspection.Findings, c.Inspection.Findings...)
	}
	v := decide(t, s, c)
	if v.Decision != palisade.Deny || v.Reasons[0].Finding.Rule != "condition" || !strings.Contains(v.Reasons[0].Finding.Evidence, "steps") {
		t.Errorf("%s by %s: %+v", v.Decision, v.Policy, v.Reasons)
	}
	if spent := time.Since(start); spent > 5*time.Second {
		t.Errorf("took %s", spent)
	}
	// A caller who is gone does not make a condition true or false.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if v, err := s.Decide(ctx, c); err != nil || v.Decision != palisade.Deny {
		t.Errorf("%s, %v", v.Decision, err)
	}
}

// TestProblemsOfConditionsNameTheVocabulary: whoever guessed a name is told those
// that there are.
func TestProblemsOfConditionsNameTheVocabulary(t *testing.T) {
	problems := Check("x.yaml", []byte("version: 1\nprofiles:\n  a:\n    extends: data\n    conditions:\n      - {when: 'code == 1', then: ask, why: x}\n"), nil)
	if len(problems) != 1 || !strings.Contains(problems[0].Fix, "program.bytes") || !strings.Contains(problems[0].Fix, "capability") {
		t.Error(problems)
	}
}
