package sandboxtest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"palisade"
)

// escapes runs the corpus.
func (s *suite) escapes(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	all, err := readEscapes(filepath.Join(root, "testdata", "escapes"))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 60 {
		t.Errorf("%d programs in testdata/escapes: is the corpus whole?", len(all))
	}
	for _, e := range all {
		name := filepath.Base(filepath.Dir(e.path)) + "/" + strings.TrimSuffix(filepath.Base(e.path), ".py")
		t.Run(name, func(t *testing.T) { s.escape(t, e) })
	}
}

func (s *suite) escape(t *testing.T, e escape) {
	s.need(t, e.needs...)
	s.needLanguage(t, e.language)
	peers := listen(t)
	stdin := e.stdin
	for name, text := range peers.names {
		stdin = strings.ReplaceAll(stdin, "{"+name+"}", text)
	}
	sub := palisade.Submission{
		Program: palisade.Program{Language: e.language, Name: filepath.Base(e.path), Source: e.source, Entry: e.entry},
		Stdin:   []byte(stdin),
	}
	r := s.do(t, call{sub: sub, limits: e.limits, deny: e.deny})
	failed := e.check(r)
	if n := peers.heard.Load(); n > 0 {
		failed = append(failed, fmt.Sprintf("peers on the host heard from it %d times", n))
	}
	if len(failed) > 0 {
		t.Errorf("tries: %s\nmust: %s\n%s\nstatus %q, exit %d, signal %q, hits %v, reason %q, took %v\nstdout: %.1500s\nstderr: %.1500s\nanomalies: %q",
			e.tries, e.must, strings.Join(failed, "\n"), r.Status, r.ExitCode, r.Signal, r.LimitsHit, r.Reason, r.Usage.Wall,
			stdout(r), stderr(r), r.Anomalies)
	}
}

// peers listen on the host for programs that reach out of their box.
type peers struct {
	names map[string]string
	heard atomic.Int64
}

// listen opens one peer of each kind. They are closed, and every call has been
// counted, when the test ends.
func listen(t *testing.T) *peers {
	t.Helper()
	p := &peers{names: map[string]string{}}
	tcp, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	udp, err := net.ListenPacket("udp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	abstract, err := net.Listen("unix", "@palisade-peer-"+strconv.Itoa(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _, _ = tcp.Close(), udp.Close(), abstract.Close() })
	for _, l := range []net.Listener{tcp, abstract} {
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				p.heard.Add(1)
				_ = c.Close()
			}
		}()
	}
	go func() {
		buf := make([]byte, 64)
		for {
			if _, _, err := udp.ReadFrom(buf); err != nil {
				if errors.Is(err, net.ErrClosed) {
					return
				}
				time.Sleep(time.Millisecond)
				continue
			}
			p.heard.Add(1)
		}
	}()
	p.names["port"] = strconv.Itoa(tcp.Addr().(*net.TCPAddr).Port)
	p.names["udp"] = strconv.Itoa(udp.LocalAddr().(*net.UDPAddr).Port)
	p.names["socket"] = abstract.Addr().String()[1:]
	p.names["address"] = ownAddress()
	return p
}

// ownAddress is an address of this host that is not loopback, if it has one.
func ownAddress() string {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "127.0.0.1"
	}
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	return "127.0.0.1"
}
