package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"palisade/internal/httpapi"
)

// generated makes requests from the document and from those of the table of
// operations, changed at random.
type generated struct {
	*rand.Rand
	w     *world
	words *strings.Replacer
	ops   []op
}

type op struct {
	id, method, path string
	params           []string
}

// TestGeneratedRequests sends ten thousand generated requests: none is answered with
// an error of the server's own, none tells of the host, and every error has the one
// form.
func TestGeneratedRequests(t *testing.T) {
	w := newWorld(t, "", httpapi.Limits{Body: 1 << 20})
	g := &generated{rand.New(rand.NewPCG(1, 2)), w, w.words(), nil}
	d := w.document()
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			one := op{d.Paths[path][method].OperationID, strings.ToUpper(method), path, nil}
			for _, p := range d.Paths[path][method].Parameters {
				if p.In == "query" {
					one.params = append(one.params, p.Name)
				}
			}
			g.ops = append(g.ops, one)
		}
	}
	statuses := map[int]int{}
	for i := range 10_000 {
		who, method, path, body, header := g.next()
		a, err := w.try(who, method, path, body, header...)
		if err != nil {
			t.Fatalf("request %d: %s %s: %v", i, method, path, err)
		}
		statuses[a.status]++
		where := fmt.Sprintf("request %d: %s %s by %s: %.300q: %d %.300q", i, method, path, who, body, a.status, a.text)
		if a.status >= 500 && a.status != http.StatusServiceUnavailable {
			t.Errorf("%s", where)
		}
		for _, secret := range []string{w.home, "goroutine ", ".go:", "how it was found\",\"score"} {
			if strings.Contains(a.text, secret) {
				t.Errorf("it tells %q: %s", secret, where)
			}
		}
		if a.status >= 400 && (a.member("code") == "" || a.member("message") == "" || a.member("may_have_run") == "") {
			t.Errorf("an error of another form: %s", where)
		}
	}
	for _, status := range []int{200, 202, 401, 403, 404, 415, 422} {
		if statuses[status] < 20 {
			t.Errorf("only %d answers with %d: %v", statuses[status], status, statuses)
		}
	}
	if a := w.run("green submitter", "print(1)"); a.status != 200 {
		t.Errorf("afterwards: %d %s", a.status, a.text)
	}
}

func (g *generated) pick(from ...string) string { return from[g.IntN(len(from))] }

// next is one request.
func (g *generated) next() (who, method, path, body string, header []string) {
	one := g.ops[g.IntN(len(g.ops))]
	if g.IntN(10) == 0 {
		return "blue submitter", "POST", "/v1/executions", fmt.Sprintf(`{"code": %q}`, g.pick("print(1)", "deny", "ask", "reject", "file", "break")), nil
	}
	method, path = one.method, one.path
	r := operations[one.id]
	calls := []call{r.success, r.refusal, r.other, r.bad}
	c := calls[g.IntN(len(calls))]
	if c.path != "" && g.IntN(3) > 0 {
		path, body = c.path, c.body
	}
	who = g.pick(c.who, "blue submitter", "blue approver", "blue auditor", "red submitter", "system auditor", "")
	who = strings.Replace(who, "admin", "auditor", 1) // nobody ends the keys that the rest needs, or everything
	path, body = g.words.Replace(path), g.words.Replace(body)
	for strings.Contains(path, "{") {
		begin, end := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		path = path[:begin] + g.segment() + path[end+1:]
	}
	if len(one.params) > 0 && g.IntN(2) == 0 {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		path += separator + g.pick(one.params...) + "=" + g.segment()
	}
	if method == http.MethodPost && g.IntN(3) > 0 {
		body = g.change(body)
	}
	if g.IntN(20) == 0 {
		method = g.pick("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD2")
	}
	for range g.IntN(3) {
		header = append(header, g.pick("Prefer", "Idempotency-Key", "Last-Event-ID", "Accept", "Content-Type", "X-API-Key", "Authorization", "Content-Encoding", "Cookie"),
			g.pick("respond-async", "k1", "k2", "5", "-1", "text/html", "application/json", "application/cbor", "multipart/form-data; boundary=x", "gzip", "Bearer x", "__Host-palisade=x", strings.Repeat("k", 300), "é"))
	}
	return who, method, path, body, header
}

// segment is a part of a path, or a parameter.
func (g *generated) segment() string {
	return g.pick("0", "1", "-1", "99999999999999999999", "nope", "%00", "%ff", "..%2f..%2fetc", "%20", "'%22;--", "a%2Fb", "data", "blue", "waiting", "true",
		"2026-01-01T00:00:00Z", "0001-01-01", strings.Repeat("x", 2000), g.words.Replace("{run}"), g.words.Replace("{ticket}"), g.words.Replace("{key}"))
}

// change changes a body: a member of it, or its bytes.
func (g *generated) change(body string) string {
	var v map[string]any
	if json.Unmarshal([]byte(body), &v) == nil && len(v) > 0 && g.IntN(3) > 0 {
		names := slices.Sorted(maps.Keys(v))
		switch name := g.pick(names...); g.IntN(4) {
		case 0:
			delete(v, name)
		case 1:
			v[g.pick("code", "profile", "entry", "args", "files", "modules", "limits", "stdin", "language", "digest", "comment", "things", "roles", "run", "x", "Code", "")] = g.value(3)
		default:
			v[name] = g.value(3)
		}
		text, err := json.Marshal(v)
		must(g.w.t, err)
		return string(text)
	}
	switch g.IntN(4) {
	case 0:
		text, err := json.Marshal(g.value(4))
		must(g.w.t, err)
		return string(text)
	case 1:
		return strings.Repeat("[", 1+g.IntN(20_000))
	case 2:
		return body[:g.IntN(len(body)+1)]
	}
	raw := []byte(body + " ")
	for range 1 + g.IntN(4) {
		raw[g.IntN(len(raw))] = byte(g.IntN(256))
	}
	return string(raw)
}

// value is any JSON value.
func (g *generated) value(depth int) any {
	switch g.IntN(9) {
	case 0:
		return nil
	case 1:
		return g.IntN(2) == 0
	case 2:
		return g.pick("", "print(1)", "deny", "ask", "reject", "file", "break", "\x00", "\u202e", "../x", "python", "shell", "sql", "data", "agent", "AAAA", strings.Repeat("y", 5000))
	case 3:
		return g.Int64() - g.Int64()
	case 4:
		return g.NormFloat64() * 1e300
	case 5, 6:
		var list []any
		for range g.IntN(4) {
			list = append(list, g.deeper(depth))
		}
		return list
	}
	m := map[string]any{}
	for range g.IntN(4) {
		m[g.pick("name", "data", "code", "cpu_ms", "memory_bytes", "x", "")] = g.deeper(depth)
	}
	return m
}

func (g *generated) deeper(depth int) any {
	if depth == 0 {
		return 1
	}
	return g.value(depth - 1)
}
