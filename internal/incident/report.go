package incident

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"palisade"
)

// Record is one event of the log. Data is nil where it is no longer kept.
type Record struct {
	Index int64              `json:"index"`
	Run   string             `json:"run,omitempty"`
	Kind  palisade.EventKind `json:"kind"`
	Time  time.Time          `json:"time"`
	Data  json.RawMessage    `json:"data,omitempty"`
}

// Source is the log.
type Source interface {
	// Records gives the records of the kinds from index from on, in order. The
	// first error ends it.
	Records(from int64, kinds ...palisade.EventKind) iter.Seq2[Record, error]
}

// Report is all that the record tells of one run. Its JSON form is stable: add,
// never rename. Nearly all of it is foreign.
type Report struct {
	Run       string    `json:"run"`
	Began     time.Time `json:"began"`
	Ended     time.Time `json:"ended"`
	Submitter string    `json:"submitter"` // the user or key that asked
	Tenant    string    `json:"tenant"`
	Door      string    `json:"door"`

	Conversation string              `json:"conversation"`
	Prompt       string              `json:"prompt"`
	Program      palisade.Program    `json:"program"`
	Inputs       palisade.Inputs     `json:"inputs"`
	Files        []Attached          `json:"files"`
	Inspection   palisade.Inspection `json:"inspection"`
	Verdict      palisade.Verdict    `json:"verdict"`
	Ready        palisade.Ready      `json:"box"`
	Result       Ended               `json:"result"`
	Outcome      json.RawMessage     `json:"outcome,omitempty"`

	// Stems is the origin that tells most, Origins those of all harmful parts. Nil and none where nothing harmful was found.
	Stems   *Origin  `json:"stems_from"`
	Origins []Origin `json:"origins"`

	Events  []Record  `json:"events"`  // of the run; without data that is above
	Around  []Record  `json:"around"`  // lockdowns, cuts and kills since the day before the run
	Related []Related `json:"related"` // of the same conversation or submitter, the nearest in time first
	More    int       `json:"more"`    // related runs that are not listed
	Missing []string  `json:"missing"` // what is no longer kept
}

// Attached is data that came with a program, by digest.
type Attached struct {
	Name   string          `json:"name"`
	Size   int             `json:"size"`
	Digest palisade.Digest `json:"sha256"`
}

// Ended is how the box ended, as the host saw it.
type Ended struct {
	Status     palisade.Status
	Reason     string
	ExitCode   int
	Signal     string
	MayHaveRun bool
	Stdout     palisade.Captured
	Stderr     palisade.Captured
	Anomalies  []string
	Activity   palisade.Activity
}

// Related is a run that has something in common with the one that is looked at.
type Related struct {
	Run         string    `json:"run"`
	Began       time.Time `json:"began"`
	Submitter   string    `json:"submitter"`
	By          string    `json:"by"` // conversation or submitter
	Decision    string    `json:"decision"`
	Status      string    `json:"status"`
	Program     string    `json:"program"`
	SameProgram bool      `json:"same_program"` // the very same code
}

const (
	maxRelated = 50
	maxEarlier = 20 // turns of the conversation that are looked through
	aroundTime = 24 * time.Hour
)

// Investigate gathers what a log tells of a run, and says where the harmful part
// of its program stems from. records are the run's, in order.
func Investigate(records []Record, log Source) (*Report, error) {
	if len(records) == 0 {
		return nil, fmt.Errorf("no record of the run")
	}
	last := records[len(records)-1]
	r := &Report{
		Run: last.Run, Began: records[0].Time, Ended: last.Time,
		Files: []Attached{}, Origins: []Origin{}, Events: []Record{}, Around: []Record{}, Related: []Related{}, Missing: []string{},
	}
	var s palisade.Submission
	into := map[palisade.EventKind]any{
		palisade.EventReceived: &s, palisade.EventInspected: &r.Inspection, palisade.EventDecided: &r.Verdict,
		palisade.EventStarted: &r.Ready, palisade.EventFinished: &r.Result, palisade.EventOutcome: &r.Outcome,
	}
	for _, rec := range records {
		v, known := into[rec.Kind]
		switch {
		case rec.Data == nil:
			r.Missing = append(r.Missing, string(rec.Kind))
		case known:
			if err := json.Unmarshal(rec.Data, v); err != nil {
				return nil, fmt.Errorf("entry %d, %s: %w", rec.Index, rec.Kind, err)
			}
		}
		if known || rec.Kind == palisade.EventAsked {
			rec.Data = nil // the report has it
		}
		r.Events = append(r.Events, rec)
	}
	r.submission(s)
	earlier, err := r.relate(s, records[0].Index, log)
	if err != nil {
		return nil, err
	}
	if err := r.around(log); err != nil {
		return nil, err
	}
	r.origins(s, earlier)
	return r, nil
}

func (r *Report) submission(s palisade.Submission) {
	r.Submitter, r.Tenant, r.Door, r.Conversation, r.Prompt = s.Submitter, s.Tenant, s.Door, s.Conversation, s.Prompt
	r.Program, r.Inputs = s.Program, s.Inputs
	for _, f := range s.Files {
		r.Files = append(r.Files, Attached{f.Name, len(f.Data), sha256.Sum256(f.Data)})
	}
	if len(s.Stdin) > 0 {
		r.Files = append(r.Files, Attached{"standard input", len(s.Stdin), sha256.Sum256(s.Stdin)})
	}
}

