package policy

import (
	"slices"
	"strings"
	"testing"

	"palisade"
)

func peerNames(peers []palisade.Peer) []string {
	var out []string
	for _, p := range peers {
		out = append(out, p.Name)
	}
	return out
}

// TestAskedPeersAreGranted: what a human is asked about, and nothing else, is
// what the run will reach.
func TestAskedPeersAreGranted(t *testing.T) {
	s := owned(t)
	const net, read = palisade.CapNetwork, palisade.CapReadPath
	cases := []struct {
		findings []palisade.Finding
		want     []string
	}{
		{[]palisade.Finding{does(net, "https://example.org/a.csv"), does(net, "http://example.org/b"), does(net, "EXAMPLE.org")}, []string{"example.org"}},
		{[]palisade.Finding{does(net, "example.org:8443"), does(read, "https://files.example.net/x.csv")}, []string{"example.org:8443", "files.example.net"}},
		{[]palisade.Finding{does(net, "https://8.8.8.8/"), does(net, "http://[2606:4700:4700::1111]:8080/")}, []string{"8.8.8.8", "[2606:4700:4700::1111]:8080"}},
		{[]palisade.Finding{does(net, "?")}, nil},
		{[]palisade.Finding{does(net, "?"), does(net, "example.org")}, []string{"example.org"}},
		// none of these is ever reached, or is in one plain spelling
		{[]palisade.Finding{does(net, "10.0.0.1"), does(net, "http://192.168.1.1/"), does(net, "100.64.0.1"), does(net, "http://db.internal/"), does(net, "intranet"), does(net, "134744072"), does(net, "0x08080808"), does(net, "http://ex.org./")}, nil},
	}
	for _, c := range cases {
		v := decide(t, s, judged("data", c.findings...))
		if v.Decision != palisade.Ask || !slices.Equal(peerNames(v.Egress), c.want) {
			t.Errorf("%v: %s, %v, want %v", c.findings, v.Decision, peerNames(v.Egress), c.want)
		}
		if open := len(c.want) > 0; (v.Isolation.Layers["network"] == "proxy") != open || slices.Contains(v.DeniedSyscalls, "socket") == open {
			t.Errorf("%v: layer %s, denied %v", c.findings, v.Isolation.Layers["network"], v.DeniedSyscalls)
		}
	}
	// A denial grants nothing.
	if v := decide(t, s, judged("data", does(net, "example.org"), does(net, "169.254.169.254"))); v.Decision != palisade.Deny || len(v.Egress) != 0 {
		t.Errorf("%s %v", v.Decision, v.Egress)
	}
}

func TestPeersOfAProfile(t *testing.T) {
	s := owned(t, write(t, `version: 1
profiles:
  web:
    extends: data
    network:
      allow:
        - plain.example.net
        - {peer: "api.example.com:443", tls: terminate, methods: [GET, HEAD], paths: [/v1/*, /files/], secrets: [EXAMPLE_TOKEN]}
        - "*.example.org"
      deny: [private.example.org, "*.secret.example.org", elsewhere.example.edu, "*.net", 10.0.0.0/8]
  more:
    extends: web
    network: {allow: [more.example.com, 1.0.0.0/8], deny: ["1.1.0.0/16"]}
`))
	v := decide(t, s, judged("web"))
	want := []string{"*.example.org", "api.example.com:443", "plain.example.net", "!*.net", "!*.secret.example.org", "!private.example.org"}
	if got := peerNames(v.Egress); v.Decision != palisade.Allow || !slices.Equal(got, want) {
		t.Errorf("%s %v, want %v", v.Decision, got, want)
	}
	api := v.Egress[1]
	if !api.Terminate || !slices.Equal(api.Methods, []string{"GET", "HEAD"}) || !slices.Equal(api.Paths, []string{"/v1/*", "/files/"}) || !slices.Equal(api.Secrets, []string{"EXAMPLE_TOKEN"}) {
		t.Errorf("%+v", api)
	}
	if v := decide(t, s, judged("more")); !slices.Contains(peerNames(v.Egress), "!1.1.0.0/16") || !slices.ContainsFunc(v.Egress, func(p palisade.Peer) bool { return p.Terminate }) {
		t.Errorf("what is extended is lost: %+v", v.Egress)
	}
	if got := s.Secrets(); !slices.Equal(got, []string{"EXAMPLE_TOKEN"}) {
		t.Error(got)
	}
	// A pattern without a port is about the web.
	for argument, want := range map[string]palisade.Decision{
		"plain.example.net": palisade.Deny, "a.example.org": palisade.Allow, "https://a.example.org/": palisade.Allow, "a.example.org:8080": palisade.Ask,
		"api.example.com": palisade.Allow, "http://api.example.com/": palisade.Ask, "api.example.com:443": palisade.Allow,
	} {
		if v := decide(t, s, judged("web", does(palisade.CapNetwork, argument))); v.Decision != want {
			t.Errorf("%s: %s (%s), want %s", argument, v.Decision, v.Policy, want)
		}
	}
	read := palisade.Finding{Rule: "py-environment", Capability: palisade.CapEnvironment, Argument: "EXAMPLE_TOKEN"}
	if v := decide(t, s, judged("web", read)); v.Decision != palisade.Allow {
		t.Errorf("the placeholder's variable: %s by %s", v.Decision, v.Policy)
	}
	for thing, want := range map[string]string{"network api.example.com": "held to: its TLS is opened; methods GET, HEAD; paths /v1/*, /files/; it gets the secrets EXAMPLE_TOKEN"} {
		if got, err := s.Explain("web", thing); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %s %v", thing, got, err)
		}
	}
}
