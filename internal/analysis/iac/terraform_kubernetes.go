package iac

import "strings"

// manifests reads what kubernetes_manifest and kubectl_manifest apply: an
// object, or a text of YAML.
func (r resource) manifests() {
	for _, name := range []string{"manifest", "yaml_body", "yaml_body_wo"} {
		for v := range r.body.get(name).each() {
			if v.kind != text {
				r.manifest(v, 0)
				continue
			}
			docs, err := readManifests(r.report, strings.ReplaceAll(v.text, gap, "unknown"), v.place())
			if v.unknown() || err != nil {
				r.unresolved(v.place(), r.symbol(name), "the manifest is not wholly in the file")
			}
			for _, doc := range docs {
				r.manifest(doc, 0)
			}
		}
	}
}

// kubernetes reads a resource of the kubernetes provider, whose arguments are
// Kubernetes' own in other letters.
func (r resource) kubernetes() {
	words := strings.Split(strings.TrimPrefix(r.kind, "kubernetes_"), "_")
	if last := words[len(words)-1]; len(words) > 1 && len(last) >= 2 && last[0] == 'v' && last[1] >= '0' && last[1] <= '9' {
		words = words[:len(words)-1]
	}
	kind := ""
	for _, w := range words {
		kind += strings.ToUpper(w[:min(1, len(w))]) + w[min(1, len(w)):]
	}
	switch kind {
	case "Daemonset", "DaemonSet":
		kind = "DaemonSet"
	case "Secret": // data is in clear here
		kind = "Secret"
	}
	body := camel(r.body, 0)
	if kind == "Secret" {
		for i := range body.fields {
			if body.fields[i].name == "data" {
				body.fields[i].name = "stringData"
			}
		}
	}
	o := object{r.report, kind, "", r.address, r.place, body}
	o.read()
}

// plurals are the provider's names of blocks that Kubernetes has lists of, and
// abbreviations that Kubernetes writes in capitals.
var plurals = map[string]string{
	"container": "containers", "initContainer": "initContainers", "volume": "volumes", "port": "ports", "rule": "rules", "subject": "subjects",
	"hostPid": "hostPID", "hostIpc": "hostIPC", "externalIps": "externalIPs", "webhook": "webhooks", "loadBalancerSourceRanges": "loadBalancerSourceRanges",
}

// camel rewrites the names of a value as Kubernetes writes them.
func camel(v *value, depth int) *value {
	if v == nil || v.kind == text || v.kind == null || depth > maxDepth {
		return v
	}
	out := *v
	out.items, out.fields = make([]*value, 0, len(v.items)), make([]field, 0, len(v.fields))
	for _, item := range v.items {
		out.items = append(out.items, camel(item, depth+1))
	}
	for _, f := range v.fields {
		name := f.name
		if !strings.ContainsAny(name, "./") && f.name != strings.ToUpper(f.name) {
			name = camelName(name)
		}
		if plural, ok := plurals[name]; ok && !f.value.is(text) {
			name = plural
		}
		if name == "data" || name == "stringData" || name == "annotations" || name == "labels" {
			out.fields = append(out.fields, fieldAt(name, f.place(), f.value))
			continue
		}
		out.fields = append(out.fields, fieldAt(name, f.place(), camel(f.value, depth+1)))
	}
	return &out
}

func camelName(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}
