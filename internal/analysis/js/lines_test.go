package js

import (
	"strings"
	"testing"

	"palisade"
	"palisade/internal/analysis"
)

// Each line of what runs is known by the line that it was made of.
func TestLines(t *testing.T) {
	for l, source := range map[palisade.Language]string{
		palisade.JavaScript: "// says\n\n/* more\n */\nfunction f(a, b) { mark1(a); mark2(b) }\n\n\nclass C {\n  // inside\n  m() { return mark3() }\n}\nif (f) mark4(); else mark5()\nconst text = `a\nb ${mark6()}\n`\n",
		palisade.TypeScript: "interface P { a: number }\ntype Q = P | null\n\nfunction f(p: P): void {\n\n  mark1(p as Q)\n}\nenum E { A, B }\nmark2(E.A)\n",
	} {
		r, err := Read(analysis.Text{Language: l, Name: "x", Source: source})
		if err != nil {
			t.Fatal(err)
		}
		ran := strings.Split(strings.TrimSuffix(string(r.Canonical), "\n"), "\n")
		if len(r.Lines) != len(ran) {
			t.Fatalf("%d lines for %d", len(r.Lines), len(ran))
		}
		lines, marks := strings.Split(source, "\n"), 0
		for i, line := range ran {
			for _, mark := range []string{"mark1(", "mark2(", "mark3(", "mark4(", "mark5("} {
				if !strings.Contains(line, mark) {
					continue
				}
				marks++
				if at := r.Lines[i]; at < 1 || !strings.Contains(lines[at-1], mark) {
					t.Errorf("line %d, %q, is said to be line %d", i+1, line, at)
				}
			}
		}
		if want := strings.Count(source, "mark") - strings.Count(source, "mark6"); marks != want {
			t.Errorf("%d places of %d\n%s", marks, want, r.Canonical)
		}
	}
}

// Comments are no code, wherever they stand: esbuild keeps some of them.
func TestComments(t *testing.T) {
	const source = `/* top */ // a
class C { // one
  // inside "quoted' ` + "`" + `tick
  a = 1; /* block */ // end
  #p = 2;
  /** doc
   * @returns {number} */
  m() { // body
    return /* in */ this.a + this.#p // tail
  }
  // last
}
const o = { // obj
  // prop comment
  x: 1, // after
  f(/* none */) {}, // g
  /* pre */ y: [ // arr
    1, // e1
    // e2
    2 ],
};
switch (o.x) { // sw
  // c
  case 1: // one
    // body
    break;
  default: // d
}
function f(a /* first */, /* second */ b) { // ff
  // only
}
const t = ` + "`" + `x ${ /* in template */ o.x } // not a comment` + "`" + `;
if (o.x) { // then
} else { // else
}
let u = o.x // first
  ? 1 // yes
  : 2; // no
label: // l
for (;;) { break label; } // loop
console.log(new C().m(), t, u) /* end */
// end
`
	r, err := Read(analysis.Text{Language: palisade.JavaScript, Name: "x.js", Source: source})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Facts {
		t.Errorf("%+v", f)
	}
	for _, end := range []string{"\u2028", "\u2029", "\r"} {
		r, err := Read(analysis.Text{Language: palisade.JavaScript, Name: "x.js", Source: "class C {\n  // a" + end + "static { process.exit() }\n}\n"})
		if err == nil && len(r.Facts) == 0 {
			t.Errorf("%q ends a line, and what follows was not seen", end)
		}
	}
}
