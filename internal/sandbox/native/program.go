package native

import (
	"encoding/binary"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// A program is a filter of system calls in the kernel's classic BPF. It is put
// together here, from the tables of go-seccomp-bpf: that library's own assembler
// (1.6) does not load the number again behind a condition that did not hold, so
// that an argument is then taken for it.

// What becomes of a system call.
const (
	allow      = unix.SECCOMP_RET_ALLOW
	notifyHost = unix.SECCOMP_RET_USER_NOTIF
	refuse     = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	missing    = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// Offsets in struct seccomp_data of include/uapi/linux/seccomp.h. Arguments have
// 8 bytes each.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// Instructions of include/uapi/linux/bpf_common.h.
const (
	load      = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	ifEqual   = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	ifAtLeast = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	ifBits    = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	jump      = unix.BPF_JMP | unix.BPF_JA
	answer    = unix.BPF_RET | unix.BPF_K
)

// x32 marks the numbers of the x32 calls, which have the architecture of those
// of x86-64: arch/x86/include/uapi/asm/unistd.h.
const x32 = 0x40000000

// condition holds of an argument's low 32 bits, which are all that the kernel
// looks at of an int; with atLeast, of all 64. The first that holds decides.
type condition struct {
	argument int
	equals   []uint32
	bits     uint32 // any of them is set
	atLeast  uint64
	// zero is an argument that must be 0 too, where equals has one value. 0: none.
	zero   int
	action uint32
}

// program is what becomes of each call, by its number. One that the architecture
// does not have needs no rule.
type program struct {
	arch    uint32
	numbers map[string]int
	rules   map[int]steps
}

// steps decide about a call. They do not go on behind their end.
type steps []unix.SockFilter

func (c *steps) add(op uint16, k uint32, yes, no uint8) {
	*c = append(*c, unix.SockFilter{Code: op, K: k, Jt: yes, Jf: no})
}

func newProgram() (*program, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil, fmt.Errorf("filter of system calls on %s: %w", runtime.GOARCH, err)
	}
	return &program{arch: uint32(info.ID), numbers: info.SyscallNames, rules: map[int]steps{}}, nil
}

// rule says what becomes of a call: what the first condition that holds says, or
// else. Of several rules for a call the first one counts.
func (p *program) rule(name string, otherwise uint32, conditions ...condition) {
	number, ok := p.numbers[name]
	if _, twice := p.rules[number]; !ok || twice {
		return
	}
	var c steps
	for _, one := range conditions {
		c.condition(one)
	}
	c.add(answer, otherwise, 0, 0)
	p.rules[number] = c
}

func (c *steps) condition(of condition) {
	low, high := uint32(offArgs+8*of.argument), uint32(offArgs+8*of.argument+4)
	switch {
	case of.atLeast > 0:
		c.add(load, high, 0, 0)
		c.add(ifEqual, 0, 1, 0) // else it is larger
		c.add(answer, of.action, 0, 0)
		c.add(load, low, 0, 0)
		c.add(ifAtLeast, uint32(min(of.atLeast, 1<<32-1)), 0, 1)
		c.add(answer, of.action, 0, 0)
	case of.bits != 0:
		c.add(load, low, 0, 0)
		c.add(ifBits, of.bits, 0, 1)
		c.add(answer, of.action, 0, 0)
	case of.zero != 0:
		c.add(load, low, 0, 0)
		c.add(ifEqual, of.equals[0], 0, 3)
		c.add(load, uint32(offArgs+8*of.zero), 0, 0)
		c.add(ifEqual, 0, 0, 1)
		c.add(answer, of.action, 0, 0)
	default:
		c.add(load, low, 0, 0)
		for _, value := range of.equals {
			c.add(ifEqual, value, 0, 1)
			c.add(answer, of.action, 0, 0)
		}
	}
}

// calls are the calls from a number on, up to the next that are dealt with
// otherwise.
type calls struct {
	from int
	code steps
}

// all are the calls of all numbers, in order.
func (p *program) all(otherwise uint32) (all []calls) {
	var rest steps
	rest.add(answer, otherwise, 0, 0)
	next := func(from int, c steps) {
		if len(all) == 0 || !slices.Equal(all[len(all)-1].code, c) {
			all = append(all, calls{from, c})
		}
	}
	next(0, rest)
	for _, number := range slices.Sorted(maps.Keys(p.rules)) {
		if at := len(all) - 1; all[at].from == number {
			all = all[:at] // the rest that was said to begin here
		}
		next(number, p.rules[number])
		next(number+1, rest)
	}
	return all
}

// search finds what is said of the number that is loaded, by halves: a kernel goes
// through a filter for each call that there is when it loads it (seccomp(2)), and
// through a list of each it would take half a millisecond.
func search(all []calls) (c steps) {
	if len(all) == 1 {
		return all[0].code
	}
	half := len(all) / 2
	below := search(all[:half])
	if far := len(below); far <= 255 {
		c.add(ifAtLeast, uint32(all[half].from), uint8(far), 0)
	} else { // a condition reaches no further
		c.add(ifAtLeast, uint32(all[half].from), 0, 1)
		c.add(jump, uint32(far), 0, 0)
	}
	return append(append(c, below...), search(all[half:])...)
}

// bytes is the whole program as an array of struct sock_filter: every call of
// another architecture than this one's is refused, such as those by int 0x80, and
// otherwise says what becomes of calls that have no rule.
func (p *program) bytes(otherwise uint32) []byte {
	var c steps
	c.add(load, offArch, 0, 0)
	c.add(ifEqual, p.arch, 1, 0)
	c.add(answer, refuse, 0, 0)
	c.add(load, offNumber, 0, 0)
	c.add(ifAtLeast, x32, 0, 1)
	c.add(answer, missing, 0, 0)
	c = append(c, search(p.all(otherwise))...)
	out := make([]byte, 0, 8*len(c))
	for _, i := range c {
		out = binary.NativeEndian.AppendUint16(out, i.Code)
		out = append(out, i.Jt, i.Jf)
		out = binary.NativeEndian.AppendUint32(out, i.K)
	}
	return out
}
