package resident

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"palisade"
)

// A message is its length (4 bytes, big-endian) and one JSON object. A client
// sends one request; the gate sends messages until the one that ends the run.

// MaxRequest is the largest request, in bytes of JSON: files are in base64.
const MaxRequest = 96 << 20

// maxReply is the largest single message of a gate. Files come one by one.
const maxReply = 256 << 20

// Request is what a client asks.
type Request struct {
	Submission palisade.Submission `json:"submission"`
	// Wait is how long the client waits for a human's answer, if one must approve.
	Wait time.Duration `json:"wait"`
	// Live has the program's output sent as it comes.
	Live bool `json:"live"`
}

// kind says what a message is.
type kind string

const (
	kindStdout   kind = "stdout"
	kindStderr   kind = "stderr"
	kindNotice   kind = "notice"   // for whoever waits
	kindArtifact kind = "artifact" // the next file of the outcome
	kindOutcome  kind = "outcome"  // ends the run; artifacts were sent before
	kindInvalid  kind = "invalid"  // ends it: the submission is not valid
	kindFailed   kind = "failed"   // ends it: the gate itself failed
)

type message struct {
	Kind    kind              `json:"kind"`
	Data    []byte            `json:"data,omitempty"`
	Text    string            `json:"text,omitempty"`
	Outcome *palisade.Outcome `json:"outcome,omitempty"`
	// Value tells that the outcome has one: null is one too.
	Value bool `json:"value,omitempty"`
}

func send(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	head := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(data)), uint32(len(data)))
	_, err = w.Write(append(head, data...))
	return err
}

// receive reads one message of at most so many bytes.
func receive(r io.Reader, most uint32, v any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > most {
		return fmt.Errorf("a message of %d bytes: at most %d are taken", size, most)
	}
	// Memory is taken as bytes arrive, not as the header claims.
	data, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil {
		return err
	}
	if len(data) < int(size) {
		return io.ErrUnexpectedEOF
	}
	return json.Unmarshal(data, v)
}

// Peer is whom the kernel says that a socket is connected to.
type Peer struct{ UID, PID int }

// peerOf asks the kernel, see SO_PEERCRED in unix(7).
func peerOf(c *net.UnixConn) (Peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return Peer{}, err
	}
	var cred *unix.Ucred
	if ctl := raw.Control(func(fd uintptr) { cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); ctl != nil || err != nil {
		return Peer{}, errors.Join(ctl, err)
	}
	return Peer{int(cred.Uid), int(cred.Pid)}, nil
}
