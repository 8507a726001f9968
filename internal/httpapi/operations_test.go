package httpapi_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// call is one request and what it is answered with. Words in {} are the world's.
type call struct {
	who, path, body string
	status          int
	code            string // of an error
	// none says why there is no such call.
	none string
}

// row is one operation: what goes well, who is refused, what another tenant meets,
// and what bad input does.
type row struct{ success, refusal, other, bad call }

const nobodys = "it belongs to no tenant"

// operations has a row for each operation of the document.
var operations = map[string]row{
	"submitExecution": {
		call{who: "blue submitter", path: "/v1/executions", body: `{"code": "print(1)"}`, status: 200},
		call{who: "blue auditor", path: "/v1/executions", body: `{"code": "print(1)"}`, status: 403, code: "forbidden"},
		call{none: "who submits, submits for their own tenant"},
		call{who: "blue submitter", path: "/v1/executions", body: `{"cod": "print(1)"}`, status: 422, code: "invalid"},
	},
	"listExecutions": {
		call{who: "blue submitter", path: "/v1/executions", status: 200},
		call{path: "/v1/executions", status: 401, code: "unauthenticated"},
		call{who: "red auditor", path: "/v1/executions?tenant=blue", status: 200},
		call{who: "blue submitter", path: "/v1/executions?limit=0", status: 422, code: "invalid"},
	},
	"getExecution": {
		call{who: "blue submitter", path: "/v1/executions/{run}", status: 200},
		call{path: "/v1/executions/{run}", status: 401, code: "unauthenticated"},
		call{who: "red admin", path: "/v1/executions/{run}", status: 404, code: "not_found"},
		call{who: "blue submitter", path: "/v1/executions/nope", status: 404, code: "not_found"},
	},
	"cancelExecution": {
		call{who: "blue submitter", path: "/v1/executions/{sleeping}/cancel", body: `{}`, status: 202},
		call{who: "blue auditor", path: "/v1/executions/{sleeping}/cancel", body: `{}`, status: 403, code: "forbidden"},
		call{who: "red admin", path: "/v1/executions/{sleeping}/cancel", body: `{}`, status: 404, code: "not_found"},
		call{who: "blue submitter", path: "/v1/executions/{run}/cancel", body: `{}`, status: 409, code: "conflict"},
	},
	"streamExecution": {
		call{who: "blue submitter", path: "/v1/executions/{run}/stream", status: 200},
		call{path: "/v1/executions/{run}/stream", status: 401, code: "unauthenticated"},
		call{who: "red admin", path: "/v1/executions/{run}/stream", status: 404, code: "not_found"},
		call{who: "blue submitter", path: "/v1/executions/nope/stream", status: 404, code: "not_found"},
	},
	"listArtifacts": {
		call{who: "blue submitter", path: "/v1/executions/{run}/artifacts", status: 200},
		call{path: "/v1/executions/{run}/artifacts", status: 401, code: "unauthenticated"},
		call{who: "red admin", path: "/v1/executions/{run}/artifacts", status: 404, code: "not_found"},
		call{who: "blue submitter", path: "/v1/executions/nope/artifacts", status: 404, code: "not_found"},
	},
	"getArtifact": {
		call{who: "blue submitter", path: "/v1/executions/{run}/artifacts/out%2Fa%20b.txt", status: 200},
		call{path: "/v1/executions/{run}/artifacts/out%2Fa%20b.txt", status: 401, code: "unauthenticated"},
		call{who: "red admin", path: "/v1/executions/{run}/artifacts/out%2Fa%20b.txt", status: 404, code: "not_found"},
		call{who: "blue submitter", path: "/v1/executions/{run}/artifacts/..%2F..%2Fconfig.yaml", status: 404, code: "not_found"},
	},
	"scan": {
		call{who: "blue submitter", path: "/v1/scans", body: `{"code": "deny"}`, status: 200},
		call{who: "blue submitter", path: "/v1/scans", body: `{"code": "x", "profile": "agent"}`, status: 403, code: "forbidden"},
		call{none: nobodys},
		call{who: "blue submitter", path: "/v1/scans", body: `{"code": 1}`, status: 422, code: "invalid"},
	},
	"listApprovals": {
		call{who: "blue approver", path: "/v1/approvals?standing=waiting", status: 200},
		call{path: "/v1/approvals", status: 401, code: "unauthenticated"},
		call{who: "red approver", path: "/v1/approvals?tenant=blue", status: 200},
		call{who: "blue approver", path: "/v1/approvals?standing=nope", status: 422, code: "invalid"},
	},
	"getApproval": {
		call{who: "blue approver", path: "/v1/approvals/{ticket}", status: 200},
		call{path: "/v1/approvals/{ticket}", status: 401, code: "unauthenticated"},
		call{who: "red approver", path: "/v1/approvals/{ticket}", status: 404, code: "not_found"},
		call{who: "blue approver", path: "/v1/approvals/nope", status: 404, code: "not_found"},
	},
	"approveApproval": {
		call{who: "blue approver", path: "/v1/approvals/{ticket}/approve", body: `{"digest": "{digest}"}`, status: 200},
		call{who: "blue submitter", path: "/v1/approvals/{ticket}/approve", body: `{"digest": "{digest}"}`, status: 403, code: "forbidden"},
		call{who: "red approver", path: "/v1/approvals/{ticket}/approve", body: `{"digest": "{digest}"}`, status: 404, code: "not_found"},
		call{who: "blue approver", path: "/v1/approvals/{ticket}/approve", body: `{"digest": "00000000"}`, status: 422, code: "invalid"},
	},
	"denyApproval": {
		call{who: "blue approver", path: "/v1/approvals/{ticket2}/deny", body: `{"digest": "{digest2}"}`, status: 200},
		call{who: "blue auditor", path: "/v1/approvals/{ticket2}/deny", body: `{"digest": "{digest2}"}`, status: 403, code: "forbidden"},
		call{who: "red approver", path: "/v1/approvals/{ticket2}/deny", body: `{"digest": "{digest2}"}`, status: 404, code: "not_found"},
		call{who: "blue approver", path: "/v1/approvals/{ticket2}/deny", body: `{}`, status: 422, code: "invalid"},
	},
	"listPolicies": {
		call{who: "blue submitter", path: "/v1/policies", status: 200},
		call{path: "/v1/policies", status: 401, code: "unauthenticated"},
		call{none: nobodys},
		call{who: "blue submitter", path: "/v1/policies?x=1", status: 422, code: "invalid"},
	},
	"getPolicy": {
		call{who: "blue submitter", path: "/v1/policies/data", status: 200},
		call{path: "/v1/policies/data", status: 401, code: "unauthenticated"},
		call{none: nobodys},
		call{who: "blue submitter", path: "/v1/policies/nope", status: 404, code: "not_found"},
	},
	"validatePolicy": {
		call{who: "blue submitter", path: "/v1/policies/validate", body: `{"text": "wrong"}`, status: 200},
		call{path: "/v1/policies/validate", body: `{"text": "wrong"}`, status: 401, code: "unauthenticated"},
		call{none: nobodys},
		call{who: "blue submitter", path: "/v1/policies/validate", body: `{"file": "x"}`, status: 422, code: "invalid"},
	},
	"explainPolicy": {
		call{who: "blue submitter", path: "/v1/policies/explain", body: `{"things": ["os.system"]}`, status: 200},
		call{path: "/v1/policies/explain", body: `{"things": ["os.system"]}`, status: 401, code: "unauthenticated"},
		call{none: nobodys},
		call{who: "blue submitter", path: "/v1/policies/explain", body: `{"things": []}`, status: 422, code: "invalid"},
	},
	"listEntries": {
		call{who: "blue auditor", path: "/v1/audit/entries?run={run}&payloads=true", status: 200},
		call{who: "blue submitter", path: "/v1/audit/entries?run={run}", status: 403, code: "forbidden"},
		call{who: "red auditor", path: "/v1/audit/entries?run={run}", status: 404, code: "not_found"},
		call{who: "blue auditor", path: "/v1/audit/entries", status: 422, code: "invalid"},
	},
	"getEntry": {
		call{who: "blue auditor", path: "/v1/audit/entries/{entry}", status: 200},
		call{who: "blue submitter", path: "/v1/audit/entries/{entry}", status: 403, code: "forbidden"},
		call{who: "red auditor", path: "/v1/audit/entries/{entry}", status: 404, code: "not_found"},
		call{who: "blue auditor", path: "/v1/audit/entries/-1", status: 422, code: "invalid"},
	},
	"proveEntry": {
		call{who: "blue auditor", path: "/v1/audit/entries/{entry}/proof", status: 200},
		call{who: "blue submitter", path: "/v1/audit/entries/{entry}/proof", status: 403, code: "forbidden"},
		call{who: "red auditor", path: "/v1/audit/entries/{entry}/proof", status: 404, code: "not_found"},
		call{who: "system auditor", path: "/v1/audit/entries/999999/proof", status: 404, code: "not_found"},
	},
	"getHead": {
		call{who: "blue auditor", path: "/v1/audit/heads", status: 200},
		call{who: "blue submitter", path: "/v1/audit/heads", status: 403, code: "forbidden"},
		call{none: nobodys},
		call{who: "blue auditor", path: "/v1/audit/heads?size=1", status: 422, code: "invalid"},
	},
	"verifyRecord": {
		call{who: "system auditor", path: "/v1/audit/verify", body: `{}`, status: 200},
		call{who: "blue submitter", path: "/v1/audit/verify", body: `{}`, status: 403, code: "forbidden"},
		call{who: "blue auditor", path: "/v1/audit/verify", body: `{}`, status: 403, code: "forbidden"},
		call{who: "system auditor", path: "/v1/audit/verify", body: `[]`, status: 422, code: "invalid"},
	},
	"investigateRun": {
		call{who: "system auditor", path: "/v1/audit/reports/{run}", status: 200},
		call{who: "blue submitter", path: "/v1/audit/reports/{run}", status: 403, code: "forbidden"},
		call{who: "red auditor", path: "/v1/audit/reports/{run}", status: 403, code: "forbidden"},
		call{who: "system auditor", path: "/v1/audit/reports/nope", status: 404, code: "not_found"},
	},
	"whoAmI": {
		call{who: "blue submitter", path: "/v1/me", status: 200},
		call{path: "/v1/me", status: 401, code: "unauthenticated"},
		call{none: nobodys},
		call{who: "blue submitter", path: "/v1/me?x=1", status: 422, code: "invalid"},
	},
	"listKeys": {
		call{who: "blue admin", path: "/v1/keys", status: 200},
		call{path: "/v1/keys", status: 401, code: "unauthenticated"},
		call{who: "red admin", path: "/v1/keys?tenant=blue", status: 200},
		call{who: "blue admin", path: "/v1/keys?x=1", status: 422, code: "invalid"},
	},
	"createKey": {
		call{who: "system admin", path: "/v1/keys", body: `{"tenant": "blue", "roles": ["submitter"], "profiles": ["data"]}`, status: 201},
		call{who: "blue admin", path: "/v1/keys", body: `{"roles": ["submitter"], "profiles": ["data"]}`, status: 403, code: "forbidden"},
		call{who: "red admin", path: "/v1/keys", body: `{"tenant": "blue", "roles": ["submitter"]}`, status: 403, code: "forbidden"},
		call{who: "blue admin", path: "/v1/keys", body: `{"roles": ["king"]}`, status: 422, code: "invalid"},
	},
	"rotateKey": {
		call{who: "blue admin", path: "/v1/keys/{key}/rotate", body: `{"grace_seconds": 60}`, status: 200},
		call{path: "/v1/keys/{key}/rotate", body: `{}`, status: 401, code: "unauthenticated"},
		call{who: "red admin", path: "/v1/keys/{key}/rotate", body: `{}`, status: 404, code: "not_found"},
		call{who: "blue admin", path: "/v1/keys/{key}/rotate", body: `{"grace_seconds": -1}`, status: 422, code: "invalid"},
	},
	"revokeKey": {
		call{who: "blue admin", path: "/v1/keys/{key2}", status: 204},
		call{path: "/v1/keys/{key2}", status: 401, code: "unauthenticated"},
		call{who: "red admin", path: "/v1/keys/{key2}", status: 404, code: "not_found"},
		call{who: "blue admin", path: "/v1/keys/nope", status: 404, code: "not_found"},
	},
	"revokeKeys": {
		call{who: "blue admin", path: "/v1/revocations", body: `{"scope": "owner", "target": "ann"}`, status: 204},
		call{who: "blue submitter", path: "/v1/revocations", body: `{"scope": "tenant"}`, status: 403, code: "forbidden"},
		call{who: "red admin", path: "/v1/revocations", body: `{"scope": "tenant", "tenant": "blue"}`, status: 403, code: "forbidden"},
		call{who: "blue admin", path: "/v1/revocations", body: `{"scope": "world"}`, status: 422, code: "invalid"},
	},
	"getBrake": {
		call{who: "blue admin", path: "/v1/incident", status: 200},
		call{who: "blue submitter", path: "/v1/incident", status: 403, code: "forbidden"},
		call{who: "red admin", path: "/v1/incident", status: 200},
		call{who: "blue admin", path: "/v1/incident?x=1", status: 422, code: "invalid"},
	},
	"setLockdown": {
		call{who: "system admin", path: "/v1/incident/lockdown", body: `{"on": false}`, status: 200},
		call{who: "blue submitter", path: "/v1/incident/lockdown", body: `{"on": true}`, status: 403, code: "forbidden"},
		call{who: "blue admin", path: "/v1/incident/lockdown", body: `{"on": true}`, status: 403, code: "forbidden"},
		call{who: "system admin", path: "/v1/incident/lockdown", body: `{}`, status: 422, code: "invalid"},
	},
	"setEgress": {
		call{who: "system admin", path: "/v1/incident/egress", body: `{"off": false}`, status: 200},
		call{who: "blue submitter", path: "/v1/incident/egress", body: `{"off": true}`, status: 403, code: "forbidden"},
		call{who: "blue admin", path: "/v1/incident/egress", body: `{"off": true}`, status: 403, code: "forbidden"},
		call{who: "system admin", path: "/v1/incident/egress", body: `{"off": "yes"}`, status: 422, code: "invalid"},
	},
	"kill": {
		call{who: "blue admin", path: "/v1/incident/kill", body: `{"run": "{sleeping2}"}`, status: 200},
		call{who: "blue submitter", path: "/v1/incident/kill", body: `{"run": "{sleeping2}"}`, status: 403, code: "forbidden"},
		call{who: "red admin", path: "/v1/incident/kill", body: `{"run": "{sleeping2}"}`, status: 404, code: "not_found"},
		call{who: "blue admin", path: "/v1/incident/kill", body: `{"run": "x", "all": true}`, status: 422, code: "invalid"},
	},
	"metrics": {
		call{who: "system auditor", path: "/v1/metrics", status: 200},
		call{who: "blue submitter", path: "/v1/metrics", status: 403, code: "forbidden"},
		call{who: "blue auditor", path: "/v1/metrics", status: 403, code: "forbidden"},
		call{who: "system auditor", path: "/v1/metrics?x=1", status: 422, code: "invalid"},
	},
	"health": {
		call{path: "/v1/health", status: 200},
		call{none: "it takes no key"},
		call{none: nobodys},
		call{path: "/v1/health?x=1", status: 422, code: "invalid"},
	},
	"ready": {
		call{path: "/v1/ready", status: 200},
		call{none: "it takes no key"},
		call{none: nobodys},
		call{path: "/v1/ready?x=1", status: 422, code: "invalid"},
	},
}

