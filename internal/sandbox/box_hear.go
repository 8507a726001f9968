package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"palisade"
)

// hear takes the frames of a running program until they end. User code shares
// the harness's process, so that each is only the guest's word.
//
// A second ready, and more bytes than a box may send, end the run. What is no
// frame ends the reading: nothing behind it can be told apart, and is dropped.
func (c *conversation) hear() {
	r := &io.LimitedReader{R: c.pipes.Out, N: maxTalk}
	for {
		kind, payload, err := readFrame(r)
		if r.N == 0 {
			c.tooMuch()
			return
		}
		if err != nil {
			if errors.Is(err, errFrame) {
				c.note("%v; what follows is ignored", err)
				break
			}
			return
		}
		c.take(kind, payload)
	}
	// The box must not block on a pipe that nobody reads.
	r.R, r.N = c.pipes.Out, maxTalk
	_, _ = io.Copy(io.Discard, r)
	if r.N == 0 {
		c.tooMuch()
	}
}

// tooMuch ends a box that sends more than it may.
func (c *conversation) tooMuch() {
	c.kill(KillProtocol, fmt.Sprintf("more than %d bytes of frames", maxTalk))
	c.t.Anomalies = append(c.t.Anomalies, fmt.Sprintf("more than %d bytes of frames", maxTalk))
	_, _ = io.Copy(io.Discard, c.pipes.Out)
}

// take takes one frame.
func (c *conversation) take(kind byte, payload []byte) {
	switch kind {
	case frameReady:
		c.note("ready after go")
		c.kill(KillProtocol, "the program sent ready after go")
	case frameValue:
		c.value(payload)
	case frameBundle:
		c.bundle(payload)
	case frameException:
		c.exception(payload)
	case frameArtifact:
		fields, err := splitFields(payload)
		if err != nil {
			c.note("artifact frame: %v", err)
		}
		c.files.begin(fields)
	case frameData:
		c.files.more(payload)
	case frameEnd:
		c.files.end()
	}
}

// value keeps the entry function's value. Of several the last one counts: the
// harness sends its own after the program has had its say.
func (c *conversation) value(payload []byte) {
	switch {
	case c.job.Program.Entry == "":
		c.note("a value, though no entry function was asked for")
		return
	case !json.Valid(payload) || !utf8.Valid(payload):
		c.note("a value that is not JSON")
		return
	case c.t.Value != nil:
		c.note("a second value")
	}
	c.t.Value = payload
}

// bundle keeps one displayed value.
func (c *conversation) bundle(payload []byte) {
	fields, err := splitFields(payload)
	if err != nil || len(fields)%2 != 0 || len(fields) == 0 {
		c.note("a MIME bundle that is none")
		return
	}
	if len(c.t.Rich) >= maxRich || c.richSum+len(payload) > maxRichBytes {
		c.note("more displayed values than are kept")
		return
	}
	data := map[string]string{}
	for i := 0; i < len(fields); i += 2 {
		name := string(fields[i])
		encode, known := mimeTypes[name]
		if !known {
			c.note("a value of MIME type %q", name)
			continue
		}
		text, err := encode(fields[i+1])
		if err != nil {
			c.note("a value of MIME type %q: %v", name, err)
			continue
		}
		data[name] = text
	}
	if len(data) > 0 {
		c.richSum += len(payload)
		c.t.Rich = append(c.t.Rich, palisade.Rich{Data: data})
	}
}

// mimeTypes are the types of displayed values that are kept, as Jupyter names
// them, and how each becomes text.
var mimeTypes = map[string]func([]byte) (string, error){
	"text/plain":    plain,
	"text/html":     plain,
	"text/markdown": plain,
	"text/latex":    plain,
	"image/svg+xml": plain,
	"image/png":     image("\x89PNG\r\n\x1a\n"),
	"image/jpeg":    image("\xff\xd8\xff"),
}

func plain(data []byte) (string, error) {
	if !utf8.Valid(data) {
		return "", errors.New("not UTF-8")
	}
	return string(data), nil
}

// image holds a binary type to the bytes that it begins with.
func image(magic string) func([]byte) (string, error) {
	return func(data []byte) (string, error) {
		if !strings.HasPrefix(string(data[:min(len(data), len(magic))]), magic) {
			return "", errors.New("not such an image")
		}
		return base64.StdEncoding.EncodeToString(data), nil
	}
}

// exception keeps what the harness says of an uncaught exception.
func (c *conversation) exception(payload []byte) {
	fields, err := splitFields(payload)
	if err != nil || len(fields) < 2 || (len(fields)-2)%3 != 0 {
		c.note("an exception frame that is none")
		return
	}
	if c.t.Exception != nil {
		c.note("a second exception")
	}
	text := func(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
	e := &palisade.Exception{Type: text(fields[0]), Message: text(fields[1])}
	for i := 2; i < len(fields); i += 3 {
		line, err := strconv.Atoi(string(fields[i+1]))
		if err != nil || line < 0 {
			c.note("an exception frame with line %q", fields[i+1])
			return
		}
		e.Frames = append(e.Frames, palisade.Frame{File: text(fields[i]), Line: line, Function: text(fields[i+2])})
	}
	c.t.Exception = e
}
