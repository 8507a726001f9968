package shell

import (
	"strings"
	"testing"

	"palisade/internal/analysis"
)

func reading(t testing.TB, src string) analysis.Reading {
	t.Helper()
	r, err := Read(analysis.Text{Name: "p", Source: src})
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	return r
}

// facts reads a program and lists its facts as "capability argument", with a
// question mark behind what is not wholly known.
func facts(t testing.TB, src string) []string {
	t.Helper()
	var out []string
	for _, f := range reading(t, src).Facts {
		s := string(f.Capability) + " " + f.Argument
		if f.Unknown {
			s += "?"
		}
		out = append(out, strings.TrimSpace(s))
	}
	return out
}

// expect checks programs against the facts that they must have, and, behind a
// minus sign, those that they must not have.
func expect(t *testing.T, table map[string]string) {
	t.Helper()
	for src, want := range table {
		got := facts(t, src)
		for w := range strings.SplitSeq(want, "; ") {
			w, not := strings.CutPrefix(w, "-")
			found := false
			for _, f := range got {
				found = found || f == w || (not || !strings.Contains(w, " ")) && strings.HasPrefix(f, w)
			}
			if found == not {
				t.Errorf("%s\n\twant %s%s\n\tgot  %s", src, map[bool]string{true: "no "}[not], w, strings.Join(got, "; "))
			}
		}
	}
}

func TestQuoting(t *testing.T) {
	expect(t, map[string]string{
		`r\m x`:                        "delete_path /work/x",
		`r''m x`:                       "delete_path /work/x",
		`"r"m x`:                       "delete_path /work/x",
		`$'rm' x`:                      "delete_path /work/x; -obfuscation",
		`$'\x72\x6d' x`:                "delete_path /work/x; obfuscation",
		`$'\162\155' x`:                "delete_path /work/x; obfuscation",
		`$'\u0072m' x`:                 "delete_path /work/x; obfuscation",
		`$"rm" x`:                      "delete_path /work/x",
		"r\\\nm x":                     "delete_path /work/x",
		`rm "a b"`:                     "delete_path /work/a b",
		`rm a\ b`:                      "delete_path /work/a b",
		`rm 'a'"b"c`:                   "delete_path /work/abc",
		`"/bin/rm" x`:                  "delete_path /work/x",
		`/usr/bin/../bin/rm x`:         "delete_path /work/x",
		`echo 'rm x'`:                  "-delete_path; -process",
		"echo \"rm x\" # rm y":         "-delete_path",
		"cat <<'E'\nrm x\nE":           "-delete_path",
		`: "$(rm x)"`:                  "delete_path /work/x",
		": `rm x`":                     "delete_path /work/x",
		"cat <<E\n$(rm x)\nE":          "delete_path /work/x",
		"cat <<'E'\n$(rm x)\nE":        "-delete_path",
		`: ${x:-$(rm x)}`:              "delete_path /work/x",
		`: $(( $(rm x) ))`:             "delete_path /work/x",
		`[[ $(rm x) ]]`:                "delete_path /work/x",
		`a=($(rm x))`:                  "delete_path /work/x",
		`declare x=$(rm x)`:            "delete_path /work/x",
		`case $(rm x) in *) ;; esac`:   "delete_path /work/x",
		`for i in $(rm x); do :; done`: "delete_path /work/x",
		`cat <(rm x)`:                  "delete_path /work/x",
		`echo a > >(rm x)`:             "delete_path /work/x",
		`select i in a; do rm x; done`: "delete_path /work/x",
		`until rm x; do :; done`:       "delete_path /work/x",
		`! rm x`:                       "delete_path /work/x",
		`time rm x`:                    "delete_path /work/x",
		`coproc rm x`:                  "delete_path /work/x",
		`{ rm x; } & wait`:             "delete_path /work/x",
		`true || rm x`:                 "delete_path /work/x",
		`exit; rm x`:                   "delete_path /work/x",
		`if false; then :; elif rm x; then :; fi`: "delete_path /work/x",
	})
}

