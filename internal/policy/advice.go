package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"palisade"
)

// judgedOnly are the languages that nothing here runs: their files are judged
// for whoever applies them.
var judgedOnly = []palisade.Language{palisade.SQL, palisade.Terraform, palisade.Kubernetes, palisade.Dockerfile}

// languageOf is the language in whose words is spoken of a finding: its rule's,
// else that of the program, else the profile's first.
func (p *Profile) languageOf(f palisade.Finding, l palisade.Language) palisade.Language {
	if of := p.known[f.Rule].Languages; len(of) > 0 && !slices.Contains(of, l) {
		return of[0]
	}
	if l == "" && len(p.Languages) > 0 && !slices.Contains(p.Languages, string(palisade.Python)) {
		return palisade.Language(p.Languages[0])
	}
	return cmp.Or(l, palisade.Python)
}

// advice is what to do about a finding that a line did not allow.
func (p *Profile) advice(f palisade.Finding, d palisade.Decision, line string, l palisade.Language) string {
	_, ruled := p.Rules[f.Rule]
	name := f.Capability == palisade.CapImport || f.Capability == palisade.CapCall
	switch {
	case ruled:
		return p.adviceOfRule(f)
	case name && !slices.Contains(p.Languages, string(l)):
		return "" // the profile's modules are another language's
	case slices.Contains(judgedOnly, l):
		return cmp.Or(p.hint(f), p.adviceForFile(f, line))
	}
	return cmp.Or(p.hint(f), p.instead(f, d, l))
}

// adviceOfRule is about a finding of a rule that a line under `rules:` stops,
// whatever it is used on: what the profile has elsewhere does not help.
func (p *Profile) adviceOfRule(f palisade.Finding) string {
	text := cmp.Or(p.Hints[f.Rule], p.known.remedy(f.Rule), "do without what this rule finds")
	said := "denies"
	if p.Rules[f.Rule] == palisade.Ask {
		said = "asks about"
	}
	return fmt.Sprintf("%s (%s %s all that the rule finds)", text, p.line("rules."+f.Rule), said)
}

// adviceForFile is about something in a file that is judged for whoever applies
// it: what to write instead, and which line its owner may change.
func (p *Profile) adviceForFile(f palisade.Finding, line string) string {
	text := cmp.Or(p.known.remedy(f.Rule), "leave it out")
	c := string(f.Capability)
	switch key := strings.TrimPrefix(line, p.line("")); {
	case strings.Contains(key, ".deny"):
		return fmt.Sprintf("%s (%s denies it)", text, line)
	case key == "capabilities."+c && slices.Contains(nameable, f.Capability) && f.Argument != "" && !f.Unknown:
		text += fmt.Sprintf("; or have the policy's owner name it under %s", p.line("named."+c+".allow"))
		if approved := p.Named[f.Capability].Allow; len(approved) > 0 {
			text += ", which has: " + listed(approved, maxListed/4)
		}
		return text
	case strings.HasSuffix(key, ".other"):
		list := strings.TrimSuffix(key, "other") + "allow"
		switch f.Capability {
		case palisade.CapReadPath:
			list = "paths.read"
		case palisade.CapWritePath, palisade.CapDeletePath:
			list = "paths.write"
		}
		return fmt.Sprintf("%s; or have the policy's owner name it under %s", text, p.line(list))
	}
	return fmt.Sprintf("%s; or have the policy's owner change %s", text, line)
}

// instead is what the profile has instead of a finding of a program that runs.
// Of what a human may give it is not said that the profile has none.
func (p *Profile) instead(f palisade.Finding, d palisade.Decision, l palisade.Language) string {
	without := func(lack, do string) string {
		if d == palisade.Ask {
			return do
		}
		return lack + ": " + do
	}
	switch f.Capability {
	case palisade.CapImport:
		return p.insteadOfModule(f.Argument)
	case palisade.CapCall:
		return p.insteadOfCall(cmp.Or(f.Symbol, f.Argument))
	case palisade.CapReadPath:
		return orNone("read files under ", without("this profile reads no files", "pass data as arguments or on stdin"), places(p.Paths.Read))
	case palisade.CapWritePath:
		return orNone("write files under ", without("this profile writes no files", "print or return the result"), places(p.Paths.Write))
	case palisade.CapDeletePath:
		return "leave files where they are: they go with the box"
	case palisade.CapPattern:
		return cmp.Or(p.known.remedy(f.Rule), "write it as the rule's message says")
	case palisade.CapNetwork:
		return orNone("the peers of this profile are ", without("this profile has no network", "pass what is needed as files or arguments"), p.Network.Allow)
	case palisade.CapEnvironment:
		return orNone("the variables of this profile are ", "pass settings as arguments", p.Environment.Allow)
	case palisade.CapUnresolved:
		return cmp.Or(p.known.remedy(f.Rule), plainly(l))
	case palisade.CapObfuscation:
		return cmp.Or(p.known.remedy(f.Rule), "write the program plainly")
	}
	if words, ok := plain[f.Capability]; ok {
		return without(fmt.Sprintf("%s is not part of profile %s", words, p.Name), "compute the result without it")
	}
	return ""
}

// plainly says in a language's words how to write what can be read.
func plainly(l palisade.Language) string {
	if l == palisade.Shell {
		return "write commands, options and file names out, so that they can be read"
	}
	return "name modules, attributes and calls plainly, so that they can be read"
}
