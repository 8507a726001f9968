package jsontext

import "testing"

func TestLoneSurrogate(t *testing.T) {
	for raw, want := range map[string]bool{
		`"plain"`: false, `"\u0041"`: false, `"\ud83d\ude00"`: false, `"\\ud800"`: false, `"\\\\ud800"`: false,
		`"\ud800"`: true, `"\udc00"`: true, `"\ud800\ud800"`: true, `"\ud800\n"`: true, `"\ud800x"`: true, `"\\\ud800"`: true, `"\ud83d\ude00\ude00"`: true,
	} {
		if got := LoneSurrogate([]byte(raw)); got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
}
