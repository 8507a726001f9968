package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"palisade"
	"palisade/internal/audit"
)

// TestRunsOfTheLog: what is on the log is in the index, with every field, and a
// second look applies nothing twice.
func TestRunsOfTheLog(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		b.run("r1", "acme", "key:a", palisade.OK)
		b.put("r2", palisade.EventReceived, submission("", "uid:0"))
		for range 2 {
			if err := b.s.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		r, err := b.s.Run(t.Context(), all, "r1")
		if err != nil {
			t.Fatal(err)
		}
		want := Run{
			ID: "r1", First: 1, Last: 6, Entries: 6, Tenant: "acme", Submitter: "key:a", Door: "http", Profile: "data", Language: "python", Program: "main.py",
			Conversation: "talk-1", Decision: "allow", Status: "ok", Score: 7, Started: true, MayHaveRun: true, Complete: true, Began: r.Began, Ended: r.Ended,
		}
		if r != want || !r.Ended.After(r.Began) || r.Began.Year() != 2026 {
			t.Errorf("%+v\nwant %+v", r, want)
		}
		r, err = b.s.Run(t.Context(), all, "r2")
		if err != nil || r.Tenant != DefaultTenant || r.Complete || r.Status != "" {
			t.Errorf("%+v, %v", r, err)
		}
		events, err := b.s.Events(t.Context(), all, "r1")
		if err != nil || len(events) != 6 || events[0].Kind != "received" || events[5].Kind != "outcome" || events[5].Index != 6 || events[5].Size == 0 {
			t.Errorf("%+v, %v", events, err)
		}
		b.put("r2", palisade.EventRejected, map[string]string{"reason": "x"})
		if got := b.ids(all, RunFilter{Status: "rejected"}); !slices.Equal(got, []string{"r2"}) {
			t.Errorf("rejected: %v", got)
		}
		b.equal()
	})
}

// TestNoPayloadText: nothing of what was submitted, printed or claimed is in the
// database's own files.
func TestNoPayloadText(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		b.run("r1", "acme", "key:a", palisade.OK)
		b.ask("r1", "t1", "key:a", b.clock.now().Add(time.Hour))
		b.put("r1", palisade.EventAnswered, map[string]any{"ticket": "t1", "digest": "ab", "approve": true, "approver": "user:x", "comment": "secret comment", "expires": b.clock.now().Add(time.Hour)})
		if _, err := b.s.Claim(t.Context(), submitter("acme", "key:a"), "secret-idempotency-key", palisade.Digest{1}, "r2"); err != nil {
			t.Fatal(err)
		}
		if err := b.s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if text := b.dump(); strings.Contains(text, "secret") || !strings.Contains(text, "main.py") {
			t.Error(text)
		}
	})
}

func TestFilters(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		b.run("r1", "acme", "key:a", palisade.OK)
		b.run("r2", "acme", "key:b", palisade.PolicyViolation)
		b.clock.pass(time.Hour)
		noon := b.clock.now()
		b.run("r3", "other", "key:c", palisade.MemoryLimit)
		s := submission("acme", "key:a")
		s.Program.Language, s.Door, s.Conversation = palisade.Shell, "mcp", "talk-2"
		b.put("r4", palisade.EventReceived, s)
		for want, f := range map[string]RunFilter{
			"r4 r3 r2 r1": {}, "r4 r2 r1": {Tenant: "acme"}, "r2": {Submitter: "key:b"}, "r4": {Door: "mcp"}, "r3 r2 r1": {Language: "python"},
			"r3 r1": {Decision: "allow"}, "r3": {Status: "memory_limit"}, "r4 ": {Status: Running}, "r4  ": {Conversation: "talk-2"},
			"r4 r3": {Since: noon}, "r2 r1": {Until: noon}, "": {Tenant: "acme' OR '1'='1"}, "r2 ": {Profile: "data", Tenant: "acme", Submitter: "key:b"},
		} {
			if got := strings.Join(b.ids(all, f), " "); got != strings.TrimSpace(want) {
				t.Errorf("%+v: %s, want %s", f, got, want)
			}
		}
	})
}

