package iac

import (
	"strings"

	"palisade"
)

// readModule says what each block of a file does.
func (s *scope) readModule() {
	for _, b := range s.module.blocks {
		s.step()
		if b.forEach == nil {
			s.readBlock(b)
			continue
		}
		s.bind("each", eachOf(b.forEach(s)), func() { s.readBlock(b) })
	}
}

func (s *scope) readBlock(b block) {
	v := b.body(s)
	address := strings.Join(append([]string{b.kind}, b.labels...), ".")
	switch b.kind {
	case "resource", "data", "ephemeral":
		if b.kind == "resource" {
			address = strings.Join(b.labels, ".")
		}
		s.resource(resource{s.report, b.kind, b.label(0), address, b.place, v})
	case "action": // its settings stand in a block of their own
		s.resource(resource{s.report, b.kind, b.label(0), address, b.place, oneOf(append(items(v.get("config")), v))})
	case "module":
		s.moduleSource(b, v)
		s.visit(address, v)
	case "provider":
		s.provider(b, v)
		s.visit(address, v)
	case "terraform":
		s.settings(v)
	case "variable":
		s.variable(b, v)
	case "moved", "removed", "import":
		s.refactor(b, v)
	case "check":
		for _, f := range v.fields {
			if f.name == "data" && len(f.value.labels) > 0 {
				s.resource(resource{s.report, "data", f.value.labels[0], "data." + strings.Join(f.value.labels, "."), f.place(), f.value})
			}
		}
	case "locals", "output", "run", "list":
		s.visit(address, v)
	default:
		s.unresolved(b.place, b.kind, "a kind of block that is not known here")
	}
}

// settings reads a terraform block: providers and where the state goes.
func (s *scope) settings(v *value) {
	for _, f := range v.fields {
		switch f.name {
		case "required_providers":
			for m := range f.value.each() {
				for _, p := range m.fields {
					s.providerSource(p)
				}
			}
		case "backend":
			s.backend(f.value, strings.Join(f.value.labels, ""), f.place())
		case "cloud":
			s.backend(f.value, "cloud", f.place())
			for t := range f.value.get("hostname").texts() {
				if t.text != "app.terraform.io" {
					s.peer(t, "terraform.cloud.hostname")
				}
			}
		case "encryption": // of OpenTofu
			f.value.walkMappings(func(m *value) {
				if program := m.get("command"); !program.absent() {
					s.command(items(program), program.place(), "terraform.encryption", true)
				}
			})
		case "source": // of Terragrunt, as are the hooks
			s.moduleSource(block{place: f.place(), labels: []string{"terraform"}}, v)
		case "before_hook", "after_hook", "error_hook":
			s.command(items(f.value.get("execute")), f.place(), "terraform."+f.name, true)
		}
	}
	s.visit("terraform", v)
}

// variable looks at a default: it is what is used where nothing else is given.
func (s *scope) variable(b block, v *value) {
	for d := range v.get("default").each() {
		if d.kind == mapping {
			s.visit("var."+b.label(0), d)
			continue
		}
		at := b.place
		if d.line > 0 {
			at = d.place()
		}
		s.credential(b.label(0), d, at, "var."+b.label(0))
	}
}

// refactor reads the blocks that change what the state holds.
func (s *scope) refactor(b block, v *value) {
	switch b.kind {
	case "import":
		for id := range v.get("id").texts() {
			s.add(b.place, fact{capability: palisade.CapTarget, symbol: "import", argument: id.text, how: "an existing object comes under this file's control"})
		}
	case "moved":
		s.add(b.place, fact{capability: palisade.CapDestroy, symbol: "moved", how: "an object of the state gets another address"})
	case "removed":
		symbol, how := "removed", "an object is destroyed, as no lifecycle says otherwise"
		if d := v.get("lifecycle", "destroy"); d.no() && !d.yes() {
			symbol, how = "forgotten", "an object is forgotten, not destroyed"
		}
		s.add(b.place, fact{capability: palisade.CapDestroy, symbol: symbol, how: how})
	}
}

