package incident

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"palisade"
)

// Where a harmful part can stem from.
const (
	FromPrompt  = "prompt"  // it stands in what the model was asked
	FromFile    = "file"    // in a file, an argument or the standard input that came with the program
	FromEarlier = "earlier" // in an earlier turn of the conversation
	FromModel   = "model"   // in nothing that came with the program: the model's own word, as far as the record tells
	FromUnknown = "unknown" // the record no longer tells
)

// How sure an origin is. That something stands nowhere is never surer than
// medium: a model may have been told in ways that are not on the record.
const (
	SureHigh   = "high"
	SureMedium = "medium"
	SureLow    = "low"
)

// Origin says where one harmful part stems from.
type Origin struct {
	Finding  palisade.Finding `json:"finding"`
	From     string           `json:"from"`
	Sure     string           `json:"sure"`
	Because  string           `json:"because"` // in one sentence of our own
	Evidence []Match          `json:"evidence"`
}

// Match is one place where words of a harmful part stand. Words and Line are
// foreign.
type Match struct {
	Source string `json:"source"` // such as "prompt" or "file data.csv"
	At     int    `json:"line"`   // from 1
	Words  string `json:"words"`  // what was looked for
	How    string `json:"how"`
	Line   string `json:"text"` // the line, cut

	from   string
	weight int
}

// source is a text that came with a program.
type source struct {
	from, name string
	text       string
	whole      bool // all of it was text, and is here
}

// Bounds of what is looked through, in bytes, and at.
const (
	maxSource    = 4 << 20
	maxPieces    = 1 << 20 // of all sources, when looking for a text in pieces
	maxNeedle    = 512
	minNeedle    = 6
	minPiece     = 8
	maxMatches   = 8   // of one finding
	maxHarmful   = 20  // findings
	maxEvidence  = 200 // of a line
	maxEncodings = 200 // of one source
)

// sourcesOf are the texts that came with a submission.
func sourcesOf(s palisade.Submission) []source {
	out := []source{newSource(FromPrompt, "prompt", []byte(s.Prompt))}
	for _, f := range s.Files {
		out = append(out, newSource(FromFile, "file "+f.Name, f.Data))
	}
	if len(s.Stdin) > 0 {
		out = append(out, newSource(FromFile, "standard input", s.Stdin))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Inputs.Args)) {
		text := []byte(s.Inputs.Args[name])
		var plain string
		if json.Unmarshal(text, &plain) == nil {
			text = []byte(plain)
		}
		out = append(out, newSource(FromFile, "argument "+name, text))
	}
	return out
}

func newSource(from, name string, data []byte) source {
	s := source{from: from, name: name, whole: len(data) <= maxSource && utf8.Valid(data)}
	s.text = strings.ToValidUTF8(string(data[:min(len(data), maxSource)]), "\uFFFD")
	return s
}

// encoded finds what may be a text in another spelling.
var encoded = regexp.MustCompile(`[A-Za-z0-9+/_-]{16,}={0,2}`)

// decoded are the texts that a source holds in base64 or hex.
func decoded(s source) []source {
	var out []source
	for _, word := range encoded.FindAllString(s.text, maxEncodings) {
		for _, decode := range []func(string) ([]byte, error){
			hex.DecodeString,
			func(text string) ([]byte, error) {
				text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
				return base64.RawStdEncoding.DecodeString(text)
			},
		} {
			data, err := decode(word)
			if err == nil && utf8.Valid(data) && !strings.ContainsFunc(string(data), func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' }) {
				out = append(out, source{s.from, s.name + ", encoded", string(data), true})
				break
			}
		}
	}
	return out
}

// needle is something that is looked for.
type needle struct {
	text, how string
	weight    int
}

// weights: 3 is a text that nobody comes to by chance, 1 a word of the trade.
const (
	exactly   = 3
	partly    = 2
	loosely   = 1
	unmatched = 0
)

// quoted is a literal in code, roughly: enough to look for it.
var quoted = regexp.MustCompile(`"([^"\\\n]+)"|'([^'\\\n]+)'`)

// needlesOf are what may stand elsewhere of a finding, the most telling first.
func needlesOf(f palisade.Finding, code string) []needle {
	var all []needle
	add := func(text, how string, weight int) {
		text = strings.TrimSpace(text)
		text = strings.ToValidUTF8(text[:min(len(text), maxNeedle)], "")
		if len(text) >= minNeedle && !slices.ContainsFunc(all, func(n needle) bool { return n.text == text }) {
			all = append(all, needle{text, how, weight})
		}
	}
	if !f.Unknown {
		add(f.Argument, "what it is used on", exactly)
		for _, word := range strings.FieldsFunc(f.Argument, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'|;&<>()=,`, r) }) {
			if strings.ContainsAny(word, "/.@") {
				add(word, "a part of what it is used on", partly)
				add(head(word), "the peer or folder", partly)
			}
		}
	}
	lines := strings.Split(code, "\n")
	if f.Line >= 1 && f.Line <= len(lines) {
		for _, m := range quoted.FindAllStringSubmatch(lines[f.Line-1], 16) {
			add(m[1]+m[2], "a literal of the line", partly)
		}
	}
	add(f.Symbol, "the name of what it uses", loosely)
	return all
}

