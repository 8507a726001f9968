package events

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"palisade"
)

// begun is a region whose recorder was told go.
func begun(t testing.TB, o Orders) (*Recorder, []byte) {
	t.Helper()
	region := make([]byte, Size)
	r := NewRecorder(region)
	if err := Begin(memory(region), 0, time.Now(), o); err != nil {
		t.Fatal(err)
	}
	return r, region
}

func read(t testing.TB, region []byte) palisade.Activity {
	t.Helper()
	r, err := Read(region)
	if err != nil {
		t.Fatal(err)
	}
	return r.Activity
}

func TestRecord(t *testing.T) {
	region := make([]byte, Size)
	r := NewRecorder(region)
	r.Record(Exec, "/bin/early", "", false)
	r.Started()
	r.End(Exec)
	var none *Recorder
	none.Record(Exec, "/bin/x", "", false) // no panic
	if a := read(t, region); len(a.Acts)+len(a.Counts) > 0 || r.On() {
		t.Errorf("before go: %+v", a)
	}
	start := time.Now()
	if err := Begin(memory(region), 0, start, Orders{}); err != nil {
		t.Fatal(err)
	}
	r.now = func() time.Time { return start.Add(1500 * time.Millisecond) }
	for range 3 {
		r.Record(Open, "/work/a", "", false)
	}
	r.now = func() time.Time { return start.Add(-time.Hour) } // a clock that was set back
	r.Record(Open, "/work/a", "EACCES", true)
	r.Record(Exec, "/bin/sh", "sh -c 'x'", false)
	r.Count(Open)
	r.Started()
	r.Wrote(7)
	report, err := Read(region)
	want := []palisade.Act{
		{Millis: 1500, Kind: "open", What: "/work/a", Count: 3},
		{Kind: "open", What: "/work/a", Detail: "EACCES", Refused: true},
		{Kind: "exec", What: "/bin/sh", Detail: "sh -c 'x'"},
	}
	if a := report.Activity; err != nil || !slices.Equal(a.Acts, want) || a.Counts["open"] != 5 || a.Counts["exec"] != 1 || a.Dropped != 0 || report.Started != 1 || report.Written != 7 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestNames: any bytes become text, and are cut between characters.
func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"a\xffb\x00\x1b": "a\\xffb\x00\x1b", "": "", "\xe2\x80": `\xe2\x80`,
		strings.Repeat("a", MaxWhat):                    strings.Repeat("a", MaxWhat),
		strings.Repeat("a", MaxWhat+1):                  strings.Repeat("a", MaxWhat) + "…",
		strings.Repeat("a", MaxWhat-1) + "é":            strings.Repeat("a", MaxWhat-1) + "…",
		strings.Repeat("\xff", 100*MaxWhat) + "tail":    strings.Repeat(`\xff`, MaxWhat) + "…",
		strings.Repeat("a", MaxWhat-2) + "\xf0\x9f\x98": strings.Repeat("a", MaxWhat-2) + "…",
	} {
		r, region := begun(t, Orders{})
		r.Record(Create, in, in, false)
		r.Record(Create, in, in, false)
		a := read(t, region)
		if len(a.Acts) != 1 || a.Acts[0].What != want || a.Acts[0].Count != 2 || len(a.Acts[0].Detail) > 4*MaxDetail+3 {
			t.Errorf("%.20q: %+v", in, a.Acts)
		}
	}
}

// TestBounds: what a program does a million times is bounded, and one kind does
// not crowd out another.
func TestBounds(t *testing.T) {
	r, region := begun(t, Orders{})
	for k := range kinds {
		for i := range 200_000 / int(kinds) {
			r.Record(k, fmt.Sprintf("%d/%s", i, strings.Repeat("x", i%3000)), strings.Repeat("y", i%300), i%2 == 0)
		}
	}
	a := read(t, region)
	listed, all := map[string]int64{}, int64(0)
	for _, act := range a.Acts {
		listed[act.Kind] += max(act.Count, 1)
	}
	var shown int64
	for k := range kinds {
		n := a.Counts[k.String()]
		if n != int64(200_000/int(kinds)) || listed[k.String()] == 0 {
			t.Errorf("%s: %d, %d of them listed", k, n, listed[k.String()])
		}
		all, shown = all+n, shown+listed[k.String()]
	}
	if all != shown+a.Dropped {
		t.Errorf("%d acts, %d listed, %d dropped", all, shown, a.Dropped)
	}
	if len(r.seen) > logSize/entryHead {
		t.Errorf("%d acts are remembered, more than are listed", len(r.seen))
	}
	sum := 0
	for _, n := range budgets {
		sum += n
	}
	if sum > logSize {
		t.Errorf("the kinds' budgets are %d bytes, the log %d", sum, logSize)
	}
}