// TestPages: a page's place does not move when runs are added, and no run is
// told twice or left out.
func TestPages(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		var want []string
		for i := range 25 {
			id := fmt.Sprintf("r%02d", i)
			b.run(id, "acme", "key:a", palisade.OK)
			want = append([]string{id}, want...)
		}
		var got []string
		f := RunFilter{Limit: 10}
		for page := 0; ; page++ {
			p, err := b.s.Runs(t.Context(), all, f)
			if err != nil || len(p.Items) > 10 {
				t.Fatal(len(p.Items), err)
			}
			for _, r := range p.Items {
				got = append(got, r.ID)
			}
			if f.After = p.Next; f.After == "" {
				break
			}
			b.run(fmt.Sprintf("new%d", page), "acme", "key:a", palisade.OK)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v\nwant %v", got, want)
		}
		for _, bad := range []string{"x", "cDEuLTE", "cDEuMDE", "cDEuMQ=", "cDIuMQ", "cDEu", strings.Repeat("A", 10000)} {
			if _, err := b.s.Runs(t.Context(), all, RunFilter{After: bad}); !errors.Is(err, ErrCursor) {
				t.Errorf("cursor %.20q: %v", bad, err)
			}
		}
	})
}

// TestOtherTenantsAreNotThere goes through every query as every kind of caller.
func TestOtherTenantsAreNotThere(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		for _, tenant := range []string{"acme", "other"} {
			b.run(tenant+"-mine", tenant, "user:me", palisade.OK)
			b.run(tenant+"-theirs", tenant, "user:them", palisade.OK)
			b.put(tenant+"-asks", palisade.EventReceived, submission(tenant, "user:them"))
			b.ask(tenant+"-asks", "t-"+tenant, "user:them", b.clock.now().Add(time.Hour))
			b.put("", kindCreated, map[string]any{"id": "k" + tenant, "tenant": tenant, "owner": "me", "hash": "00", "roles": []string{"submitter"}})
			b.put("", kindCreated, map[string]any{"id": "z" + tenant, "tenant": tenant, "hash": "00", "roles": []string{"submitter"}})
		}
		cases := []struct {
			c                     who
			runs, questions, keys string
		}{
			{who{"acme", "user:me", []string{roleSubmitter}}, "acme-mine", "", "kacme"},
			{who{"acme", "user:them", []string{roleSubmitter}}, "acme-asks acme-theirs", "t-acme", ""},
			{who{"acme", "user:x", []string{roleApprover}}, "acme-asks", "t-acme", ""},
			{who{"acme", "user:me", []string{roleApprover, roleSubmitter}}, "acme-asks acme-mine", "t-acme", "kacme"},
			{who{"acme", "user:x", []string{roleAuditor}}, "acme-asks acme-theirs acme-mine", "t-acme", ""},
			{who{"acme", "user:x", []string{roleAdmin}}, "acme-asks acme-theirs acme-mine", "t-acme", "zacme kacme"},
			{who{"acme", "key:zacme", nil}, "", "", "zacme"},
			{who{"nobody", "user:me", []string{roleAdmin, roleAuditor, roleApprover, roleSubmitter}}, "", "", ""},
			{who{"system", "user:me", []string{roleSubmitter}}, "", "", ""},
			{who{"system", "user:x", []string{roleApprover}}, "other-asks acme-asks", "t-other t-acme", ""},
			{who{"system", "user:x", []string{roleAuditor}}, "other-asks other-theirs other-mine acme-asks acme-theirs acme-mine", "t-other t-acme", ""},
			{who{"system", "user:x", []string{roleAdmin}}, "other-asks other-theirs other-mine acme-asks acme-theirs acme-mine", "t-other t-acme", "zother kother zacme kacme"},
		}
		for _, c := range cases {
			if got := strings.Join(b.ids(c.c, RunFilter{}), " "); got != c.runs {
				t.Errorf("%v sees runs %s, want %s", c.c, got, c.runs)
			}
			if strings.Contains(c.runs, "other") == false {
				if got := b.ids(c.c, RunFilter{Tenant: "other"}); len(got) > 0 {
					t.Errorf("%v, who asks for another tenant, sees %v", c.c, got)
				}
			}
			qs, err := b.s.Questions(t.Context(), c.c, QuestionFilter{})
			var tickets []string
			for _, q := range qs.Items {
				tickets = append(tickets, q.Ticket)
			}
			if got := strings.Join(tickets, " "); err != nil || got != c.questions {
				t.Errorf("%v sees questions %s, want %s; %v", c.c, got, c.questions, err)
			}
			keys, err := b.s.Keys(t.Context(), c.c, "")
			var ids []string
			for _, k := range keys {
				ids = append(ids, k.ID)
			}
			if got := strings.Join(ids, " "); err != nil || got != c.keys {
				t.Errorf("%v sees keys %s, want %s; %v", c.c, got, c.keys, err)
			}
			for _, id := range []string{"acme-mine", "acme-theirs", "acme-asks", "other-mine", "other-theirs", "other-asks"} {
				sees := slices.Contains(strings.Fields(c.runs), id)
				_, err := b.s.Run(t.Context(), c.c, id)
				_, eventsErr := b.s.Events(t.Context(), c.c, id)
				if sees != (err == nil) || sees != (eventsErr == nil) || !sees && (!errors.Is(err, ErrNotFound) || !errors.Is(eventsErr, ErrNotFound)) {
					t.Errorf("%v and %s: %v, %v", c.c, id, err, eventsErr)
				}
			}
			for _, ticket := range []string{"t-acme", "t-other"} {
				if _, err := b.s.Question(t.Context(), c.c, ticket); slices.Contains(strings.Fields(c.questions), ticket) != (err == nil) {
					t.Errorf("%v and %s: %v", c.c, ticket, err)
				}
			}
		}
	})
}

