package redact

import (
	"bytes"
	"strings"
)

// privateKey is the first line of a private key in PEM form (RFC 7468).
type privateKey struct{}

// maxLabel bounds the label of a PEM line, in bytes.
const maxLabel = 64

func (privateKey) start() string { return "-----BEGIN " }

func (m privateKey) find(b []byte, e end) (match, verdict) {
	found := match{n: len(b), as: placeholder("private-key"), key: true}
	if v := hasPrefix(b, m.start(), false); v != yes {
		if v == need && e == cut {
			return found, yesIf(len(b) > len("-----"))
		}
		return match{}, v.at(e)
	}
	begin := len(m.start())
	stop := skip(b, begin, maxLabel, label)
	switch v := hasPrefix(b[stop:], "-----", false); {
	case v == need && stop-begin < maxLabel && e == more:
		return match{}, need
	case v == need && e == cut:
		return found, yes
	case v != yes:
		return match{}, no
	}
	found.n = stop + 5
	text := b[begin:stop]
	return found, yesIf(bytes.HasSuffix(text, []byte("PRIVATE KEY")) || bytes.HasSuffix(text, []byte("PRIVATE KEY BLOCK")))
}

// cutLabel reports whether a line is the end of the line before a private key.
func cutLabel(line string) bool {
	const end = "KEY-----"
	return line != "" && strings.HasSuffix(end, line) ||
		len(line) <= maxLabel && (strings.HasSuffix(line, end) || strings.HasSuffix(line, "KEY BLOCK-----")) && !strings.Contains(line, "-----END ")
}

// isBase64 reports whether a line may be one of a key's body.
func isBase64(line string) bool { return skip([]byte(line), 0, len(line), base64Byte) == len(line) }

func label(c byte) bool { return upperNum(c) || c == ' ' || c == '_' }

// Bounds of what is taken for the body of a private key.
const (
	maxKey  = 64 << 10 // bytes swallowed after the first line
	keyLine = 40       // bytes of base64 that make a line of key material
)

// key swallows the body of a private key. It ends after the last line of the
// key, or before the first text that cannot be part of one.
type key struct {
	swallowed int
	inside    bool // within a line of key material
	body      bool // a line of key material was seen
	short     bool // the last, shorter line was seen
}

// skip returns how many bytes of b belong to the key. need: and the rest is not
// known yet; no: and the key ends there.
func (k *key) skip(b []byte, e end) (n int, v verdict) {
	for n < len(b) && k.swallowed < maxKey {
		size, v := k.step(b[n:], e)
		n += size
		k.swallowed += size
		if v != yes {
			return n, v
		}
	}
	return n, yesIf(k.swallowed < maxKey)
}

func (k *key) step(b []byte, e end) (int, verdict) {
	c := b[0]
	switch {
	case c == '\n' || blank(c):
		k.inside = false
		return 1, yes
	case c == '\\': // a newline as a literal writes it
		if len(b) == 1 {
			return 0, need.at(e)
		}
		if b[1] != 'n' && b[1] != 'r' && b[1] != 't' {
			return 0, no
		}
		k.inside = false
		return 2, yes
	case c == '-':
		return lastLine(b, e)
	case !base64Byte(c):
		return 0, no
	}
	n := skip(b, 0, maxKey-k.swallowed, base64Byte)
	switch {
	case k.inside || n >= keyLine:
		k.inside, k.body = true, true
		return n, yes
	case n == len(b) && e == more:
		return 0, need
	case n == len(b) && e == cut:
		return n, yes
	case !k.body:
		return header(b, e)
	case k.short && c != '=': // a checksum may follow, as in OpenPGP
		return 0, no
	}
	k.short = true
	return n, yes
}

// lastLine measures the line that ends a key.
func lastLine(b []byte, e end) (int, verdict) {
	const begin = "-----END "
	if v := hasPrefix(b, begin, false); v != yes {
		return 0, v.at(e)
	}
	stop := skip(b, len(begin), maxLabel, label)
	switch v := hasPrefix(b[stop:], "-----", false).at(e); v {
	case yes:
		return stop + 5, no
	case need:
		return 0, need
	default:
		return stop, no
	}
}

// header measures a header line of RFC 1421 or OpenPGP.
func header(b []byte, e end) (int, verdict) {
	for _, name := range [...]string{"Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:", "Charset:"} {
		switch hasPrefix(b, name, false).at(e) {
		case need:
			return 0, need
		case yes:
			n := skip(b, len(name), 128, func(c byte) bool { return c != '\n' && c != '\\' })
			if n == len(b) && n < len(name)+128 && e == more {
				return 0, need
			}
			return n, yes
		}
	}
	return 0, no
}
