package analysis

import (
	"slices"
	"testing"

	"palisade"
)

func TestPath(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "/work",
		"a.csv":                      "/work/a.csv",
		"./a/../b":                   "/work/b",
		"../etc/passwd":              "/etc/passwd",
		"../../../etc":               "/etc",
		"/etc/../etc//shadow":        "/etc/shadow",
		"//etc/passwd":               "/etc/passwd",
		"/":                          "/",
		"~":                          "~",
		"~/.ssh/id":                  "~/.ssh/id",
		"~root/x":                    "~root/x",
		"~/../../etc/passwd":         "/etc/passwd",
		"https://a.example/../x":     "https://a.example/../x",
		"s3://bucket/key":            "s3://bucket/key",
		"file:///etc/passwd":         "/etc/passwd",
		"FILE://localhost/etc/x":     "/etc/x",
		"file://etc/passwd":          "/etc/passwd",
		"a://b":                      "a://b",
		"1a://b":                     "/work/1a:/b",
		"data/://x":                  "/work/data/:/x",
		"weird\x00/../../etc/passwd": "/etc/passwd",
	} {
		if got := Path(in); got != want {
			t.Errorf("Path(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestIsURL(t *testing.T) {
	for in, want := range map[string]bool{
		"http://x": true, "HTTPS://x": true, "zip::s3://x": true, "file:///x": false, "/a://b": false, "x": false, "://x": false,
	} {
		if IsURL(in) != want {
			t.Errorf("IsURL(%q) = %v", in, !want)
		}
	}
}

func TestSort(t *testing.T) {
	a := Fact{Capability: palisade.CapReadPath, File: "p", Line: 1, Argument: "/x"}
	unknown := a
	unknown.Unknown = true
	later, evidence := a, a
	later.Line, evidence.Evidence = 2, "another way"
	got := Sort([]Fact{later, evidence, unknown, a})
	if len(got) != 3 || got[2].Line != 2 || got[0].Unknown || !got[1].Unknown {
		t.Errorf("sorted %v", got)
	}
	if !slices.Equal(got, Sort(slices.Clone(got))) {
		t.Error("sorting twice differs")
	}
}