// document is the part of an OpenAPI document that a test needs.
type document struct {
	OpenAPI string `json:"openapi"`
	Paths   map[string]map[string]struct {
		OperationID string         `json:"operationId"`
		Responses   map[string]any `json:"responses"`
		Parameters  []struct {
			Name, In string
		} `json:"parameters"`
		RequestBody map[string]any `json:"requestBody"`
	} `json:"paths"`
}

func (w *world) document() document {
	w.t.Helper()
	var d document
	if err := json.Unmarshal([]byte(w.ask("", "GET", "/openapi.json", "").text), &d); err != nil {
		w.t.Fatal(err)
	}
	return d
}

// words are what the calls name.
func (w *world) words() *strings.Replacer {
	w.t.Helper()
	run := w.run("blue submitter", "file").member("run")
	asked, asked2 := w.run("blue submitter", "ask 1"), w.run("blue submitter", "ask 2")
	entries := w.ask("blue auditor", "GET", "/v1/audit/entries?run="+run, "")
	items, _ := entries.body["items"].([]any)
	first, _ := items[0].(map[string]any)
	entry, err := json.Marshal(first["index"])
	must(w.t, err)
	w.key("blue spare")
	w.key("blue spare2")
	words := []string{
		"{run}", run, "{entry}", string(entry), "{key}", w.ids["blue spare"], "{key2}", w.ids["blue spare2"],
		"{ticket}", asked.member("approval.ticket"), "{digest}", asked.member("approval.digest"),
		"{ticket2}", asked2.member("approval.ticket"), "{digest2}", asked2.member("approval.digest"),
	}
	for _, name := range []string{"{sleeping}", "{sleeping2}"} {
		words = append(words, name, w.sleeping("blue submitter"))
	}
	return strings.NewReplacer(words...)
}

