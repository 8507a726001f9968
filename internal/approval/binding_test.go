package approval

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"palisade"
)

// full is a question with something in every field.
func full() palisade.Question {
	return palisade.Question{
		Case: palisade.Case{Submission: palisade.Submission{
			Submitter: "s", Tenant: "t", Door: "d", Prompt: "p", Conversation: "c",
			Program: palisade.Program{
				Language: "l", Name: "n", Source: []byte("src"), Modules: []palisade.Module{{Name: "m", Source: []byte("msrc")}}, Entry: "e",
			},
			Inputs: palisade.Inputs{
				Args: map[string]json.RawMessage{"a": json.RawMessage("1")}, Schema: json.RawMessage("{}"), Returns: json.RawMessage("[]"),
			},
			Files: []palisade.File{{Name: "f", Data: []byte("data")}}, Stdin: []byte("in"),
		}, Inspection: palisade.Inspection{Runs: []byte("canonical")}},
		Verdict: palisade.Verdict{
			Profile: "pr", PolicyDigest: palisade.Digest{1}, PolicyVersion: "v",
			Limits: palisade.Limits{
				CPU: 1, Wall: 2, Memory: 3, Output: 4, Kept: 5, Processes: 6, OpenFiles: 7, Disk: 8, Inodes: 9,
			},
			Isolation:      palisade.Isolation{Backends: []string{"b"}, Layers: map[string]string{"k": "w"}},
			DeniedSyscalls: []string{"x"}, Abort: []string{"y"}, Deterministic: true, TrustMessages: true,
			Egress: []palisade.Peer{{Name: "y", Terminate: true, Methods: []string{"x"}, Paths: []string{"/"}, Secrets: []string{"s"}}},
		},
		Image: "i",
	}
}

// notBound are the fields that decide nothing about what would run, with why.
var notBound = map[string]string{
	"Case.Submission.Profile":       "the verdict's profile is bound",
	"Case.Submission.Lower":         "the verdict's limits are bound",
	"Case.Submission.Deterministic": "the verdict's is bound",
	"Case.Submission.Run":           "every run has its own",
	"Case.Submission.Conversation":  "says what it is a part of",
	"Case.Submission.Live":          "where output is copied to",
	"Case.Inspection.Findings":      "follow from the code and its reader",
	"Case.Inspection.Lines":         "say where a line of what runs came from",
	"Case.Inspection.Score":         "follows from the code and its reader",
	"Case.Inspection.Trees":         "follow from what would run, which is bound",
	"Verdict.Decision":              "is what is asked",
	"Verdict.Policy":                "follows from the policy and the code",
	"Verdict.Reasons":               "follow from the policy and the code",
	"Verdict.Available":             "is a text about the policy",
}

// TestEveryFieldIsBound changes one field after the other and expects another
// digest each time: a field that is new in the root's types must be bound or
// stand in notBound.
func TestEveryFieldIsBound(t *testing.T) {
	base := Binding(full())
	seen := map[palisade.Digest]string{base: "unchanged"}
	n := 0
	for _, path := range leaves(reflect.TypeFor[palisade.Question](), "") {
		if skipped(path) {
			continue
		}
		q := full()
		v := field(reflect.ValueOf(&q).Elem(), path)
		if !v.IsValid() {
			t.Fatalf("%s: full has nothing there", path)
		}
		if v.IsZero() {
			t.Errorf("%s: full leaves it at zero", path)
		}
		change(t, v)
		d := Binding(q)
		if before, ok := seen[d]; ok {
			t.Errorf("changing %s gives the digest of: %s", path, before)
		}
		seen[d] = path
		n++
	}
	if n < 28 {
		t.Errorf("only %d fields were changed", n)
	}
}

func skipped(path string) bool {
	for name := range notBound {
		if path == name || strings.HasPrefix(path, name+".") {
			return true
		}
	}
	return false
}

