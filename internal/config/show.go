package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"palisade/internal/yamlfile"
)

// Value is one key in effect.
type Value struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Origin is a file with its line, a variable, a flag, or "default".
	Origin string `json:"origin"`
}

// Show returns every key with its value in effect and where it came from, in
// the order of the struct.
func (c *Config) Show() []Value { return c.show(reflect.ValueOf(*c), "") }

// Origin is where a key was set: a file with its line, a variable or a flag. Empty:
// it has its default.
func (c *Config) Origin(key string) string { return c.origins[key] }

// At begins an error about a key, with its place where it was set.
func (c *Config) At(key string) string {
	if origin := c.Origin(key); origin != "" {
		return origin + ": " + key
	}
	return key
}

func (c *Config) show(v reflect.Value, path string) []Value {
	var out []Value
	for i := range v.NumField() {
		name, ok := v.Type().Field(i).Tag.Lookup("key")
		if !ok {
			continue
		}
		key := yamlfile.Join(path, name)
		if _, whole := v.Field(i).Interface().(fmt.Stringer); v.Field(i).Kind() == reflect.Struct && !whole {
			out = append(out, c.show(v.Field(i), key)...)
			continue
		}
		origin := c.origins[key]
		if origin == "" {
			origin = "default"
		}
		out = append(out, Value{key, format(key, v.Field(i).Interface()), origin})
	}
	return out
}

// format writes a value as a file would hold it.
func format(key string, value any) string {
	switch v := value.(type) {
	case string:
		if key == "store.database" {
			return masked(v)
		}
		return v
	case OIDC:
		return v.String()
	case bool:
		return fmt.Sprint(v)
	case int:
		return fmt.Sprint(v)
	case int64:
		return yamlfile.FormatSize(v)
	case time.Duration:
		return v.String()
	case []string:
		return "[" + strings.Join(v, ", ") + "]"
	case map[string][]string:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, fmt.Sprintf("%s: [%s]", name, strings.Join(v[name], ", ")))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case map[string]Secret:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, fmt.Sprintf("%s: {file: %s, host: %s}", name, v[name].File, v[name].Host))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []Mirror:
		var parts []string
		for _, m := range v {
			parts = append(parts, m.String())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	default:
		return fmt.Sprintf("%v (%s)", v, key)
	}
}

// String says where a mirror is.
func (m Mirror) String() string {
	switch m.Kind {
	case "folder":
		return "folder " + m.Folder
	case "syslog":
		if m.Socket == "" {
			return "syslog"
		}
		return "syslog " + m.Socket
	default:
		return m.Kind + " " + strings.Join(m.Command, " ")
	}
}

// String returns Show as text, a key a line.
func (c *Config) String() string {
	var b strings.Builder
	for _, v := range c.Show() {
		fmt.Fprintf(&b, "%-20s %-40s # %s\n", v.Key, v.Value, v.Origin)
	}
	return b.String()
}
