package lang

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"palisade"
	"palisade/internal/python"
)

// The caps on what a submission may hold. Code above what policy reads is not
// refused here but found oversized by the reading.
const (
	MaxSource   = 10 << 20 // bytes of the program, and of each module
	MaxModules  = 64
	MaxFiles    = 256
	MaxFileData = 64 << 20 // bytes of all files together
	MaxArgs     = 1 << 20  // bytes of all arguments together
	MaxStdin    = 16 << 20
	MaxPrompt   = 1 << 20
	MaxName     = 1024 // bytes of the program's name
)

// Preparer implements [palisade.Preparer]. The zero Preparer prepares what runs,
// for the default version of Python.
type Preparer struct {
	// Python is the version of the interpreter that will run programs.
	Python python.Version
	// Reserved are the top-level modules, beside the standard library's, that
	// a module of a submission must not hide: those that are installed.
	Reserved []string
	// Judge takes the languages too that are only judged.
	Judge bool
}

// Prepare seals a submission: code is taken out of a Markdown fence and
// normalized, names and sizes are checked, and arguments are held to the schema,
// or else to the entry function's annotations. It does not judge code; code that
// cannot be normalized is left as it is. What does not fit is an
// [palisade.InputError].
func (p Preparer) Prepare(_ context.Context, s palisade.Submission) (palisade.Submission, error) {
	for _, step := range []func(*palisade.Submission) error{p.code, p.modules, files, p.inputs} {
		if err := step(&s); err != nil {
			return palisade.Submission{}, &palisade.InputError{Reason: err.Error()}
		}
	}
	return s, nil
}

// code prepares the program itself.
func (p Preparer) code(s *palisade.Submission) error {
	l, err := p.known(s.Program.Language)
	if err != nil {
		return err
	}
	if err := onlyPython(*s); err != nil {
		return err
	}
	if s.Program.Name == "" {
		s.Program.Name = l.name
	}
	if len(s.Program.Name) > MaxName || !printable(s.Program.Name) {
		return fmt.Errorf("the program's name must be at most %d bytes of printable text", MaxName)
	}
	if len(s.Prompt) > MaxPrompt {
		return fmt.Errorf("the prompt has %d bytes; at most %d are allowed", len(s.Prompt), MaxPrompt)
	}
	if len(s.Program.Source) > MaxSource {
		return fmt.Errorf("the program has %d bytes; at most %d are allowed", len(s.Program.Source), MaxSource)
	}
	s.Program.Source = normalized(s.Program.Language, s.Program.Source)
	return nil
}

func printable(s string) bool {
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return utf8.ValidString(s)
}

// modules prepares the code that comes beside the program.
func (p Preparer) modules(s *palisade.Submission) error {
	modules := slices.Clone(s.Program.Modules)
	if len(modules) > MaxModules {
		return fmt.Errorf("%d modules; at most %d are allowed", len(modules), MaxModules)
	}
	seen := map[string]bool{}
	total := 0
	for i, m := range modules {
		if err := p.checkModuleName(m.Name); err != nil {
			return err
		}
		if seen[m.Name] {
			return fmt.Errorf("module %q is there twice", m.Name)
		}
		seen[m.Name] = true
		if total += len(m.Source); total > MaxSource {
			return fmt.Errorf("the modules have more than %d bytes", MaxSource)
		}
		modules[i].Source = normalized(palisade.Python, m.Source)
	}
	s.Program.Modules = modules
	return nil
}

// files checks the data that is placed beside the program.
func files(s *palisade.Submission) error {
	if len(s.Files) > MaxFiles {
		return fmt.Errorf("%d files; at most %d are allowed", len(s.Files), MaxFiles)
	}
	if len(s.Stdin) > MaxStdin {
		return fmt.Errorf("standard input has %d bytes; at most %d are allowed", len(s.Stdin), MaxStdin)
	}
	total := 0
	for i, f := range s.Files {
		if err := CheckName(f.Name); err != nil {
			return fmt.Errorf("file %q: %w", f.Name, err)
		}
		if total += len(f.Data); total > MaxFileData {
			return fmt.Errorf("the files have more than %d bytes", MaxFileData)
		}
		for _, other := range s.Files[:i] {
			if other.Name == f.Name || strings.HasPrefix(other.Name, f.Name+"/") || strings.HasPrefix(f.Name, other.Name+"/") {
				return fmt.Errorf("file %q and file %q cannot both be there", other.Name, f.Name)
			}
		}
	}
	return nil
}

// inputs checks the entry function and its arguments.
func (p Preparer) inputs(s *palisade.Submission) error {
	in := s.Inputs
	if s.Program.Entry == "" {
		if len(in.Args) > 0 || len(in.Schema) > 0 || len(in.Returns) > 0 {
			return errors.New("arguments need an entry function")
		}
		return nil
	}
	size := 0
	for name, value := range in.Args {
		if size += len(name) + len(value); size > MaxArgs {
			return fmt.Errorf("the arguments have more than %d bytes", MaxArgs)
		}
	}
	if _, err := EncodeArgs(in.Args); err != nil {
		return err
	}
	sig, err := p.signature(s.Program)
	if err != nil {
		return err
	}
	if err := sig.checkNames(in.Args); err != nil {
		return err
	}
	if len(in.Returns) > 0 {
		if _, err := compileSchema(in.Returns); err != nil {
			return fmt.Errorf("the schema of the value: %w", err)
		}
	}
	if len(in.Schema) == 0 {
		return sig.checkTypes(in.Args)
	}
	schema, err := compileSchema(in.Schema)
	if err != nil {
		return fmt.Errorf("the schema of the arguments: %w", err)
	}
	args := make(map[string]any, len(in.Args))
	for name, raw := range in.Args {
		if args[name], err = decode(raw); err != nil {
			return fmt.Errorf("argument %q: %w", name, err)
		}
	}
	if err := schema.check(args); err != nil {
		return fmt.Errorf("the arguments do not satisfy the schema: %w", err)
	}
	return nil
}

// CheckValue holds the entry function's value to Inputs.Returns, if that is
// set. An entry function that ended well always has a value.
func (p Preparer) CheckValue(s palisade.Submission, value json.RawMessage) error {
	if s.Program.Entry == "" {
		return nil
	}
	if len(value) == 0 {
		return fmt.Errorf("the value of %s never came", s.Program.Entry)
	}
	if len(s.Inputs.Returns) == 0 {
		return nil
	}
	schema, err := compileSchema(s.Inputs.Returns)
	if err != nil {
		return fmt.Errorf("the schema of the value: %w", err)
	}
	v, err := decode(value)
	if err != nil {
		return fmt.Errorf("the value of %s: %w", s.Program.Entry, err)
	}
	if err := schema.check(v); err != nil {
		return fmt.Errorf("the value of %s does not satisfy its schema: %w", s.Program.Entry, err)
	}
	return nil
}
