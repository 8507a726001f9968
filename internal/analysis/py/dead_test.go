package py

import (
	"testing"

	"palisade/internal/python"
)

func TestDead(t *testing.T) {
	for src, want := range map[string]int{
		"f()": 0, "if x: f()": 0, "while True:\n    f()": 0, "while 1:\n    f()": 0, "if __name__ == '__main__':\n    f()": 0,
		"if False:\n    f()": 1, "if 1 == 2:\n    f(g())\nelse:\n    h()": 3, "if not 0:\n    f()": 1, "while 0:\n    f()": 1,
		"def a():\n    return 1\n    f()": 1, "for i in x:\n    continue\n    f()": 1, "def a():\n    if x:\n        raise E\n        f()\n    g()": 1,
		"if 1 < 2:\n    x = 1": 0,
	} {
		tree, err := python.Parse([]byte(src+"\n"), python.Options{})
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		if got := Dead(tree); got != want {
			t.Errorf("%q: %d, want %d", src, got, want)
		}
	}
}
