package iac

import (
	"slices"
	"strings"

	"palisade"
)

// resource is one resource, data source or ephemeral resource.
type resource struct {
	*report
	block   string // resource, data, ephemeral, action
	kind    string // such as aws_instance
	address string
	place
	body *value
}

// symbol names one of its arguments.
func (r resource) symbol(name string) string { return r.address + "." + name }

func (s *scope) resource(r resource) {
	for _, f := range r.body.fields {
		if f.name == "provisioner" {
			for p := range f.value.each() {
				r.provisioner(p, f.place())
			}
		}
	}
	r.special()
	if strings.HasPrefix(r.kind, "kubernetes_") { // read as Kubernetes' own objects
		s.visit(r.address+".lifecycle", r.body.get("lifecycle"))
	} else {
		s.visit(r.address, r.body)
	}
	if r.block == "resource" {
		_, name, _ := strings.Cut(r.address, ".")
		r.add(r.place, fact{capability: palisade.CapTarget, symbol: r.address, argument: name, how: "the resource's own name"})
	}
}

// special handles the kinds of resources that do something of their own.
func (r resource) special() {
	for _, row := range effects {
		if row.kind != r.kind || row.block != "" && row.block != r.block {
			continue
		}
		r.effect(row)
	}
	switch {
	case r.kind == "external" && r.block != "resource":
		r.program(r.body.get("program"), "program")
	case r.kind == "http" && r.block == "data":
		r.network("url")
	case r.kind == "terraform_remote_state" && r.block == "data":
		for t := range r.body.get("backend").texts() {
			r.backend(r.body.get("config"), t.text, r.place)
		}
	case r.kind == "helm_release":
		r.helm()
	case strings.HasPrefix(r.kind, "kubernetes_manifest"), strings.HasPrefix(r.kind, "kubectl_manifest"):
		r.manifests()
	case strings.HasPrefix(r.kind, "kubernetes_"):
		r.kubernetes()
	case slices.ContainsFunc(runners, func(p string) bool { return strings.HasPrefix(r.kind, p) }):
		r.runsHere()
	case !slices.ContainsFunc(clouds, func(p string) bool { return strings.HasPrefix(r.kind, p) }):
		for _, name := range []string{"command", "commands", "program", "execute", "exec", "shell", "inline"} {
			if v := r.body.get(name); v.is(text) || v.is(list) || v.is(choice) {
				r.runsHere()
				return
			}
		}
	}
}

// clouds start the names of resources whose commands run in what they make, not
// where the file is applied. Source: the registry's pages of the providers.
var clouds = []string{
	"aws_", "awscc_", "google_", "azurerm_", "azapi_", "azuread_", "kubernetes_", "kubectl_", "docker_", "nomad_", "helm_", "oci_", "alicloud_",
	"digitalocean_", "hcloud_", "ibm_", "scaleway_", "openstack_", "tencentcloud_", "yandex_", "fly_", "heroku_", "render_",
}

// effect is a row of the table below: what an argument of a kind of resource
// makes whoever applies the file do.
type effect struct {
	block, kind, argument string
	capability            palisade.Capability
}

// effects. Source: the registry's pages of the providers local, archive,
// template, null, aws, azurerm and google.
var effects = []effect{
	{"", "local_file", "filename", palisade.CapWritePath},
	{"", "local_file", "source", palisade.CapReadPath},
	{"", "local_sensitive_file", "filename", palisade.CapWritePath},
	{"", "local_sensitive_file", "source", palisade.CapReadPath},
	{"", "archive_file", "source_file", palisade.CapReadPath},
	{"", "archive_file", "source_dir", palisade.CapReadPath},
	{"", "archive_file", "output_path", palisade.CapWritePath},
	{"", "template_dir", "source_dir", palisade.CapReadPath},
	{"", "template_dir", "destination_dir", palisade.CapWritePath},
	{"", "aws_s3_object", "source", palisade.CapReadPath},
	{"", "aws_s3_bucket_object", "source", palisade.CapReadPath},
	{"", "google_storage_bucket_object", "source", palisade.CapReadPath},
	{"", "azurerm_storage_blob", "source", palisade.CapReadPath},
	{"", "aws_lambda_function", "filename", palisade.CapReadPath},
	{"", "aws_cloudformation_stack", "template_url", palisade.CapRemoteCode},
	{"", "azurerm_storage_blob", "source_uri", palisade.CapRemoteCode},
}

func (r resource) effect(row effect) {
	for t := range r.body.get(row.argument).texts() {
		if row.capability == palisade.CapRemoteCode {
			r.add(t.place(), fact{capability: row.capability, symbol: r.symbol(row.argument), argument: t.text, how: t.how})
			continue
		}
		if row.block == "data" || r.block == "data" && row.capability == palisade.CapWritePath && r.kind == "local_file" {
			r.path(t.place(), palisade.CapReadPath, r.symbol(row.argument), t.text, t.how)
			continue
		}
		if t.unknown() && t.known() == "" && !t.isInput() {
			continue // what another resource made
		}
		r.path(t.place(), row.capability, r.symbol(row.argument), t.text, t.how)
	}
}

