package egresstest

import (
	"testing"

	"palisade"
	"palisade/internal/egress"
)

// TestRestoredBoxesReachTheirPeers: a box that waited without a job reaches the
// peers of the job that it got, and no others; those of the box before it are not
// its own.
func TestRestoredBoxesReachTheirPeers(t *testing.T) {
	r := newRig(t, gvisorWarm, egress.Config{})
	port := ServeClear(t, greets("from outside"))
	python := `
import urllib.request
for host in "api", "other":
    try:
        print(urllib.request.urlopen("http://%s.example.com:` + port + `/" % host, timeout=5).read())
    except Exception as e:
        print(host, e.code)
import socket
try:
    socket.create_connection(("8.8.8.8", 53), timeout=2)
except OSError as e:
    print("no network:", e)
`
	shell := `for host in api other; do curl -sS -o /dev/null -w "$host %{http_code}\n" "http://$host.example.com:` + port + `/"; done`
	for i, c := range []struct {
		language         palisade.Language
		source, peer, no string
		words            []string
	}{
		{palisade.Python, python, "api", "other", []string{"from outside api.example.com", "other 403", "no network: [Errno 101]"}},
		{palisade.Python, python, "other", "api", []string{"from outside other.example.com", "api 403", "no network: [Errno 101]"}},
		{palisade.Shell, shell, "api", "other", []string{"api 200", "other 403"}},
		{palisade.Shell, shell, "other", "api", []string{"other 200", "api 403"}},
	} {
		got := r.try(c.language, c.source, palisade.Peer{Name: c.peer + ".example.com:" + port})
		if got.Ready.Layers["start"] != "restored" || got.Ready.Layers["network"] != "proxy" {
			t.Errorf("run %d: layers %v", i, got.Ready.Layers)
		}
		want(t, got, append(c.words, "ok"), []string{
			"peer allowed " + c.peer + ".example.com:" + port, "peer refused " + c.no + ".example.com:" + port,
		})
	}
}

// TestNoWayOutForARestoredBox: where the way out cannot be opened when the job
// comes, that is refused, and the box is gone.
func TestNoWayOutForARestoredBox(t *testing.T) {
	r := newRig(t, gvisorWarm, egress.Config{})
	peer := palisade.Peer{Name: "api.example.com:80"}
	if got := r.try(palisade.Python, "pass", peer); got.Status != palisade.OK {
		t.Fatal(said(got))
	}
	r.proxy.Cut()
	if got := r.try(palisade.Python, "print('it ran')", peer); got.Status != palisade.Refused || got.Fix == "" {
		t.Errorf("%q: %s", got.Fix, said(got))
	}
	r.proxy.Mend()
	if got := r.try(palisade.Python, "pass", peer); got.Status != palisade.OK || got.Ready.Layers["start"] != "restored" {
		t.Errorf("%v %s", got.Ready.Layers, said(got))
	}
}
