package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"palisade"
	"palisade/internal/auth"
	"palisade/internal/store"
)

// Gate runs submissions.
type Gate interface {
	Run(ctx context.Context, s palisade.Submission) (palisade.Outcome, error)
}

// Door finds who sends a request.
type Door interface {
	Caller(r *http.Request) (auth.Caller, error)
}

// Index answers what is on the record, within what a caller may see, and makes
// equal requests under one key run once.
type Index interface {
	Run(ctx context.Context, c store.Caller, id string) (store.Run, error)
	Runs(ctx context.Context, c store.Caller, f store.RunFilter) (store.Page[store.Run], error)
	Events(ctx context.Context, c store.Caller, run string) ([]store.Event, error)
	Claim(ctx context.Context, c store.Caller, key string, request palisade.Digest, run string) (store.Claim, error)
	Abandon(ctx context.Context, run string) error
	Question(ctx context.Context, c store.Caller, ticket string) (store.Question, error)
	Questions(ctx context.Context, c store.Caller, f store.QuestionFilter) (store.Page[store.Question], error)
	Keys(ctx context.Context, c store.Caller, tenant string) ([]store.Key, error)
}

// Record reads payloads of the record.
type Record interface {
	// Payload returns what stands at an index; nil where it is no longer kept.
	Payload(ctx context.Context, index int64) (json.RawMessage, error)
}

// Limits bound what the door takes. Zero is the default.
type Limits struct {
	// Body is the largest request with a program, in bytes. Default: 32 MiB.
	Body int64
	// Running is how many programs run at once. Default: twice the processors,
	// at least 4.
	Running int
	// TenantRunning is how many of one tenant do. Default: three quarters of
	// Running, so that a place is left for others.
	TenantRunning int
	// TenantQueue is how many of one tenant wait for that. Default: 64.
	TenantQueue int
	// Streams is how many streams are open at once, and TenantStreams how many of
	// one tenant's are. Default: 256 and 64.
	Streams       int
	TenantStreams int
	// Rate is how many requests of one tenant are taken in a second; twice as
	// many may come at once. Default: 200.
	Rate int
}

// Config is what a server is made of. All but Limits and Heartbeat is required.
type Config struct {
	Gate      Gate
	Door      Door
	Index     Index
	Record    Record
	Artifacts *Artifacts
	Questions Questions
	Audit     Audit
	Keys      Keys
	Brake     Brake
	Policies  Policies
	Reader    Reader
	Limits    Limits
	// Heartbeat is how often a stream says that it is there, and its caller is
	// looked up again. Default: 5s.
	Heartbeat time.Duration
	Now       func() time.Time
	NewID     func() string
}