// sleeping starts a program that sleeps and returns its run.
func (w *world) sleeping(who string) string {
	w.t.Helper()
	a := w.run(who, "sleep", "Prefer", "respond-async")
	if a.status != 202 {
		w.t.Fatalf("%d %s", a.status, a.text)
	}
	w.until(who, a.member("run"), func(e answer) bool { return e.member("started") == "true" })
	return a.member("run")
}

// until waits for something to be true of a run.
func (w *world) until(who, run string, is func(answer) bool) answer {
	w.t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		a := w.ask(who, "GET", "/v1/executions/"+run, "")
		if is(a) {
			return a
		}
		if time.Now().After(end) {
			w.t.Fatalf("run %s: %s", run, a.text)
		}
	}
}

// TestOperations plays the four cases of every operation of the document, and
// fails where one has no row. Every answer is one that the document has.
func TestOperations(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		words := w.words()
		seen := map[string]bool{}
		d := w.document()
		for path, methods := range d.Paths {
			for method, op := range methods {
				seen[op.OperationID] = true
				r, ok := operations[op.OperationID]
				if !ok {
					t.Errorf("%s %s (%s) has no row", method, path, op.OperationID)
					continue
				}
				for _, one := range []struct {
					name string
					call
				}{{"refusal", r.refusal}, {"other tenant", r.other}, {"bad input", r.bad}, {"success", r.success}} {
					if one.none != "" {
						continue
					}
					a := w.ask(one.who, strings.ToUpper(method), words.Replace(one.path), words.Replace(one.body))
					if a.status != one.status || a.member("code") != one.code {
						t.Errorf("%s, %s: %d %s, want %d %s", op.OperationID, one.name, a.status, a.text, one.status, one.code)
					}
					if !slices.Contains(slices.Collect(maps.Keys(op.Responses)), statusText(a.status)) {
						t.Errorf("%s, %s: %d is not in the document", op.OperationID, one.name, a.status)
					}
					if one.name == "other tenant" && (strings.Contains(a.text, words.Replace("{run}")) || strings.Contains(a.text, words.Replace("{ticket}")) || strings.Contains(a.text, words.Replace("{key}"))) {
						t.Errorf("%s tells another tenant: %s", op.OperationID, a.text)
					}
				}
			}
		}
		for id := range operations {
			if !seen[id] {
				t.Errorf("the row %s has no operation", id)
			}
		}
	})
}

func statusText(status int) string {
	text, _ := json.Marshal(status)
	return string(text)
}
