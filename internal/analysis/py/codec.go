package py

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"
	"unicode/utf8"
)

// decodeBytes is bytes.decode(encoding).
func decodeBytes(s string, encoding val) val {
	name := "utf-8"
	if !encoding.empty() {
		o, ok := encoding.only()
		e, isStr := o.(cStr)
		if !ok || !isStr {
			return anyText
		}
		name = string(e)
	}
	if out, ok := decodeText(s, name); ok {
		return text(out)
	}
	return anyText
}

func codecName(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
}

// decodeText decodes bytes to text in one of the encodings that need no table.
func decodeText(s, encoding string) (string, bool) {
	switch codecName(encoding) {
	case "utf8", "u8", "utf", "ascii", "usascii", "utf8sig":
		return strings.TrimPrefix(s, "\ufeff"), utf8.ValidString(s)
	case "latin1", "latin", "iso88591", "l1", "cp1252", "charmap":
		var b strings.Builder
		for i := range len(s) {
			b.WriteRune(rune(s[i]))
		}
		return b.String(), true
	case "utf16le", "utf16":
		return wide(strings.TrimPrefix(s, "\xff\xfe"), 2, false)
	case "utf16be":
		return wide(s, 2, true)
	case "utf32", "utf32le":
		return wide(strings.TrimPrefix(s, "\xff\xfe\x00\x00"), 4, false)
	case "rot13":
		return rot13(s), true
	case "unicodeescape":
		return unescape(s)
	}
	return "", false
}