// head is the host of a URL, or the first folder of a path.
func head(word string) string {
	_, rest, _ := strings.Cut(word, "://")
	parts := strings.FieldsFunc(cmp.Or(rest, word), func(r rune) bool { return r == '/' || r == ':' || r == '?' })
	return cmp.Or(append(parts, "")...)
}

// originOf says where one finding stems from.
func originOf(f palisade.Finding, code string, sources []source) Origin {
	o := Origin{Finding: f, Evidence: []Match{}}
	needles := needlesOf(f, code)
	for _, n := range needles {
		for _, s := range sources {
			if m, ok := s.find(n); ok {
				o.Evidence = append(o.Evidence, m)
			}
		}
	}
	if len(o.Evidence) == 0 && len(needles) > 0 {
		o.Evidence = append(o.Evidence, inPieces(needles[0], sources)...)
	}
	order := []string{FromPrompt, FromFile, FromEarlier}
	slices.SortStableFunc(o.Evidence, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(slices.Index(order, a.from), slices.Index(order, b.from)))
	})
	o.Evidence = o.Evidence[:min(len(o.Evidence), maxMatches)]
	if len(o.Evidence) > 0 {
		best := o.Evidence[0]
		o.From, o.Sure = best.from, []string{SureLow, SureLow, SureMedium, SureHigh}[best.weight]
		o.Because = fmt.Sprintf("%s stands in the %s", best.How, best.Source)
		return o
	}
	o.From, o.Sure, o.Because = FromModel, SureMedium, "none of its words stand in what came with the program"
	for _, s := range sources {
		if s.from == FromPrompt && s.text == "" {
			o.Sure, o.Because = SureLow, "none of its words stand in what came with the program; but no prompt came with it"
		} else if !s.whole {
			o.Sure, o.Because = SureLow, "none of its words stand in what came with the program; but not all of that is text that could be looked through"
		}
	}
	if len(needles) == 0 {
		o.Sure, o.Because = SureLow, "the reading could not tell what it is used on, so that there are no words to look for"
	}
	return o
}

// find looks for a needle in a source: as it is, then with case and spaces
// folded.
func (s source) find(n needle) (Match, bool) {
	if at := strings.Index(s.text, n.text); at >= 0 {
		return s.match(n, at, n.how), true
	}
	folded := fold(n.text)
	if n.weight <= loosely || len(folded) < minNeedle || !strings.Contains(fold(s.text), folded) {
		return Match{}, false
	}
	n.weight = partly
	at := strings.Index(strings.ToLower(s.text), strings.ToLower(strings.Fields(n.text)[0]))
	return s.match(n, max(at, 0), n.how+", in another spelling,"), true
}

func fold(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

func (s source) match(n needle, at int, how string) Match {
	at = min(at, len(s.text))
	start := strings.LastIndexByte(s.text[:at], '\n') + 1
	line := s.text[max(start, at-maxEvidence/2):]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	line = strings.ToValidUTF8(line[:min(len(line), maxEvidence)], "")
	return Match{s.name, 1 + strings.Count(s.text[:at], "\n"), n.text, how, line, s.from, n.weight}
}

// inPieces looks for a text that was put together of pieces that stand apart.
func inPieces(n needle, sources []source) []Match {
	if n.weight < exactly {
		return nil
	}
	var out []Match
	covered, room := 0, maxPieces
	for at := 0; at+minPiece <= len(n.text); {
		var best source
		length := 0
		for _, s := range sources {
			if room < 0 {
				break
			}
			room -= len(s.text) / 64
			k := minPiece
			for k <= len(n.text)-at && strings.Contains(s.text, n.text[at:at+k]) {
				k++
			}
			if k-1 > length && k > minPiece {
				best, length = s, k-1
			}
		}
		if length == 0 {
			at++
			continue
		}
		piece := needle{strings.ToValidUTF8(n.text[at:at+length], ""), "a piece of what it is used on", partly}
		out = append(out, best.match(piece, strings.Index(best.text, n.text[at:at+length]), piece.how))
		covered, at = covered+length, at+length
	}
	if covered*5 < len(n.text)*4 {
		return nil // less than four fifths is chance
	}
	return out
}

// harmful are the findings that are asked after: what policy did not allow,
// else what is grave, with what the box was seen to be refused.
func harmful(v palisade.Verdict, in palisade.Inspection, acts []palisade.Act) []palisade.Finding {
	var out []palisade.Finding
	for _, r := range v.Reasons {
		out = append(out, r.Finding)
	}
	if len(out) == 0 {
		for _, f := range in.Findings {
			if f.Severity >= palisade.Medium {
				out = append(out, f)
			}
		}
		slices.SortStableFunc(out, func(a, b palisade.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	}
	for _, a := range acts {
		if a.Refused {
			out = append(out, palisade.Finding{Rule: "act-" + a.Kind, Severity: palisade.Medium, Message: "was refused while it ran", Argument: a.What})
		}
	}
	return out[:min(len(out), maxHarmful)]
}
