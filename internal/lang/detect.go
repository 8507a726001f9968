package lang

import (
	"bytes"
	"path"
	"strings"

	"palisade"
)

// suffixes of file names, longest first where one ends another.
var suffixes = []struct {
	suffix   string
	language palisade.Language
}{
	{".tf.json", palisade.Terraform}, {".tf", palisade.Terraform}, {".tofu.json", palisade.Terraform}, {".tofu", palisade.Terraform},
	{".hcl", palisade.Terraform},
	{".py", palisade.Python}, {".pyw", palisade.Python}, {".pyi", palisade.Python},
	{".sh", palisade.Shell}, {".bash", palisade.Shell},
	{".js", palisade.JavaScript}, {".mjs", palisade.JavaScript}, {".cjs", palisade.JavaScript},
	{".ts", palisade.TypeScript}, {".mts", palisade.TypeScript}, {".cts", palisade.TypeScript},
	{".sql", palisade.SQL},
	{".dockerfile", palisade.Dockerfile}, {".containerfile", palisade.Dockerfile},
}

// interpreters are the names by which a first line "#!…" calls a language.
var interpreters = []struct {
	prefix   string
	language palisade.Language
}{
	{"python", palisade.Python}, {"bash", palisade.Shell}, {"sh", palisade.Shell}, {"dash", palisade.Shell}, {"node", palisade.JavaScript},
}

// Detect tells a program's language by its file's name, or else by what its
// text says of itself: a first line "#!…", or the two keys that every
// Kubernetes object has. Empty: it cannot be told.
func Detect(name string, source []byte) palisade.Language {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	for _, s := range suffixes {
		if strings.HasSuffix(base, s.suffix) {
			return s.language
		}
	}
	stem, ending, _ := strings.Cut(base, ".")
	switch {
	case (stem == "dockerfile" || stem == "containerfile") && !strings.Contains(otherThings, " "+ending+" "):
		return palisade.Dockerfile
	case strings.HasSuffix(base, ".yaml"), strings.HasSuffix(base, ".yml"), strings.HasSuffix(base, ".json"):
		if hasKey(source, "apiVersion") && hasKey(source, "kind") {
			return palisade.Kubernetes
		}
		return ""
	case name != "" && strings.Contains(base, "."): // some other kind of file
		return ""
	}
	return shebang(source)
}

// IsOther reports whether a file's name says that it is of a kind of its own,
// which no language that is read has: by an ending.
func IsOther(name string) bool { return Detect(name, nil) == "" && path.Ext(path.Base(name)) != "" }

// otherThings are the endings of files about Dockerfiles. Any other ending is a
// variant's name.
const otherThings = " md txt rst html dockerignore go py rb js ts java rs c sh json yaml yml toml "

// hasKey reports whether a line of YAML or JSON begins with a key, or has it
// behind a bracket, a dash or a comma.
func hasKey(source []byte, key string) bool {
	for line := range bytes.Lines(source) {
		for part := range bytes.SplitSeq(line, []byte(",")) {
			part = bytes.TrimLeft(part, "{- \t\"'")
			if rest, ok := bytes.CutPrefix(part, []byte(key)); ok && bytes.HasPrefix(bytes.TrimLeft(rest, "\"' "), []byte(":")) {
				return true
			}
		}
	}
	return false
}

func shebang(source []byte) palisade.Language {
	line, _, _ := bytes.Cut(source, []byte("\n"))
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return ""
	}
	for _, word := range strings.Fields(string(rest)) {
		word = path.Base(word)
		if word == "env" || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		for _, i := range interpreters {
			if strings.HasPrefix(word, i.prefix) {
				return i.language
			}
		}
		return ""
	}
	return ""
}

// Named returns the language of a name that a user may write: its own, or one
// that the field uses for it.
func Named(name string) (palisade.Language, bool) {
	switch strings.ToLower(name) {
	case "python", "py":
		return palisade.Python, true
	case "shell", "bash", "sh":
		return palisade.Shell, true
	case "javascript", "js":
		return palisade.JavaScript, true
	case "typescript", "ts":
		return palisade.TypeScript, true
	case "sql":
		return palisade.SQL, true
	case "terraform", "tf":
		return palisade.Terraform, true
	case "kubernetes", "k8s":
		return palisade.Kubernetes, true
	case "dockerfile", "docker":
		return palisade.Dockerfile, true
	}
	return "", false
}
