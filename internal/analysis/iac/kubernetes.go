package iac

import (
	"slices"
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

func readKubernetes(r *report, t analysis.Text) error {
	docs, err := readManifests(r, t.Source, place{1, 1})
	if err != nil {
		return err
	}
	for _, doc := range docs {
		r.manifest(doc, 0)
	}
	return nil
}

// readManifests reads YAML or JSON. A JSON text is read as such, as kubectl
// does, unless more than one document stands in it.
func readManifests(r *report, source string, at place) ([]*value, error) {
	if looksJSON(source) {
		if v, err := readJSON(r, source, at, true); err == nil {
			return []*value{v}, nil
		}
	}
	return readYAML(r, source, at.line-1)
}

// object is one object of a manifest.
type object struct {
	*report
	kind, group string
	name        string // kind/name
	place
	body *value
}

// manifest reads one object, or the objects of a list.
func (r *report) manifest(v *value, depth int) {
	if v.absent() {
		return
	}
	if v.kind != mapping {
		r.unresolved(v.place(), "manifest", "it is no object of Kubernetes")
		return
	}
	kind, version := v.get("kind").first(), v.get("apiVersion").first()
	if list := v.get("items"); strings.HasSuffix(kind, "List") && !list.absent() && depth < 10 {
		for item := range list.each() {
			r.manifest(item, depth+1)
		}
		return
	}
	group, _, ok := strings.Cut(version, "/")
	if !ok {
		group = ""
	}
	if kind == "" || version == "" {
		r.unresolved(v.place(), "manifest", "it has no kind or no version")
	}
	o := object{r, kind, group, kind + "/" + v.get("metadata", "name").first(), v.place(), v}
	if groups, known := kinds()[kind]; kind != "" && (!known || !slices.Contains(groups, group)) {
		r.unresolved(o.place, o.name, "objects of the kind "+version+" "+kind+" are not known here")
	}
	o.read()
}

// kinds are the objects that Kubernetes itself serves and kustomize reads, with
// their groups. Source: the API reference of Kubernetes 1.34.
func kinds() map[string][]string {
	return map[string][]string{
		"Pod": {""}, "Deployment": {"apps", "extensions"}, "DaemonSet": {"apps", "extensions"}, "StatefulSet": {"apps"}, "ReplicaSet": {"apps", "extensions"},
		"ReplicationController": {""}, "Job": {"batch"}, "CronJob": {"batch"}, "PodTemplate": {""}, "Service": {""}, "Endpoints": {""},
		"EndpointSlice": {"discovery.k8s.io"}, "Ingress": {"networking.k8s.io", "extensions"}, "IngressClass": {"networking.k8s.io"},
		"NetworkPolicy": {"networking.k8s.io", "extensions"}, "ConfigMap": {""}, "Secret": {""}, "ServiceAccount": {""}, "Namespace": {""},
		"PersistentVolume": {""}, "PersistentVolumeClaim": {""}, "StorageClass": {"storage.k8s.io"}, "VolumeAttachment": {"storage.k8s.io"},
		"CSIDriver": {"storage.k8s.io"}, "Role": {rbacGroup}, "ClusterRole": {rbacGroup}, "RoleBinding": {rbacGroup}, "ClusterRoleBinding": {rbacGroup},
		"HorizontalPodAutoscaler": {"autoscaling"}, "PodDisruptionBudget": {"policy"}, "ResourceQuota": {""}, "LimitRange": {""},
		"PriorityClass": {"scheduling.k8s.io"}, "Lease": {"coordination.k8s.io"}, "RuntimeClass": {"node.k8s.io"},
		"MutatingWebhookConfiguration": {"admissionregistration.k8s.io"}, "ValidatingWebhookConfiguration": {"admissionregistration.k8s.io"},
		"CustomResourceDefinition": {"apiextensions.k8s.io"}, "APIService": {"apiregistration.k8s.io"},
		"CertificateSigningRequest": {"certificates.k8s.io"}, "Kustomization": {"kustomize.config.k8s.io"}, "Component": {"kustomize.config.k8s.io"},
	}
}

const rbacGroup = "rbac.authorization.k8s.io"

func (o object) read() {
	o.metadata()
	switch o.kind {
	case "Service":
		o.service()
	case "Ingress":
		o.ingress()
	case "NetworkPolicy":
		o.networkPolicy()
	case "Secret":
		o.secret()
	case "ConfigMap":
		o.configMap()
	case "Role", "ClusterRole":
		o.role()
	case "RoleBinding", "ClusterRoleBinding":
		o.binding()
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "APIService":
		o.webhook()
	case "CustomResourceDefinition":
		o.add(o.place, fact{capability: palisade.CapSchema, symbol: o.name, argument: o.body.get("metadata", "name").first(), how: "it adds a kind of object to the cluster"})
		return // its schemas look like objects, and are none
	case "CertificateSigningRequest":
		o.privilege(o.place, "a client certificate", "whoever approves it gives its bearer those names")
	case "PersistentVolume":
		o.volume(o.body.get("spec"))
	case "Kustomization", "Component":
		o.kustomization()
	}
	o.body.walkMappings(func(m *value) {
		o.step()
		for _, name := range []string{"containers", "initContainers", "ephemeralContainers", "container"} {
			if c := m.get(name); c.is(list) || c.is(mapping) || c.is(choice) {
				o.pod(m)
				return
			}
		}
	})
	if o.kind != "Secret" && o.kind != "ConfigMap" {
		o.addresses(o.body, 0)
	}
}

func (o object) privilege(p place, what, how string) {
	if p.line == 0 {
		p = o.place
	}
	o.add(p, fact{capability: palisade.CapPrivilege, symbol: o.name, argument: what, how: how})
}

// addresses looks for metadata services in every text.
func (o object) addresses(v *value, depth int) {
	if depth > maxDepth {
		return
	}
	for m := range v.each() {
		o.step()
		if m.kind == text {
			o.report.metadata(m, o.name)
		}
		for _, f := range m.fields {
			o.addresses(f.value, depth+1)
		}
	}
}

// systemNamespaces hold the cluster's own parts.
var systemNamespaces = []string{"kube-system", "kube-public", "kube-node-lease"}

// unconfined are annotations that take a container out of its confinement, or
// that an ingress controller takes as code. Source: the references of
// Kubernetes' and ingress-nginx' annotations.
var unconfined = []string{"container.apparmor.security.beta.kubernetes.io/", "seccomp.security.alpha.kubernetes.io/", "container.seccomp.security.alpha.kubernetes.io/"}

var snippets = []string{"configuration-snippet", "server-snippet", "auth-snippet", "stream-snippet", "modsecurity-snippet", "location-snippet"}

// metadata reads names, labels and annotations.
func (o object) metadata() {
	meta := o.body.get("metadata")
	for _, name := range []string{"name", "namespace"} {
		for t := range meta.get(name).texts() {
			o.target(o.name+"."+name, t, t.place())
		}
	}
	for _, name := range []string{"environment", "env", "app.kubernetes.io/instance", "stage"} {
		for t := range meta.get("labels", name).texts() {
			o.target(o.name+".labels."+name, t, t.place())
		}
	}
	namespace := meta.get("namespace")
	if o.kind == "Namespace" {
		namespace = meta.get("name")
	}
	if namespace.has(systemNamespaces...) {
		o.privilege(namespace.place(), "namespace "+namespace.first(), "the cluster's own parts live there")
	}
	for m := range meta.get("labels").each() {
		for _, f := range m.fields {
			if strings.HasPrefix(f.name, "pod-security.kubernetes.io/enforce") && f.value.has("privileged") {
				o.privilege(f.place(), "pod security: privileged", "pods of the namespace may do anything")
			}
		}
	}
	o.body.walkMappings(func(m *value) {
		for a := range m.get("annotations").each() {
			for _, f := range a.fields {
				o.annotation(f)
			}
		}
	})
}

func (o object) annotation(f field) {
	starts := func(p string) bool { return strings.HasPrefix(f.name, p) }
	ends := func(p string) bool { return strings.HasSuffix(f.name, p) }
	switch {
	case slices.ContainsFunc(unconfined, starts) && f.value.has("unconfined"):
		o.privilege(f.place(), "unconfined", f.name)
	case slices.ContainsFunc(snippets, ends):
		o.add(f.place(), fact{capability: palisade.CapEvaluate, symbol: o.name + "." + f.name, argument: f.value.first(), kind: analysis.KindText, how: "the ingress controller takes it as configuration"})
	case starts("iam.amazonaws.com/role"), starts("eks.amazonaws.com/role-arn"), starts("iam.gke.io/gcp-service-account"):
		for t := range f.value.texts() {
			o.target(o.name+"."+f.name, t, f.place())
		}
	}
}
