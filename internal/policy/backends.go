package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"palisade/internal/yamlfile"
)

// backends are what each back-end that there is can put around a program: the
// layers that it reports, and their strengths, strongest first. Their meaning is
// in the documentation of each back-end's package; a test of the gate holds the
// two together. A back-end that is not here is another program's, and not checked.
var backends = map[string]map[string][]string{
	"gvisor": {
		"kernel": {"gvisor-systrap"}, "uid": {"65534"}, "gid": {"65534"}, "capabilities": {"none"}, "no_new_privs": {"yes"},
		"syscalls": {"guard"}, "events": {"kernel"}, "start": {"cold", "restored"}, "rootfs": {"read-only"}, "disk": {"tmpfs"}, "inodes": {"guard"}, "memory": {"cgroup", "watched"},
		"cpu": {"cgroup", "watched"}, "host_pids": {"cgroup"}, "wall": {"host"}, "output": {"host"}, "network": {"none"},
		"sentry_seccomp": {"filter"}, "sentry_no_new_privs": {"yes"}, "sentry_capabilities": {"none"}, "sentry_root": {"empty"},
	},
	"native": {
		"kernel": {"host"}, "uid": {"65534"}, "gid": {"65534"}, "capabilities": {"none"}, "no_new_privs": {"yes"},
		"syscalls": {"seccomp"}, "events": {"kernel"}, "start": {"cold", "forked"}, "rootfs": {"read-only"}, "disk": {"tmpfs"}, "inodes": {"tmpfs"}, "memory": {"cgroup", "watched"},
		"cpu": {"cgroup", "watched"}, "processes": {"cgroup", "rlimit"}, "wall": {"host"}, "output": {"host"}, "network": {"none"},
		"landlock": {"yes"}, "host_uid": {"unprivileged"},
	},
}

// fixing are the back-ends that make deterministic boxes.
var fixing = []string{"gvisor"}

// needed are layers that a back-end alone has and that a profile which names it
// wants unless it says otherwise.
var needed = map[string]map[string]string{
	"native": {"landlock": "yes", "host_uid": "unprivileged"},
}

// fit makes the layers that a profile has from what it extends fit the back-ends
// that it names itself: what means the same is called what they call it, and
// what only another back-end has is dropped. own are the layers that the profile
// names itself, which stay as they are.
func (r *reading) fit(own []string) {
	iso := &r.p.Isolation
	for _, layer := range slices.Sorted(maps.Keys(iso.Layers)) {
		if slices.Contains(own, layer) {
			continue
		}
		strengths, anyone := fitting(layer, iso.Layers[layer], iso.Backends)
		if !anyone {
			delete(iso.Layers, layer)
			continue
		}
		iso.Layers[layer] = strings.Join(strengths, "|")
	}
	if len(iso.Backends) != 1 {
		return
	}
	for layer, strength := range needed[iso.Backends[0]] {
		if _, has := iso.Layers[layer]; !has && !slices.Contains(own, layer) {
			if iso.Layers == nil {
				iso.Layers = map[string]string{}
			}
			iso.Layers[layer] = strength
		}
	}
}

// fitting returns the strengths of a layer that the named back-ends can give, and
// at least the strongest of each. anyone tells that one of them has the layer.
func fitting(layer, wanted string, named []string) (strengths []string, anyone bool) {
	accepted := strings.Split(wanted, "|")
	for _, name := range named {
		gives, known := backends[name]
		if !known {
			return accepted, true
		}
		if !knownLayer(layer) {
			return accepted, true
		}
		can := gives[layer]
		if len(can) == 0 {
			continue
		}
		anyone = true
		fits := slices.DeleteFunc(slices.Clone(can), func(s string) bool { return !slices.Contains(accepted, s) })
		if len(fits) == 0 {
			fits = can[:1]
		}
		strengths = append(strengths, fits...)
	}
	slices.Sort(strengths)
	return slices.Compact(strengths), anyone
}

// knownLayer reports whether a layer is one that a back-end here has. Of others it is
// not known who gives them: the gate refuses a run where nobody does.
func knownLayer(layer string) bool {
	for _, gives := range backends {
		if len(gives[layer]) > 0 {
			return true
		}
	}
	return false
}

// reachable holds a profile to layers that each of its back-ends can give: else
// no program would ever run on that one.
func (b *builder) reachable(n *yamlfile.Node, p *Profile) {
	for _, name := range p.Isolation.Backends {
		gives, there := backends[name]
		if !there {
			b.d.Fail(n, fmt.Sprintf("there is no back-end %q", name), yamlfile.Suggest(name, slices.Sorted(maps.Keys(backends))))
			continue
		}
		if p.Deterministic && !slices.Contains(fixing, name) {
			b.d.Fail(n, fmt.Sprintf("the back-end %s fixes neither chance nor time", name), fmt.Sprintf("write deterministic: false, or take %s out of backends", name))
		}
		for _, layer := range slices.Sorted(maps.Keys(p.Isolation.Layers)) {
			wanted := p.Isolation.Layers[layer]
			if !knownLayer(layer) || slices.ContainsFunc(strings.Split(wanted, "|"), func(s string) bool { return slices.Contains(gives[layer], s) }) {
				continue
			}
			fix := fmt.Sprintf("write %s: null under isolation.layers, or take %s out of backends", layer, name)
			if len(gives[layer]) > 0 {
				fix = fmt.Sprintf("write %s: %s under isolation.layers, or take %s out of backends", layer, strings.Join(append(strings.Split(wanted, "|"), gives[layer][0]), "|"), name)
			}
			b.d.Fail(n, fmt.Sprintf("the back-end %s cannot give the layer %s: %s", name, layer, wanted), fix)
		}
	}
}
