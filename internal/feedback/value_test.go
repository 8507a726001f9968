package feedback

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/color"
	pngfile "image/png"
	"strings"
	"testing"

	"palisade"
)

func TestValue(t *testing.T) {
	s := newSanitizer(t)
	for _, c := range []struct{ in, want string }{
		{`12345678901234567890123`, `12345678901234567890123`},
		{` [ 1.0, 1e400, -0 ] `, `[1.0,1e400,-0]`},
		{`{"b": 1, "a": 2, "b": 3}`, `{"b":1,"a":2,"b":3}`},
		{`"x ` + sampleKey + ` <y>"`, `"x [redacted:aws-access-key] <y>"`},
		{`{"AK\u0049A` + sampleKey[4:] + `": "/var/lib/palisade/x"}`, `{"[redacted:aws-access-key]":"[redacted:host-path]"}`},
		{"\"\u202e\U000e0041\x7f é\"", `"\u202e\udb40\udc41\u007f é"`},
		{`"\ud800 \u001b[31m"`, `"\ud800 \u001b[31m"`},
		{"\"\xff\"", `"\ufffd"`},
		{`null`, `null`},
	} {
		got, err := s.value(json.RawMessage(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("value(%s) = %s, %v, want %s", c.in, got, err, c.want)
		}
		if !json.Valid(got) {
			t.Errorf("value(%s) is no JSON: %s", c.in, got)
		}
	}
	for _, bad := range []string{"", "{", "1 2", "nul", strings.Repeat("[", 100_000), `"` + strings.Repeat("x", maxValue) + `"`} {
		if got, err := s.value(json.RawMessage(bad)); err == nil {
			t.Errorf("value(%.20q) = %.20q", bad, got)
		}
	}
	got := s.Sanitize(caseOf(""), verdict(), palisade.Result{Status: palisade.OK, Value: []byte("{")})
	if got.Value != nil || len(got.Errors) != 1 {
		t.Errorf("a value that is no JSON: %+v", got)
	}
}

func samplePNG(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 3, 2))
	img.Set(1, 1, color.RGBA{1, 2, 3, 255})
	var b bytes.Buffer
	if err := pngfile.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPictures(t *testing.T) {
	s := newSanitizer(t)
	clean := samplePNG(t)
	withText := append(append([]byte(nil), clean[:33]...), "\x00\x00\x00\x05tEXta\x00bcd"...)
	withText = append(withText, crcOf("tEXta\x00bcd")...)
	withText = append(append(withText, clean[33:]...), "<script>alert(1)</script>"...)
	encode := base64.StdEncoding.EncodeToString
	got := s.rich([]palisade.Rich{{Data: map[string]string{"image/png": encode(withText), "text/plain": "<Figure>\x1b[0m"}}}, 1000)
	if len(got) != 1 || got[0].Data["image/png"] != encode(clean) || got[0].Data["text/plain"] != "<Figure>" {
		t.Errorf("got %+v", got)
	}
	damaged := append([]byte(nil), clean...)
	damaged[40] ^= 1
	for name, bad := range map[string]string{
		"no base64": "%%%", "no PNG": encode([]byte("GIF89a")), "cut": encode(clean[:len(clean)-4]), "damaged": encode(damaged),
		"magic alone": encode(clean[:8]), "large": strings.Repeat("A", maxPicture+4),
	} {
		if got := s.rich([]palisade.Rich{{Data: map[string]string{"image/png": bad}}}, 1000); len(got) != 0 {
			t.Errorf("%s was kept", name)
		}
	}
	other := map[string]string{"image/svg+xml": "<svg onload=x>", "application/javascript": "x", "text/x": "y", "image/jpeg": encode([]byte("\xff\xd8\xffno end"))}
	if got := s.rich([]palisade.Rich{{Data: other}}, 1000); len(got) != 0 {
		t.Errorf("kept: %+v", got)
	}
	many := make([]palisade.Rich, 100)
	for i := range many {
		many[i].Data = map[string]string{"text/plain": strings.Repeat("x", 5000)}
	}
	if got := s.rich(many, 1000); len(got) != maxRich || len(got[0].Data["text/plain"]) > 1000 {
		t.Errorf("%d bundles of %d bytes", len(got), len(got[0].Data["text/plain"]))
	}
}

