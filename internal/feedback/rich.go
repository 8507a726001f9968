package feedback

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"

	"palisade"
)

// Bounds of displayed values.
const (
	maxRich     = 32
	maxHTML     = 256 << 10 // bytes of one HTML value
	maxPicture  = 4 << 20   // bytes of one picture, in base64
	maxPictures = 8 << 20   // bytes of all pictures, in base64
)

// rich returns displayed values of known MIME types, made safe. What is not
// known, or not what it says it is, is left out: SVG among them, which is a
// program.
func (s *Sanitizer) rich(list []palisade.Rich, limit int) []palisade.Rich {
	var out []palisade.Rich
	room := maxPictures
	for _, one := range list {
		if len(out) == maxRich {
			break
		}
		data := map[string]string{}
		for _, mime := range [...]string{"text/plain", "text/markdown", "text/latex", "text/html", "image/png", "image/jpeg"} {
			text, ok := one.Data[mime]
			if !ok {
				continue
			}
			switch mime {
			case "text/html":
				text, ok = s.html(text)
			case "image/png":
				text, ok = picture(text, png)
			case "image/jpeg":
				text, ok = picture(text, jpeg)
			default:
				text, _ = s.bound(s.redactor.Clean([]byte(text)), limit)
			}
			if mime == "image/png" || mime == "image/jpeg" {
				room -= len(text)
				ok = ok && room >= 0
			}
			if ok {
				data[mime] = text
			}
		}
		if len(data) > 0 {
			out = append(out, palisade.Rich{Data: data})
		}
	}
	return out
}

// picture returns a picture in base64 without anything that is not the picture.
func picture(text string, read func([]byte) ([]byte, bool)) (string, bool) {
	if len(text) > maxPicture {
		return "", false
	}
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return "", false
	}
	data, ok := read(data)
	if !ok {
		return "", false
	}
	return base64.StdEncoding.EncodeToString(data), true
}

// png returns a PNG file of only those chunks that make its picture: comments,
// and whatever follows its end, are dropped. Source: PNG (third edition) 5.3, 11.
func png(data []byte) ([]byte, bool) {
	const magic = "\x89PNG\r\n\x1a\n"
	if !bytes.HasPrefix(data, []byte(magic)) {
		return nil, false
	}
	out := []byte(magic)
	for at := len(magic); ; {
		if len(data)-at < 12 {
			return nil, false
		}
		n := int(binary.BigEndian.Uint32(data[at:]))
		if n < 0 || n > len(data)-at-12 {
			return nil, false
		}
		chunk := data[at : at+12+n]
		kind := string(chunk[4:8])
		if crc32.ChecksumIEEE(chunk[4:8+n]) != binary.BigEndian.Uint32(chunk[8+n:]) || at == len(magic) && kind != "IHDR" {
			return nil, false
		}
		switch kind {
		case "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "sBIT", "bKGD", "pHYs":
			out = append(out, chunk...)
		}
		if kind == "IEND" {
			return out, true
		}
		at += len(chunk)
	}
}

// jpeg accepts what begins and ends as a JPEG file does (ITU-T T.81 B.1.1.3).
func jpeg(data []byte) ([]byte, bool) {
	ok := bytes.HasPrefix(data, []byte("\xff\xd8\xff")) && bytes.HasSuffix(data, []byte("\xff\xd9"))
	return data, ok
}
