package httpapi

import (
	"encoding/json"
	"sync"
	"unicode/utf8"
)

// maxFeed bounds what is kept of one run for those who look on, in bytes; what is
// older is dropped, and whoever comes back too late is told so.
const maxFeed = 1 << 20

// Event is one thing that happened to a run, for those who look on.
type Event struct {
	ID   int64           // from 1 on
	Name string          // stdout, stderr, event, approval, result, exit
	Data json.RawMessage // JSON
}

// feed is what happens to one run. It is safe for concurrent use.
type feed struct {
	mu     sync.Mutex
	events []Event
	bytes  int
	last   int64 // ID of the newest
	ended  bool
	news   chan struct{} // closed and made anew when something happens
}

func newFeed() *feed { return &feed{news: make(chan struct{})} }

// add tells of an event. What cannot be written as JSON is left out.
func (f *feed) add(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	f.last++
	f.events = append(f.events, Event{f.last, name, text})
	f.bytes += len(text)
	for f.bytes > maxFeed && len(f.events) > 1 {
		f.bytes -= len(f.events[0].Data)
		f.events = f.events[1:]
	}
	f.wake()
}

func (f *feed) wake() {
	close(f.news)
	f.news = make(chan struct{})
}

// end says that nothing more comes.
func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.wake()
}

// since returns the events after one, whether some between were dropped, whether
// that is the end, and else what to wait for.
func (f *feed) since(id int64) (events []Event, lost, ended bool, news <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.events) > 0 {
		first := f.events[0].ID
		lost = id+1 < first
		if from := max(id+1-first, 0); from < int64(len(f.events)) {
			events = append(events, f.events[from:]...)
		}
	}
	return events, lost, f.ended, f.news
}

// text passes a program's output, which the gate made safe, on to a feed. It
// keeps characters whole.
type text struct {
	feed *feed
	name string
	rest []byte
}

// chunk is the data of an event of output.
type chunk struct {
	Text string `json:"text"`
}

func (t *text) Write(b []byte) (int, error) {
	data := append(t.rest, b...)
	whole := len(data)
	for back := 1; back < utf8.UTFMax && back <= len(data); back++ {
		if start := len(data) - back; utf8.RuneStart(data[start]) {
			if !utf8.FullRune(data[start:]) {
				whole = start
			}
			break
		}
	}
	if whole > 0 {
		t.feed.add(t.name, chunk{string(data[:whole])})
	}
	t.rest = append([]byte(nil), data[whole:]...)
	return len(b), nil
}
