package policy

import (
	"strings"
	"testing"
	"time"
)

func TestGlob(t *testing.T) {
	cases := []struct {
		pattern string
		yes, no []string
	}{
		{"/work/**", []string{"/work", "/work/a", "/work/a/b/.c"}, []string{"/", "/workx", "/wor", "/a/work/b"}},
		{"/work/*", []string{"/work/a", "/work/.b"}, []string{"/work", "/work/a/b"}},
		{"/work/*.csv", []string{"/work/a.csv", "/work/.csv"}, []string{"/work/a.csvx", "/work/a/b.csv"}},
		{"/**/.ssh/**", []string{"/.ssh", "/root/.ssh/id", "/a/b/.ssh/c/d"}, []string{"/root/ssh", "/root/.sshx"}},
		{"/proc/*/mem", []string{"/proc/1/mem", "/proc/self/mem"}, []string{"/proc/mem", "/proc/1/task/mem"}},
		{"/a*b*c", []string{"/abc", "/aXbYc", "/abbc", "/abcbc"}, []string{"/ab", "/acb", "/abcd", "/a/bc"}},
		{"/dev/sd*", []string{"/dev/sd", "/dev/sda1"}, []string{"/dev/s", "/dev/sda/x"}},
		{"/", []string{"/"}, []string{"/a"}},
		{"/**", []string{"/", "/a", "/a/b"}, nil},
	}
	for _, c := range cases {
		g := globs([]string{c.pattern})[0]
		for _, name := range c.yes {
			if !g.match(name) {
				t.Errorf("%s does not match %s", c.pattern, name)
			}
		}
		for _, name := range c.no {
			if g.match(name) {
				t.Errorf("%s matches %s", c.pattern, name)
			}
		}
	}
}

func TestMatchingIsBounded(t *testing.T) {
	start := time.Now()
	g := globs([]string{"/" + strings.Repeat("**/", 80) + "x"})[0]
	g.match("/" + strings.Repeat("a/", 250) + "b")
	g.match(strings.Repeat("/a", 100000))
	wild(strings.Repeat("*a", 200), strings.Repeat("a", 100000)+"b")
	if spent := time.Since(start); spent > 2*time.Second {
		t.Errorf("took %s", spent)
	}
}