// TestTogether: many threads record, and nothing is lost.
func TestTogether(t *testing.T) {
	r, region := begun(t, Orders{})
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for j := range 500 {
				r.Record(Kind(j%int(kinds)), fmt.Sprintf("%d-%d", i, j%50), "", false)
			}
		})
	}
	wait.Wait()
	a := read(t, region)
	var all int64
	for _, act := range a.Acts {
		all += max(act.Count, 1)
	}
	if all+a.Dropped != 8*500 {
		t.Errorf("%d of %d, %d dropped", all, 8*500, a.Dropped)
	}
}

func TestOrders(t *testing.T) {
	aborts, err := Aborts([]string{"exec", "connect"})
	if err != nil {
		t.Fatal(err)
	}
	r, region := begun(t, Orders{Aborts: aborts, Spared: true})
	if !r.Aborts(Exec) || !r.Aborts(Connect) || r.Aborts(Fork) {
		t.Error("aborts on other kinds than it was told")
	}
	if !r.Spare(Exec) || r.Spare(Exec) || !r.Spare(Fork) || r.Spare(Fork) || r.Spare(Connect) {
		t.Error("spares other than one start")
	}
	if there, _, ended, err := Look(memory(region), 0); !there || ended || err != nil {
		t.Error(there, ended, err)
	}
	r.End(Connect)
	r.End(Exec)
	if _, by, ended, err := Look(memory(region), 0); !ended || by != Connect || err != nil {
		t.Error(by, ended, err)
	}
	for _, bad := range []string{"open", "library", "everything", ""} {
		if _, err := Aborts([]string{"exec", bad}); err == nil || !strings.Contains(err.Error(), "connect") {
			t.Errorf("abort on %q: %v", bad, err)
		}
	}
	plain, _ := begun(t, Orders{})
	if plain.Spare(Exec) || plain.Aborts(Exec) {
		t.Error("without orders it aborts or spares")
	}
}

// TestFile: a region in a file that the recorder maps and the host reads.
func TestFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "region"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, _, _, err := Look(f, 0); err == nil {
		t.Error("an empty file was looked at")
	}
	if err := f.Truncate(8192 + Size); err != nil {
		t.Fatal(err)
	}
	if there, _, _, err := Look(f, 8192); there || err != nil {
		t.Error("a recorder where none is")
	}
	if err := Begin(f, 8192, time.Unix(1, 2), Orders{}); err != nil {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	r, region := begun(f, Orders{})
	r.Record(Exec, "/bin/sh", "-c", false)
	r.Record(Open, "/work/\xff", "", true)
	f.Add(bytes.Clone(region[:headSize]), bytes.Clone(region[headSize:headSize+200]))
	f.Add([]byte{}, bytes.Repeat([]byte{0xff}, 64))
	f.Fuzz(func(t *testing.T, head, log []byte) {
		region := make([]byte, Size)
		copy(region, head[:min(len(head), headSize)])
		copy(region[headSize:], log)
		report, err := Read(region)
		total := 0
		for _, a := range report.Activity.Acts {
			if a.Count < 0 || a.Millis < 0 || !slices.Contains(kindNames[:], a.Kind) || len(a.What) > 4*MaxWhat+3 || len(a.Detail) > 4*MaxDetail+3 {
				t.Errorf("%+v", a)
			}
			total += len(a.What) + len(a.Detail)
		}
		if total > 4*logSize || report.Activity.Dropped < 0 || report.Started < 0 || report.Written < 0 {
			t.Errorf("%d bytes of names, %+v, %v", total, report, err)
		}
	})
}

// BenchmarkRecord is what one act costs the box's kernel beside finding its name.
func BenchmarkRecord(b *testing.B) {
	b.Run("equal", func(b *testing.B) {
		r, _ := begun(b, Orders{})
		for b.Loop() {
			r.Record(Open, "/work/some/file/of/usual/length.csv", "", false)
		}
	})
	b.Run("no room", func(b *testing.B) {
		r, _ := begun(b, Orders{})
		names := make([]string, 8192)
		for i := range names {
			names[i] = fmt.Sprintf("/work/%d", i)
		}
		i := 0
		for b.Loop() {
			r.Record(Create, names[i%len(names)], "", false)
			i++
		}
	})
}
