package redact

import "bytes"

// verdict is what a matcher says about the bytes before it.
type verdict int

const (
	no   verdict = iota
	need         // more bytes are needed to tell
	yes
)

func yesIf(ok bool) verdict {
	if ok {
		return yes
	}
	return no
}

// at turns need into no where nothing more will come.
func (v verdict) at(e end) verdict {
	if v == need && e != more {
		return no
	}
	return v
}

// end says what comes after the bytes at hand.
type end int

const (
	more end = iota // perhaps more of the same text
	last            // nothing
	cut             // something that was left out
)

// cutBody is how many bytes of a secret must stand between its prefix and the
// place where the text was cut to be taken for one.
const cutBody = 4

// match is a secret found at the start of some bytes.
type match struct {
	keep int    // bytes before the secret that stay
	n    int    // bytes up to the secret's end, as far as known
	as   string // stands for the secret
	run  class  // whatever follows of this class belongs to the secret; nil: nothing
	key  bool   // a private key begins here
}

// matcher knows one shape. start is its first byte or bytes: find is asked only
// where they stand, in either case of letters, and where a word may begin.
//
// find must decide by the bytes alone, so that it says the same however the
// text arrives; it may say need only for a bounded length.
type matcher interface {
	start() string
	find(b []byte, e end) (match, verdict)
}

// placeholder is what stands for a secret called name.
func placeholder(name string) string { return open + name + "]" }

const open = "[redacted:"

// maxName bounds the name in a placeholder, in bytes.
const maxName = 40

// atPlaceholder returns the length of the placeholder at the start of b.
func atPlaceholder(b []byte, e end) (int, verdict) {
	if v := hasPrefix(b, open, false); v != yes {
		return 0, v.at(e)
	}
	n := len(open)
	for n < len(b) && n < len(open)+maxName && (lower(b[n]) || digit(b[n]) || b[n] == '-') {
		n++
	}
	switch {
	case n == len(b):
		return 0, need.at(e)
	case b[n] == ']':
		return n + 1, yes
	default:
		return 0, no
	}
}

// atEscape returns the length of the escape at the start of b, such as \n or
// \x1b, which stands for what is no part of the word after it.
func atEscape(b []byte, e end) (int, verdict) {
	if len(b) < 2 {
		return 1, need.at(e)
	}
	digits := 0
	switch b[1] {
	case 'n', 't', 'r', '0':
		return 2, no
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	}
	n := skip(b, 2, digits, hexDigit)
	switch {
	case n == 2+digits && digits > 0:
		return n, no
	case n == len(b) && n < 2+digits:
		return 1, need.at(e)
	default:
		return 1, no
	}
}

// hasPrefix compares the start of b with prefix, which is in lower case where
// fold is set; need means that b ends too early to tell.
func hasPrefix(b []byte, prefix string, fold bool) verdict {
	for i := range len(prefix) {
		if i == len(b) {
			return need
		}
		c := b[i]
		if fold && upper(c) {
			c |= 0x20
		}
		if c != prefix[i] {
			return no
		}
	}
	return yes
}

// assigned is a secret that the name before it announces: name: value or
// name = value, each perhaps in quotes.
type assigned struct {
	name  string // stands in the placeholder
	key   string // in lower case
	body  class
	least int
	// scheme lets a word such as Bearer stand before the value, which then
	// may be shorter.
	scheme bool
}

// assignments returns the table, our own: header fields of RFC 9110 and
// of widely used services, and the names that cloud tools print keys under.
func assignments() []assigned {
	return []assigned{
		{"authorization", "authorization", token68, 20, true},
		{"authorization", "proxy-authorization", token68, 20, true},
		{"api-key", "x-api-key", token68, 16, false},
		{"api-key", "x-goog-api-key", token68, 16, false},
		{"api-key", "x-auth-token", token68, 16, false},
		{"api-key", "private-token", token68, 16, false},
		{"aws-secret-key", "aws_secret_access_key", base64Byte, 40, false},
		{"aws-secret-key", "secret_access_key", base64Byte, 40, false},
		{"aws-secret-key", "secretaccesskey", base64Byte, 40, false},
		{"aws-session-token", "aws_session_token", base64Byte, 40, false},
		{"aws-session-token", "sessiontoken", base64Byte, 40, false},
		{"azure-key", "accountkey", base64Byte, 64, false},
		{"azure-key", "sharedaccesskey", base64Byte, 40, false},
	}
}

// token68 is the class of RFC 9110 11.2.
func token68(c byte) bool { return base64Byte(c) || c == '-' || c == '.' || c == '_' || c == '~' }

// start implements matcher.
func (a assigned) start() string { return a.key }

// find implements matcher.
func (a assigned) find(b []byte, e end) (match, verdict) {
	if v := hasPrefix(b, a.key, true); v != yes {
		return match{}, v.at(e)
	}
	n := len(a.key)
	n = skip(b, n, 2, quote)
	n = skip(b, n, 4, blank)
	if n == len(b) {
		return match{}, need.at(e)
	}
	if b[n] != ':' && b[n] != '=' {
		return match{}, no
	}
	n = skip(b, n+1, 4, blank)
	n = skip(b, n, 2, quote)
	least, schemed := a.least, false
	if a.scheme {
		for _, scheme := range [...]string{"bearer ", "basic ", "token ", "apikey ", "negotiate "} {
			switch hasPrefix(b[n:], scheme, true) {
			case yes:
				n, least, schemed = skip(b, n+len(scheme), 4, blank), 8, true
			case need:
				if e == more {
					return match{}, need
				}
			}
			if schemed {
				break
			}
		}
	}
	return value(b, n, least, !schemed, placeholder(a.name), a.body, e)
}

