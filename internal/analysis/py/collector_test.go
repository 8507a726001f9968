package py

import "testing"

// texts is a value of so many texts.
func texts(list ...string) val {
	var out val
	for _, s := range list {
		out = join(out, text(s))
	}
	return out
}

// Values share the room behind their objects; what is added to one must not be
// seen in another.
func TestValuesThatGrowStayApart(t *testing.T) {
	base := texts("a", "b", "c", "d", "e")
	first := join(base, text("first"))
	second := join(base, text("second"))
	longer := join(join(first, text("x")), text("y"))
	other := join(first, text("other"))
	for _, c := range []struct {
		v    val
		want []string
	}{
		{base, []string{"a", "b", "c", "d", "e"}},
		{first, []string{"a", "b", "c", "d", "e", "first"}},
		{second, []string{"a", "b", "c", "d", "e", "second"}},
		{longer, []string{"a", "b", "c", "d", "e", "first", "x", "y"}},
		{other, []string{"a", "b", "c", "d", "e", "first", "other"}},
	} {
		if c.v.size() != len(c.want) {
			t.Fatalf("%d objects, want %q", c.v.size(), c.want)
		}
		for i, s := range c.want {
			if c.v.at(i) != cStr(s) {
				t.Errorf("object %d is %v, want %q", i, c.v.at(i), s)
			}
		}
	}
}

func TestJoin(t *testing.T) {
	few := texts("a", "b")
	if !same(join(few, text("a")), few) || same(join(few, text("c")), few) {
		t.Error("what adds nothing is taken for new, or what is new for nothing")
	}
	if v := join(few, unknown); !v.open || v.size() != 2 {
		t.Error("what is not known was lost, or took objects with it")
	}
	if o, ok := join(text("a"), text("a")).only(); !ok || o != cStr("a") {
		t.Error("one object became several")
	}
	if _, ok := few.only(); ok {
		t.Error("several objects became one")
	}
	if v := few.without(0); v.size() != 1 || !v.has(cStr("b")) {
		t.Error("the wrong object was left out")
	}
	var numbers, things val
	for i := range 3 * maxObjects {
		numbers = join(numbers, one(cInt(i)))
		things = join(things, one(&list{}))
	}
	if o, ok := numbers.only(); !ok || o != (number{}) {
		t.Error("many numbers are not any number")
	}
	if things.size() != maxObjects || !things.open || things.takes != takesNone {
		t.Errorf("%d of at most %d objects, open %v, takes %d", things.size(), maxObjects, things.open, things.takes)
	}
}
