package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"palisade"
	"palisade/internal/redact"
	"palisade/internal/yamlfile"
)

// Sizes that a command line reads at most; the gate has tighter bounds of its
// own, these keep a mistaken path from being read into memory.
const (
	maxCode  = 10 << 20
	maxInput = 64 << 20
)

// minMemory is what the interpreter needs before a program's first line.
const minMemory = 32 << 20

// submissionFlags describe one submission.
type submissionFlags struct {
	code, lang, profile, entry               string
	inline                                   bool // -c was given: an empty program is one
	args, files, modules                     []string
	argsFile, schema, returns, stdin, prompt string
	conversation                             string
	cpu, wall                                time.Duration
	memory                                   string
	deterministic                            bool

	folder string // where the program's file lies, once it is read
	bytes  int64  // --memory, once it is read
}

func (f *submissionFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.code, "code", "c", "", "the program itself")
	flags.StringVar(&f.lang, "lang", "", "python, shell, javascript or typescript (default: by the file's name or first line, else python)")
	flags.StringVar(&f.profile, "profile", "", "policy profile: pal, data, agent or one of your own (default: config's)")
	flags.StringVar(&f.entry, "entry", "", "call this `function` once the program's body has run; its value is the answer")
	flags.StringArrayVar(&f.args, "arg", nil, "argument of the entry function, `name=json` (repeatable)")
	flags.StringVar(&f.argsFile, "args-file", "", "JSON object of arguments")
	flags.StringVar(&f.schema, "schema", "", "JSON schema `file` for the arguments (default: the function's annotations)")
	flags.StringVar(&f.returns, "returns", "", "JSON schema `file` for the value")
	flags.StringArrayVar(&f.files, "file", nil, "data placed in the program's working directory, `PATH or NAME=PATH` (repeatable)")
	flags.StringArrayVar(&f.modules, "module", nil, "code that the program may import, `NAME=FILE`; read and judged with it (repeatable)")
	flags.StringVar(&f.stdin, "stdin", "", "`file` that the program reads as standard input")
	flags.StringVar(&f.prompt, "prompt-file", "", "what the model was asked; kept on the record and shown to approvers")
	flags.StringVar(&f.conversation, "conversation", "", "the conversation that the prompt is a turn of, by any `name`; kept on the record")
	flags.DurationVar(&f.cpu, "cpu", 0, "lower the limit of processor time")
	flags.DurationVar(&f.wall, "timeout", 0, "lower the limit of time on the clock")
	flags.BoolVar(&f.deterministic, "deterministic", false, "give the same bytes each time: fixed seeds, clock, time zone, locale and threads")
	flags.StringVar(&f.memory, "memory", "", "lower the memory limit, such as 128MiB")
}

// build reads what the flags name.
func (f *submissionFlags) build(ctx context.Context, e *env, args []string) (palisade.Submission, error) {
	s := palisade.Submission{Submitter: submitter(), Profile: f.profile, Deterministic: f.deterministic}
	if err := checkLanguage(f.lang); err != nil {
		return s, err
	}
	program, err := f.program(ctx, e, args)
	if err != nil {
		return s, err
	}
	s.Program = program
	if s.Inputs, err = f.inputs(ctx); err != nil {
		return s, err
	}
	if s.Files, err = f.dataFiles(ctx); err != nil {
		return s, err
	}
	if s.Stdin, err = readOptional(ctx, f.stdin, maxInput); err != nil {
		return s, err
	}
	prompt, err := readOptional(ctx, f.prompt, maxCode)
	if err != nil {
		return s, err
	}
	s.Prompt, s.Conversation = string(prompt), f.conversation
	s.Lower, err = f.limits()
	return s, err
}

