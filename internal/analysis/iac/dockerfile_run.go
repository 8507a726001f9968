package iac

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// run hands on what a RUN does, and reads what it is given for it.
func (b *build) run(in instruction) {
	for _, flag := range in.flags {
		b.runFlag(in, flag)
	}
	b.madeFiles(in.rest, "RUN")
	switch {
	case in.isJSON:
		b.command(texts(in.words, in.body), in.body, "RUN", false)
	case len(in.docs) > 0 && strings.TrimSpace(heredocOnly(in.rest)) == "":
		b.document(in, in.docs[0])
	default:
		b.shellForm(in, in.rest+heredocTail(in.docs), "RUN")
	}
}

// document hands on a here-document that is the whole of a RUN: a script with an
// interpreter of its own, or lines for the stage's shell.
func (b *build) document(in instruction, doc heredoc) {
	first, _, _ := strings.Cut(doc.text, "\n")
	if strings.HasPrefix(first, "#!") {
		b.interpreted(first, doc.text, doc.place, "RUN")
		return
	}
	in.body = doc.place
	b.shellForm(in, doc.text, "RUN")
}

// heredocOnly is what is left of a text without its here-document's mark.
func heredocOnly(rest string) string {
	if words := strings.Fields(rest); len(words) == 1 && strings.HasPrefix(words[0], "<<") && !strings.HasPrefix(words[0], "<<<") {
		return ""
	}
	return rest
}

