package iac

import (
	"slices"
	"strings"

	"palisade"
)

// broadRoles give whoever holds them nearly everything. Source: the clouds'
// references of built-in roles and managed policies.
var broadRoles = []string{
	"administratoraccess", "iamfullaccess", "poweruseraccess", // AWS, the end of the policy's name
	"roles/owner", "roles/editor", "roles/iam.securityadmin", "roles/iam.serviceaccountadmin", "roles/iam.serviceaccounttokencreator",
	"roles/iam.serviceaccountkeyadmin", "roles/resourcemanager.organizationadmin", "roles/resourcemanager.projectiamadmin",
	"owner", "user access administrator", "role based access control administrator", // Azure
	"cluster-admin",
}

// everyone are principals that are not one's own.
var everyone = []string{"allusers", "allauthenticatedusers", "http://acs.amazonaws.com/groups/global/allusers", "http://acs.amazonaws.com/groups/global/authenticatedusers"}

// rights finds roles that give nearly everything, and rights for everyone.
func (s spot) rights() {
	for t := range s.value.texts() {
		lower := strings.ToLower(strings.TrimSpace(t.text))
		switch {
		case t.isInput() && strings.HasSuffix(s.name(), "policy") && s.within("iam", "policy"):
			s.grant(t, gap)
		case slices.Contains(everyone, lower):
			s.grant(t, "everyone")
		case s.isRole() && slices.ContainsFunc(broadRoles, func(role string) bool {
			return lower == role || strings.HasPrefix(lower, "arn:") && strings.HasSuffix(lower, "/"+role)
		}):
			s.grant(t, t.text)
		}
	}
}

func (s spot) isRole() bool {
	n := s.name()
	return strings.Contains(n, "role") || strings.Contains(n, "polic") || strings.HasSuffix(n, "arn") || strings.HasSuffix(n, "arns")
}

func (s spot) grant(t *value, whom string) {
	s.add(s.where(t), fact{capability: palisade.CapPrivilege, symbol: s.symbol(), argument: whom, how: t.how})
}

// publicSettings open storage to everyone: the name, and the values that do.
// Source: the storage resources of AWS, Google, Azure, Oracle, DigitalOcean and Alibaba.
var publicSettings = map[string][]string{
	"acl":                             {"public-read", "public-read-write", "authenticated-read", "website"},
	"canned_acl":                      {"public-read", "public-read-write", "authenticated-read"},
	"predefined_acl":                  {"publicread", "publicreadwrite", "authenticatedread"},
	"container_access_type":           {"blob", "container"},
	"allow_blob_public_access":        {"true"},
	"allow_nested_items_to_be_public": {"true"},
	"block_public_acls":               {"false"},
	"block_public_policy":             {"false"},
	"ignore_public_acls":              {"false"},
	"restrict_public_buckets":         {"false"},
	"privileged":                      {"true"},
	"security.privileged":             {"true"},
	"network_mode":                    {"host"},
	"networkmode":                     {"host"},
	"pid_mode":                        {"host"},
	"ipc_mode":                        {"host"},
	"userns_mode":                     {"host"},
	"privileged_mode":                 {"true"},
	"access_type":                     {"objectread", "objectreadwithoutlist"},
	"enable_legacy_abac":              {"true"},
}

// exposure finds settings that give everyone, or a container, the rights of
// someone else, and mounts of the host's own folders.
func (s spot) exposure() {
	if values, ok := publicSettings[s.name()]; ok && s.value.has(values...) {
		s.add(s.where(s.value), fact{capability: palisade.CapPrivilege, symbol: s.symbol(), argument: s.name() + "=" + firstOf(s.value, values), how: howOf(s.value)})
	}
	switch s.name() {
	case "host_path", "hostpath", "sourcepath", "source_path":
		if !s.within("volume", "mount", "docker_", "host") {
			return
		}
		for t := range s.value.texts() {
			s.mount(t, s.symbol())
		}
	}
}

// mount reports a folder of the host inside a container.
func (r *report) mount(t *value, symbol string) {
	r.path(t.place(), palisade.CapReadPath, symbol, t.text, "a folder of the host is mounted")
	r.add(t.place(), fact{capability: palisade.CapPrivilege, symbol: symbol, argument: "host path " + t.text, how: t.how})
}

// statement reads one statement of a policy of AWS' form, in JSON or HCL.
func (s spot) statement(m *value) {
	action := firstField(m, "action", "actions")
	notAction := firstField(m, "notaction", "not_actions")
	if action.absent() && notAction.absent() || firstField(m, "effect").has("deny") && !firstField(m, "effect").has("allow") {
		return
	}
	resource, principal := firstField(m, "resource", "resources"), firstField(m, "principal", "principals")
	azure := len(s.path) > 0 && s.name() == "permissions" // of a role, on its scopes
	if resource.absent() && principal.absent() && firstField(m, "effect").absent() && !azure {
		return // something else that has actions
	}
	grant := func(what, how string) {
		s.add(m.place(), fact{capability: palisade.CapPrivilege, symbol: s.address + ".statement", argument: what, how: how})
	}
	if notAction.first() != "" && action.absent() {
		grant("all but some actions", "NotAction allows whatever it does not name")
	}
	all := resource.has("*")
	for t := range action.texts() {
		lower := strings.ToLower(t.text)
		switch {
		case t.isInput():
			grant(gap, t.how)
		case strings.Trim(lower, "*") == "" && lower != "", lower == "*:*":
			grant("*", t.how)
		case all && (strings.HasSuffix(lower, ":*") || slices.Contains(escalations, lower)):
			grant(t.text, "on every resource")
		}
	}
	for who := range principal.everyPrincipal() {
		if who.text == "*" {
			grant("everyone", "the principal is a star")
		}
	}
}

// escalations let whoever may do them on any resource become anyone. Source:
// AWS' and Rhino Security Labs' lists of privilege escalation in IAM.
var escalations = []string{
	"iam:passrole", "iam:createaccesskey", "iam:createloginprofile", "iam:updateloginprofile", "iam:attachuserpolicy", "iam:attachrolepolicy",
	"iam:attachgrouppolicy", "iam:putuserpolicy", "iam:putrolepolicy", "iam:putgrouppolicy", "iam:createpolicyversion", "iam:setdefaultpolicyversion",
	"iam:updateassumerolepolicy", "iam:addusertogroup", "sts:assumerole", "lambda:updatefunctioncode", "ssm:sendcommand", "ssm:startsession",
}

// everyPrincipal yields the texts of a statement's principals: "*", {"AWS":
// "*"}, or blocks with identifiers.
func (v *value) everyPrincipal() func(yield func(*value) bool) {
	return func(yield func(*value) bool) {
		for p := range v.each() {
			if p.kind == text && !yield(p) {
				return
			}
			for _, f := range p.fields {
				if strings.EqualFold(f.name, "type") {
					continue
				}
				for t := range f.value.texts() {
					if !yield(t) {
						return
					}
				}
			}
		}
	}
}

// firstField returns a field by its name in any case.
func firstField(m *value, names ...string) *value {
	for _, f := range m.fields {
		for _, n := range names {
			if strings.EqualFold(f.name, n) {
				return f.value
			}
		}
	}
	return nil
}

func firstOf(v *value, among []string) string {
	for t := range v.texts() {
		if slices.ContainsFunc(among, func(w string) bool { return strings.EqualFold(w, t.text) }) {
			return strings.ToLower(t.text)
		}
	}
	return ""
}

func howOf(v *value) string {
	if v == nil {
		return ""
	}
	return v.how
}
