package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"palisade"
	"palisade/internal/auth"
)

// Server is the door. It is made once.
type Server struct {
	c         Config
	admission *admission
	reading   *admission // of scans and policy files, which wait for no program to end
	runs      *runs
	figures   *figures
	boxes     *e2bBoxes
	handler   http.Handler
	api       huma.API
}

// New makes a server.
func New(c Config) (*Server, error) {
	if c.Gate == nil || c.Door == nil || c.Index == nil || c.Record == nil || c.Artifacts == nil || c.Questions == nil || c.Audit == nil ||
		c.Keys == nil || c.Brake == nil || c.Policies == nil || c.Reader == nil || c.Now == nil || c.NewID == nil {
		return nil, errors.New("http: a part is missing")
	}
	if c.Heartbeat <= 0 {
		c.Heartbeat = heartbeat
	}
	limits := c.Limits.complete()
	reading := limits
	reading.Running = runtime.NumCPU()
	reading.TenantRunning = max(1, reading.Running/2)
	s := &Server{c: c, admission: newAdmission(limits, c.Now), reading: newAdmission(reading, c.Now), runs: newRuns()}
	s.figures = s.newFigures()
	mux := http.NewServeMux()
	s.api = humago.New(mux, apiConfig())
	for _, resource := range []func(huma.API){
		s.executions, s.stream, s.artifacts, s.scans, s.approvals, s.policies, s.audit, s.keys, s.incidents, s.metrics, s.health,
	} {
		resource(s.api)
	}
	if err := s.documents(mux); err != nil {
		return nil, err
	}
	s.handler = &guard{server: s, mux: mux, public: public, caller: c.Door.Caller, bound: s.largest, tell: writeError}
	s.boxes = newE2BBoxes(c.Now)
	return s, nil
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Drain takes nothing new and waits for what runs until ctx ends; what still does
// then is ended. Everything is on the record when it returns.
func (s *Server) Drain(ctx context.Context) { s.runs.drain(ctx) }

func apiConfig() huma.Config {
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: decode}
	c := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Palisade", Version: "1",
				Description: "A gate between a language model and a kernel: programs are read, judged by policy, perhaps shown to a human, run in a fresh sandbox, and answered, on a record that cannot be changed unseen.",
			},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", nameSchema),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"bearer": {Type: "http", Scheme: "bearer", Description: "A key: pal_<id>_<secret>."},
					"key":    {Type: "apiKey", In: "header", Name: "X-API-Key", Description: "The same key."},
				},
			},
		},
		Formats:       map[string]huma.Format{"application/json": format, "json": format},
		DefaultFormat: "application/json",

		RejectUnknownQueryParameters: true,
	}
	// Words that are written as text.
	for _, word := range []reflect.Type{
		reflect.TypeFor[palisade.Decision](), reflect.TypeFor[palisade.Severity](), reflect.TypeFor[palisade.Digest](),
	} {
		c.Components.Schemas.RegisterTypeAlias(word, reflect.TypeFor[string]())
	}
	return c
}

// nameSchema names a type's schema; types of other packages carry the package.
func nameSchema(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := huma.DefaultSchemaNamer(t, hint)
	path := t.PkgPath()
	if own := reflect.TypeFor[Server]().PkgPath(); path == "" || path == own || !strings.Contains(path, "/") || strings.HasPrefix(name, "Page") {
		return name
	}
	base := path[strings.LastIndexByte(path, '/')+1:]
	return strings.ToUpper(base[:1]) + base[1:] + name
}

// operation describes one operation.
func operation(method, path, id, summary, description, tag string) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: path, Summary: summary, Description: description, Tags: []string{tag},
		// The guard reads bodies, within their bounds.
		MaxBodyBytes: -1, BodyReadTimeout: -1,
		Security: []map[string][]string{{"bearer": {}}, {"key": {}}},
	}
}

// register adds an operation. It is held to the roles: the caller needs one of
// them in its own tenant; none: whoever is known may.
func register[I, O any](s *Server, api huma.API, op huma.Operation, roles []auth.Role, handle func(context.Context, *I) (*O, error)) {
	if len(roles) > 0 {
		var names []string
		for _, r := range roles {
			names = append(names, string(r))
		}
		op.Description += " Takes a key with the role " + strings.Join(names, " or ") + "."
		op.Errors = append(op.Errors, http.StatusForbidden)
	}
	// Whatever takes no parameter takes none that it does not know either.
	op.Errors = append(op.Errors, http.StatusUnprocessableEntity)
	slices.Sort(op.Errors)
	op.Errors = slices.Compact(op.Errors)
	huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
		if !holdsOne(callerOf(ctx), roles) {
			return nil, errForbidden
		}
		return handle(ctx, in)
	})
}

func holdsOne(c auth.Caller, roles []auth.Role) bool {
	for _, r := range roles {
		if c.Holds(string(r), c.Tenant) {
			return true
		}
	}
	return len(roles) == 0
}

// outcomes describes answers whose body is an outcome.
func (s *Server) outcomes(api huma.API, statuses ...int) map[string]*huma.Response {
	text := map[int]string{
		200: "The program ran; its status says how it ended.",
		202: "A human must approve: approval.ticket names the question, Location where it stands. With respond-async: Location is the run's.",
		403: "Policy denied it, or the key may not: the outcome, with code and message.",
		503: "It was refused before it ran: the outcome, with code and message, or an error.",
	}
	registry := api.OpenAPI().Components.Schemas
	schema := registry.Schema(reflect.TypeFor[palisade.Outcome](), true, "Outcome")
	whole := registry.SchemaFromRef(schema.Ref)
	whole.Properties["approval"] = &huma.Schema{OneOf: []*huma.Schema{whole.Properties["approval"], {Type: "null"}}}
	for name, text := range map[string]string{"code": "Where it is no success: a word to branch on.", "message": "Where it is no success: what and why."} {
		whole.Properties[name] = &huma.Schema{Type: "string", Description: text}
	}
	all := map[string]*huma.Response{}
	for _, status := range statuses {
		all[strconv.Itoa(status)] = &huma.Response{
			Description: text[status], Content: map[string]*huma.MediaType{"application/json": {Schema: schema}},
		}
	}
	return all
}

// document is the OpenAPI document.
func (s *Server) document() ([]byte, error) { return json.MarshalIndent(s.api.OpenAPI(), "", "  ") }