// heredocTail writes here-documents below their line, as the shell reads them.
func heredocTail(docs []heredoc) string {
	var b strings.Builder
	for _, d := range docs {
		b.WriteString("\n" + d.text + d.name)
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// shellForm hands a line to the reader of the stage's shell. Variables that the
// file sets and the line uses are set before it, on the same line.
func (b *build) shellForm(in instruction, source, via string) {
	shell := "sh"
	if len(b.stage.shell) > 0 {
		shell = strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(b.stage.shell[0], `\`, "/"))), ".exe")
	}
	switch {
	case strings.HasPrefix(shell, "python"):
		b.embed(palisade.Python, source, in.body, via)
	case shell == "node":
		b.embed(palisade.JavaScript, source, in.body, via)
	case !slices.Contains([]string{"sh", "bash", "dash", "ash", "ksh", "zsh", "busybox"}, shell):
		b.unresolved(in.body, via, "the stage's shell is "+shell+", which is not read")
	default:
		b.embed(palisade.Shell, b.assignments(source)+source, in.body, via)
	}
}

// shellOption reads a SHELL that brings code of its own: a shell takes the word
// behind -c for the program, and what RUN adds for its arguments.
func (b *build) shellOption(in instruction) {
	for i, w := range in.words {
		if i > 0 && i < len(in.words)-1 && strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") {
			b.command(texts(in.words, in.body), in.body, "SHELL", false)
			return
		}
	}
}

// assignments writes the stage's variables that a text uses.
func (b *build) assignments(source string) string {
	var names []string
	for i := 0; i < len(source); i++ {
		if source[i] != '$' {
			continue
		}
		rest := strings.TrimPrefix(source[i+1:], "{")
		name := rest[:nameLength(rest)]
		if v, ok := b.stage.env[name]; ok && !strings.Contains(v, gap) && len(v) < maxOneText && name != "PATH" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out strings.Builder
	for _, name := range names {
		out.WriteString(name + "=" + quote(b.stage.env[name]) + "; ")
	}
	return out.String()
}

// runFlag reads one flag of RUN: mounts, and less of the sandbox.
func (b *build) runFlag(in instruction, flag string) {
	name, value, _ := strings.Cut(b.expand(flag, b.stage.env, b.escape), "=")
	switch {
	case name == "network" && value != "none" && value != "default":
		b.add(in.place, fact{capability: palisade.CapPrivilege, symbol: "RUN --network", argument: "network " + value, how: "it shares the builder's network"})
	case name == "security" && value != "sandbox", name == "privileged", name == "device":
		b.add(in.place, fact{capability: palisade.CapPrivilege, symbol: "RUN --" + name, argument: name + " " + value, how: "it runs without the builder's sandbox"})
	case name == "mount":
		b.runMount(in, value)
	}
}

func (b *build) runMount(in instruction, value string) {
	options := map[string]string{}
	for option := range strings.SplitSeq(value, ",") {
		k, v, _ := strings.Cut(option, "=")
		options[strings.ToLower(k)] = v
	}
	switch options["type"] {
	case "secret", "ssh":
		b.add(in.place, fact{capability: palisade.CapSecret, symbol: "RUN --mount", argument: options["type"] + " " + options["id"], how: "the command may read it"})
	case "", "bind", "cache":
		if from := options["from"]; from != "" {
			b.copiesFrom(in, from, "RUN --mount")
		}
	}
}

// start notes what a container starts with; endStage hands it on. A check of its
// health is on its own.
func (b *build) start(in instruction) {
	switch {
	case in.onBuild || in.keyword == "HEALTHCHECK":
		b.started(in, nil)
	case in.keyword == "ENTRYPOINT":
		b.stage.entrypoint, b.stage.cmd = &in, nil // as Docker resets CMD
	default:
		b.stage.cmd = &in
	}
}

// starts hands on what a stage's containers run. A CMD gives the words of an
// ENTRYPOINT in list form more of them, and a shell form takes none.
func (b *build) starts() {
	entrypoint, cmd := b.stage.entrypoint, b.stage.cmd
	switch {
	case entrypoint != nil && entrypoint.isJSON && cmd != nil && cmd.isJSON:
		b.started(*entrypoint, cmd.words)
	case entrypoint != nil:
		b.started(*entrypoint, nil)
	case cmd != nil:
		b.started(*cmd, nil)
	}
}

func (b *build) started(in instruction, more []string) {
	b.madeFiles(strings.Trim(strings.ReplaceAll(in.rest, ",", " "), "[]")+" "+strings.Join(more, " "), in.keyword)
	if in.isJSON {
		b.report.start(texts(append(in.words[:len(in.words):len(in.words)], more...), in.body), in.body, in.keyword)
		return
	}
	if words := plainWords(in.rest, in.body); words != nil && !carriesCode(words) {
		return
	}
	b.shellForm(in, in.rest, in.keyword)
}

func texts(words []string, p place) []*value {
	out := make([]*value, 0, len(words))
	for _, w := range words {
		out = append(out, textAt(w, p))
	}
	return out
}

// keyFiles are files that hold credentials, by their names. Source: ssh(1), and
// the manuals of the tools that read them.
var keyFiles = []string{
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", ".git-credentials", ".npmrc", ".pypirc", ".htpasswd", "kubeconfig", ".pgpass",
	".dockercfg", "credentials.json", "service-account.json", "serviceaccount.json", ".env", ".vault-token", ".env.production",
}

// copies reads COPY and ADD: from where, what, and with which rights.
func (b *build) copies(in instruction) {
	pinned := false
	for _, flag := range in.flags {
		name, value, _ := strings.Cut(b.expand(flag, b.stage.env, b.escape), "=")
		switch name {
		case "from":
			b.copiesFrom(in, value, in.keyword+" --from")
		case "checksum":
			pinned = true
		case "chmod":
			b.mode(in, value)
		}
	}
	words := in.words
	if !in.isJSON {
		words = splitWords(in.rest)
	}
	for i, w := range words {
		w = b.expand(w, b.stage.env, b.escape)
		last := i == len(words)-1
		switch base := path.Base(w); {
		case strings.HasPrefix(w, "<<"):
		case !last && in.keyword == "ADD" && isRemote(w):
			f := fact{capability: palisade.CapRemoteCode, symbol: "ADD", argument: w, how: "it is fetched while the image is built"}
			if pinned {
				f.kind = analysis.KindPackage
			}
			b.add(in.body, f)
		case slices.Contains(keyFiles, base), !last && pathKind("/"+w) == analysis.KindCredentials, strings.HasSuffix(w, "/.ssh"), base == ".ssh", base == ".aws":
			b.add(in.body, fact{capability: palisade.CapCredential, symbol: in.keyword, argument: "file " + w, how: "it becomes part of the image"})
		}
	}
	for _, doc := range in.docs {
		b.written(in, doc, words[len(words)-1])
	}
}

// written reads a file that a here-document makes in the image.
func (b *build) written(in instruction, doc heredoc, target string) {
	target = b.expand(target, b.stage.env, b.escape)
	b.path(in.place, palisade.CapWritePath, in.keyword, target, "a here-document")
	switch name := strings.ToLower(target); {
	case strings.HasPrefix(doc.text, "#!"):
		b.script(textAt(doc.text, doc.place), doc.place, in.keyword, 0)
	case strings.HasSuffix(name, ".py"):
		b.embed(palisade.Python, doc.text, doc.place, in.keyword+" "+target)
	case strings.HasSuffix(name, ".js"), strings.HasSuffix(name, ".mjs"), strings.HasSuffix(name, ".cjs"):
		b.embed(palisade.JavaScript, doc.text, doc.place, in.keyword+" "+target)
	case strings.HasSuffix(name, "sh"), strings.HasPrefix(name, "/etc/profile"), strings.HasPrefix(name, "/etc/init.d/"), strings.HasPrefix(name, "/docker-entrypoint"):
		b.embed(palisade.Shell, doc.text, doc.place, in.keyword+" "+target)
	case strings.HasPrefix(name, "/etc/sudoers"), strings.HasPrefix(name, "/etc/doas"), strings.HasPrefix(name, "/etc/ld.so.preload"), strings.HasPrefix(name, "/etc/pam.d"):
		b.add(in.place, fact{capability: palisade.CapPrivilege, symbol: in.keyword, argument: target, how: "who becomes whom, or what every program loads"})
	case strings.HasPrefix(name, "/etc/cron"), strings.HasPrefix(name, "/var/spool/cron"):
		b.unresolved(doc.place, in.keyword+" "+target, "jobs that run by the clock are not read")
	default:
		b.stage.files = append(b.stage.files, madeFile{target, doc})
	}
}

// madeFile is a file that a here-document makes and that may be run later.
type madeFile struct {
	name string
	doc  heredoc
}

// fileRunners run a file that the next word names.
var fileRunners = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", ".", "source", "exec", "/bin/sh", "/bin/bash", "eval"}

// madeFiles hands on the files of here-documents that a line gives to a shell or
// makes its command.
func (b *build) madeFiles(line, via string) {
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n;&|(){}\"'", r) })
	for _, f := range b.stage.files {
		for i, w := range words {
			if path.Base(w) == path.Base(f.name) && (i == 0 || slices.Contains(fileRunners, words[i-1]) || strings.HasPrefix(words[i-1], "-") || strings.HasPrefix(w, "./")) {
				b.script(textAt(f.doc.text, f.doc.place), f.doc.place, via+" "+f.name, 0)
				break
			}
		}
	}
}

// isRemote reports whether a source of ADD is fetched. Source: the Dockerfile
// reference: URLs, and Git repositories.
func isRemote(s string) bool {
	return analysis.IsURL(s) || strings.HasPrefix(s, "git@") || strings.HasPrefix(s, "github.com/") || strings.HasPrefix(s, gap)
}

// copiesFrom reports an image that files come from.
func (b *build) copiesFrom(in instruction, from, symbol string) {
	if b.stages[strings.ToLower(from)] != nil {
		return
	}
	if _, err := strconv.Atoi(from); err == nil || from == "scratch" {
		return
	}
	b.image(textAt(from, in.place), in.place, symbol)
}

// mode reports files that anyone may change, or that run as their owner.
func (b *build) mode(in instruction, mode string) {
	octal, err := strconv.ParseUint(mode, 8, 16)
	switch {
	case err == nil && octal&0o6000 != 0, err != nil && strings.Contains(mode, "s"):
		b.add(in.place, fact{capability: palisade.CapPrivilege, symbol: in.keyword + " --chmod", argument: "set-user-ID " + mode})
	case err == nil && octal&0o002 != 0:
		b.add(in.place, fact{capability: palisade.CapPrivilege, symbol: in.keyword + " --chmod", argument: "world-writable " + mode})
	}
}
