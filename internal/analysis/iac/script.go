package iac

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"palisade"
)

// scriptArguments hold what a new machine runs. Source: the instance resources
// of the clouds' providers, and the keys that Google's guest agent reads.
var scriptArguments = map[string]bool{
	"user_data": true, "user_data_base64": true, "custom_data": true, "startup_script": true, "metadata_startup_script": true,
	"startup-script": true, "shutdown-script": true, "shutdown_script": true, "user-data": true, "init_script": true, "boot_script": true,
	"commandtoexecute": true, "command_to_execute": true, "userdata": true, "user_data_replace": false, "cloud_init": true, "stackscript": true,
	"startup_script_content": true, "bootstrap_script": true, "pre_bootstrap_user_data": true, "post_bootstrap_user_data": true,
}

// scripts hands on the programs that machines start with.
func (s spot) scripts() {
	name := s.name()
	switch {
	case scriptArguments[name], name == "content" && s.within("cloudinit_config") && s.within("part"),
		name == "script" && s.within("extension", "stackscript", "launch_script"):
	case name == "buildspec" || name == "runcommand" || name == "inlinecode" || name == "inline_code":
	case name == "startup-script-url" || name == "startup_script_url" || name == "fileuris":
		for t := range s.value.texts() {
			s.add(s.where(t), fact{capability: palisade.CapRemoteCode, symbol: s.symbol(), argument: t.text, how: "a machine runs it when it starts"})
		}
		return
	case strings.HasPrefix(name, "windows-startup-script") || strings.HasPrefix(name, "sysprep"):
		s.unresolved(s.where(s.value), s.symbol(), "a script for Windows is not read")
		return
	default:
		return
	}
	for t := range s.value.texts() {
		s.script(t, s.where(t), s.symbol(), 0)
	}
}

// script hands on one program by its first line.
func (r *report) script(t *value, p place, via string, depth int) {
	source := strings.TrimLeft(t.text, " \t\r\n")
	first, _, _ := strings.Cut(source, "\n")
	switch {
	case source == "" || depth > 4:
	case source == gap:
		r.unresolved(p, via, strings.TrimPrefix(t.how+"; the script is not in the file", "; "))
	case strings.HasPrefix(first, "#!"):
		r.interpreted(first, source, p, via)
	case strings.HasPrefix(first, "#cloud-config"), strings.HasPrefix(first, "## template: jinja"), strings.HasPrefix(first, "version:"), strings.HasPrefix(first, "phases:"):
		r.cloudConfig(source, p, via, depth)
	case strings.HasPrefix(first, "#include"):
		r.add(p, fact{capability: palisade.CapRemoteCode, symbol: via, argument: strings.TrimSpace(strings.TrimPrefix(source, first)), how: "a machine runs what stands there"})
	case strings.HasPrefix(first, "<"), strings.HasPrefix(first, "Content-Type:"), strings.HasPrefix(first, "MIME-Version:"), strings.HasPrefix(first, "#cloud-boothook"), strings.HasPrefix(first, "#part-handler"):
		r.unresolved(p, via, "a form of script that is not read")
	default:
		if decoded, ok := decode64(source); ok {
			r.script(textAt(decoded, p), p, via, depth+1)
			return
		}
		r.embed(palisade.Shell, source, p, via)
	}
}

// interpreted hands on a script with a "#!" line.
func (r *report) interpreted(first, source string, p place, via string) {
	switch program := strings.ToLower(first); {
	case strings.Contains(program, "python"):
		r.embed(palisade.Python, source, p, via)
	case strings.Contains(program, "node"), strings.Contains(program, "deno"), strings.Contains(program, "bun"):
		r.embed(palisade.JavaScript, source, p, via)
	case strings.HasSuffix(strings.Fields(program + " x")[0], "sh"), strings.Contains(program, "sh"):
		r.embed(palisade.Shell, source, p, via)
	default:
		r.unresolved(p, via, "an interpreter that is not read: "+first)
	}
}

// cloudConfig reads the parts of cloud-init's and of a build's YAML that run.
func (r *report) cloudConfig(source string, p place, via string, depth int) {
	docs, err := readYAML(r, strings.ReplaceAll(source, gap, "unknown"), p.line-1)
	if err != nil {
		r.unresolved(p, via, "the configuration does not parse")
		return
	}
	for _, doc := range docs {
		doc.walkMappings(func(m *value) {
			for _, f := range m.fields {
				switch f.name {
				case "runcmd", "bootcmd", "commands":
					r.commandList(f.value, via+"."+f.name)
				case "packages":
					for t := range f.value.texts() {
						r.add(t.place(), fact{capability: palisade.CapInstall, symbol: via + ".packages", argument: t.text})
					}
				case "content":
					for t := range f.value.texts() {
						if strings.HasPrefix(t.text, "#!") {
							r.script(t, t.place(), via+".write_files", depth+1)
						}
					}
				case "passwd", "plain_text_passwd", "hashed_passwd":
					r.credential("password", f.value, f.place(), via+"."+f.name)
				case "sudo":
					if f.value.has("ALL=(ALL) NOPASSWD:ALL") {
						r.add(f.place(), fact{capability: palisade.CapPrivilege, symbol: via + ".sudo", argument: "root"})
					}
				}
			}
		})
	}
}

// commandList hands on commands: each a line, or a list of words.
func (r *report) commandList(v *value, via string) {
	if !v.is(list) {
		return
	}
	for _, c := range v.items {
		switch {
		case c.is(text):
			r.embed(palisade.Shell, c.text, c.place(), via)
		case c.is(list):
			r.command(c.items, c.place(), via, false)
		}
	}
}

// decode64 decodes a text that is base64 of a text, and long enough not to be a
// word that happens to look so.
func decode64(s string) (string, bool) {
	if len(s) < 16 || strings.ContainsAny(s, " \n") && !strings.Contains(s, "\n") {
		return "", false
	}
	b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil || !utf8.Valid(b) {
		return "", false
	}
	return clean(string(b)), true
}