// TestNobodyIsAnswered: no query without a caller.
func TestNobodyIsAnswered(t *testing.T) {
	b := newBench(t, "")
	b.run("r1", "", "uid:0", palisade.OK)
	for _, c := range []Caller{nil, who{}, who{"acme", "", []string{roleAdmin}}, who{"", "user:x", []string{roleAdmin}}} {
		_, err1 := b.s.Run(t.Context(), c, "r1")
		_, err2 := b.s.Runs(t.Context(), c, RunFilter{})
		_, err3 := b.s.Events(t.Context(), c, "r1")
		_, err4 := b.s.Question(t.Context(), c, "t")
		_, err5 := b.s.Questions(t.Context(), c, QuestionFilter{})
		_, err6 := b.s.Keys(t.Context(), c, "")
		_, err7 := b.s.Claim(t.Context(), c, "k", palisade.Digest{1}, "r2")
		for i, err := range []error{err1, err2, err3, err4, err5, err6, err7} {
			if !errors.Is(err, ErrNoCaller) {
				t.Errorf("query %d, %v: %v", i+1, c, err)
			}
		}
	}
}

func TestQuestions(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		hour := b.clock.now().Add(time.Hour)
		for _, ticket := range []string{"t1", "t2", "t3", "t4"} {
			b.put("r"+ticket, palisade.EventReceived, submission("acme", "key:a"))
			b.ask("r"+ticket, ticket, "key:a", hour)
			b.finish("r"+ticket, palisade.ApprovalRequired)
		}
		answer := func(ticket string, yes bool, binding string) {
			b.put("r"+ticket, palisade.EventAnswered, map[string]any{"ticket": ticket, "digest": binding, "approve": yes, "approver": "user:x", "expires": hour.Add(time.Hour)})
		}
		answer("t2", true, "ab")
		answer("t2", false, "ab") // a second answer does not count
		answer("t3", false, "ab")
		answer("t1", true, "cd") // an answer to something else does not either
		answer("t4", true, "ab")
		b.put("again", palisade.EventReceived, submission("acme", "key:a"))
		b.put("again", palisade.EventConsumed, map[string]any{"ticket": "t4", "digest": "ab"})
		standing := func(want map[string]string) {
			t.Helper()
			for standing, tickets := range want {
				p, err := b.s.Questions(t.Context(), all, QuestionFilter{Standing: standing, Tenant: "acme", Submitter: "key:a"})
				var got []string
				for _, q := range p.Items {
					got = append(got, q.Ticket)
					if q.Standing(b.clock.now()) != standing || q.Run != "r"+q.Ticket {
						t.Errorf("%+v is %s", q, q.Standing(b.clock.now()))
					}
				}
				if err != nil || strings.Join(got, " ") != tickets {
					t.Errorf("%s: %v, want %s; %v", standing, got, tickets, err)
				}
			}
		}
		standing(map[string]string{Waiting: "t1", Approved: "t2", Denied: "t3", Consumed: "t4", Expired: "", "nonsense": ""})
		q, err := b.s.Question(t.Context(), all, "t4")
		if err != nil || q.Consumed != "again" || q.Approver != "user:x" || q.Severity != "high" || q.Tenant != "acme" || !q.Expires.Equal(hour.Add(time.Hour)) {
			t.Errorf("%+v, %v", q, err)
		}
		if r, err := b.s.Run(t.Context(), all, "again"); err != nil || r.Ticket != "t4" {
			t.Errorf("%+v, %v", r, err)
		}
		b.clock.pass(90 * time.Minute)
		standing(map[string]string{Waiting: "", Approved: "t2", Denied: "t3", Consumed: "t4", Expired: "t1"})
		p, err := b.s.Questions(t.Context(), all, QuestionFilter{Limit: 2})
		if err != nil || len(p.Items) != 2 || p.Items[0].Ticket != "t4" || p.Next == "" {
			t.Errorf("%+v, %v", p, err)
		}
		b.equal()
	})
}

