package semgrep

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"
)

//go:embed rules
var shipped embed.FS

// Shipped returns the files of the rules that come with the product, by name.
func Shipped() []File {
	var out []File
	for _, name := range shippedNames(".yaml") {
		data, err := shipped.ReadFile(name)
		if err != nil {
			panic(fmt.Sprintf("an embedded file cannot be read: %v", err))
		}
		out = append(out, File{name, data})
	}
	return out
}

// shippedNames lists the embedded files with an ending.
func shippedNames(ending string) (out []string) {
	names, err := fs.Glob(shipped, "rules/*/*"+ending)
	if err != nil {
		panic(fmt.Sprintf("the pattern of embedded names: %v", err))
	}
	return names
}

// Default returns an engine with the shipped rules. They are loaded once.
var Default = sync.OnceValues(func() (*Engine, error) { return Load(Shipped()...) })