func (f *submissionFlags) program(ctx context.Context, e *env, args []string) (palisade.Program, error) {
	p := palisade.Program{Entry: f.entry} // whoever seals it gives a name to what has none
	var err error
	switch {
	case f.inline && len(args) > 0:
		return p, usage("give a file or -c CODE, not both")
	case f.inline:
		p.Source = []byte(f.code)
	case len(args) == 0:
		return p, usage("no program: give a file, - for standard input, or -c CODE (palisade run --help)")
	case args[0] == "-":
		p.Source, err = readAll(ctx, e.stdin, "standard input", maxCode)
	default:
		p.Name = redact.EscapeLine(filepath.Base(args[0])) // names are text; files' need not be
		f.folder = filepath.Dir(args[0])
		p.Source, err = readFile(ctx, args[0], maxCode)
	}
	if err != nil {
		return p, err
	}
	p.Language = languageOf(f.lang, p.Name, p.Source)
	for _, pair := range f.modules {
		name, path, ok := strings.Cut(pair, "=")
		if !ok {
			return p, usage("--module %s: want NAME=FILE", pair)
		}
		source, err := readFile(ctx, path, maxCode)
		if err != nil {
			return p, err
		}
		p.Modules = append(p.Modules, palisade.Module{Name: name, Source: source})
	}
	return p, nil
}

func (f *submissionFlags) inputs(ctx context.Context) (palisade.Inputs, error) {
	var in palisade.Inputs
	data, err := readOptional(ctx, f.argsFile, maxInput)
	if err != nil {
		return in, err
	}
	if data != nil {
		if !utf8.Valid(data) {
			return in, usage("--args-file %s: not UTF-8", f.argsFile)
		}
		if err := json.Unmarshal(data, &in.Args); err != nil {
			return in, usage("--args-file %s: want a JSON object: %w", f.argsFile, err)
		}
	}
	for _, pair := range f.args {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || !json.Valid([]byte(value)) || !utf8.ValidString(pair) {
			return in, usage("--arg %s: want name=json (a string needs its quotes: --arg 'name=\"text\"')", pair)
		}
		if in.Args == nil {
			in.Args = map[string]json.RawMessage{}
		}
		if _, twice := in.Args[name]; twice {
			return in, usage("--arg %s: given twice", name)
		}
		in.Args[name] = json.RawMessage(value)
	}
	if len(in.Args) > 0 && f.entry == "" {
		return in, usage("arguments need --entry FUNCTION to go to")
	}
	if in.Schema, err = schemaFile(ctx, "--schema", f.schema); err != nil {
		return in, err
	}
	in.Returns, err = schemaFile(ctx, "--returns", f.returns)
	return in, err
}

// schemaFile reads a file of JSON; what the schema says is judged later.
func schemaFile(ctx context.Context, flag, path string) (json.RawMessage, error) {
	data, err := readOptional(ctx, path, maxCode)
	if err != nil || data == nil {
		return nil, err
	}
	var any json.RawMessage
	if err := json.Unmarshal(data, &any); err != nil || !utf8.Valid(data) {
		return nil, usage("%s %s: not JSON in UTF-8: %w", flag, path, cmp.Or(err, errNotUTF8))
	}
	return data, nil
}

var errNotUTF8 = errors.New("not UTF-8")

func (f *submissionFlags) dataFiles(ctx context.Context) ([]palisade.File, error) {
	var files []palisade.File
	for _, spec := range f.files {
		name, path, ok := strings.Cut(spec, "=")
		if !ok {
			name, path = filepath.Base(spec), spec
		}
		data, err := readFile(ctx, path, maxInput)
		if err != nil {
			return nil, err
		}
		files = append(files, palisade.File{Name: name, Data: data})
	}
	return files, nil
}

func (f *submissionFlags) limits() (palisade.Limits, error) {
	lower := palisade.Limits{CPU: f.cpu, Wall: f.wall}
	if f.cpu < 0 || f.wall < 0 {
		return lower, usage("a limit cannot be negative")
	}
	if f.memory != "" {
		n, err := parseSize(f.memory)
		if err != nil {
			return lower, usage("--memory: %w", err)
		}
		if n < minMemory {
			return lower, usage("--memory %s: no program starts in less than %s", f.memory, yamlfile.FormatSize(minMemory))
		}
		lower.Memory, f.bytes = n, n
	}
	return lower, nil
}

// parseSize reads a size such as 128MiB, 64k or 1048576.
func parseSize(s string) (int64, error) {
	units := []struct {
		suffix string
		size   int64
	}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"b", 1}, {"", 1}}
	text := strings.ToLower(strings.TrimSpace(s))
	for _, u := range units {
		digits, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n <= 0 || n > math.MaxInt64/u.size {
			break
		}
		return n * u.size, nil
	}
	return 0, fmt.Errorf("%q: want a size such as 128MiB", s)
}
