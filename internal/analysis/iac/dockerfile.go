package iac

import (
	"slices"
	"strconv"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

func readDockerfile(r *report, t analysis.Text) error {
	d, err := parseDockerfile(t.Source)
	if err != nil {
		return err
	}
	b := &build{report: r, dockerfile: d, global: newStage(), stages: map[string]*stage{}}
	if d.syntax != "" && !isDockerFrontend(d.syntax) {
		r.add(d.syntaxPlace, fact{capability: palisade.CapRemoteCode, symbol: "syntax", argument: d.syntax, how: "the image that reads this file"})
	}
	for _, in := range d.instructions {
		r.step()
		if b.stage == nil && in.keyword != "FROM" && in.keyword != "ARG" {
			return &analysis.SyntaxError{Line: in.line, Column: in.column, Message: in.keyword + " before FROM"}
		}
		b.instruction(in)
	}
	if b.stage == nil {
		return &analysis.SyntaxError{Message: "no FROM: there is no stage to build"}
	}
	b.endStage(true)
	return nil
}

// isDockerFrontend reports whether a syntax directive names Docker's own
// frontend.
func isDockerFrontend(s string) bool {
	s = strings.TrimPrefix(s, "docker.io/")
	return strings.HasPrefix(s, "docker/dockerfile:") || s == "docker/dockerfile" || strings.HasPrefix(s, "docker/dockerfile-upstream:")
}

// build is a Dockerfile on its way through.
type build struct {
	*report
	*dockerfile
	global *stage // ARGs before the first FROM
	stage  *stage
	stages map[string]*stage // by name and by number
	count  int
}

func (b *build) instruction(in instruction) {
	switch in.keyword {
	case "FROM":
		b.from(in)
	case "ARG", "ENV", "LABEL":
		b.variables(in)
	case "RUN":
		b.run(in)
	case "CMD", "ENTRYPOINT", "HEALTHCHECK":
		b.start(in)
	case "COPY", "ADD":
		b.copies(in)
	case "USER":
		user := b.expand(in.rest, b.stage.env, b.escape)
		b.stage.user = textAt(user, in.place)
	case "SHELL":
		b.stage.shell = in.words
		b.shellOption(in)
	case "EXPOSE":
		for _, word := range splitWords(in.rest) {
			b.add(in.place, fact{capability: palisade.CapListen, symbol: "EXPOSE", argument: "container:" + b.expand(word, b.stage.env, b.escape)})
		}
	case "VOLUME", "WORKDIR":
		if strings.Contains(in.rest, "docker.sock") {
			b.path(in.place, palisade.CapReadPath, in.keyword, strings.Trim(in.rest, `[]"`), "")
		}
	}
	b.report.metadata(textAt(in.rest, in.body), in.keyword)
}

// from starts a stage: on another one, on nothing, or on an image.
func (b *build) from(in instruction) {
	if b.stage != nil {
		b.endStage(false)
	}
	words := splitWords(in.rest)
	b.stage = newStage()
	b.stage.place = in.place
	if len(words) > 0 {
		base := b.expand(words[0], b.global.env, b.escape)
		switch parent := b.stages[strings.ToLower(base)]; {
		case parent != nil:
			b.inherit(parent)
		case base != "scratch":
			b.image(textAt(base, in.body), in.body, "FROM")
		default:
			b.stage.user = textAt("scratch", in.place) // no shell, no root's files
		}
	}
	b.stages[strconv.Itoa(b.count)] = b.stage
	b.count++
	if len(words) == 3 && strings.EqualFold(words[1], "AS") {
		b.stages[strings.ToLower(words[2])] = b.stage
	}
}

// inherit takes over what a stage leaves to those built on it; ARGs it keeps.
func (b *build) inherit(parent *stage) {
	for name, v := range parent.env {
		if !parent.argOnly[name] {
			b.stage.env[name] = v
		}
	}
	b.stage.user, b.stage.shell, b.stage.entrypoint, b.stage.cmd = parent.user, parent.shell, parent.entrypoint, parent.cmd
	b.stage.files = slices.Clone(parent.files)
}

// endStage hands on what a stage starts, and notes who the last one runs as.
func (b *build) endStage(last bool) {
	b.starts()
	switch user := b.stage.user; {
	case !last:
	case user == nil:
		b.add(b.stage.place, fact{capability: palisade.CapPrivilege, symbol: "FROM", argument: rootUser, how: "no USER: the image's own, most often root"})
	case isRootUser(user.text):
		b.add(user.place(), fact{capability: palisade.CapPrivilege, symbol: "USER", argument: rootUser, how: "USER " + user.text})
	}
}

func isRootUser(s string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(s), ":")
	return name == "root" || name == "0"
}

// loaders are variables that make programs load code. Source: ld.so(8), bash(1)
// and the manuals of the interpreters.
var loaders = map[string]bool{
	"LD_PRELOAD": true, "LD_AUDIT": true, "BASH_ENV": true, "PROMPT_COMMAND": true, "PYTHONSTARTUP": true, "PERL5OPT": true, "RUBYOPT": true,
	"GIT_SSH_COMMAND": true, "GIT_PROXY_COMMAND": true, "DYLD_INSERT_LIBRARIES": true,
}

// variables sets what ARG and ENV set, and looks for credentials in them and in
// labels.
func (b *build) variables(in instruction) {
	scope := b.stage
	if scope == nil {
		scope = b.global
	}
	for _, pair := range pairs(in) {
		v := gap
		switch {
		case pair.set:
			v = b.expand(pair.value, scope.env, b.escape)
			b.credential(pair.name, textAt(v, in.place), in.place, in.keyword+" "+pair.name)
			b.report.metadata(textAt(v, in.place), in.keyword+" "+pair.name)
		case b.stage != nil:
			if global, ok := b.global.env[pair.name]; ok {
				v = global
			}
		}
		if in.keyword == "LABEL" || in.onBuild || !pair.set && v == gap {
			continue // nothing is set by it
		}
		if loaders[pair.name] {
			b.add(in.place, fact{capability: palisade.CapEnvironment, symbol: in.keyword, argument: pair.name, kind: analysis.KindShadow, how: "programs load what it names: " + v})
		}
		_, set := scope.env[pair.name]
		if in.keyword == "ARG" {
			if set && !scope.argOnly[pair.name] {
				continue // ENV beats ARG
			}
			scope.argOnly[pair.name] = true
		} else {
			delete(scope.argOnly, pair.name)
		}
		scope.env[pair.name] = v
	}
}

type pair struct {
	name, value string
	set         bool
}

// pairs splits NAME=value words; ENV and LABEL have an old form with one name
// and the rest of the line.
func pairs(in instruction) []pair {
	words := splitWords(in.rest)
	if len(words) > 1 && in.keyword != "ARG" && !strings.Contains(words[0], "=") {
		_, value := cutWord(in.rest)
		return []pair{{words[0], value, true}}
	}
	var out []pair
	for _, w := range words {
		name, value, set := strings.Cut(w, "=")
		out = append(out, pair{strings.Trim(name, `"'`), value, set})
	}
	return out
}
