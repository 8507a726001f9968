package iac

import (
	"strings"

	"palisade"
)

// pod reads the specification of a pod, wherever it stands.
func (o object) pod(spec *value) {
	for _, name := range []string{"hostNetwork", "hostPID", "hostIPC"} {
		if v := spec.get(name); v.yes() {
			o.privilege(v.place(), name, "the pod shares it with the node")
		}
	}
	if v := spec.get("automountServiceAccountToken"); v.yes() {
		o.add(v.place(), fact{capability: palisade.CapSecret, symbol: o.name, argument: "service account token", how: "it is mounted into the pod"})
	}
	if v := spec.get("serviceAccountName"); v.has("cluster-admin", "admin") {
		o.privilege(v.place(), "service account "+v.first(), "its name says what it may do")
	}
	for v := range spec.get("volumes").each() {
		o.volume(v)
	}
	context := spec.get("securityContext")
	o.securityContext(context)
	for _, name := range []string{"containers", "initContainers", "ephemeralContainers", "container"} {
		for c := range spec.get(name).each() {
			if c.kind == mapping {
				o.container(c, context)
			}
		}
	}
}

// volume reads what a pod mounts, or what a persistent volume is.
func (o object) volume(v *value) {
	for _, name := range []string{"hostPath", "local"} {
		for t := range v.get(name, "path").texts() {
			o.mount(t, o.name)
		}
	}
	for _, server := range volumeServers {
		for t := range v.get(server...).texts() {
			o.peer(t, o.name+"."+server[0])
		}
	}
	for t := range v.get("image", "reference").texts() {
		o.image(t, t.place(), o.name)
	}
	for t := range v.get("gitRepo", "repository").texts() {
		o.add(t.place(), fact{capability: palisade.CapRemoteCode, symbol: o.name + ".gitRepo", argument: t.text})
	}
	if f := v.get("flexVolume"); !f.absent() {
		o.privilege(f.place(), "flexVolume", "a program on the node mounts it")
	}
	for s := range v.get("projected", "sources").each() {
		if token := s.get("serviceAccountToken"); !token.absent() {
			o.add(token.place(), fact{capability: palisade.CapSecret, symbol: o.name, argument: "service account token", how: "it is mounted into the pod"})
		}
	}
}

// volumeServers are the settings of volumes that name where they come from.
// Source: the API reference of Kubernetes 1.34, Volume.
var volumeServers = [][]string{
	{"nfs", "server"}, {"iscsi", "targetPortal"}, {"iscsi", "portals"}, {"cephfs", "monitors"}, {"rbd", "monitors"},
	{"glusterfs", "endpoints"}, {"quobyte", "registry"}, {"scaleIO", "gateway"},
}

// securityContext reads what a pod or a container may do.
func (o object) securityContext(c *value) {
	for _, name := range []string{"privileged", "allowPrivilegeEscalation"} {
		if v := c.get(name); v.yes() {
			o.privilege(v.place(), name, "the container may do what the node may")
		}
	}
	if v := c.get("windowsOptions", "hostProcess"); v.yes() {
		o.privilege(v.place(), "hostProcess", "the container is a process of the node")
	}
	for t := range c.get("capabilities", "add").texts() {
		if name := strings.TrimPrefix(strings.ToUpper(t.text), "CAP_"); name != "NET_BIND_SERVICE" { // ports below 1024 alone
			o.privilege(t.place(), "capability "+name, "it is added to the container")
		}
	}
	if v := c.get("procMount"); v.has("Unmasked") {
		o.privilege(v.place(), "procMount Unmasked", "")
	}
	for _, name := range []string{"seccompProfile", "appArmorProfile"} {
		if v := c.get(name, "type"); v.has("Unconfined") {
			o.privilege(v.place(), name+" Unconfined", "")
		}
	}
	for t := range c.get("seLinuxOptions", "type").texts() {
		if !ordinaryLabels[t.text] {
			o.privilege(t.place(), "SELinux type "+t.text, "the container is confined otherwise, or not at all")
		}
	}
	if v := c.get("runAsUser"); v.has("0") {
		o.privilege(v.place(), rootUser, "runAsUser: 0")
	}
	if v := c.get("runAsNonRoot"); v.no() {
		o.privilege(v.place(), rootUser, "runAsNonRoot: false")
	}
}

// ordinaryLabels are the SELinux types that confine a container. Source: the
// Pod Security Standards, "baseline".
var ordinaryLabels = map[string]bool{"": true, "container_t": true, "container_init_t": true, "container_kvm_t": true, "container_engine_t": true}

// rootUser is the argument of facts about who runs inside a container: noted,
// since it is the default of most images.
const rootUser = "root in the container"

func (o object) container(c, podContext *value) {
	if image := c.get("image"); !image.absent() {
		for t := range image.texts() {
			o.image(t, t.place(), o.name)
		}
	}
	context := c.get("securityContext")
	o.securityContext(context)
	if podContext.get("runAsNonRoot").absent() && context.get("runAsNonRoot").absent() &&
		podContext.get("runAsUser").absent() && context.get("runAsUser").absent() {
		o.privilege(c.place(), rootUser, "nothing says that it is another user")
	}
	env := o.environment(c)
	if command := c.get("command"); !command.absent() {
		o.embedCommand(append(items(command), items(c.get("args"))...), env, command.place(), "command")
	} else if args := items(c.get("args")); len(args) > 1 && args[0].is(text) && startsCode(args[0].text) {
		o.embedCommand(append([]*value{textAt("sh", args[0].place())}, args...), env, args[0].place(), "args")
	}
	for _, path := range [][]string{
		{"lifecycle", "postStart"}, {"lifecycle", "preStop"}, {"livenessProbe"}, {"readinessProbe"}, {"startupProbe"},
	} {
		hook := c.get(path...)
		if command := hook.get("exec", "command"); !command.absent() {
			o.embedCommand(items(command), env, command.place(), path[len(path)-1])
		}
		for t := range hook.get("httpGet", "host").texts() {
			o.peer(t, o.name+"."+path[len(path)-1])
		}
	}
	for p := range c.get("ports").each() {
		for t := range p.get("hostPort").texts() {
			if t.text != "0" {
				o.add(t.place(), fact{capability: palisade.CapListen, symbol: o.name + ".hostPort", argument: "node:" + t.text})
			}
		}
	}
}

// environment reports credentials in clear and returns what is known.
func (o object) environment(c *value) map[string]string {
	env := map[string]string{}
	for e := range c.get("env").each() {
		name, v := e.get("name").first(), e.get("value")
		if name == "" {
			continue
		}
		env[name] = gap
		if v.is(text) {
			env[name] = v.text
		}
		o.credential(name, v, e.place(), o.name+".env."+name)
	}
	return env
}

// embedCommand hands on a command, with $(NAME) as Kubernetes puts it in.
func (o object) embedCommand(words []*value, env map[string]string, p place, via string) {
	out := make([]*value, 0, len(words))
	for _, w := range words {
		out = append(out, textAt(o.fold(substitute(w.text, env)), w.place()))
	}
	o.start(out, p, o.name+" "+via)
}

// substitute replaces $(NAME) by what is known of it. A name that the container
// does not set stays as it is; "$$(" is an escape. Source: the reference of
// Container.command.
func substitute(s string, env map[string]string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "$(")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, ")")
		v, known := env[name]
		switch {
		case strings.HasSuffix(before, "$") || !closed || !known:
			b.WriteString("$(")
			s = rest
		default:
			if b.Len()+len(v) > maxText {
				panic(errBudget)
			}
			b.WriteString(v)
			s = after
		}
	}
}