// TestForgotten: what the log forgets, the index forgets too, whenever it was
// indexed.
func TestForgotten(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		b.run("r1", "acme", "key:a", palisade.OK)
		b.ask("r1", "t1", "key:a", b.clock.now().Add(time.Hour))
		b.run("r2", "acme", "key:b", palisade.OK)
		b.put("", kindCreated, map[string]any{"id": "k1", "tenant": "acme", "hash": "00"})
		if err := b.s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := b.log.Forget(t.Context(), audit.Selection{Run: "r1", Reason: "asked to"}); err != nil {
			t.Fatal(err)
		}
		r, err := b.s.Run(t.Context(), all, "r1")
		if err != nil || r.Tenant != "" || r.Submitter != "" || r.Program != "" || r.Status != "" || !r.Complete || !r.MayHaveRun || r.Entries != 7 {
			t.Errorf("%+v, %v", r, err)
		}
		if _, err := b.s.Question(t.Context(), all, "t1"); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
		if got := b.ids(auditor("acme"), RunFilter{}); !slices.Equal(got, []string{"r2"}) {
			t.Errorf("the tenant's auditor sees %v", got)
		}
		if strings.Contains(b.dump(), "key:a") {
			t.Error("the submitter is still there")
		}
		b.equal()
		if _, err := b.log.Forget(t.Context(), audit.Selection{Before: b.clock.now(), Reason: "retention"}); err != nil {
			t.Fatal(err)
		}
		b.equal()
		if keys, err := b.s.Keys(t.Context(), who{"system", "user:x", []string{roleAdmin}}, ""); err != nil || len(keys) != 1 || keys[0].ID != "k1" {
			t.Errorf("retention took a key: %v, %v", keys, err)
		}
	})
}

// TestRebuildFindsWhatWasChanged: rows that somebody changed, added or took away
// are named, and are the log's again.
func TestRebuildFindsWhatWasChanged(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		b.run("r1", "acme", "key:a", palisade.OK)
		b.run("r2", "acme", "key:a", palisade.OK)
		b.put("", kindCreated, map[string]any{"id": "k1", "tenant": "acme", "hash": "00", "roles": []string{"submitter"}})
		b.put("", kindRevoked, map[string]any{"scope": "key", "target": "k1", "tenant": "acme"})
		if err := b.s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		clean := b.dump()
		b.equal()
		for statement, table := range map[string]string{
			"UPDATE runs SET tenant = 'other' WHERE run = 'r1'": "runs",
			"DELETE FROM runs WHERE run = 'r2'":                 "runs",
			"DELETE FROM revocations":                           "revocations",
			"UPDATE keys SET roles = 'admin'":                   "keys",
			"UPDATE key_secrets SET hash = 'ff'":                "key_secrets",
			"DELETE FROM events WHERE idx = 3":                  "events",
			"INSERT INTO questions (" + questionColumns + ") VALUES ('t', 9, 'r1', 'acme', 'x', 'ab', 'low', 1, 2, '', 0, '')": "questions",
		} {
			if _, err := b.s.db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
			r, err := b.s.Rebuild(t.Context())
			if err != nil || !r.Compared || len(r.Differences) != 1 || r.Differences[0].Table != table {
				t.Errorf("%s: %+v, %v", statement, r, err)
			}
			if got := b.dump(); got != clean {
				t.Errorf("%s: after the rebuild\n%s\nwant\n%s", statement, got, clean)
			}
			b.equal()
		}
		// Also where what was added stands in the way of what the log has more.
		if _, err := b.s.db.ExecContext(t.Context(), "INSERT INTO events ("+eventColumns+") SELECT applied, '', 'x', 0, 0, '' FROM meta"); err != nil {
			t.Fatal(err)
		}
		b.run("r3", "acme", "key:a", palisade.OK)
		if err := b.s.Sync(t.Context()); err == nil {
			t.Error("an index that does not fit was brought up to date")
		}
		r, err := b.s.Rebuild(t.Context())
		if err != nil || r.Compared || len(r.Differences) != 1 || !strings.Contains(r.Differences[0].Why, "does not fit") {
			t.Errorf("%+v, %v", r, err)
		}
		b.equal()
		if got := b.ids(all, RunFilter{}); len(got) != 3 {
			t.Errorf("%v", got)
		}
	})
}

