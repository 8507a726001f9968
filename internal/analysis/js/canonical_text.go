package js

import (
	"errors"
	"fmt"

	"github.com/evanw/esbuild/pkg/api"

	"palisade"
	"palisade/internal/analysis"
)

// moduleMark is put behind a program that only await outside a function, or
// import.meta, makes an ECMAScript module: without it some of these texts are
// scripts too, with another meaning (await (f, x) calls what is named await).
const moduleMark = "export {};\n"

// transformed is a text after esbuild.
type transformed struct {
	code string
	at   *mapping
}

// transform makes plain JavaScript of a program: types are gone, and
// comments but for those inside expressions; escapes in names and strings are
// decoded; all code is ASCII. The
// target is fixed, so that what is printed does not depend on the machine.
func transform(source string, language palisade.Language) (transformed, error) {
	loader := api.LoaderJS
	if language == palisade.TypeScript {
		loader = api.LoaderTS
	}
	r := api.Transform(source, api.TransformOptions{
		Loader: loader, Target: api.ES2022, Platform: api.PlatformNode, Charset: api.CharsetASCII,
		LegalComments: api.LegalCommentsNone, LogLevel: api.LogLevelSilent, LogLimit: 1, TsconfigRaw: "{}",
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
	})
	if len(r.Errors) > 0 {
		e := r.Errors[0]
		out := &analysis.SyntaxError{Message: e.Text}
		if e.Location != nil {
			out.Line, out.Column = e.Location.Line, e.Location.Column+1
		}
		return transformed{}, out
	}
	at, err := readMapping(r.Map, source)
	if err != nil {
		return transformed{}, fmt.Errorf("read the source map: %w", err)
	}
	if len(r.Code) > maxCanonical {
		return transformed{}, errors.New("its canonical form is too long")
	}
	return transformed{code: string(r.Code), at: at}, nil
}

// maxCanonical bounds the canonical text: esbuild indents what is nested and
// adds its own functions for what the target does not have.
const maxCanonical = 8 << 20
