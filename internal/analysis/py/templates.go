package py

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// yamlTags reports what the tags of a YAML text that stands in the program
// name. Without a tag for Python it is data, whatever loads it. Source:
// PyYAML's documentation, "YAML tags and Python types".
func (in *interp) yamlTags(n python.Node, src string) (tagged bool) {
	for _, mark := range []string{"!!python/", "tag:yaml.org,2002:python/"} {
		for rest := src; ; {
			_, after, found := strings.Cut(rest, mark)
			if !found {
				break
			}
			rest, tagged = after, true
			kind, name, _ := strings.Cut(firstWord(after), ":")
			mod, attr := splitLast(name)
			if kind == "module" {
				mod, attr = name, ""
			}
			if mod == "" || strings.HasPrefix(kind, "tuple") {
				continue
			}
			v := in.importName(n, mod, "named by a YAML tag")
			if attr != "" {
				v = in.attribute(n, v, attr)
				in.refer(n, v, false)
			}
		}
	}
	return tagged || strings.Contains(src, "%TAG")
}

func firstWord(s string) string {
	if i := strings.IndexAny(s, " \t\r\n>[]{},\"'"); i >= 0 {
		return s[:i]
	}
	return s
}

func splitLast(name string) (mod, attr string) {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return "builtins", name
}

// plainYAML reports whether a YAML text is known and holds no tag for Python.
func (in *interp) plainYAML(n python.Node, v val) bool {
	plain := !v.open && v.size() > 0
	for i := range v.size() {
		o := v.at(i)
		s, known, _ := plainText(o)
		if !known {
			plain = false
			continue
		}
		plain = !in.yamlTags(n, s) && plain
	}
	return plain
}

// template reports a Jinja template: one that stands in the program and only
// shows names and their plain parts is a text. Source: Jinja's "Template
// Designer Documentation".
func (in *interp) template(n python.Node, f analysis.Fact, v val) {
	f.Kind = analysis.KindText
	open := v.open || v.size() == 0
	for i := range v.size() {
		o := v.at(i)
		src, known, _ := plainText(o)
		if !known {
			open = true
			continue
		}
		if reachesOut(src) {
			f.Argument = src
			in.report(n, f)
		}
	}
	if open && !strings.HasPrefix(f.Symbol, "?.") {
		f.Argument, f.Unknown = "", true
		in.report(n, f)
	}
}

// reachesOut reports whether a template does more than show values: it walks
// private attributes, looks attributes up by text, or loads other templates.
func reachesOut(src string) bool {
	for rest := src; ; {
		_, after, found := strings.Cut(rest, "{")
		if !found {
			return false
		}
		rest = after
		if after == "" || after[0] != '{' && after[0] != '%' {
			continue
		}
		end := strings.Index(after, map[byte]string{'{': "}}", '%': "%}"}[after[0]])
		if end < 0 {
			return true
		}
		code := after[1:end]
		rest = after[end:]
		for _, mark := range []string{"_", "attr", "(", "[", "include", "import", "extends", "from", "\\"} {
			if strings.Contains(code, mark) {
				return true
			}
		}
	}
}

// stylerTemplates are the attributes of pandas' Styler that hold what it draws
// with: Jinja templates, which are code. Source: pandas.io.formats.style_render.
var stylerTemplates = nameSet("template_html template_html_table template_html_style template_latex template_string template_typst")

// styled reports such an attribute that is assigned, or that a class defines.
func (in *interp) styled(n python.Node, base val, attr string) {
	if !stylerTemplates[attr] {
		return
	}
	foreign := base.open
	for i := range base.size() {
		o := base.at(i)
		if of, ok := o.(*instance); ok {
			o = of.of
		}
		c, own := o.(*class)
		foreign = foreign || !own || c.trace().open || len(c.trace().foreign) > 0
	}
	if foreign {
		in.drawnBy(n, attr)
	}
}

// stylerParts are what those templates are made with.
var stylerParts = nameSet("env loader")

// ofStyler reports whether an attribute of something that is not known is one of
// those: table.style.env.
func ofStyler(n python.Node, attr string) bool {
	a, ok := n.(*python.Attribute)
	if !ok || !stylerParts[attr] {
		return false
	}
	of, ok := a.Value.(*python.Attribute)
	return ok && of.Attr == "style"
}

func (in *interp) drawnBy(n python.Node, attr string) {
	in.report(n, analysis.Fact{
		Capability: palisade.CapEvaluate, Symbol: "pandas.Styler." + attr, Unknown: true, Kind: analysis.KindText,
		Evidence: "templates are code, and this one is put together while the program runs",
	})
}
