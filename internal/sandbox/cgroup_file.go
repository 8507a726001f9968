package sandbox

import (
	"bufio"
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// write writes a control file, which must be there.
func write(dir, name, value string) error {
	return writeKernel(filepath.Join(dir, name), value)
}

func readInt(dir, name string) (int64, error) {
	data, err := ReadKernel(filepath.Join(dir, name))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
}

// readKey reads one line of a file of "name value" lines.
func readKey(dir, name, key string) (int64, error) {
	values, err := readKeys(dir, name, key)
	if err != nil {
		return 0, err
	}
	return values[0], nil
}

// readKeys reads lines of a file of "name value" lines. All must be there.
func readKeys(dir, name string, keys ...string) ([]int64, error) {
	data, err := ReadKernel(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	values, found := make([]int64, len(keys)), 0
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		k, v, _ := strings.Cut(s.Text(), " ")
		i := slices.Index(keys, k)
		if i < 0 {
			continue
		}
		if values[i], err = strconv.ParseInt(strings.TrimSpace(v), 10, 64); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		found++
	}
	if found != len(keys) {
		return nil, fmt.Errorf("%s has not all of %v", name, keys)
	}
	return values, nil
}
