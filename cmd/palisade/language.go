package main

import (
	"palisade"
	"palisade/internal/lang"
)

// checkLanguage holds --lang to the languages that there are.
func checkLanguage(asked string) error {
	if _, ok := lang.Named(asked); asked != "" && !ok {
		return usage("--lang %s: no such language; there are python, shell, javascript, typescript, sql, terraform, kubernetes, dockerfile", asked)
	}
	return nil
}

// languageOf is the language that was asked for, what a file's name or text
// says, or Python.
func languageOf(asked, name string, source []byte) palisade.Language {
	if l, ok := lang.Named(asked); ok {
		return l
	}
	if l := lang.Detect(name, source); l != "" {
		return l
	}
	return palisade.Python
}