func (r resource) network(argument string) {
	n := 0
	for t := range r.body.get(argument).texts() {
		r.peer(t, r.symbol(argument))
		n++
	}
	if n == 0 {
		r.add(r.place, fact{capability: palisade.CapNetwork, symbol: r.symbol(argument), argument: gap})
	}
}

// program is a list of words that is run while the plan is made.
func (r resource) program(v *value, argument string) {
	if v.absent() {
		r.add(r.place, fact{capability: palisade.CapEvaluate, symbol: r.symbol(argument), argument: gap})
		return
	}
	r.command(items(v), v.place(), r.symbol(argument), true)
}

// provisioner runs something once the resource is made, or before it goes.
func (r resource) provisioner(p *value, at place) {
	kind := strings.Join(p.labels, "")
	symbol := r.symbol(kind)
	when := "when the resource is made"
	if p.get("when").has("destroy") {
		when = "when the resource is destroyed"
	}
	switch kind {
	case "file":
		for t := range p.get("source").texts() {
			r.path(t.place(), palisade.CapReadPath, symbol, t.text, t.how)
		}
	case "local-exec":
		r.localExec(p, at, symbol, when)
	case "remote-exec":
		r.add(at, fact{capability: palisade.CapEvaluate, symbol: symbol, argument: scriptArgument(p.get("inline")), how: when + ", on the machine that the connection names"})
		r.embed(palisade.Shell, lines(p.get("inline")), firstPlace(p.get("inline"), at), symbol)
		for _, name := range []string{"script", "scripts"} {
			for t := range p.get(name).texts() {
				r.path(t.place(), palisade.CapRunFile, symbol, t.text, t.how)
			}
		}
	default:
		r.add(at, fact{capability: palisade.CapEvaluate, symbol: symbol, argument: gap, how: "a provisioner that is not known here"})
	}
	for t := range p.get("connection", "host").texts() {
		if !t.unknown() {
			r.peer(t, symbol+".connection")
		}
	}
}

func (r resource) localExec(p *value, at place, symbol, when string) {
	words := items(p.get("interpreter"))
	n := 0
	for t := range p.get("command").texts() {
		n++
		if len(words) > 0 {
			r.command(append(words[:len(words):len(words)], t), t.place(), symbol, true)
			continue
		}
		r.add(at, fact{capability: palisade.CapEvaluate, symbol: symbol, argument: t.text, how: strings.TrimPrefix(t.how+"; "+when, "; ")})
		r.embed(palisade.Shell, t.text, t.place(), symbol)
	}
	if n == 0 {
		r.add(at, fact{capability: palisade.CapEvaluate, symbol: symbol, argument: gap, how: when})
	}
	for t := range p.get("working_dir").texts() {
		r.path(t.place(), palisade.CapReadPath, symbol+".working_dir", t.text, t.how)
	}
}

// runners start the names of resources that run commands, here or where they
// say. Source: the registry's pages of the providers.
var runners = []string{"ansible_", "shell_", "command_", "ssh_resource", "ssh_sensitive_resource", "script_", "exec_", "aws_lambda_invocation", "aws_ssm_association"}

// runsHere is for resources that run commands as they are applied.
func (r resource) runsHere() {
	r.add(r.place, fact{capability: palisade.CapEvaluate, symbol: r.address, argument: gap, how: "a resource that runs commands as it is applied"})
	r.body.walkMappings(func(m *value) {
		for _, f := range m.fields {
			switch f.name {
			case "create", "read", "update", "delete", "command", "commands":
				for t := range f.value.texts() {
					r.embed(palisade.Shell, t.text, t.place(), r.symbol(f.name))
				}
			}
		}
	})
}

func (r resource) helm() {
	chart, repository := r.body.get("chart").first(), r.body.get("repository")
	if isLocalModule(chart) && repository.absent() {
		return
	}
	source := chart
	if base := repository.first(); base != "" {
		source = strings.TrimSuffix(base, "/") + "/" + chart
	}
	if source == "" {
		source = gap
	}
	r.add(r.place, fact{capability: palisade.CapRemoteCode, symbol: r.symbol("chart"), argument: source, how: "a chart brings workloads of its own"})
}

func scriptArgument(v *value) string {
	if s := lines(v); s != "" {
		return s
	}
	return gap
}

// lines puts the texts of a list on lines of their own.
func lines(v *value) string {
	var b strings.Builder
	for t := range v.texts() {
		b.WriteString(t.text)
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func firstPlace(v *value, otherwise place) place {
	if v != nil && v.line > 0 {
		return v.place()
	}
	return otherwise
}
