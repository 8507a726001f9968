package lookalike

import "testing"

func TestNear(t *testing.T) {
	for name, want := range map[string]string{
		// one and two mistakes, swaps, doubled letters
		"reqeusts": "requests", "requets": "requests", "requestss": "requests", "numppy": "numpy", "pandsa": "pandas",
		"colourama": "colorama", "djanga": "django", "tensorfow": "tensorflow", "tenserflow": "tensorflow", "beautifulsop4": "beautifulsoup4",
		// letters that look alike
		"rеquests": "requests", "nurnpy": "numpy", "p1llow": "pillow", "b0to3": "boto3",
		// other separators, swapped halves
		"scikitlearn": "scikit-learn", "learn-scikit": "scikit-learn", "dateutil-python": "python-dateutil",
		// words before and behind
		"python-requests": "requests", "requests3": "requests", "openai-python": "openai", "pyopenai": "openai",
		// what is known, and what is like nothing
		"requests": "", "Requests": "", "numpy": "", "scikit_learn": "", "os": "", "mymodule": "", "helpers": "", "solution": "", "": "",
		"data": "", "utils": "", "config": "",
	} {
		if got := Near(Python, name); got != want {
			t.Errorf("%s: near %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"expres": "express", "lodahs": "lodash", "crossenv": "cross-env", "lodash": "", "fs": "", "./local": ""} {
		if got := Near(NPM, name); got != want {
			t.Errorf("%s: near %q, want %q", name, got, want)
		}
	}
}

// TestHonestNames: of the packages that are known and not well known, each
// looked at as if it were unknown, few look like another one.
func TestHonestNames(t *testing.T) {
	for _, e := range []Ecosystem{Python, NPM} {
		l := lists()[e]
		wellKnown := map[string]bool{}
		for _, name := range l.wellKnown {
			wellKnown[name] = true
		}
		near, all := 0, 0
		for name := range l.known {
			if wellKnown[name] {
				continue
			}
			delete(l.known, name)
			all++
			if Near(e, name) != "" {
				near++
			}
			l.known[name] = true
		}
		t.Logf("%s: %d of %d known names look like a well-known one", e, near, all)
		if near*100 > 8*all {
			t.Errorf("%s: %d of %d honest names look like another one", e, near, all)
		}
	}
}
