package py

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// strayPaths reports a path outside of the workspace that is handed to a
// library's callable of which nothing is known: what else would it be for?
func (in *interp) strayPaths(n python.Node, symbol string, args callArgs) {
	top, _, _ := strings.Cut(symbol, ".")
	if pureModules[top] || pureMethods[symbol[strings.LastIndexByte(symbol, '.')+1:]] {
		return
	}
	for _, v := range args.pos {
		in.strayPath(n, symbol, v)
	}
	for key, v := range ordered(args.kw) {
		in.strayPath(n, symbol, v)
		if capability, ok := fileKeywords[key]; ok && strings.Contains(symbol, ".") && symbol[0] != '?' {
			in.paths(n, analysis.Fact{Capability: capability, Symbol: symbol, Evidence: "by the name of its parameter"}, v, false)
		}
	}
}

func (in *interp) strayPath(n python.Node, symbol string, v val) {
	for j := range v.size() {
		o := v.at(j)
		s, known, _ := plainText(o)
		if i, ok := o.(*instance); ok && i.of == symbolPath && i.text.size() == 1 {
			s, known, _ = plainText(i.text.at(0))
		}
		if known && isStray(s) {
			in.paths(n, analysis.Fact{
				Capability: palisade.CapReadPath, Symbol: symbol,
				Evidence: "a path is handed to a function that is not known",
			}, text(s), false)
		}
	}
}

// fileKeywords are parameters that name a file in every library.
var fileKeywords = map[string]palisade.Capability{
	"filename": palisade.CapReadPath, "fname": palisade.CapReadPath, "filepath": palisade.CapReadPath, "file_path": palisade.CapReadPath,
	"file_name": palisade.CapReadPath, "infile": palisade.CapReadPath, "outfile": palisade.CapWritePath, "out_file": palisade.CapWritePath,
	"output_file": palisade.CapWritePath, "output_path": palisade.CapWritePath,
}

const symbolPath = symbol("pathlib.Path")

// isStray reports whether a text is a path that leads out of the workspace.
func isStray(s string) bool {
	if len(s) < 3 || len(s) > 256 || strings.ContainsAny(s, " \t\r\n<>{}()*?|\"'\\") {
		return false
	}
	return strings.HasPrefix(s, "../") || strings.HasPrefix(s, "~/") || isSystemPrefix(s) && !strings.HasPrefix(s, "http") && s != "~"
}

// pureModules are modules whose functions open nothing whatever they are given.
var pureModules = nameSet(`builtins re string textwrap difflib collections itertools functools operator urllib json html
	copy enum dataclasses typing abc pprint shlex argparse optparse warnings hashlib base64 binascii struct unittest
	posixpath fnmatch contextlib types ast math random statistics datetime time decimal fractions uuid sympy`)

// pureMethods are methods of texts and collections, and others that take texts
// which are no paths.
var pureMethods = nameSet(`startswith endswith replace split rsplit partition rpartition strip lstrip rstrip removeprefix
	removesuffix find rfind index rindex count join format encode decode append add insert remove discard get pop
	setdefault update extend match search fullmatch sub subn findall finditer info debug warning error critical log
	exception add_argument set_title set_xlabel set_ylabel title xlabel ylabel text annotate legend label write
	writerow writelines print assertEqual assertIn assertTrue assertFalse route isin contains equals map filter fillna
	relative_to is_relative_to joinpath with_name with_suffix setenv`)
