package httpapi

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"palisade"
	"palisade/internal/auth"
)

// figures are what the server counts. They name no tenant, program or caller.
type figures struct {
	registry  *prometheus.Registry
	runs      *prometheus.CounterVec
	decisions *prometheus.CounterVec
	seconds   prometheus.Histogram
	asked     prometheus.Counter
	failed    prometheus.Counter
	answers   *prometheus.CounterVec

	mu    sync.Mutex
	began map[string]time.Time // runs on their way
}

func (s *Server) newFigures() *figures {
	f := &figures{
		registry:  prometheus.NewRegistry(),
		began:     map[string]time.Time{},
		runs:      prometheus.NewCounterVec(prometheus.CounterOpts{Name: "palisade_executions_total", Help: "Runs that have an outcome, by its status."}, []string{"status"}),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "palisade_decisions_total", Help: "Verdicts, by decision."}, []string{"decision"}),
		seconds:   prometheus.NewHistogram(prometheus.HistogramOpts{Name: "palisade_execution_duration_seconds", Help: "From a submission's coming in to its outcome.", Buckets: prometheus.ExponentialBuckets(0.005, 2, 14)}),
		asked:     prometheus.NewCounter(prometheus.CounterOpts{Name: "palisade_approvals_asked_total", Help: "Questions put to humans."}),
		failed:    prometheus.NewCounter(prometheus.CounterOpts{Name: "palisade_failures_total", Help: "Runs in which the gate itself failed."}),
		answers:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "palisade_http_answers_total", Help: "HTTP answers, by status code."}, []string{"code"}),
	}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	f.registry.MustRegister(f.runs, f.decisions, f.seconds, f.asked, f.failed, f.answers,
		gauge("palisade_running", "Programs that run now.", func() float64 { n, _ := s.admission.load(); return float64(n) }),
		gauge("palisade_waiting", "Programs that wait for a place.", func() float64 { _, n := s.admission.load(); return float64(n) }),
		gauge("palisade_lockdown_active", "Whether nothing may run: 1.", func() float64 {
			if state, _ := s.c.Brake.State(); state.Lockdown.On {
				return 1
			}
			return 0
		}))
	return f
}

// observe counts a step on the record.
func (f *figures) observe(e palisade.Event) {
	switch e.Kind {
	case palisade.EventReceived:
		f.mu.Lock()
		f.began[e.Run] = e.Time
		f.mu.Unlock()
	case palisade.EventDecided:
		if v, ok := e.Data.(palisade.Verdict); ok {
			f.decisions.WithLabelValues(v.Decision.String()).Inc()
		}
	case palisade.EventOutcome:
		if o, ok := e.Data.(palisade.Outcome); ok {
			f.runs.WithLabelValues(string(o.Status)).Inc()
			if o.Status == palisade.ApprovalRequired {
				f.asked.Inc()
			}
		}
		f.ended(e, true)
	case palisade.EventRejected:
		f.runs.WithLabelValues(string(e.Kind)).Inc()
		f.ended(e, false)
	case palisade.EventFailed:
		f.failed.Inc()
		f.ended(e, false)
	}
}

func (f *figures) ended(e palisade.Event, counts bool) {
	f.mu.Lock()
	began, ok := f.began[e.Run]
	delete(f.began, e.Run)
	f.mu.Unlock()
	if ok && counts {
		f.seconds.Observe(e.Time.Sub(began).Seconds())
	}
}

type metricsOutput struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func (s *Server) metrics(api huma.API) {
	op := operation(http.MethodGet, "/v1/metrics", "metrics", "Figures", "In Prometheus's text form. Takes an auditor or admin of the tenant system.", "health")
	op.Errors = []int{401, 429}
	op.Responses = map[string]*huma.Response{"200": {
		Description: "Figures.", Content: map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: "string"}}},
	}}
	register(s, api, op, readers, func(ctx context.Context, _ *emptyInput) (*metricsOutput, error) {
		if c := callerOf(ctx); !everywhere(c, auth.Auditor) && !everywhere(c, auth.Admin) {
			return nil, errForbidden
		}
		families, err := s.figures.registry.Gather()
		if err != nil {
			return nil, s.known("", err)
		}
		var b bytes.Buffer
		for _, family := range families {
			if _, err := expfmt.MetricFamilyToText(&b, family); err != nil {
				return nil, s.known("", err)
			}
		}
		return &metricsOutput{"text/plain; version=0.0.4; charset=utf-8", b.Bytes()}, nil
	})
}
