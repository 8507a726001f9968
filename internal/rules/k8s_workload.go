package rules

import "palisade"

var _ = add(Rule{
	ID: "k8s-privilege", Title: "Gives a workload or a subject wide rights", Severity: palisade.High, Capability: palisade.CapPrivilege, CWE: 269,
	Says:        "gives rights that reach beyond the workload",
	Description: "A privileged container, a folder of the node or a star in a role leads to the whole cluster.",
	Remedy:      "Drop all capabilities, mount no folder of the node, name verbs and resources.",
	Bad:         []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, securityContext: {privileged: true}}]}", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {hostPID: true, containers: [{name: c}]}", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, hostPath: {path: /var}}], containers: [{name: c}]}", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: o}\nrules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: o}\nroleRef: {name: cluster-admin}"},
	Good:        []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, securityContext: {privileged: false, allowPrivilegeEscalation: false}}]}", "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: o}\nrules: [{apiGroups: [''], resources: [pods], verbs: [get]}]"},
})

var _ = add(Rule{
	ID: "k8s-container-root", Title: "Runs as root in a container", Severity: palisade.Info, Capability: palisade.CapPrivilege, CWE: 250,
	Match:       containerRoot,
	Says:        "runs a container as root, or as nothing says otherwise",
	Description: "Whoever gets out of the container is root outside unless something else stops them.",
	Remedy:      "Set runAsNonRoot: true.",
	Bad:         []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: 'a:1'}]}", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, securityContext: {runAsUser: 0}}]}"},
	Good:        []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: 'a:1', securityContext: {runAsNonRoot: true}}]}", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {securityContext: {runAsUser: 1000}, containers: [{name: c}]}"},
})

var _ = add(Rule{
	ID: "k8s-image", Title: "Runs an image or parts from elsewhere", Severity: palisade.High, Capability: palisade.CapRemoteCode, CWE: 829,
	Says:        "runs code from elsewhere",
	Description: "What it does was not read, and its name is not wholly known or it has no version.",
	Remedy:      "Use an approved registry, with a tag or a digest.",
	Bad:         []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, gitRepo: {repository: 'https://e.example/x'}}], containers: [{name: c}]}", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: ['https://e.example/x.yaml']"},
	Good:        []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: 'a:1'}]}", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]"},
})

var _ = add(Rule{
	ID: "k8s-pinned-image", Title: "Runs an image of a stated version", Severity: palisade.Low, Capability: palisade.CapRemoteCode, CWE: 829,
	Match:       pinned,
	Says:        "runs an image from elsewhere, of a stated version",
	Description: "What it does was not read. Policy says which registries are approved.",
	Remedy:      "Use an approved registry.",
	Bad:         []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: 'a:1'}]}", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: 'r.example/a@sha256:00'}]}"},
	Good:        []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: a}]}", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: 'a:latest'}]}"},
})

var _ = add(Rule{
	ID: "k8s-newest-image", Title: "Runs whatever image is newest", Severity: palisade.Medium, Capability: palisade.CapRemoteCode, CWE: 1357,
	Match:       newest,
	Says:        "runs whatever image is newest",
	Description: "The next start may run something else.",
	Remedy:      "Name a tag or a digest.",
	Bad:         []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: a}]}", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: 'r.example/a:latest'}]}"},
	Good:        []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: 'a:1'}]}"},
})

var _ = add(Rule{
	ID: "k8s-evaluate", Title: "Hands code to a controller", Severity: palisade.High, Capability: palisade.CapEvaluate, CWE: 94,
	Says:        "hands code to a controller",
	Description: "Snippets become configuration of the ingress controller, which serves every namespace.",
	Remedy:      "Use annotations that say what they mean.",
	Bad:         []string{"apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, annotations: {nginx.ingress.kubernetes.io/server-snippet: 'x'}}"},
	Good:        []string{"apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, annotations: {nginx.ingress.kubernetes.io/ssl-redirect: 'true'}}"},
})

var _ = add(Rule{
	ID: "k8s-unresolved", Title: "Could not be resolved", Severity: palisade.Medium, Capability: palisade.CapUnresolved, CWE: 470,
	Says:        "holds something that could not be resolved",
	Description: "What an object of an unknown kind makes its controller do cannot be read here.",
	Remedy:      "Use Kubernetes' own kinds, or have the kind's owner read it.",
	Bad:         []string{"apiVersion: evil.example/v1\nkind: Gadget\nmetadata: {name: o}\n", "just text"},
	Good:        []string{"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: o}\n"},
})

var _ = add(Rule{
	ID: "k8s-host-root", Title: "Mounts all files of the node", Severity: palisade.Critical, Capability: palisade.CapPrivilege, CWE: 250,
	Match:       hostRoot,
	Says:        "mounts all files of the node",
	Description: "Whoever is in the container reads every secret of the node, and where it may write, is root on it.",
	Remedy:      "Mount the one folder that is needed, readOnly.",
	Bad:         []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, hostPath: {path: /}}], containers: [{name: c}]}", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, hostPath: {path: //var/..}}], containers: [{name: c}]}"},
	Good:        []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, hostPath: {path: /var/log}}], containers: [{name: c}]}"},
})
