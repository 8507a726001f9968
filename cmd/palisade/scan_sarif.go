package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"palisade"
	"palisade/internal/rules"
)

// sarifSchema is the schema of SARIF 2.1.0 (OASIS, errata 01).
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// The parts of SARIF 2.1.0 that a scan has something to say in.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifDriver struct {
		Name            string      `json:"name"`
		SemanticVersion string      `json:"version"`
		Rules           []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string         `json:"id"`
		ShortDescription *sarifText     `json:"shortDescription,omitempty"`
		FullDescription  *sarifText     `json:"fullDescription,omitempty"`
		Help             *sarifText     `json:"help,omitempty"`
		Properties       map[string]any `json:"properties,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   map[string]any    `json:"properties"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
)

// sarifReport gathers all files into one log, which it writes at the end.
type sarifReport struct {
	out           io.Writer
	version       string
	rules         []sarifRule
	index         map[string]int
	results       []sarifResult
	notifications []sarifNotification
}

// add takes in one file. What could not be read is no result but a
// notification: the tool did not do its work there.
func (r *sarifReport) add(s scanned) error {
	if s.Error != "" {
		r.notify(s.Error, sarifAt(s.Path, nil, palisade.Finding{}))
		return nil
	}
	decided := map[findingKey]palisade.Reason{}
	for _, reason := range s.Reasons {
		decided[keyOf(reason.Finding)] = reason
	}
	seen := map[string]int{}
	for _, f := range s.Findings {
		at := sarifAt(s.Path, s.source, f)
		switch f.Capability {
		case palisade.CapUnparsable, palisade.CapFailed, palisade.CapOversized:
			r.notify(f.Message, at)
			continue
		}
		reason, stopped := decided[keyOf(f)]
		result := sarifResult{
			RuleID: f.Rule, RuleIndex: r.rule(f), Level: "note", Message: sarifText{f.Message}, Locations: []sarifLocation{at},
			Properties: map[string]any{"capability": f.Capability, "severity": f.Severity, "decision": palisade.Allow},
		}
		if stopped {
			result.Level = map[palisade.Decision]string{palisade.Deny: "error", palisade.Ask: "warning"}[reason.Decision]
			result.Properties["decision"], result.Properties["policy"] = reason.Decision, reason.Policy
		}
		if f.Evidence != "" {
			result.Properties["evidence"] = f.Evidence
		}
		print := fingerprint(s, f)
		result.Fingerprints = map[string]string{"palisade/v1": fmt.Sprintf("%s:%d", print, seen[print])}
		seen[print]++
		r.results = append(r.results, result)
	}
	return nil
}

func (r *sarifReport) notify(message string, at sarifLocation) {
	r.notifications = append(r.notifications, sarifNotification{Level: "error", Message: sarifText{message}, Locations: []sarifLocation{at}})
}

// end writes the log.
func (r *sarifReport) end() error {
	var run sarifRun
	run.Tool.Driver = sarifDriver{Name: "Palisade", SemanticVersion: r.version, Rules: append([]sarifRule{}, r.rules...)}
	run.Invocations = []sarifInvocation{{ExecutionSuccessful: len(r.notifications) == 0, Notifications: r.notifications}}
	run.ColumnKind = "unicodeCodePoints"
	run.Results = append([]sarifResult{}, r.results...)
	return writeJSON(r.out, sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// rule returns the place of a finding's rule in the list of those that found
// something.
func (r *sarifReport) rule(f palisade.Finding) int {
	if r.index == nil {
		r.index = map[string]int{}
	}
	at, ok := r.index[f.Rule]
	if !ok {
		at = len(r.rules)
		r.index[f.Rule] = at
		r.rules = append(r.rules, describe(f))
	}
	return at
}

// securitySeverity is what code hosts sort by: CVSS v3 bands, by severity.
var securitySeverity = map[palisade.Severity]string{
	palisade.Info: "0.0", palisade.Low: "3.0", palisade.Medium: "5.5", palisade.High: "8.0", palisade.Critical: "9.5",
}

// describe tells of a rule what the catalogue knows; rules of files and of
// policy itself are known by their findings alone.
func describe(f palisade.Finding) sarifRule {
	tags := []string{"security"}
	out := sarifRule{ID: f.Rule}
	if rule, ok := rules.Find(f.Rule); ok {
		out.ShortDescription, out.FullDescription, out.Help = &sarifText{rule.Title}, &sarifText{rule.Description}, &sarifText{rule.Remedy}
		if rule.CWE > 0 {
			tags = append(tags, fmt.Sprintf("external/cwe/cwe-%03d", rule.CWE))
		}
	}
	out.Properties = map[string]any{"tags": tags, "security-severity": securitySeverity[f.Severity]}
	return out
}

// sarifAt is the place of a finding: a relative URI, or a file: URI, and code
// points for columns.
func sarifAt(file string, source []byte, f palisade.Finding) (at sarifLocation) {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	at.Physical.Artifact.URI = u.String()
	if f.Line < 1 {
		return at
	}
	at.Physical.Region = &sarifRegion{StartLine: f.Line}
	if line := lineOf(source, f.Line); f.Column > 0 && f.Column-1 <= len(line) {
		at.Physical.Region.StartColumn = 1 + utf8.RuneCountInString(line[:f.Column-1])
	}
	return at
}

func lineOf(source []byte, n int) string {
	for line := range strings.Lines(string(source)) {
		if n--; n == 0 {
			return strings.TrimSuffix(line, "\n")
		}
	}
	return ""
}

// fingerprint tells one finding from another, whatever line it moves to.
func fingerprint(s scanned, f palisade.Finding) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Rule, s.Path, f.Symbol, f.Argument, strings.TrimSpace(lineOf(s.source, f.Line))}, "\x00")))
	return hex.EncodeToString(sum[:8])
}
