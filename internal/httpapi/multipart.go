package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"unicode/utf8"
)

// maxFiles bounds the files of one form; the gate's own bounds are tighter.
const maxFiles = 1000

// formToJSON turns a form into the request that it stands for: its part "request"
// is the request as JSON, each part "file" a file by its file name.
func formToJSON(data []byte, boundary string) ([]byte, *Error) {
	invalid := func(text string) ([]byte, *Error) {
		return nil, fail(http.StatusUnprocessableEntity, "invalid", "body: %s", text)
	}
	if boundary == "" {
		return invalid("the form's boundary is missing")
	}
	request := map[string]json.RawMessage{}
	var files []json.RawMessage
	seen := false
	parts := multipart.NewReader(bytes.NewReader(data), boundary)
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return invalid("the form does not read")
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return invalid("the form is cut off")
		}
		switch name := part.FormName(); {
		case name == "request" && !seen:
			seen = true
			if e := checkText(content); e != nil {
				return nil, e
			}
			if err := json.Unmarshal(content, &request); err != nil || request == nil {
				return invalid("the part request is no JSON object")
			}
		case name == "file" && len(files) < maxFiles:
			// A part's file name is the base of what was sent; folders go in JSON.
			fileName := part.FileName()
			if !utf8.ValidString(fileName) { // JSON would give it another
				return nil, wrongAt(fmt.Sprintf("body.file[%d].filename", len(files)), "it is not UTF-8: send the name in UTF-8")
			}
			file, err := json.Marshal(RequestFile{Name: fileName, Data: content})
			if err != nil {
				return invalid("a file's name does not read")
			}
			files = append(files, file)
		default:
			return invalid("the form takes one part request and parts file")
		}
	}
	if !seen {
		return invalid("the part request is missing")
	}
	if len(files) > 0 {
		var before []json.RawMessage
		if raw, ok := request["files"]; ok && json.Unmarshal(raw, &before) != nil {
			return invalid("files is no list")
		}
		all, err := json.Marshal(append(before, files...))
		if err != nil {
			return invalid("a file does not read")
		}
		request["files"] = all
	}
	out, err := json.Marshal(request)
	if err != nil {
		return invalid("it does not read")
	}
	return out, nil
}