// leaves are the paths of all fields that are not structs of our own; lists of
// structs go on in their first element.
func leaves(t reflect.Type, path string) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		at := strings.TrimPrefix(path+"."+f.Name, ".")
		inner := f.Type
		if inner.Kind() == reflect.Slice && inner.Elem().Kind() == reflect.Struct {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner != reflect.TypeFor[time.Time]() {
			out = append(out, leaves(inner, at)...)
			continue
		}
		out = append(out, at)
	}
	return out
}

func field(v reflect.Value, path string) reflect.Value {
	for name := range strings.SplitSeq(path, ".") {
		if v.Kind() == reflect.Slice {
			if v.Len() == 0 {
				return reflect.Value{}
			}
			v = v.Index(0)
		}
		v = v.FieldByName(name)
	}
	return v
}

func change(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "!")
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Array:
		v.Index(31).SetUint(v.Index(31).Uint() + 1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(append([]byte("!"), v.Bytes()...))
			return
		}
		v.Set(reflect.Append(v, reflect.ValueOf("!")))
	case reflect.Map:
		key := v.MapKeys()[0]
		v.SetMapIndex(key, reflect.ValueOf("!").Convert(v.Type().Elem()))
	default:
		t.Fatalf("the test cannot change a %s", v.Type())
	}
}

// TestBindingKeepsValuesApart moves bytes across the borders of values.
func TestBindingKeepsValuesApart(t *testing.T) {
	digests := map[palisade.Digest]int{}
	for i, edit := range []func(*palisade.Question){
		func(q *palisade.Question) {},
		func(q *palisade.Question) { s := &q.Case.Submission; s.Submitter, s.Door = "sd", "" },
		func(q *palisade.Question) { s := &q.Case.Submission; s.Door, s.Prompt = "dp", "" },
		func(q *palisade.Question) { s := &q.Case.Submission; s.Files = append(s.Files, palisade.File{}) },
		func(q *palisade.Question) { s := &q.Case.Submission; s.Files = nil },
		func(q *palisade.Question) { s := &q.Case.Submission; s.Files[0] = palisade.File{Name: "fdata"} },
		func(q *palisade.Question) {
			s := &q.Case.Submission
			s.Program.Modules, s.Program.Source = nil, []byte("srcmmsrc")
		},
		func(q *palisade.Question) {
			s := &q.Case.Submission
			s.Program.Modules = append(s.Program.Modules, palisade.Module{Name: "m", Source: []byte("msrc")})
		},
		func(q *palisade.Question) { q.Case.Submission.Inputs.Args["b"] = json.RawMessage("1") },
		func(q *palisade.Question) { q.Case.Submission.Inputs.Args = map[string]json.RawMessage{"a1": nil} },
		func(q *palisade.Question) { q.Verdict.DeniedSyscalls, q.Verdict.Abort = []string{"x", "y"}, nil },
		func(q *palisade.Question) { q.Verdict.DeniedSyscalls, q.Verdict.Abort = nil, []string{"x", "y"} },
		func(q *palisade.Question) { q.Verdict.Isolation.Backends = []string{"b", "k"} },
		func(q *palisade.Question) { l := &q.Verdict.Limits; l.CPU, l.Wall = l.Wall, l.CPU },
	} {
		q := full()
		edit(&q)
		d := Binding(q)
		if before, ok := digests[d]; ok {
			t.Errorf("edits %d and %d give one digest", before, i)
		}
		digests[d] = i
	}
	if again := Binding(full()); Binding(full()) != again {
		t.Error("equal questions have different digests")
	}
	// The digest is stored in logs: what it covers changes only on purpose.
	if got, want := Binding(full()).String(), golden; got != want {
		t.Errorf("the form of the binding changed: %s", fmt.Sprint(got))
	}
}

const golden = "1062132985155d0aaa7d0382b2a6adfe318a60815d3ce0f6edb8031b380b0384"
