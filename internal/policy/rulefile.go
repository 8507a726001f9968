package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"palisade/internal/yamlfile"
)

// maxRuleFiles bounds the files of pattern rules.
const maxRuleFiles = 500

// RuleFile is a file of pattern rules, in Semgrep's form, that the owner's
// policy names. What is in it is read by whoever runs the rules.
type RuleFile struct {
	Name string
	Data []byte
}

// RuleFiles returns the files of pattern rules. They are part of what profiles
// allow: another byte in one of them gives every profile another digest.
func (s *Set) RuleFiles() []RuleFile { return s.rules }

// ReadRuleFiles reads a file of pattern rules, or all in a folder whose names
// end in .yaml or .yml.
func ReadRuleFiles(path string) ([]RuleFile, error) {
	var files []RuleFile
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() || name != path && !isYAML(name):
			return nil
		case len(files) == maxRuleFiles:
			return fmt.Errorf("more than %d files", maxRuleFiles)
		}
		data, err := yamlfile.Read(name)
		if err != nil {
			return err
		}
		files = append(files, RuleFile{name, data})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("rule files %s: %w", path, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("rule files %s: %w", path, errNoRules)
	}
	return files, nil
}

var errNoRules = errors.New("there is no .yaml file")

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// ruleFiles reads what `rule_files:` names: paths relative to the policy file.
func (b *builder) ruleFiles(name string, n *yamlfile.Node) {
	for _, item := range b.d.Items(n) {
		path := b.d.Text(item)
		if path == "" {
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(name), path)
		}
		files, err := ReadRuleFiles(path)
		if err != nil {
			b.partly = true
			b.d.Fail(item, err.Error(), "name a file of pattern rules, or a folder of them")
			continue
		}
		b.set.rules = append(b.set.rules, files...)
	}
}

// rulesDigest is the digest over the content of rule files; empty for none.
func rulesDigest(files []RuleFile) string {
	if len(files) == 0 {
		return ""
	}
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s %d\n", filepath.Base(f.Name), len(f.Data))
		h.Write(f.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}
