package local_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"palisade"
	"palisade/local"
)

// TestScanRepeatsNoCredential: whatever stands in a program next to what is found
// in it, what a scan says of it ends in logs.
func TestScanRepeatsNoCredential(t *testing.T) {
	r, err := local.NewReader(local.Config{Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	const token, password = "ghp_1234567890abcdefABCDEF1234567890abcd", "hunter2hunter2"
	for source, language := range map[string]palisade.Language{
		"import os\nos.system('echo " + token + "')":                                             palisade.Python,
		"t = '" + token + "'\nexec(t)\nimport requests\nrequests.get('https://x.example/?' + t)": palisade.Python,
		"import " + token: palisade.Python,
		"import requests\nrequests.get('https://u:" + password + "@x.example/')":                                palisade.Python,
		"curl -u u:" + password + " https://x.example":                                                          palisade.Shell,
		"curl -H 'Authorization: token " + token + "' https://x.example":                                        palisade.Shell,
		"SELECT dblink('host=x password=" + password + "', 'SELECT 1')":                                         palisade.SQL,
		"terraform {\n  backend \"pg\" {\n    conn_str = \"postgres://u:" + password + "@x.example/d\"\n  }\n}": palisade.Terraform,
		"FROM a:1\nENV PASSWORD=" + password + "\nRUN curl -u u:" + password + " http://x.example":              palisade.Dockerfile,
		"apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData: {a: " + password + "}":                  palisade.Kubernetes,
	} {
		inspection, verdict, err := r.Scan(context.Background(), palisade.Submission{Program: palisade.Program{Language: language, Name: "p", Source: []byte(source)}})
		if err != nil {
			t.Fatal(err)
		}
		said, err := json.Marshal([]any{inspection.Findings, verdict.Reasons})
		if err != nil {
			t.Fatal(err)
		}
		if len(inspection.Findings) == 0 || strings.Contains(string(said), token) || strings.Contains(string(said), password) {
			t.Errorf("%s\n%s", source, said)
		}
	}
}
