package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// Syslog sends heads to the system log: one datagram each, RFC 5424, facility
// 13 (log audit), severity 5 (notice).
type Syslog struct {
	// Socket is the daemon's datagram socket; empty: /dev/log.
	Socket string
	// Host stands in the message's HOSTNAME; empty: "-".
	Host string
	Now  func() time.Time
}

// String says where the copies go.
func (s Syslog) String() string { return "syslog " + s.socket() }

func (s Syslog) socket() string {
	if s.Socket == "" {
		return "/dev/log"
	}
	return s.Socket
}

// Put sends a head. That the daemon took the datagram is all that can be known.
func (s Syslog) Put(ctx context.Context, _ string, signed []byte) error {
	const priority = 13*8 + 5
	now := s.Now().UTC()
	text, err := Format(now, signed)
	if err != nil {
		return err
	}
	host := s.Host
	if host == "" {
		host = "-"
	}
	message := fmt.Appendf(nil, "<%d>1 %s %s palisade - audit-head - %s", priority,
		now.Format("2006-01-02T15:04:05.000000Z"), host, bytes.TrimSpace(text))
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unixgram", s.socket())
	if err != nil {
		return fmt.Errorf("mirror to %s: %w", s, err)
	}
	if deadline, ok := ctx.Deadline(); ok {
		err = conn.SetDeadline(deadline)
	}
	if err == nil {
		_, err = conn.Write(message)
	}
	if err = errors.Join(err, conn.Close()); err != nil {
		return fmt.Errorf("mirror to %s: %w", s, err)
	}
	return nil
}
