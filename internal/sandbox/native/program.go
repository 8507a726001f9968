package native

import (
	"encoding/binary"
	"fmt"
	"runtime"

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

type program struct {
	numbers map[string]int
	code    []unix.SockFilter
}

// newProgram begins a program that refuses every call of another architecture
// than this one's, such as those by int 0x80.
func newProgram() (*program, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil, fmt.Errorf("filter of system calls on %s: %w", runtime.GOARCH, err)
	}
	p := &program{numbers: info.SyscallNames}
	p.add(load, offArch, 0, 0)
	p.add(ifEqual, uint32(info.ID), 1, 0)
	p.add(answer, refuse, 0, 0)
	p.add(load, offNumber, 0, 0)
	p.add(ifAtLeast, x32, 0, 1)
	p.add(answer, missing, 0, 0)
	return p, nil
}

func (p *program) add(code uint16, k uint32, yes, no uint8) {
	p.code = append(p.code, unix.SockFilter{Code: code, K: k, Jt: yes, Jf: no})
}

// rule says what becomes of a call: what the first condition that holds says, or
// else. The number is still loaded behind it, since it answers whatever it
// looked at. A call that this architecture does not have needs no rule.
func (p *program) rule(name string, otherwise uint32, conditions ...condition) {
	number, ok := p.numbers[name]
	if !ok {
		return
	}
	at := len(p.code)
	p.add(ifEqual, uint32(number), 0, 0)
	for _, c := range conditions {
		p.condition(c)
	}
	p.add(answer, otherwise, 0, 0)
	p.code[at].Jf = uint8(len(p.code) - at - 1)
}

func (p *program) condition(c condition) {
	low, high := uint32(offArgs+8*c.argument), uint32(offArgs+8*c.argument+4)
	switch {
	case c.atLeast > 0:
		p.add(load, high, 0, 0)
		p.add(ifEqual, 0, 1, 0) // else it is larger
		p.add(answer, c.action, 0, 0)
		p.add(load, low, 0, 0)
		p.add(ifAtLeast, uint32(min(c.atLeast, 1<<32-1)), 0, 1)
		p.add(answer, c.action, 0, 0)
	case c.bits != 0:
		p.add(load, low, 0, 0)
		p.add(ifBits, c.bits, 0, 1)
		p.add(answer, c.action, 0, 0)
	case c.zero != 0:
		p.add(load, low, 0, 0)
		p.add(ifEqual, c.equals[0], 0, 3)
		p.add(load, uint32(offArgs+8*c.zero), 0, 0)
		p.add(ifEqual, 0, 0, 1)
		p.add(answer, c.action, 0, 0)
	default:
		p.add(load, low, 0, 0)
		for _, value := range c.equals {
			p.add(ifEqual, value, 0, 1)
			p.add(answer, c.action, 0, 0)
		}
	}
}

// bytes ends the program with what becomes of calls that have no rule, and returns
// it as an array of struct sock_filter.
func (p *program) bytes(otherwise uint32) []byte {
	p.add(answer, otherwise, 0, 0)
	out := make([]byte, 0, 8*len(p.code))
	for _, i := range p.code {
		out = binary.NativeEndian.AppendUint16(out, i.Code)
		out = append(out, i.Jt, i.Jf)
		out = binary.NativeEndian.AppendUint32(out, i.K)
	}
	return out
}
