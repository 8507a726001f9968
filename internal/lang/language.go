package lang

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"palisade"
)

// language is how programs of a language arrive.
type language struct {
	// name is what a program without one is called.
	name string
	// fences are the words that open a Markdown fence around such a program.
	fences []string
}

// languages are those that are read. Those that run are of [StartFor].
func languages() map[palisade.Language]language {
	return map[palisade.Language]language{
		palisade.Python:     {"program.py", []string{"python", "py", "python3", "py3"}},
		palisade.Shell:      {"program.sh", []string{"bash", "sh", "shell"}},
		palisade.JavaScript: {"program.js", []string{"javascript", "js", "mjs", "cjs", "node"}},
		palisade.TypeScript: {"program.ts", []string{"typescript", "ts", "mts", "cts"}},
		palisade.SQL:        {"program.sql", []string{"sql", "postgresql", "postgres", "mysql", "sqlite"}},
		palisade.Terraform:  {"program.tf", []string{"terraform", "tf", "hcl", "json"}},
		palisade.Kubernetes: {"program.yaml", []string{"kubernetes", "yaml", "yml", "json"}},
		palisade.Dockerfile: {"Dockerfile", []string{"dockerfile", "docker", "containerfile"}},
	}
}

// Runs names the languages whose programs run, sorted.
func Runs() []palisade.Language { return slices.Sorted(maps.Keys(starters())) }

// known returns a language that this preparer takes.
func (p Preparer) known(l palisade.Language) (language, error) {
	known, ok := languages()[l]
	_, runs := starters()[l]
	switch {
	case !ok:
		return known, fmt.Errorf("language %q is not known: there are %s", l, listed(slices.Sorted(maps.Keys(languages()))))
	case !runs && !p.Judge:
		return known, fmt.Errorf("%s is only judged: use scan; %s run", l, listed(Runs()))
	}
	return known, nil
}

func listed(all []palisade.Language) string {
	var names []string
	for _, l := range all {
		names = append(names, string(l))
	}
	return strings.Join(names, ", ")
}

// onlyPython refuses, in other languages, what only Python programs have.
func onlyPython(s palisade.Submission) error {
	if s.Program.Language == palisade.Python {
		return nil
	}
	in := s.Inputs
	if len(s.Program.Modules) > 0 || s.Program.Entry != "" || len(in.Args) > 0 || len(in.Schema) > 0 || len(in.Returns) > 0 {
		return fmt.Errorf("modules, entry functions and arguments are for Python: %s takes files and standard input", s.Program.Language)
	}
	return nil
}

// normalized takes a program out of its fence and normalizes it; what cannot be
// normalized is left as it is, for a reader to refuse.
func normalized(l palisade.Language, src []byte) []byte {
	src = unfence(src, languages()[l].fences...)
	if clean, err := Normalize(l, src); err == nil {
		return clean
	}
	return src
}
