package lang

import (
	"bytes"
	"embed"
	"slices"
)

//go:embed harness
var harnessFiles embed.FS

// The harness is one program, made of the files of its folder: first what every
// language shares, then what is a language's own, of which the last file starts
// it.
var (
	harnessShared = []string{"head.py", "channel.py", "box.py", "files.py", "relay.py", "run.py"}
	harnessTree   = []string{"output.py", "source.py", "value.py", "display.py", "end.py", "warm.py", "tree.py"}
	harnessText   = []string{"text.py"}
)

// harness joins the shared files and a language's own behind a beginning.
func harness(beginning string, own []string) []byte {
	text := bytes.NewBufferString(beginning)
	for _, name := range slices.Concat(harnessShared, own) {
		text.WriteString("\n\n")
		text.Write(harnessFile(name))
	}
	return text.Bytes()
}

func harnessFile(name string) []byte {
	data, err := harnessFiles.ReadFile("harness/" + name)
	if err != nil {
		panic(err) // it is in the binary, or the binary was not built from this tree
	}
	return data
}