// serverBackends keep the state on a server that they reach themselves, under
// the setting that names it. Source: Terraform's reference of backends.
var serverBackends = map[string]string{
	"http": "address", "consul": "address", "pg": "conn_str", "etcd": "endpoints", "etcdv3": "endpoints",
	"artifactory": "url", "swift": "auth_url", "kubernetes": "host", "manta": "url",
}

// backend reads where the state is kept.
func (r *report) backend(v *value, kind string, p place) {
	if setting, ok := serverBackends[kind]; ok {
		n := 0
		for peer := range v.get(setting).texts() {
			r.add(peer.place(), fact{capability: palisade.CapNetwork, symbol: "backend." + kind, argument: peer.text, how: "the state is kept there"})
			n++
		}
		if n == 0 {
			r.add(p, fact{capability: palisade.CapNetwork, symbol: "backend." + kind, argument: gap, how: "its address comes from outside the file"})
		}
		return
	}
	if kind == "local" {
		for t := range v.get("path").texts() {
			r.path(t.place(), palisade.CapWritePath, "backend.local", t.text, t.how)
		}
		return
	}
	for _, setting := range []string{"bucket", "key", "prefix", "container_name", "storage_account_name", "organization", "workspace", "hostname"} {
		for t := range v.get(setting).texts() {
			r.target("backend."+kind+"."+setting, t, t.place())
		}
	}
	for _, name := range []string{"name", "prefix", "tags", "project"} {
		for t := range v.get("workspaces", name).texts() {
			r.target("backend."+kind+".workspaces."+name, t, t.place())
		}
	}
}

// endpoints are the settings of a provider that name the server it talks to.
var endpoints = map[string]bool{
	"host": true, "hosts": true, "endpoint": true, "url": true, "address": true, "base_url": true, "api_url": true, "server": true,
	"auth_url": true, "server_url": true, "endpoint_url": true, "vault_addr": true, "uri": true,
}

// provider reads a provider's settings: who it talks to, and what it runs.
func (s *scope) provider(b block, v *value) {
	name := "provider." + b.label(0)
	for _, f := range v.fields {
		switch {
		case endpoints[f.name]:
			for t := range f.value.texts() {
				if t.known() != "" || t.isInput() {
					s.peer(t, name+"."+f.name)
				}
			}
		case f.name == "endpoints":
			for m := range f.value.each() {
				for _, e := range m.fields {
					for t := range e.value.texts() {
						s.peer(t, name+".endpoints."+e.name)
					}
				}
			}
		}
	}
	v.walkMappings(func(m *value) {
		if program := m.get("exec", "command"); program != nil {
			s.command(append(items(program), items(m.get("exec", "args"))...), program.place(), name+".exec", true)
		}
	})
	for _, setting := range []string{"config_path", "config_paths", "shared_credentials_file", "shared_credentials_files", "credentials", "ssh_private_key_file"} {
		for t := range v.get(setting).texts() {
			if looksPath(t.text) {
				s.path(t.place(), palisade.CapReadPath, name+"."+setting, t.text, t.how)
			}
		}
	}
}

// peer adds a network peer.
func (r *report) peer(t *value, symbol string) {
	r.add(t.place(), fact{capability: palisade.CapNetwork, symbol: symbol, argument: t.text, how: t.how})
}

func looksPath(s string) bool {
	return strings.HasPrefix(s, "~") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, ".")
}

// items lists what a value holds, or the value itself.
func items(v *value) []*value {
	var out []*value
	for item := range v.each() {
		out = append(out, item)
	}
	return out
}

// walkMappings visits every mapping at and under a value.
func (v *value) walkMappings(f func(*value)) {
	for m := range v.each() {
		if m.kind != mapping {
			continue
		}
		f(m)
		for _, nested := range m.fields {
			nested.value.walkMappings(f)
		}
	}
}
