package analysis

import "strings"

// credentialPaths are where credentials live, by a part of the path.
// Source: the documentation of each tool.
var credentialPaths = []string{
	"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/.ssh/", "/.ssh", "/.aws/", "/.netrc", "/.pgpass", "/.docker/config.json",
	"/.kube/config", "/.git-credentials", "/.config/gcloud", "/.azure/", "/.npmrc", "/.pypirc", "/.gnupg/",
	"/.bash_history", "/.env", "/environ", "/etc/ssl/private", "/run/secrets", "/.config/gh/", "/id_rsa", "/.vault-token",
	"/var/run/docker.sock", "/run/docker.sock", "/.my.cnf", "/krb5.keytab",
}

// IsCredential reports whether a path, as [Path] gives it, is where credentials
// live.
func IsCredential(path string) bool {
	for _, c := range credentialPaths {
		switch {
		case strings.HasSuffix(path, c), strings.HasSuffix(c, "/") && strings.Contains(path, c),
			strings.HasPrefix(c, "/etc/") && strings.HasPrefix(path, c):
			return true
		}
	}
	return false
}

// metadataHosts are the addresses where clouds serve credentials, and where in
// each stands a character that is rare in prose; it is looked for. Source: the
// documentation of AWS, GCP, Azure, Alibaba Cloud and Oracle Cloud.
var metadataHosts = []struct {
	name   string
	anchor int
}{
	{"169.254.169.254", 0}, {"169.254.170.2", 0}, {"metadata.google.internal", 8}, {"100.100.100.200", 0},
	{"192.0.0.192", 0}, {"fd00:ec2::254", 4}, {"2852039166", 0}, {"0xa9fea9fe", 0}, {"0251.0376.0251.0376", 0},
	{"0xa9.0xfe.0xa9.0xfe", 0}, {"::ffff:169.254.169.254", 0}, {"::ffff:a9fe:a9fe", 0}, {"64:ff9b::a9fe:a9fe", 0},
	{"instance-data", 8},
}

// maxAddressText bounds the text in which an address is looked for.
const maxAddressText = 64 << 10

// MetadataHost finds the address of a metadata service in a text: of several
// the one that stands first in the list.
func MetadataHost(s string) string {
	if len(s) > maxAddressText {
		return ""
	}
	s = strings.ReplaceAll(s, "İ", "i") // the one letter whose small form is of ASCII and in a name
	best := len(metadataHosts)
	for i := range len(s) {
		if c := s[i]; c > ':' || c < '0' && c != '.' && c != '-' {
			continue // no anchor
		}
		for n, h := range metadataHosts[:best] {
			if s[i] == h.name[h.anchor] && hostAt(s, i-h.anchor, h.name) {
				best = n
				break
			}
		}
	}
	if best == len(metadataHosts) {
		return ""
	}
	return metadataHosts[best].name
}

// hostAt reports whether a host stands at a place of a text, in small letters
// or large ones, and nothing more that could be part of it.
func hostAt(s string, start int, host string) bool {
	end := start + len(host)
	if start < 0 || end > len(s) || !strings.EqualFold(s[start:end], host) {
		return false
	}
	if start > 0 && (isWord(s[start-1]) || host == "instance-data" && s[start-1] != '/') {
		return false
	}
	return end == len(s) || !isWord(s[end])
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
}
