package httpapi

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"palisade/internal/auth"
	"palisade/internal/store"
)

// Error is the one form of what is not a success. Nothing in it is of the host.
type Error struct {
	Code    string `json:"code" doc:"A word to branch on: denied, invalid, unauthenticated, forbidden, not_found, conflict, reused, busy, …" example:"invalid"`
	Message string `json:"message" doc:"What, where, and what to do, for a human."`
	Run     string `json:"run,omitempty" doc:"The run that it is about."`
	// MayHaveRun is false only when not one byte of the program was executed.
	MayHaveRun bool    `json:"may_have_run" doc:"False only when not one byte of the program was executed."`
	Places     []Place `json:"errors,omitempty" doc:"What is wrong with the request, and where."`

	status int
	retry  time.Duration
}

// Place is one thing that is wrong with a request.
type Place struct {
	Location string `json:"location" doc:"Such as body.files[0].name or query.limit."`
	Message  string `json:"message"`
}

// Error implements error.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// GetStatus implements [huma.StatusError].
func (e *Error) GetStatus() int { return e.status }

// GetHeaders implements [huma.HeadersError].
func (e *Error) GetHeaders() http.Header {
	h := http.Header{}
	if e.retry > 0 {
		h.Set("Retry-After", seconds(e.retry))
	}
	if e.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	return h
}

// seconds writes a duration as Retry-After has it.
func seconds(d time.Duration) string {
	return strconv.Itoa(int(max(1, (d+time.Second-1)/time.Second)))
}

func fail(status int, code, format string, args ...any) *Error {
	return &Error{status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// wrongAt is bad input at one place.
func wrongAt(where, what string) *Error {
	e := fail(http.StatusUnprocessableEntity, "invalid", "%s: %s", where, what)
	e.Places = []Place{{where, what}}
	return e
}

// Errors that are the same wherever they are met.
var (
	errNotFound  = fail(http.StatusNotFound, "not_found", "there is nothing so named")
	errForbidden = fail(http.StatusForbidden, "forbidden", "your key does not have the role that this takes")
	errNobody    = fail(http.StatusUnauthorized, "unauthenticated", "%v: send it as Authorization: Bearer or X-API-Key", auth.ErrUnauthenticated)
	errStopping  = &Error{status: http.StatusServiceUnavailable, Code: "stopping", Message: "the server is stopping and takes nothing new: try again in a moment", retry: 5 * time.Second}
	errInternal  = fail(http.StatusInternalServerError, "failed", "the gate failed; its operator finds why in its log")
)

// nobody is the answer to whoever is not known. Why is told to whoever had the right
// secret alone.
func nobody(err error) *Error {
	denied, ok := errors.AsType[*auth.Denied](err)
	if !ok || denied.Told == "" {
		return errNobody
	}
	return fail(http.StatusUnauthorized, errNobody.Code, "%s: ask an admin of your tenant for another", denied.Told)
}

// known turns errors of the parts into answers. What is not known is told to the
// log alone.
func (s *Server) known(r string, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, auth.ErrUnknownKey):
		return errNotFound
	case errors.Is(err, store.ErrRole), errors.Is(err, auth.ErrForbidden), errors.Is(err, auth.ErrOutdated):
		return fail(http.StatusForbidden, "forbidden", "%v", err)
	case errors.Is(err, store.ErrCursor):
		return fail(http.StatusUnprocessableEntity, "invalid", "query.after: %v", store.ErrCursor)
	case errors.Is(err, store.ErrName):
		return fail(http.StatusUnprocessableEntity, "invalid", "header.Idempotency-Key: %v", store.ErrName)
	case errors.Is(err, store.ErrReused):
		return fail(http.StatusUnprocessableEntity, "reused", "%v: send another key with another request", store.ErrReused)
	case errors.Is(err, auth.ErrInvalid):
		return fail(http.StatusUnprocessableEntity, "invalid", "%v", err)
	case errors.Is(err, auth.ErrUnauthenticated):
		return nobody(err)
	}
	slog.Error("http", slog.String("run", r), slog.Any("error", err))
	e := *errInternal
	e.Run = r
	return &e
}

// codes are the codes of statuses that the framework answers with.
var codes = map[int]string{
	http.StatusNotFound: "not_found", http.StatusMethodNotAllowed: "method_not_allowed", http.StatusNotAcceptable: "not_acceptable",
	http.StatusRequestEntityTooLarge: "too_large", http.StatusUnsupportedMediaType: "unsupported_media_type",
	http.StatusUnprocessableEntity: "invalid", http.StatusRequestTimeout: "timeout",
}

// fromFramework gives the framework's errors their form. They quote nothing of
// the request.
func fromFramework(status int, message string, errs ...error) huma.StatusError {
	if status == http.StatusBadRequest { // a body that does not read is bad input like any other
		status = http.StatusUnprocessableEntity
	}
	e := fail(status, codes[status], "%s", message)
	if e.Code == "" {
		e.Code = "failed"
	}
	if status >= http.StatusInternalServerError {
		e.Message = errInternal.Message
		return e
	}
	var text []string
	for _, err := range errs {
		place := placeOf(err)
		e.Places = append(e.Places, place)
		text = append(text, strings.TrimPrefix(place.Location+": "+place.Message, ": "))
	}
	if len(text) > 0 {
		e.Message = strings.Join(text[:min(len(text), 5)], "; ")
	}
	return e
}

// The framework has no other place for these.
func init() {
	huma.NewError = fromFramework
	huma.ValidateStrictCasing = true // one spelling of a member: what is checked is what is read
	// Bounds are whole numbers: 86400000, not 8.64e+07.
	validation.MsgExpectedMinimumNumber = "expected number >= %.0f"
	validation.MsgExpectedMaximumNumber = "expected number <= %.0f"
}
