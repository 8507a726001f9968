package native

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"

	"palisade/internal/sandbox"
)

// verdictOf runs a filter on a call, as the kernel does: classic BPF over struct
// seccomp_data.
func verdictOf(t *testing.T, program []byte, number int, args [6]uint64) uint32 {
	t.Helper()
	info, err := arch.GetInfo("")
	if err != nil {
		t.Fatal(err)
	}
	data := binary.NativeEndian.AppendUint32(nil, uint32(number))
	data = binary.NativeEndian.AppendUint32(data, uint32(info.ID))
	data = binary.NativeEndian.AppendUint64(data, 0)
	for _, a := range args {
		data = binary.NativeEndian.AppendUint64(data, a)
	}
	var loaded uint32
	for at := 0; at < len(program)/8; at++ {
		i := program[8*at:]
		code, yes, no, k := binary.NativeEndian.Uint16(i), int(i[2]), int(i[3]), binary.NativeEndian.Uint32(i[4:])
		branch := func(if_ bool) {
			if if_ {
				at += yes
			} else {
				at += no
			}
		}
		switch code {
		case load:
			loaded = binary.NativeEndian.Uint32(data[k:])
		case ifEqual:
			branch(loaded == k)
		case ifAtLeast:
			branch(loaded >= k)
		case ifBits:
			branch(loaded&k != 0)
		case jump:
			at += int(k)
		case answer:
			return k
		default:
			t.Fatalf("instruction %#x", code)
		}
	}
	t.Fatal("the filter has no end")
	return 0
}

// strictest is what the kernel does where two filters answer: the lower action
// (seccomp(2)), which of ours are errno, notification, allowance.
func strictest(a, b uint32) uint32 { return min(a, b) }

// TestDeniedCallsAreNeverAllowed: whatever a verdict denies, and whatever the
// arguments, the kernel refuses it or asks the host, who refuses it too.
func TestDeniedCallsAreNeverAllowed(t *testing.T) {
	numbers := callNames()
	arguments := []uint64{0, 1, 16, handOver, sandbox.CloneThread, sandbox.CloneThread | unix.CLONE_NEWUSER, unix.CLONE_NEWUSER, unix.AF_NETLINK, 1 << 32, 1<<64 - 1}
	for _, count := range []counted{{}, {forks: true, mapping: largeMapping}} {
		told, err := toldFilter(count)
		if err != nil {
			t.Fatal(err)
		}
		for _, denied := range append([][]string{nil, sandbox.SyscallGroups()}, one(sandbox.SyscallGroups())...) {
			own, err := filter(denied)
			if err != nil {
				t.Fatal(err)
			}
			refused, err := sandbox.DeniedSyscalls(denied)
			if err != nil {
				t.Fatal(err)
			}
			s := seen{refused: map[string]bool{}, threadsOnly: slices.Contains(denied, "fork")}
			for _, name := range refused {
				s.refused[name] = true
			}
			s.inForce.Store(true)
			for number, name := range numbers {
				for _, a := range arguments {
					args := [6]uint64{a, a, a, a, a, a}
					does := strictest(verdictOf(t, told, number, args), verdictOf(t, own, number, args))
					host := s.refuses(name, notification{nr: int32(number), args: args})
					switch denies := host || s.refused[name]; {
					case does == allow && denies:
						t.Fatalf("denied %v: %s(%#x) is let through", denied, name, a)
					case does == notifyHost && denies && !host:
						t.Fatalf("denied %v: the host would let %s(%#x) through", denied, name, a)
					case does == notifyHost && !denies && !slices.Contains(allowed, name) && !slices.Contains(special, name):
						t.Fatalf("denied %v: the host is asked of %s, which nobody may call", denied, name)
					}
				}
			}
		}
	}
}

func one(groups []string) (each [][]string) {
	for _, g := range groups {
		each = append(each, []string{g})
	}
	return each
}

// TestOtherwiseRefused: what is not on the list is refused by the kernel alone.
func TestOtherwiseRefused(t *testing.T) {
	told, err := toldFilter(counted{})
	if err != nil {
		t.Fatal(err)
	}
	own, err := filter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bpf", "io_uring_setup", "keyctl", "perf_event_open", "userfaultfd", "kexec_load", "init_module", "move_pages", "swapon"} {
		for number, called := range callNames() {
			if called != name {
				continue
			}
			does := strictest(verdictOf(t, told, number, [6]uint64{}), verdictOf(t, own, number, [6]uint64{}))
			if always := name == "swapon"; always != (does == notifyHost) || does == allow {
				t.Errorf("%s: %#x", name, does)
			}
		}
	}
}

// TestProgramFindsEachRule: whatever rules there are and however many, each call gets
// its own, the first that was given, and all others get the rest.
func TestProgramFindsEachRule(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := slices.Sorted(maps.Values(callNames()))
	for _, many := range []int{0, 1, 2, 3, 50, 300, len(names)} {
		p, err := newProgram()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]uint32{}
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names[:many] {
			want[name] = []uint32{allow, refuse, missing, notifyHost}[random.IntN(4)]
			p.rule(name, want[name], condition{argument: 1, equals: []uint32{7}, action: missing}, condition{argument: 2, bits: 4, action: allow})
			p.rule(name, want[name]+1)
		}
		code := p.bytes(refuse)
		for number := range 1000 {
			name := callNames()[number]
			rest, ruled := want[name]
			for _, args := range [][6]uint64{{}, {0, 7, 4}, {0, 8, 4}} {
				expect := refuse
				switch {
				case ruled && args[1] == 7:
					expect = missing
				case ruled && args[2] == 4:
					expect = allow
				case ruled:
					expect = rest
				}
				if got := verdictOf(t, code, number, args); got != expect {
					t.Fatalf("of %d rules: %s(%v): %#x, not %#x", many, name, args, got, expect)
				}
			}
		}
		if got := verdictOf(t, code, x32+1, [6]uint64{}); got != missing {
			t.Errorf("x32: %#x", got)
		}
	}
}