func TestExpansion(t *testing.T) {
	expect(t, map[string]string{
		`x=rm; $x f`:                                 "delete_path /work/f",
		`rm${IFS}f`:                                  "delete_path /work/f",
		`IFS=,; x=rm,f; $x`:                          "delete_path /work/f",
		`x='rm f'; $x`:                               "delete_path /work/f",
		`x='rm f'; "$x"`:                             "-delete_path",
		`a=r b=m; $a$b f`:                            "delete_path /work/f",
		`x=rm; y=x; ${!y} f`:                         "delete_path /work/f",
		`declare -n r=x; x=rm; $r f`:                 "delete_path /work/f",
		`x=xrmx; ${x:1:2} f`:                         "delete_path /work/f",
		`x=xrm; ${x#x} f`:                            "delete_path /work/f",
		`x=rm.txt; ${x%.*} f`:                        "delete_path /work/f",
		`x=rZm; ${x/Z/} f`:                           "delete_path /work/f",
		`x=RM; ${x,,} f`:                             "delete_path /work/f",
		`x=rm; ${x@L} f`:                             "delete_path /work/f",
		`${x:-rm} f`:                                 "delete_path /work/f",
		`: ${x:=rm}; $x f`:                           "delete_path /work/f",
		`x=1; ${x:+rm} f`:                            "delete_path /work/f",
		`a=(ls rm); ${a[1]} f`:                       "delete_path /work/f",
		`a=(rm f); ${a[@]}`:                          "delete_path /work/f",
		`a=(rm f); "${a[@]}"`:                        "delete_path /work/f",
		`a=(x rm f); "${a[@]:1}"`:                    "delete_path /work/f",
		`a=(rm); a+=(f); "${a[@]}"`:                  "delete_path /work/f",
		`declare -A m=([k]=rm); ${m[k]} f`:           "delete_path /work/f",
		`declare -A m; m[k]=rm; ${m[k]} f`:           "delete_path /work/f",
		`set -- rm f; "$@"`:                          "delete_path /work/f",
		`set -- rm f; $1 $2`:                         "delete_path /work/f",
		`set -- x rm f; shift; "$@"`:                 "delete_path /work/f",
		`{rm,f}`:                                     "delete_path /work/f",
		`rm f{1..2}`:                                 "delete_path /work/f1; delete_path /work/f2",
		`r{m,m} f`:                                   "delete_path /work/f",
		`x=$(echo rm); $x f`:                         "delete_path /work/f",
		`$(printf '%s%s' r m) f`:                     "delete_path /work/f",
		`$(printf '\162\155') f`:                     "delete_path /work/f; obfuscation",
		`printf -v x rm; $x f`:                       "delete_path /work/f",
		`x=$(base64 -d <<< cm0=); $x f`:              "delete_path /work/f; obfuscation",
		`$(echo mr | rev) f`:                         "delete_path /work/f; obfuscation",
		`$(tr a-z b-za <<< ql) f`:                    "delete_path /work/f; obfuscation",
		`$(xxd -r -p <<< 726d) f`:                    "delete_path /work/f; obfuscation",
		`read -r x <<< 'rm f'; $x`:                   "delete_path /work/f",
		`read -r a b <<< 'rm f'; $a $b`:              "delete_path /work/f",
		`IFS=, read -r a b <<< rm,f; $a $b`:          "delete_path /work/f",
		`mapfile -t a <<< rm; ${a[0]} f`:             "delete_path /work/f",
		`for c in r m; do s+=$c; done; $s f`:         "delete_path /work/f",
		`for x in ls rm; do $x f; done`:              "delete_path /work/f",
		`x=ls; if [ 1 ]; then x=rm; fi; $x f`:        "delete_path /work/f",
		`x=ls; [ 1 ] && x=rm; $x f`:                  "delete_path /work/f",
		`(x=rm); $x f`:                               "-delete_path",
		`case a in a) x=rm ;; *) x=ls ;; esac; $x f`: "delete_path /work/f",
		`i=0; while [ $i -lt 3 ]; do x=rm; ((i++)); done; $x f`: "delete_path /work/f",
		`n=2; a=(x y rm); ${a[n]} f`:                            "delete_path /work/f",
		`n=1; a=(x y rm); ${a[n+1]} f`:                          "delete_path /work/f",
		`for ((i=0; i<2; i++)); do rm f$i; done`:                "delete_path /work/f0; delete_path /work/f1",
		`x=/etc; cat $x/passwd`:                                 "read_path /etc/passwd",
		`x=$((1+1)); rm f$x`:                                    "delete_path /work/f2",
		`rm $((16#ff))`:                                         "delete_path /work/255",
		`x='$(rm f)'; y=${x@P}`:                                 "delete_path /work/f",
		`x='a[$(rm f)]'; ((x))`:                                 "delete_path /work/f",
		`x='a[$(rm f)]'; [[ $x -eq 1 ]]`:                        "delete_path /work/f",
		`x='a[$(rm f)]'; [[ -v $x ]]`:                           "delete_path /work/f",
		`x='a[$(rm f)]'; test -v "$x"`:                          "delete_path /work/f",
		`x='a[$(rm f)]'; printf -v "$x" 1`:                      "delete_path /work/f",
		`x='a[$(rm f)]'; unset "$x"`:                            "delete_path /work/f",
		`x='a[$(rm f)]'; let "$x"`:                              "delete_path /work/f",
		`x='a[$(rm f)]'; declare -i y=x`:                        "delete_path /work/f",
		`rm "$1"`:                                               "delete_path ?",
		`read -r x; rm /etc/$x`:                                 "delete_path /etc?; delete_path /etc",
		`read -r x; cat "$x"/.ssh/id_rsa`:                       "secret /.ssh/id_rsa; read_path ?",
		`$1 f`:                                                  "unresolved ?",
		`x=$(cat f); $x`:                                        "unresolved ?; process ?",
		`/b?n/r? f`:                                             "delete_path /work/f; obfuscation",
	})
}
