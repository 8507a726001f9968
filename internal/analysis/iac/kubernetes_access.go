package iac

import (
	"encoding/base64"
	"path"
	"slices"
	"strings"

	"palisade"
)

// service finds what a service opens.
func (o object) service() {
	spec := o.body.get("spec")
	for t := range spec.get("externalName").texts() {
		o.peer(t, o.name)
	}
	for t := range spec.get("externalIPs").texts() {
		o.privilege(t.place(), "external address "+t.text, "the cluster takes the traffic of that address")
	}
	kind := spec.get("type")
	switch {
	case kind.has("LoadBalancer"):
		if o.internal() {
			return
		}
		ranges := items(spec.get("loadBalancerSourceRanges"))
		if len(ranges) > 0 && !slices.ContainsFunc(ranges, func(v *value) bool { return isWorld(v.text) || v.unknown() }) {
			return
		}
	case !kind.has("NodePort"):
		return
	}
	n := 0
	for p := range spec.get("ports").each() {
		for _, name := range []string{"port", "nodePort"} {
			for t := range p.get(name).texts() {
				if name == "port" == kind.has("LoadBalancer") {
					o.add(t.place(), fact{capability: palisade.CapListen, symbol: o.name + "." + kind.first(), argument: "0.0.0.0/0:" + t.text})
					n++
				}
			}
		}
	}
	if n == 0 {
		o.add(kind.place(), fact{capability: palisade.CapListen, symbol: o.name + "." + kind.first(), argument: "0.0.0.0/0"})
	}
}

// internal reports whether an annotation keeps a load balancer inside. Source:
// the documentation of the clouds' load balancer controllers.
func (o object) internal() bool {
	for m := range o.body.get("metadata", "annotations").each() {
		for _, f := range m.fields {
			if strings.Contains(f.name, "load-balancer") && strings.Contains(f.name, "internal") && (f.value.yes() || f.value.has("0.0.0.0/0")) ||
				strings.HasSuffix(f.name, "load-balancer-type") && f.value.has("internal") ||
				strings.HasSuffix(f.name, "load-balancer-scheme") && f.value.has("internal") {
				return true
			}
		}
	}
	return false
}

func (o object) ingress() {
	port := "80"
	if tls := o.body.get("spec", "tls"); !tls.absent() {
		port = "443"
	}
	n := 0
	for rule := range o.body.get("spec", "rules").each() {
		for t := range rule.get("host").texts() {
			o.add(t.place(), fact{capability: palisade.CapListen, symbol: o.name, argument: t.text + ":" + port})
			n++
		}
	}
	if n == 0 {
		o.add(o.place, fact{capability: palisade.CapListen, symbol: o.name, argument: "0.0.0.0/0:" + port})
	}
}

func (o object) networkPolicy() {
	for rule := range o.body.get("spec", "ingress").each() {
		for t := range rule.get("from", "ipBlock", "cidr").texts() {
			if !isWorld(t.text) {
				continue
			}
			for port := range orUnknown(rule.get("ports", "port"), t.place()).texts() {
				o.add(t.place(), fact{capability: palisade.CapListen, symbol: o.name, argument: t.text + ":" + port.text})
			}
		}
	}
}

func orUnknown(v *value, p place) *value {
	if v.absent() {
		return textAt("*", p)
	}
	return v
}

// secret finds values in clear; base64 is no protection.
func (o object) secret() {
	for _, name := range []string{"data", "stringData"} {
		for m := range o.body.get(name).each() {
			for _, f := range m.fields {
				for t := range f.value.texts() {
					if name == "data" {
						b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(t.text), ""))
						if err == nil {
							t = textAt(clean(string(b)), t.place())
						}
					}
					o.literal(t, o.name+"."+f.name, "a secret's value")
				}
			}
		}
	}
	if o.body.get("type").has("kubernetes.io/service-account-token") {
		o.add(o.place, fact{capability: palisade.CapSecret, symbol: o.name, argument: "service account token", how: "it never ends"})
	}
}

// configMap finds scripts and credentials.
func (o object) configMap() {
	for m := range o.body.get("data").each() {
		for _, f := range m.fields {
			o.credential(f.name, f.value, f.place(), o.name+"."+f.name)
			for t := range f.value.texts() {
				o.configFile(f.name, t)
			}
		}
	}
	for m := range o.body.get("binaryData").each() {
		for _, f := range m.fields {
			for t := range f.value.texts() {
				if b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(t.text), "")); err == nil {
					o.configFile(f.name, textAt(clean(string(b)), t.place()))
				}
			}
		}
	}
}

// configFile hands on a file that is a script by its first line or its name.
func (o object) configFile(name string, t *value) {
	via := o.name + " " + name
	switch path.Ext(name) {
	case ".sh", ".bash":
		o.embed(palisade.Shell, t.text, t.place(), via)
	case ".py":
		o.embed(palisade.Python, t.text, t.place(), via)
	case ".js", ".mjs", ".cjs":
		o.embed(palisade.JavaScript, t.text, t.place(), via)
	default:
		if strings.HasPrefix(t.text, "#!") {
			o.script(t, t.place(), via, 0)
		}
	}
}