func wide(s string, size int, big bool) (string, bool) {
	if len(s)%size != 0 {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(s); i += size {
		var r rune
		for j := range size {
			k := i + j
			if !big {
				k = i + size - 1 - j
			}
			r = r<<8 | rune(s[k])
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

// unescape decodes the \x, \u and octal escapes of "unicode_escape".
func unescape(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteRune(rune(s[i]))
			continue
		}
		i++
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]
		switch {
		case digits > 0 && i+digits < len(s):
			var r rune
			for _, c := range s[i+1 : i+1+digits] {
				d := strings.IndexRune("0123456789abcdef", c|0x20)
				if c >= '0' && c <= '9' {
					d = int(c - '0')
				}
				if d < 0 {
					return "", false
				}
				r = r<<4 | rune(d)
			}
			b.WriteRune(r)
			i += digits
		case s[i] >= '0' && s[i] <= '7':
			var r rune
			j := i
			for ; j < len(s) && j < i+3 && s[j] >= '0' && s[j] <= '7'; j++ {
				r = r<<3 | rune(s[j]-'0')
			}
			b.WriteRune(r)
			i = j - 1
		default:
			if k := strings.IndexByte("nrtabfv\\'\"", s[i]); k >= 0 {
				b.WriteByte("\n\r\t\a\b\f\v\\'\""[k])
			} else {
				return "", false
			}
		}
	}
	return b.String(), true
}

func (in *interp) encode(s string, encoding val) val {
	if encoding.empty() || encoding.has(cStr("utf-8")) || encoding.has(cStr("utf8")) || isASCII(s) && encoding.has(cStr("ascii")) {
		return one(cBytes(s))
	}
	if encoding.has(cStr("latin-1")) || encoding.has(cStr("latin1")) {
		var b []byte
		for _, r := range s {
			if r > 255 {
				return one(anyBytes{})
			}
			b = append(b, byte(r))
		}
		return one(cBytes(b))
	}
	return one(anyBytes{})
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case 'A' <= r && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

func fromHex(v val) val {
	o, ok := v.only()
	var s string
	switch o := o.(type) {
	case cStr:
		s = string(o)
	case cBytes:
		s = string(o)
	default:
		ok = false
	}
	s = strings.Join(strings.Fields(s), "")
	raw, err := hex.DecodeString(s)
	if !ok || err != nil {
		return one(anyBytes{})
	}
	return one(cBytes(raw))
}

// decoders are the functions of libraries that turn bytes into bytes.
var decoders = map[string]func(string) (string, bool){
	"base64.b64decode": base64Std, "base64.standard_b64decode": base64Std, "base64.decodebytes": base64Std,
	"base64.urlsafe_b64decode": func(s string) (string, bool) {
		return base64Std(strings.NewReplacer("-", "+", "_", "/").Replace(s))
	},
	"base64.b32decode": func(s string) (string, bool) { return result(base32.StdEncoding.DecodeString(s)) },
	"base64.b16decode": func(s string) (string, bool) { return result(hex.DecodeString(s)) },
	"base64.a85decode": func(s string) (string, bool) {
		out := make([]byte, 4*len(s)+8)
		n, _, err := ascii85.Decode(out, []byte(s), true)
		return string(out[:n]), err == nil
	},
	"binascii.unhexlify":  func(s string) (string, bool) { return result(hex.DecodeString(s)) },
	"binascii.a2b_hex":    func(s string) (string, bool) { return result(hex.DecodeString(s)) },
	"binascii.a2b_base64": base64Std,
	"zlib.decompress":     inflateZlib,
	"gzip.decompress": func(s string) (string, bool) {
		r, err := gzip.NewReader(strings.NewReader(s))
		if err != nil {
			return "", false
		}
		return bounded(r)
	},
	"bz2.decompress": func(s string) (string, bool) { return bounded(bzip2.NewReader(strings.NewReader(s))) },
}

// encoders are the way back, for programs that encode what they then decode.
var encoders = map[string]func(string) (string, bool){
	"base64.b64encode":          func(s string) (string, bool) { return base64.StdEncoding.EncodeToString([]byte(s)), true },
	"base64.urlsafe_b64encode":  func(s string) (string, bool) { return base64.URLEncoding.EncodeToString([]byte(s)), true },
	"base64.b32encode":          func(s string) (string, bool) { return base32.StdEncoding.EncodeToString([]byte(s)), true },
	"base64.b16encode":          func(s string) (string, bool) { return strings.ToUpper(hex.EncodeToString([]byte(s))), true },
	"binascii.hexlify":          func(s string) (string, bool) { return hex.EncodeToString([]byte(s)), true },
	"base64.standard_b64encode": func(s string) (string, bool) { return base64.StdEncoding.EncodeToString([]byte(s)), true },
	"zlib.compress":             deflateZlib,
}

func base64Std(s string) (string, bool) {
	// Python leaves out what is not in the alphabet.
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", r) {
			return r
		}
		return -1
	}, s)
	return result(base64.RawStdEncoding.DecodeString(s))
}

func result(b []byte, err error) (string, bool) { return string(b), err == nil }

// bounded reads at most maxText bytes: what expands to more is not folded.
func bounded(r io.Reader) (string, bool) {
	b, err := io.ReadAll(io.LimitReader(r, maxText+1))
	return string(b), err == nil && len(b) <= maxText
}

func inflateZlib(s string) (string, bool) {
	r, err := zlib.NewReader(strings.NewReader(s))
	if err != nil {
		return bounded(flate.NewReader(strings.NewReader(s)))
	}
	return bounded(r)
}

func deflateZlib(s string) (string, bool) {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := io.WriteString(w, s); err != nil {
		return "", false
	}
	return b.String(), w.Close() == nil
}

// codec is codecs.decode and codecs.encode.
func codec(o object, encoding string) (object, bool) {
	s, known, isBytes := plainText(o)
	if !known {
		return nil, false
	}
	switch codecName(encoding) {
	case "rot13":
		return cStr(rot13(s)), !isBytes
	case "hex", "hexcodec":
		r, ok := result(hex.DecodeString(s))
		return cBytes(r), ok
	case "base64", "base64codec":
		r, ok := base64Std(s)
		return cBytes(r), ok
	case "zip", "zlib", "zlibcodec":
		r, ok := inflateZlib(s)
		return cBytes(r), ok
	}
	if isBytes {
		r, ok := decodeText(s, encoding)
		return cStr(r), ok
	}
	return nil, false
}