func TestHTML(t *testing.T) {
	s := newSanitizer(t)
	for _, c := range []struct{ name, in, want string }{
		{"a data frame", `<div>
<style scoped>
    .dataframe tbody tr th { vertical-align: middle; }
</style>
<table border="1" class="dataframe">
  <thead>
    <tr style="text-align: right;">
      <th colspan=2></th><th>a &amp; b</th>
    </tr>
  </thead>
</table>
</div>`, `<div>

<table border="1" class="dataframe">
  <thead>
    <tr>
      <th colspan="2"></th><th>a &amp; b</th>
    </tr>
  </thead>
</table>
</div>`},
		{"script", `a<script>alert("</b>")</script >b<SCRIPT/x>c`, "ab"},
		{"handlers", `<b onclick="x" class='y' STYLE=z>t</b><img src=x onerror=y><a href="javascript:x">l</a>`, "<b>t</b>l"},
		{"comments", "a<!-- <b> -->c<!DOCTYPE x>d<?php ?>e<!--", "acde"},
		{"broken tags", `< b><b <i>x</i></>&<`, "&lt; b&gt;&lt;b <i>x</i>&lt;/&gt;&amp;&lt;"},
		{"unbalanced", "</div></td><b><i>x</b>y</i><p>z", "<b><i>x</i></b>y<p>z</p>"},
		{"quotes hide an end", `<td title=">" colspan="1">x`, `<td colspan="1">x</td>`},
		{"attribute injection", `<td colspan='1" onx="y'>x</td><td colspan="01">`, "<td>x</td><td></td>"},
		{"references", "&#60;b&#x3E; &#8238;&#x200b; &zwj; &lt; &#0; &#xD800; &copy", "&lt;b&gt; \\u202e\\u200b &amp;zwj; &lt; \\x00 \ufffd &amp;copy"},
		{"a secret", "<td>" + sampleKey + "</td>", "<td>[redacted:aws-access-key]</td>"},
		{"controls", "<b\x1b[0m>x\x00</b>", `<b>x\x00</b>`},
		{"svg and math", "<svg><style><img src=x onerror=y></style></svg><math><mi>x</mi></math>z", "z"},
	} {
		got, ok := s.html(c.in)
		if !ok || got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
		if again, _ := s.html(got); again != got {
			t.Errorf("%s is not idempotent: %q", c.name, again)
		}
	}
	if _, ok := s.html(strings.Repeat("x", maxHTML+1)); ok {
		t.Error("large HTML was kept")
	}
	for _, unit := range []string{"<script>", "<b>", "</b>", "<b x=\"", "<!--", "&", "<a b ", "<"} {
		got, _ := s.html(strings.Repeat(unit, maxHTML/len(unit)))
		checkSafe(t, unit, got, 5*maxHTML)
	}
}

func crcOf(s string) []byte {
	return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(s)))
}

// TestMisfit: why a value does not fit is the host's to say, and an exception
// of whatever name is the program's.
func TestMisfit(t *testing.T) {
	why := "the entry function's value does not fit: $.a is \x1b[2J" + sampleKey + "\nnext, not a number"
	got := newSanitizer(t).Sanitize(caseOf(program), verdict(), palisade.Result{Status: palisade.RuntimeError, Reason: why})
	checkAll(t, got)
	if len(got.Errors) != 1 || !strings.HasPrefix(got.Errors[0], "the entry function's value does not fit: $.a is ") || strings.Contains(got.Errors[0], sampleKey) {
		t.Errorf("errors = %q", got.Errors)
	}
	if !strings.Contains(strings.Join(got.Feedback.Next, "\n"), "return what the schema of its value wants") {
		t.Errorf("next = %q", got.Feedback.Next)
	}
	long := newSanitizer(t).Sanitize(caseOf(program), verdict(), palisade.Result{Status: palisade.RuntimeError, Reason: strings.Repeat("x", 10000)})
	checkAll(t, long)
	forged := newSanitizer(t).Sanitize(caseOf(program), verdict(), palisade.Result{Status: palisade.RuntimeError, Reason: why, Exception: &palisade.Exception{Type: "ReturnValueError", Message: "x y z"}})
	if all := strings.Join(forged.Feedback.Next, "\n") + strings.Join(forged.Errors, "\n"); strings.Contains(all, "schema") || strings.Contains(all, "does not fit") {
		t.Errorf("forged: %q", all)
	}
}