// origins says where each harmful part stems from.
func (r *Report) origins(s palisade.Submission, earlier []source) {
	findings := harmful(r.Verdict, r.Inspection, r.Result.Activity.Acts)
	sources := sourcesOf(s)
	sources = append(sources, earlier...)
	for _, one := range slices.Clone(sources) {
		sources = append(sources, decoded(one)...)
	}
	for _, f := range findings {
		o := originOf(f, r.codeOf(f.File), sources)
		if slices.Contains(r.Missing, string(palisade.EventReceived)) {
			o = Origin{Finding: f, From: FromUnknown, Sure: SureLow, Because: "what was submitted is no longer kept", Evidence: []Match{}}
		}
		r.Origins = append(r.Origins, o)
	}
	for i, o := range r.Origins {
		if r.Stems == nil || o.rank() > r.Stems.rank() {
			r.Stems = &r.Origins[i]
		}
	}
}

// rank says how much an origin tells. One that is found tells more than one that
// is not, if it is of some weight: whoever planted it is what is looked for.
// Among equals, the gravest.
func (o Origin) rank() int {
	sure := slices.Index([]string{SureLow, SureMedium, SureHigh}, o.Sure)
	n := 10*int(o.Finding.Severity) + sure
	if o.From != FromModel && o.From != FromUnknown && sure > 0 && o.Finding.Severity >= palisade.Medium {
		n += 100 * sure
	}
	return n
}

// codeOf is the text of a file of the program.
func (r *Report) codeOf(file string) string {
	for _, m := range r.Program.Modules {
		if m.Name == file {
			return string(m.Source)
		}
	}
	return string(r.Program.Source)
}

// relate finds the runs that have something in common with this one, and the
// texts of the conversation's earlier turns.
func (r *Report) relate(s palisade.Submission, first int64, log Source) ([]source, error) {
	var earlier []source
	code := sha256.Sum256(s.Program.Source)
	at := map[string]int{}
	for rec, err := range log.Records(0, palisade.EventReceived, palisade.EventDecided, palisade.EventOutcome, palisade.EventRejected, palisade.EventFailed) {
		if err != nil {
			return nil, err
		}
		if rec.Run == r.Run || rec.Data == nil {
			continue
		}
		if rec.Kind != palisade.EventReceived {
			if i, ok := at[rec.Run]; ok {
				r.Related[i].end(rec)
			}
			continue
		}
		var who struct{ Submitter, Tenant, Conversation string }
		if json.Unmarshal(rec.Data, &who) != nil || who.Tenant != r.Tenant {
			continue
		}
		turn := r.Conversation != "" && who.Conversation == r.Conversation
		if !turn && (r.Submitter == "" || who.Submitter != r.Submitter) {
			continue
		}
		var other palisade.Submission
		if json.Unmarshal(rec.Data, &other) != nil {
			continue
		}
		by := "submitter"
		if turn {
			by = "conversation"
		}
		at[rec.Run] = len(r.Related)
		r.Related = append(r.Related, Related{
			Run: rec.Run, Began: rec.Time, Submitter: who.Submitter, By: by, Program: other.Program.Name,
			SameProgram: sha256.Sum256(other.Program.Source) == code,
		})
		if turn && rec.Index < first {
			for _, one := range sourcesOf(other) {
				earlier = append(earlier, source{FromEarlier, one.name + " of run " + rec.Run, one.text, one.whole})
			}
			earlier = earlier[max(len(earlier)-maxEarlier, 0):]
		}
	}
	r.nearest()
	return earlier, nil
}

// end notes how a related run went.
func (r *Related) end(rec Record) {
	switch rec.Kind {
	case palisade.EventRejected, palisade.EventFailed:
		r.Status = string(rec.Kind)
	default:
		var said struct{ Decision, Status string }
		if json.Unmarshal(rec.Data, &said) == nil {
			r.Decision, r.Status = cmp.Or(said.Decision, r.Decision), cmp.Or(said.Status, r.Status)
		}
	}
}

// nearest keeps the related runs that matter most: the conversation's, then
// those nearest in time.
func (r *Report) nearest() {
	slices.SortStableFunc(r.Related, func(a, b Related) int {
		return cmp.Or(cmp.Compare(a.By, b.By), cmp.Compare(a.Began.Sub(r.Began).Abs(), b.Began.Sub(r.Began).Abs()))
	})
	r.More = max(len(r.Related)-maxRelated, 0)
	r.Related = r.Related[:min(len(r.Related), maxRelated)]
}

// around gathers lockdowns, cuts and kills since the day before the run.
func (r *Report) around(log Source) error {
	for rec, err := range log.Records(0, KindLockdown, KindEgress, KindKill) {
		if err != nil {
			return err
		}
		if rec.Time.After(r.Began.Add(-aroundTime)) {
			r.Around = append(r.Around, rec)
		}
	}
	r.Around = r.Around[:min(len(r.Around), maxRelated)]
	return nil
}
