package iac

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// Registries that a source without a host name means. Source: Terraform's and
// OpenTofu's references of provider and module addresses.
var defaultRegistries = []string{"registry.terraform.io/", "registry.opentofu.org/"}

// moduleSource reports where a module's code comes from. A folder below the
// file, and what HashiCorp publishes, are no facts.
func (s *scope) moduleSource(b block, v *value) {
	symbol := "module." + b.label(0)
	source := v.get("source")
	n := 0
	for t := range source.texts() {
		n++
		if t.unknown() || !isLocalModule(t.text) && !isHashicorp(t.text, 3) {
			s.add(t.place(), fact{
				capability: palisade.CapRemoteCode, symbol: symbol, argument: shortSource(t.text),
				kind: sourceKind(t.text, !v.get("version").absent()), how: t.how,
			})
		}
	}
	if n == 0 {
		s.add(b.place, fact{capability: palisade.CapRemoteCode, symbol: symbol, argument: gap, how: "it names no source"})
	}
}

// providerSource reports a provider that is not HashiCorp's.
func (s *scope) providerSource(f field) {
	for v := range f.value.each() {
		source := v.get("source")
		if v.kind != mapping || source.absent() {
			continue // a version alone: HashiCorp's by default
		}
		for t := range source.texts() {
			if t.unknown() || !isHashicorp(t.text, 2) {
				s.add(t.place(), fact{
					capability: palisade.CapRemoteCode, symbol: "provider." + f.name, argument: shortSource(t.text),
					kind: analysis.KindPackage, how: "a provider is a program that runs while the plan is made",
				})
			}
		}
	}
}

func isLocalModule(source string) bool {
	return strings.HasPrefix(source, "./") || strings.HasPrefix(source, "../") || source == "." || source == ".."
}

// isHashicorp reports whether an address of so many parts is in HashiCorp's
// namespace of a default registry.
func isHashicorp(source string, parts int) bool {
	source = shortSource(source)
	address, _, _ := strings.Cut(source, "//") // a folder inside the package
	words := strings.Split(address, "/")
	if len(words) != parts || words[0] != "hashicorp" {
		return false
	}
	for _, w := range words {
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// shortSource writes an address as policy names it: lower case where that is
// the same, without a default registry's host.
func shortSource(source string) string {
	lower := strings.ToLower(source)
	for _, host := range defaultRegistries {
		if rest, ok := strings.CutPrefix(lower, host); ok {
			return rest
		}
	}
	if registryParts(lower) > 0 {
		return lower
	}
	return source
}

// registryParts counts the parts of an address in a default registry; 0 for
// any other source.
func registryParts(source string) int {
	address, _, _ := strings.Cut(source, "//")
	if strings.ContainsAny(address, ".:?@ ") {
		return 0
	}
	n := strings.Count(address, "/") + 1
	if n != 2 && n != 3 {
		return 0
	}
	return n
}

// sourceKind grades a module's source: of a registry with a version
// (KindPackage), of a registry without (KindComputed: whatever is newest), any
// other (KindUse).
func sourceKind(source string, version bool) analysis.Kind {
	switch {
	case registryParts(source) != 3:
		return analysis.KindUse
	case version:
		return analysis.KindPackage
	}
	return analysis.KindComputed
}
