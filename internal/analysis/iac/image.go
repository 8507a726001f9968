package iac

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// image reports a container's image by its full name, as policy names it:
// registry, path and tag or digest. KindPackage: it is pinned to a tag or a
// digest; KindComputed: it is whatever is newest.
func (r *report) image(t *value, p place, symbol string) {
	name, kind := imageName(t.text)
	r.add(p, fact{capability: palisade.CapRemoteCode, symbol: symbol, argument: name, kind: kind, how: strings.TrimPrefix(t.how+"; an image", "; ")})
}

// imageName completes a reference as Docker does. Source: the reference grammar
// of distribution/reference: the first part is a host if it has a dot or a
// colon, or is localhost.
func imageName(ref string) (string, analysis.Kind) {
	ref = strings.TrimSpace(ref)
	ref = strings.TrimPrefix(ref, "docker://")
	if oddReference(ref) {
		return gap, analysis.KindComputed
	}
	if strings.HasPrefix(ref, gap) {
		return gap, analysis.KindComputed
	}
	host, path, ok := strings.Cut(ref, "/")
	if !ok || !strings.ContainsAny(host, ".:") && host != "localhost" && !strings.Contains(host, gap) {
		host, path = "docker.io", ref
		if !strings.Contains(path, "/") {
			path = "library/" + path
		}
	}
	if host == "index.docker.io" || host == "registry-1.docker.io" {
		host = "docker.io"
	}
	name, digest, pinned := strings.Cut(path, "@")
	last := name[strings.LastIndexByte(name, '/')+1:]
	_, tag, tagged := strings.Cut(last, ":")
	switch {
	case pinned:
		return host + "/" + name + "@" + digest, analysis.KindPackage
	case !tagged && !strings.Contains(last, gap):
		return host + "/" + name + ":latest", analysis.KindComputed
	case tag == "latest":
		return host + "/" + path, analysis.KindComputed
	}
	return host + "/" + path, analysis.KindPackage
}

// oddReference reports whether something is no reference by that grammar, so
// that whoever takes it nevertheless may take it for any image.
func oddReference(ref string) bool {
	name, digest, pinned := strings.Cut(ref, "@")
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." {
			return true
		}
	}
	return pinned && !strings.Contains(digest, ":") && !strings.Contains(digest, gap)
}

// container reads what Terraform's resources say of containers.
func (s spot) container() {
	switch s.name() {
	case "image_uri", "image_url":
	case "image":
		if !s.within("container", "docker_", "ecs_task", "cloud_run", "nomad") || strings.HasPrefix(s.address, "kubernetes_") {
			return
		}
	case "command", "entrypoint":
		if s.within("container", "docker_", "ecs_task") && s.value.is(list) && !strings.HasPrefix(s.address, "kubernetes_") {
			s.report.start(s.value.items, s.where(s.value), s.symbol())
		}
		return
	default:
		return
	}
	for t := range s.value.texts() {
		if t.unknown() && t.known() == "" && !t.isInput() {
			continue // what another resource made
		}
		s.image(t, s.where(t), s.symbol())
	}
}
