package yamlfile

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

const maxProblems = 50

// Decoder reads values out of nodes and collects what is wrong with them. A
// method that finds something wrong returns a zero value and goes on, so that
// an owner sees all complaints at once.
type Decoder struct{ Problems Problems }

// Fail adds a problem at the node's place.
func (d *Decoder) Fail(n *Node, message, fix string) {
	d.failAt(n.File, n.Line, n.Column, n.Path, message, fix)
}

func (d *Decoder) failAt(file string, line, column int, path, message, fix string) {
	if len(d.Problems) < maxProblems {
		d.Problems = append(d.Problems, Problem{file, line, column, path, message, fix})
	}
}

// Want reports whether the node has the kind, and complains where it has not.
func (d *Decoder) Want(n *Node, kind Kind) bool {
	if n.Kind != kind {
		d.Fail(n, fmt.Sprintf("%s stands here", n.Kind), "write "+kind.String())
	}
	return n.Kind == kind
}

// Keys reads a map whose keys are known: each is handed to its function. An
// unknown key is a problem that names the nearest known one.
func (d *Decoder) Keys(n *Node, known map[string]func(*Node)) {
	if !d.Want(n, Map) {
		return
	}
	for _, f := range n.Fields {
		read, ok := known[f.Name]
		if !ok {
			names := slices.Sorted(maps.Keys(known))
			d.failAt(n.File, f.Line, f.Column, Join(n.Path, f.Name), fmt.Sprintf("unknown key %q", f.Name), Suggest(f.Name, names))
			continue
		}
		read(f.Value)
	}
}

// Each reads a map whose keys are the owner's.
func (d *Decoder) Each(n *Node, read func(f Field)) {
	if !d.Want(n, Map) {
		return
	}
	for _, f := range n.Fields {
		read(f)
	}
}

// Items returns the items of a list; an absent list has none.
func (d *Decoder) Items(n *Node) []*Node {
	if n.Kind == Null || !d.Want(n, List) {
		return nil
	}
	return n.Items
}

// Text returns a scalar's text; empty is a problem.
func (d *Decoder) Text(n *Node) string {
	if !d.Want(n, Scalar) {
		return ""
	}
	if n.Text == "" {
		d.Fail(n, "an empty text stands here", "write a value or remove the line")
	}
	return n.Text
}

// Texts returns the texts of a list of scalars.
func (d *Decoder) Texts(n *Node) []string {
	var out []string
	for _, item := range d.Items(n) {
		if text := d.Text(item); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// Bool reads true or false.
func (d *Decoder) Bool(n *Node) bool {
	switch text := d.Text(n); text {
	case "true":
		return true
	case "", "false":
	default:
		d.Fail(n, fmt.Sprintf("%q is not a yes or no", text), "write true or false")
	}
	return false
}

// Int reads a whole number between low and high.
func (d *Decoder) Int(n *Node, low, high int64) int64 {
	text := d.Text(n)
	if text == "" {
		return 0
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		d.Fail(n, fmt.Sprintf("%q is not a whole number", text), fmt.Sprintf("write a number from %d to %d", low, high))
		return 0
	}
	if v < low || v > high {
		d.Fail(n, fmt.Sprintf("%d is out of range", v), fmt.Sprintf("write a number from %d to %d", low, high))
		return 0
	}
	return v
}

// units of sizes, longest first.
var units = []struct {
	name string
	size int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"B", 1}}

// Size reads a number of bytes such as "64KiB", from 1 to high.
func (d *Decoder) Size(n *Node, high int64) int64 {
	text := d.Text(n)
	if text == "" {
		return 0
	}
	digits, unit := text, int64(1)
	for _, u := range units {
		if cut, ok := strings.CutSuffix(text, u.name); ok {
			digits, unit = strings.TrimSpace(cut), u.size
			break
		}
	}
	v, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		d.Fail(n, fmt.Sprintf("%q is not a size", text), "write a whole number with B, KiB, MiB or GiB, such as 256MiB")
		return 0
	}
	if v < 1 || v > math.MaxInt64/unit || v*unit > high {
		d.Fail(n, fmt.Sprintf("the size %s is out of range", text), "write from 1B to "+FormatSize(high))
		return 0
	}
	return v * unit
}

// Duration reads a time such as "2s" or "500ms", from 1ms to high.
func (d *Decoder) Duration(n *Node, high time.Duration) time.Duration {
	text := d.Text(n)
	if text == "" {
		return 0
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		d.Fail(n, fmt.Sprintf("%q is not a time", text), "write a number with ms, s, m or h, such as 10s")
		return 0
	}
	if v < time.Millisecond || v > high {
		d.Fail(n, fmt.Sprintf("the time %s is out of range", text), fmt.Sprintf("write from 1ms to %s", high))
		return 0
	}
	return v
}

// FormatSize writes a number of bytes in the largest unit that divides it.
func FormatSize(bytes int64) string {
	for _, u := range slices.Backward(units[:4]) {
		if bytes >= u.size && bytes%u.size == 0 {
			return fmt.Sprintf("%d%s", bytes/u.size, u.name)
		}
	}
	return fmt.Sprintf("%dB", bytes)
}

// Suggest says which of the known names to write instead of a wrong one.
func Suggest(wrong string, known []string) string {
	if near := Nearest(wrong, known); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	if len(known) == 0 {
		return "remove it"
	}
	return "known here: " + strings.Join(known, ", ")
}

// Nearest returns the known name that differs least from a wrong one, or the
// empty text where none is near: at most two edits, and fewer than half of it.
func Nearest(wrong string, known []string) string {
	if len(wrong) > 64 {
		return ""
	}
	best, near := 3, ""
	for _, name := range known {
		if len(name) > 64 {
			continue
		}
		if edits := distance(wrong, name); edits < best && 2*edits < len(wrong) {
			best, near = edits, name
		}
	}
	return near
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