// TestOtherFold: an index that another version made is made anew by itself.
func TestOtherFold(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		b.run("r1", "acme", "key:a", palisade.OK)
		if err := b.s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := b.s.db.ExecContext(t.Context(), "UPDATE runs SET score = 99"); err != nil {
			t.Fatal(err)
		}
		if _, err := b.s.db.ExecContext(t.Context(), "UPDATE meta SET fold = 0"); err != nil {
			t.Fatal(err)
		}
		if r, err := b.s.Run(t.Context(), all, "r1"); err != nil || r.Score != 7 {
			t.Errorf("%+v, %v", r, err)
		}
		b.equal()
	})
}

// TestOtherLogIsRefused: a log that was started anew, cut or put back is not what
// was indexed.
func TestOtherLogIsRefused(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		b.run("r1", "acme", "key:a", palisade.OK)
		if err := b.s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.log.Close()
		copied := filepath.Join(b.home, "copy")
		if err := os.CopyFS(copied, os.DirFS(filepath.Join(b.home, "log"))); err != nil {
			t.Fatal(err)
		}
		b.log = b.openLog()
		b.c.Log = ledger{b.log}
		b.s = b.open()
		b.run("r2", "acme", "key:a", palisade.OK)
		if err := b.s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.log.Close()
		put := func(from string) {
			t.Helper()
			if err := os.RemoveAll(filepath.Join(b.home, "log")); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(filepath.Join(b.home, "log"), os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(b.home, "log"), 0o700); err != nil {
				t.Fatal(err)
			}
			b.log = b.openLog()
			b.c.Log = ledger{b.log}
			b.s = b.open()
		}
		put(copied)
		_, err := b.s.Runs(t.Context(), all, RunFilter{})
		if !errors.Is(err, ErrHistory) {
			t.Errorf("an older copy: %v", err)
		}
		for i := range 5 { // as long as the other, with another history
			b.run(fmt.Sprintf("x%d", i), "acme", "key:a", palisade.OK)
		}
		if _, err := b.s.Run(t.Context(), all, "r1"); !errors.Is(err, ErrHistory) {
			t.Errorf("another history: %v", err)
		}
		st, err := b.s.Status(t.Context())
		if err != nil || st.Problem == "" || st.Applied != 13 {
			t.Errorf("%+v, %v", st, err)
		}
		b.log.Close()
		fresh, err := audit.Create(t.Context(), audit.Config{Dir: filepath.Join(b.home, "log"), KeyFile: filepath.Join(b.home, "keys", "log.key"), Now: b.clock.now}, "test")
		if err != nil {
			t.Fatal(err)
		}
		defer fresh.Close()
		b.log, b.c.Log = fresh, ledger{fresh}
		b.s = b.open()
		if err := b.s.Sync(t.Context()); !errors.Is(err, ErrOtherLog) {
			t.Errorf("a new log: %v", err)
		}
		r, err := b.s.Rebuild(t.Context())
		if err != nil || r.Compared || len(r.Differences) != 1 {
			t.Errorf("%+v, %v", r, err)
		}
		if err := b.s.Sync(t.Context()); err != nil {
			t.Error(err)
		}
		st, err = b.s.Status(t.Context())
		if err != nil || st.Problem != "" || st.Applied != st.Entries || st.Rows["events"] != 1 {
			t.Errorf("%+v, %v", st, err)
		}
	})
}