// powers are verbs and resources that lead to every other right. Source: "RBAC
// good practices" of Kubernetes' documentation.
var powers = []struct{ verb, resource string }{
	{"escalate", ""}, {"bind", ""}, {"impersonate", ""}, {"create", "pods/exec"}, {"create", "pods/attach"}, {"create", "nodes/proxy"},
	{"get", "nodes/proxy"}, {"create", "serviceaccounts/token"}, {"update", "certificatesigningrequests/approval"}, {"patch", "nodes"},
	{"create", "mutatingwebhookconfigurations"}, {"update", "mutatingwebhookconfigurations"}, {"patch", "pods/ephemeralcontainers"},
	{"update", "pods/ephemeralcontainers"}, {"create", "clusterrolebindings"}, {"create", "rolebindings"}, {"create", "persistentvolumes"},
	{"create", "pods"}, {"create", "deployments"}, {"create", "daemonsets"}, {"create", "statefulsets"}, {"create", "jobs"}, {"create", "cronjobs"},
	{"create", "replicasets"}, {"create", "replicationcontrollers"},
}

func (o object) role() {
	for m := range o.body.get("metadata", "labels").each() {
		for _, f := range m.fields {
			if strings.HasPrefix(f.name, rbacGroup+"/aggregate-to-") && f.value.yes() {
				o.privilege(f.place(), f.name, "every holder of that role gets its rules")
			}
		}
	}
	for selector := range o.body.get("aggregationRule", "clusterRoleSelectors").each() {
		if selector.get("matchLabels").absent() && selector.get("matchExpressions").absent() {
			o.privilege(selector.place(), "every role", "the role gathers the rules of all others")
		}
	}
	for rule := range o.body.get("rules").each() {
		verbs, resources := rule.get("verbs"), rule.get("resources")
		for t := range verbs.texts() {
			if t.text == "*" {
				o.privilege(t.place(), "every verb", "on "+strings.ReplaceAll(lines(resources), "\n", ", "))
			}
		}
		for t := range resources.texts() {
			if t.text == "*" || t.text == "*/*" {
				o.privilege(t.place(), "every resource", "with "+strings.ReplaceAll(lines(verbs), "\n", ", "))
			}
		}
		if rule.get("apiGroups").has("*") && !resources.has("*") && verbs.has("create", "update", "patch", "delete") {
			o.privilege(rule.place(), "every group", "")
		}
		for _, power := range powers {
			if verbs.has(power.verb) && (power.resource == "" || resources.has(power.resource)) {
				o.privilege(rule.place(), strings.TrimSpace(power.verb+" "+power.resource), "")
			}
		}
		if resources.has("secrets") && verbs.has("get", "list", "watch", "*") && rule.get("resourceNames").absent() {
			o.add(rule.place(), fact{capability: palisade.CapSecret, symbol: o.name, argument: "secrets of Kubernetes", how: "every secret in reach may be read"})
		}
	}
}

func (o object) binding() {
	ref := o.body.get("roleRef", "name")
	mighty := ref.has("cluster-admin", "admin", "system:masters")
	if mighty {
		o.privilege(ref.place(), ref.first(), "the role may do nearly everything")
	}
	for s := range o.body.get("subjects").each() {
		if t := s.get("name"); t.has("system:anonymous", "system:unauthenticated", "system:authenticated", "system:serviceaccounts", "system:masters") {
			o.privilege(t.place(), "group "+t.first(), "nearly everyone is in it")
			if mighty && t.has("system:anonymous", "system:unauthenticated") {
				o.privilege(t.place(), ref.first()+" for everyone", "whoever reaches the cluster's address")
			}
		}
	}
}

func (o object) webhook() {
	o.privilege(o.place, o.kind, "it sees, changes or answers the requests of others")
	o.body.walkMappings(func(m *value) {
		for t := range m.get("clientConfig", "url").texts() {
			o.peer(t, o.name)
		}
	})
}

// kustomization finds parts that come from elsewhere.
func (o object) kustomization() {
	for _, name := range []string{"resources", "bases", "components", "crds", "transformers", "generators"} {
		for t := range o.body.get(name).texts() {
			if strings.Contains(t.text, "://") || strings.Contains(t.text, "?ref=") || strings.HasPrefix(t.text, "git@") || strings.HasPrefix(t.text, "github.com/") {
				o.add(t.place(), fact{capability: palisade.CapRemoteCode, symbol: o.name + "." + name, argument: t.text})
			}
		}
	}
	for image := range o.body.get("images").each() {
		name, tag, digest := image.get("newName"), image.get("newTag").first(), image.get("digest").first()
		for t := range name.texts() {
			switch {
			case digest != "":
				t = textAt(t.text+"@"+digest, t.place())
			case tag != "":
				t = textAt(t.text+":"+tag, t.place())
			}
			o.image(t, t.place(), o.name)
		}
	}
	if helm := o.body.get("helmCharts"); !helm.absent() {
		for t := range helm.get("repo").texts() {
			o.add(t.place(), fact{capability: palisade.CapRemoteCode, symbol: o.name + ".helmCharts", argument: t.text})
		}
	}
}