// value looks for a value of at least least bytes of a class at b[n:].
func value(b []byte, n, least int, mixed bool, as string, body class, e end) (match, verdict) {
	keep := n
	for n < len(b) && n < keep+least && body(b[n]) {
		n++
	}
	found := match{keep: keep, n: n, as: as, run: body}
	if n < keep+least {
		switch {
		case n < len(b), e == last:
			return match{}, no
		case e == more:
			return match{}, need
		}
		return found, yesIf(n > keep) // its announcement is certain enough
	}
	return found, yesIf(!mixed || hasDigit(b[keep:n]))
}

func quote(c byte) bool { return c == '"' || c == '\'' || c == '\\' }
func blank(c byte) bool { return c == ' ' || c == '\t' }

// skip returns the index after at most limit bytes of a class at b[n:].
func skip(b []byte, n, limit int, in class) int {
	for limit += n; n < len(b) && n < limit && in(b[n]); {
		n++
	}
	return n
}

// bearer is the word before a token, as RFC 6750 has it, without a header.
type bearer struct{}

func (bearer) start() string { return "bearer " }

func (m bearer) find(b []byte, e end) (match, verdict) {
	if v := hasPrefix(b, m.start(), true); v != yes {
		return match{}, v.at(e)
	}
	return value(b, len(m.start()), 24, true, placeholder("bearer-token"), token68, e)
}

// jwt is a JSON web token (RFC 7519): two parts that are JSON objects in base64
// and whatever follows them.
type jwt struct{}

// maxJWTHeader bounds the first part, in bytes.
const maxJWTHeader = 2048

func (jwt) start() string { return "eyJ" }

func (m jwt) find(b []byte, e end) (match, verdict) {
	if v := hasPrefix(b, m.start(), false); v != yes {
		return match{}, v.at(e)
	}
	dot := skip(b, 3, maxJWTHeader, urlSafe)
	found := match{as: placeholder("jwt"), run: dotted}
	if dot == len(b) {
		found.n = dot
		if e == cut {
			return found, yesIf(dot >= 3+cutBody)
		}
		return match{}, need.at(e)
	}
	if b[dot] != '.' || dot < 17 {
		return match{}, no
	}
	if v := hasPrefix(b[dot+1:], "eyJ", false); v != yes {
		found.n = len(b)
		if v == need && e == cut {
			return found, yes
		}
		return match{}, v.at(e)
	}
	found.n = skip(b, dot+4, 14, urlSafe)
	if found.n < dot+4+14 {
		if found.n == len(b) && e == more {
			return match{}, need
		}
		return found, yesIf(found.n == len(b) && e == cut)
	}
	return found, yes
}

// userinfo is a password in a URL (RFC 3986 3.2.1): the user and the host stay.
// The user may be a secret of its own.
type userinfo struct{ r *Redactor }

// maxAuthority bounds the part of a URL in which a password is looked for.
const maxAuthority = 512

func (userinfo) start() string { return "://" }

func (m userinfo) find(b []byte, e end) (match, verdict) {
	if v := hasPrefix(b, m.start(), false); v != yes {
		return match{}, v.at(e)
	}
	stop := skip(b, 3, maxAuthority, authority)
	if stop == len(b) && stop < 3+maxAuthority && e == more {
		return match{}, need
	}
	part := b[3:stop]
	at := bytes.LastIndexByte(part, '@')
	if at < 0 {
		if stop < len(b) || e != cut {
			return match{}, no
		}
		at = len(part) // the host was cut off
	}
	colon := bytes.IndexByte(part[:at], ':')
	if colon < 0 || bytes.Contains(part[:at], []byte(open)) {
		return match{}, no
	}
	password := part[colon+1 : at]
	if harmless(password) || at == len(part) && port(password) {
		return match{}, no
	}
	user := m.r.String(string(part[:colon]))
	return match{keep: 3, n: 3 + at, as: user + ":" + placeholder("url-password")}, yes
}

// authority is what may stand in the authority of a URL as people write it.
func authority(c byte) bool {
	return c > ' ' && c != '/' && c != '?' && c != '#' && c != '"' && c != '\'' && c != '<' && c != '>' && c != '`' && c != '\\'
}

// harmless reports whether a password is none: empty, a variable or a mask.
func harmless(p []byte) bool {
	if len(p) == 0 || p[0] == '$' || p[0] == '{' || p[0] == '%' && len(p) > 1 && p[1] == '(' {
		return true
	}
	return len(bytes.Trim(p, "*")) == 0 || len(bytes.Trim(p, "xX")) == 0
}

// port reports whether what follows a colon may be a port.
func port(p []byte) bool {
	for _, c := range p {
		if !digit(c) {
			return false
		}
	}
	return len(p) <= 5
}