// TestFollowersTogether: several processes' stores apply one log at the same
// time, while it grows and is flushed.
func TestFollowersTogether(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		stores := []*Store{b.s, b.open(), b.open()}
		done := make(chan error, len(stores))
		stop := make(chan struct{})
		for _, s := range stores {
			go func() {
				for {
					if err := s.Sync(t.Context()); err != nil {
						done <- err
						return
					}
					select {
					case <-stop:
						done <- nil
						return
					default:
					}
				}
			}()
		}
		for i := range 120 {
			b.run(fmt.Sprintf("r%03d", i), "acme", "key:a", palisade.OK)
			if i%40 == 39 {
				if err := b.log.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		close(stop)
		for range stores {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if got := b.ids(all, RunFilter{Limit: 1000}); len(got) != 120 {
			t.Errorf("%d runs", len(got))
		}
		b.equal()
	})
}

// TestOddPayloads: names with NUL, bad UTF-8, much too long; payloads of the
// wrong form; kinds that nobody knows. The index takes them all, and the same
// way twice.
func TestOddPayloads(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		s := submission("acme", "key:\x00a\x00")
		s.Program.Name = strings.Repeat("ü\x00\"\\", 10000)
		b.put("odd", palisade.EventReceived, s)
		b.put("odd", palisade.EventDecided, []int{1, 2})
		b.put("odd", palisade.EventOutcome, "nonsense")
		b.put("odd", palisade.EventConsumed, nil)
		b.put("", "kind_of_tomorrow", map[string]any{"tenant": "acme"})
		b.put("", kindCreated, map[string]any{"id": []int{1}})
		b.put("", kindCreated, map[string]any{"id": "k1", "tenant": "acme", "hash": "00", "roles": []string{"a b", "c\x00"}})
		r, err := b.s.Run(t.Context(), all, "odd")
		if err != nil || len(r.Program) > maxWord || !r.Complete || r.MayHaveRun || strings.Contains(r.Submitter, "\x00") {
			t.Errorf("%+v, %v", r, err)
		}
		if k, err := b.s.KeyByID(t.Context(), "k1"); err != nil || !slices.Equal(k.Roles, []string{"a_b", "c?"}) || !k.Revoked.IsZero() {
			t.Errorf("%+v, %v", k, err)
		}
		// A revocation that cannot be read revokes everything before it.
		b.put("", kindRevoked, "nonsense")
		if err := b.s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if k, err := b.s.KeyByID(t.Context(), "k1"); err != nil || k.Revoked.IsZero() {
			t.Errorf("%+v, %v", k, err)
		}
		b.equal()
	})
}

// TestFileIsPrivate: the database and what SQLite puts beside it are the owner's
// alone, and a file that is not is refused.
func TestFileIsPrivate(t *testing.T) {
	b := newBench(t, "")
	b.run("r1", "acme", "key:a", palisade.OK)
	if err := b.s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for file, mode := range map[string]fs.FileMode{b.c.File: 0o600, filepath.Dir(b.c.File): 0o700} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	dir := filepath.Dir(b.c.File)
	open := filepath.Join(dir, "open.db")
	if err := os.WriteFile(open, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink(b.c.File, link); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{open, link, dir, filepath.Join(b.home, "in-a-folder-of-all.db")} {
		c := b.c
		c.File = file
		if s, err := Open(t.Context(), c); err == nil {
			s.Close()
			t.Errorf("%s was taken", file)
		}
	}
	c := b.c
	c.File = filepath.Join(b.home, "no such", "folder", "what?.db#x%20y")
	s, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := os.Stat(c.File); errors.Is(err, fs.ErrNotExist) {
		t.Error("a name with a question mark was read as a URL")
	}
	// A newer Palisade's database is not touched.
	if _, err := b.s.db.ExecContext(t.Context(), "INSERT INTO index_migrations (version_id, is_applied) VALUES (999, 1)"); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(t.Context(), b.c); err == nil || !strings.Contains(err.Error(), "newer Palisade") {
		t.Error("taken", s, err)
	}
	for _, dsn := range []string{"postgres://user:hunter2@%zz/", "postgres:///x?host=/nowhere&password=hunter2"} {
		c := b.c
		c.DSN = dsn
		if s, err := Open(t.Context(), c); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Error(s, err)
		}
	}
}
