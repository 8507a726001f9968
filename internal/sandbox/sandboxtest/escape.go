package sandboxtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"palisade"
)

// escape is one program of the corpus in testdata/escapes, in the language that
// its name says. Its header, in comments at the top (here those of Python and
// shell, else "// tries: …"), says what it is about:
//
//	# tries: what it attempts
//	# must: what has to happen instead
//	# needs: what the back-end must have, see [Options]
//	# limits: cpu=2s wall=5s memory=256MiB output=1MiB kept=64KiB processes=32 files=32 disk=8MiB inodes=100
//	# deny: groups of system calls that the verdict denies
//	# entry: the entry function
//	# stdin: one line of standard input; {port}, {udp}, {address} and {socket} are
//	  peers on the host that must never hear from it
//	# expect: key=value, one to a line:
//	    status=a|b  one of these statuses
//	    exit=N, signal=NAME
//	    hits=a,b  limits that were reached, no others; hits~=a  among them
//	    stdout~=REGEXP, stderr~=, reason~=, anomaly~=  is found; with !~= is not
//	    value=JSON
//	    artifacts=a,b  exactly these files
//	    within=5s  of go
//
// A program prints ESCAPED if it got what it must not get; that fails it,
// whatever it expects.
type escape struct {
	path, tries, must string
	language          palisade.Language
	needs, deny       []string
	limits            palisade.Limits
	entry, stdin      string
	expect            []expectation
	source            []byte
}

type expectation struct {
	key, op, value string
	re             *regexp.Regexp
	span           time.Duration
	number         int
}

var expectLine = regexp.MustCompile(`^([a-z]+)(=|~=|!~=)(.*)$`)

// readEscapes reads the corpus below a folder.
func readEscapes(dir string) ([]escape, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.*"))
	if err != nil {
		return nil, err
	}
	var all []escape
	for _, file := range files {
		e, err := readEscape(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// languageOf tells a program's language, and how its comments begin, by its name.
func languageOf(file string) (palisade.Language, string) {
	switch filepath.Ext(file) {
	case ".py":
		return palisade.Python, "# "
	case ".sh":
		return palisade.Shell, "# "
	case ".js", ".mjs":
		return palisade.JavaScript, "// "
	}
	return "", ""
}

func readEscape(file string) (escape, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return escape{}, err
	}
	language, comment := languageOf(file)
	if language == "" {
		return escape{}, errors.New("a program in no language that is known")
	}
	e := escape{path: file, source: source, language: language}
	for line := range strings.Lines(string(source)) {
		text, isComment := strings.CutPrefix(strings.TrimSpace(line), comment)
		key, value, isPair := strings.Cut(text, ": ")
		if !isComment || !isPair {
			break
		}
		if err := e.header(key, value); err != nil {
			return e, fmt.Errorf("%s: %w", key, err)
		}
	}
	if e.tries == "" || e.must == "" || len(e.expect) == 0 {
		return e, fmt.Errorf("a program says what it tries, what must happen, and what to expect")
	}
	return e, nil
}

func (e *escape) header(key, value string) error {
	switch key {
	case "tries":
		e.tries = value
	case "must":
		e.must = value
	case "needs":
		e.needs = strings.Fields(value)
	case "deny":
		e.deny = strings.Fields(value)
	case "entry":
		e.entry = value
	case "stdin":
		e.stdin = value
	case "limits":
		for _, pair := range strings.Fields(value) {
			if err := e.limit(pair); err != nil {
				return err
			}
		}
	case "expect":
		return e.expectation(value)
	default:
		return fmt.Errorf("unknown header")
	}
	return nil
}

func (e *escape) limit(pair string) error {
	key, value, _ := strings.Cut(pair, "=")
	if key == "cpu" || key == "wall" {
		span, err := time.ParseDuration(value)
		if key == "cpu" {
			e.limits.CPU = span
		} else {
			e.limits.Wall = span
		}
		return err
	}
	unit := int64(1)
	for suffix, size := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20} {
		if rest, ok := strings.CutSuffix(value, suffix); ok {
			value, unit = rest, size
		}
	}
	n, err := strconv.ParseInt(value, 10, 64)
	n *= unit
	switch key {
	case "memory":
		e.limits.Memory = n
	case "output":
		e.limits.Output = n
	case "kept":
		e.limits.Kept = n
	case "processes":
		e.limits.Processes = int(n)
	case "files":
		e.limits.OpenFiles = int(n)
	case "disk":
		e.limits.Disk = n
	case "inodes":
		e.limits.Inodes = n
	default:
		return fmt.Errorf("unknown limit %q", key)
	}
	return err
}

func (e *escape) expectation(line string) error {
	m := expectLine.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("%q is not key=value", line)
	}
	x := expectation{key: m[1], op: m[2], value: m[3]}
	var err error
	switch {
	case x.op != "=" && x.key != "hits":
		if !slices.Contains([]string{"stdout", "stderr", "reason", "anomaly"}, x.key) {
			return fmt.Errorf("%q cannot be matched", x.key)
		}
		x.re, err = regexp.Compile("(?m)" + x.value)
	case x.key == "within":
		x.span, err = time.ParseDuration(x.value)
	case x.key == "exit":
		x.number, err = strconv.Atoi(x.value)
	case !slices.Contains([]string{"status", "signal", "hits", "value", "artifacts"}, x.key):
		return fmt.Errorf("unknown key %q", x.key)
	}
	e.expect = append(e.expect, x)
	return err
}

// check returns what a result fails in.
func (e *escape) check(r palisade.Result) []string {
	var failed []string
	if out := stdout(r) + stderr(r); strings.Contains(out, "ESCAPED") {
		failed = append(failed, "it escaped")
	}
	for _, x := range e.expect {
		if why := x.check(r); why != "" {
			failed = append(failed, fmt.Sprintf("expect %s%s%s: %s", x.key, x.op, x.value, why))
		}
	}
	return failed
}

func (x expectation) check(r palisade.Result) string {
	if x.re != nil {
		return x.match(map[string]string{
			"stdout": stdout(r), "stderr": stderr(r), "reason": r.Reason, "anomaly": strings.Join(r.Anomalies, "\n"),
		}[x.key])
	}
	same := func(got string) string {
		if got != x.value {
			return fmt.Sprintf("got %q", got)
		}
		return ""
	}
	switch x.key {
	case "status":
		if !slices.Contains(strings.Split(x.value, "|"), string(r.Status)) {
			return "got " + string(r.Status)
		}
	case "exit":
		if r.ExitCode != x.number {
			return fmt.Sprintf("got %d", r.ExitCode)
		}
	case "signal":
		return same(r.Signal)
	case "value":
		return same(string(r.Value))
	case "hits":
		if x.op == "~=" && slices.Contains(r.LimitsHit, x.value) {
			return ""
		}
		return same(strings.Join(r.LimitsHit, ","))
	case "artifacts":
		var names []string
		for _, a := range r.Artifacts {
			names = append(names, a.Name)
		}
		slices.Sort(names)
		return same(strings.Join(names, ","))
	case "within":
		if r.Usage.Wall > x.span {
			return fmt.Sprintf("took %v", r.Usage.Wall)
		}
	}
	return ""
}

func (x expectation) match(text string) string {
	if x.re.MatchString(text) == (x.op == "~=") {
		return ""
	}
	return fmt.Sprintf("got %.1000q", text)
}
