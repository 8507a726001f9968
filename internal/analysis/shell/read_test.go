package shell

import (
	"errors"
	"strings"
	"testing"

	"palisade/internal/analysis"
)

// program is one that an agent might write, for measurements.
const program = `#!/bin/bash
set -euo pipefail
root=${1:-/work}
report="$root/report.txt"
count() {
	local dir=$1 pattern=$2 n=0
	while IFS= read -r f; do
		((n += 1))
	done < <(find "$dir" -name "$pattern" -type f)
	echo "$n"
}
for ext in py sh md; do
	n=$(count "$root" "*.$ext")
	printf '%s\t%d\n' "$ext" "$n" >> "$report"
done
if [[ -f $report ]]; then
	sort -k2 -n -r "$report" | head -n 3 | awk '{ print $1 ": " $2 }'
else
	echo "no report" >&2
	exit 1
fi
case ${2:-} in
-v | --verbose) cat "$report" ;;
*) ;;
esac
`

func TestCanonical(t *testing.T) {
	for src, want := range map[string]string{
		"ls  -l ;  pwd":                    "ls -l\npwd\n",
		"echo `ls`":                        "echo $(ls)\n",
		"function f { ls; }":               "function f { ls; }\n",
		"if a\nthen b; fi":                 "if a; then b; fi\n",
		"a|b && c # comment":               "a | b && c\n",
		"cat <<E\n $x\nE\n":                "cat <<E\n $x\nE\n",
		"echo $[1+2]":                      "echo $((1 + 2))\n",
		"for((i=0;i<3;i++)){ a; }":         "for ((i = 0; i < 3; i++)); do a; done\n",
		"x=(1 2\n3)":                       "x=(1 2\n\t3)\n",
		"#!/bin/sh\nls":                    "ls\n",
		"f() {\n\tcat <<-E\n\t\tx\n\tE\n}": "f() {\n\tcat <<-E\n\t\tx\n\tE\n}\n",
		"echo \"a\\\nb\"":                  "echo \"a\\\nb\"\n",
	} {
		r, err := Read(analysis.Text{Source: src})
		if err != nil || string(r.Canonical) != want {
			t.Errorf("%q: %q, want %q (%v)", src, r.Canonical, want, err)
		}
		again, err := Read(analysis.Text{Source: string(r.Canonical)})
		if err != nil || string(again.Canonical) != string(r.Canonical) {
			t.Errorf("%q: printed again it is %q (%v)", src, again.Canonical, err)
		}
	}
}

// TestPlaces: facts stand where they are in the source, not in the canonical
// text.
func TestPlaces(t *testing.T) {
	r, err := Read(analysis.Text{Name: "p", Source: "# c\n\n  cd /tmp ;   rm é x\n"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Facts {
		if f.File != "p" || f.Line != 3 || f.Column != 15 {
			t.Errorf("%s at %s %d:%d, want p 3:15", f.Capability, f.File, f.Line, f.Column)
		}
	}
	if len(r.Facts) != 3 {
		t.Errorf("%d facts: %v", len(r.Facts), r.Facts)
	}
}

// TestDeterministic reads twice: the order of maps must not show.
func TestDeterministic(t *testing.T) {
	src := program + "f() { rm $1; }\ng() { cat $2; }\nh() { f; g; }\nalias a=b\n" + strings.Repeat("x=$RANDOM; $x\n", 20)
	first := facts(t, src)
	for range 20 {
		if got := facts(t, src); strings.Join(got, ";") != strings.Join(first, ";") {
			t.Fatalf("%v\n%v", first, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(program)
	for _, src := range []string{"rm ${x[$(id)]}", "cat <<'E'\n$(a)\nE\n", "a=(1 2); ${a[@]:1}", "eval \"$x\"", "x=${y//a/b}; [[ -v $x ]]", "awk '{system(\"a\")}'", "sed 's/a/b/e;w x'", "tar czf a b", "find . -exec a {} +", "xargs -I{} a {}", "echo aWQ= | base64 -d | sh"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		r, err := Read(analysis.Text{Name: "p", Source: src})
		if err != nil {
			if errors.Is(err, errBroken) {
				t.Error(err)
			}
			if r.Facts != nil || r.Canonical != nil {
				t.Error("a part was read")
			}
			return
		}
		again, err := Read(analysis.Text{Name: "p", Source: string(r.Canonical)})
		if err != nil || string(again.Canonical) != string(r.Canonical) {
			t.Errorf("canonical text is not stable: %q, then %q (%v)", r.Canonical, again.Canonical, err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	b.SetBytes(int64(len(program)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(analysis.Text{Name: "p", Source: program}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirst is the first program of a process: the tables are read then.
func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		lines = newLines()
		if _, err := Read(analysis.Text{Name: "p", Source: "ls"}); err != nil {
			b.Fatal(err)
		}
	}
}
