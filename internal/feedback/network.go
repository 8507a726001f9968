package feedback

import (
	"fmt"
	"strconv"
	"strings"

	"palisade"
)

// maxRefused is how many refused connections are told.
const maxRefused = 3

// network says what a program that failed to connect has.
func network(v palisade.Verdict) string {
	var names []string
	for _, p := range v.Egress {
		if !strings.HasPrefix(p.Name, "!") { // such a one is taken out of the others
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return "there is no network: have the data sent with the submission, as files or arguments"
	}
	return short("nothing is reached but these peers, over HTTP and TLS, through the proxy that HTTP_PROXY and HTTPS_PROXY name: "+strings.Join(names, ", "), maxStep)
}

// unconnected tells of connections that the proxy did not let through, each once.
// The words are the proxy's; names in them are the program's own.
func unconnected(a palisade.Activity) []string {
	var steps []string
	seen := map[string]bool{}
	for _, act := range a.Acts {
		if act.Kind != "peer" || !act.Refused || seen[act.What+act.Detail] || len(steps) >= maxRefused {
			continue
		}
		seen[act.What+act.Detail] = true
		detail := strings.Trim(strconv.QuoteToASCII(act.Detail), `"`)
		steps = append(steps, short(fmt.Sprintf("a connection was refused, and will be again: %s", detail), maxStep))
	}
	return steps
}
