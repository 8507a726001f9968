package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"palisade"
	"palisade/internal/sandbox/packet"
)

// confinedName is the name under which the tests run themselves as a confined
// process that tries what it must not.
const confinedName = "palisade-egress-confined"

// confined tries, in a process that is confined as the proxy is.
func confined() {
	roots() // a sure way to have read files before
	if err := confine(); err != nil {
		fmt.Println("confine:", err)
		return
	}
	try := func(what string, err error) { fmt.Printf("%s: %v\n", what, err) }
	_, err := os.ReadFile("/etc/hostname")
	try("read", err)
	try("write", os.WriteFile("/tmp/palisade-egress-test", nil, 0o600))
	_, err = os.ReadDir("/")
	try("list", err)
	try("exec", unix.Exec("/bin/true", []string{"true"}, nil))
	_, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	try("unix socket", err)
	_, err = unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, 0)
	try("netlink", err)
	_, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
	try("packet", err)
	try("kill", unix.Kill(1, 0))
	try("ptrace", unix.PtraceAttach(1))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	try("listen", err)
	if l != nil {
		_ = l.Close()
	}
	var d net.Dialer
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c, err := d.DialContext(ctx, "tcp", os.Args[1])
	try("dial", err)
	if c != nil {
		_ = c.Close()
	}
	got, err := lookup(ctx, []string{os.Args[2]}, "name.example.net")
	fmt.Println("lookup:", got, err)
}

func TestTheProxyIsConfined(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Args = []string{confinedName, l.Addr().String(), nameServer(t)}
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		what, result, _ := strings.Cut(line, ":")
		switch {
		case what == "dial" && result == " <nil>", what == "lookup" && result == " [192.0.2.7 2001:db8::7] <nil>":
		case strings.Contains(result, "operation not permitted"):
		default:
			t.Errorf("in the proxy: %s", line)
		}
	}
	if len(lines) != 12 {
		t.Errorf("%d things were tried", len(lines))
	}
}

// nameServer answers every question with one address of each kind, and returns
// where it is.
func nameServer(t *testing.T) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			if n > 12 {
				_, _ = c.WriteTo(dnsAnswer(buf[:n]), from)
			}
		}
	}()
	return c.LocalAddr().String()
}

// dnsAnswer answers a question (RFC 1035, section 4) with 192.0.2.7 or
// 2001:db8::7.
func dnsAnswer(question []byte) []byte {
	end := 12
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5
	kind := question[end-3]
	addr := netip.MustParseAddr("192.0.2.7").AsSlice()
	if kind == 28 {
		addr = netip.MustParseAddr("2001:db8::7").AsSlice()
	}
	out := append([]byte{question[0], question[1], 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0}, question[12:end]...)
	out = append(out, 0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0, byte(len(addr)))
	return append(out, addr...)
}

// TestNamesAreAskedOfTheHostsServers also holds Go's resolver to how it hands out
// addresses: an A record's must not look like an IPv4 address in IPv6.
func TestNamesAreAskedOfTheHostsServers(t *testing.T) {
	got, err := lookup(t.Context(), []string{nameServer(t)}, "name.example.net")
	if err != nil || len(got) != 2 || got[0].Is4In6() || got[1].Is4In6() {
		t.Error(got, err)
	}
	if _, err := lookup(t.Context(), nil, "name.example.net"); err == nil {
		t.Error("without a server a name resolves")
	}
}

func TestTheChildDies(t *testing.T) {
	p := New(Config{})
	t.Cleanup(func() { _ = p.Close() })
	c, _, err := p.running(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r1, w1 := pipe(t)
	r2, w2 := pipe(t)
	e := newExit(c, 1, nil)
	if err := c.open(t.Context(), e, &runConfig{Run: "r"}, r1, w2); err != nil {
		t.Fatal(err)
	}
	packet.CloseAll([]*os.File{r1, w2})
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	for _, line := range []string{"Seccomp:\t2", "NoNewPrivs:\t1", "CapEff:\t0000000000000000"} {
		if err != nil || !strings.Contains(string(status), line) || strings.Contains(string(status), "Uid:\t0") {
			t.Errorf("the proxy's process: no %q: %v\n%s", line, err, status)
		}
	}
	if err := syscall.Kill(c.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1)
	if n, err := r2.Read(buf); n != 0 || err == nil {
		t.Errorf("the box's channel lives: %d %v", n, err)
	}
	for range 100 { // its other end is closed in the same moment, not before
		if _, err = w1.Write(buf); err != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !errors.Is(err, syscall.EPIPE) {
		t.Errorf("the box's channel takes bytes: %v", err)
	}
	e.Close() // does not wait for a dead process
	r1, w1 = pipe(t)
	r2, w2 = pipe(t)
	exit, err := p.Open(t.Context(), palisade.Job{Run: "s", Egress: []palisade.Peer{{Name: "x.example.com"}}}, r1, w2)
	if err != nil {
		t.Fatalf("no new one: %v", err)
	}
	_ = w1.Close()
	_ = r2.Close()
	exit.Close()
	p.Cut()
	if _, _, err := p.running(t.Context()); !errors.Is(err, ErrCut) {
		t.Errorf("after Cut: %v", err)
	}
	p.Mend()
	if _, _, err := p.running(t.Context()); err != nil {
		t.Errorf("after Mend: %v", err)
	}
}
