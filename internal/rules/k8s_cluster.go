package rules

import "palisade"

var _ = add(Rule{
	ID: "k8s-credential", Title: "Holds a credential in clear", Severity: palisade.High, Capability: palisade.CapCredential, CWE: 798,
	Says:        "holds a credential in clear",
	Description: "It stands in the file and in the cluster's store for whoever may read one of them; base64 hides nothing.",
	Remedy:      "Let an operator or a secret store put it there.",
	Bad:         []string{"apiVersion: v1\nkind: Secret\nmetadata: {name: o}\nstringData: {a: hunter22}", "apiVersion: v1\nkind: Secret\nmetadata: {name: o}\ndata: {a: aHVudGVyMjI=}", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, env: [{name: DB_PASSWORD, value: hunter22}]}]}"},
	Good:        []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, env: [{name: DB_PASSWORD, valueFrom: {secretKeyRef: {name: s, key: k}}}]}]}", "apiVersion: v1\nkind: Secret\nmetadata: {name: o}\nstringData: {a: '<password>'}"},
})

var _ = add(Rule{
	ID: "k8s-secret", Title: "Reaches credentials", Severity: palisade.Medium, Capability: palisade.CapSecret, CWE: 522,
	Says:        "gives access to credentials of the cluster",
	Description: "Tokens and secrets let a workload act as someone else.",
	Remedy:      "Name the secrets that are needed; mount no token.",
	Bad:         []string{"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: o}\nrules: [{apiGroups: [''], resources: [secrets], verbs: [list]}]", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {automountServiceAccountToken: true, containers: [{name: c}]}"},
	Good:        []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {automountServiceAccountToken: false, containers: [{name: c}]}", "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: o}\nrules: [{apiGroups: [''], resources: [secrets], resourceNames: [a], verbs: [get]}]"},
})

var _ = add(Rule{
	ID: "k8s-read", Title: "Mounts a folder of the node", Severity: palisade.High, Capability: palisade.CapReadPath, CWE: 22,
	Says:        "mounts a folder of the node",
	Description: "What a workload reads or writes there is the node's, not its own.",
	Remedy:      "Use a volume of the cluster.",
	Bad:         []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, hostPath: {path: /etc}}], containers: [{name: c}]}", "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: o}\nspec: {hostPath: {path: /data}}"},
	Good:        []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, emptyDir: {}}], containers: [{name: c}]}"},
})

var _ = add(Rule{
	ID: "k8s-network", Title: "Reaches a network peer", Severity: palisade.Medium, Capability: palisade.CapNetwork, CWE: 918,
	Says:        "reaches a network peer",
	Description: "Requests of the cluster go there.",
	Remedy:      "Use a service of the cluster.",
	Bad:         []string{"apiVersion: v1\nkind: Service\nmetadata: {name: o}\nspec: {type: ExternalName, externalName: e.example}", "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: o}\nwebhooks: [{clientConfig: {url: 'https://e.example'}}]"},
	Good:        []string{"apiVersion: v1\nkind: Service\nmetadata: {name: o}\nspec: {ports: [{port: 80}]}"},
})

var _ = add(Rule{
	ID: "k8s-metadata-address", Title: "Names a cloud metadata service", Severity: palisade.Critical, Capability: palisade.CapNetwork, CWE: 918,
	Match:       metadataService,
	Says:        "names the address where a cloud hands out credentials",
	Description: "The metadata service of a cloud gives the node's credentials to whoever asks from inside.",
	Remedy:      "No workload needs this address.",
	Bad:         []string{"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, env: [{name: U, value: 'http://169.254.169.254/latest'}]}]}"},
	Good:        []string{"apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: o}\nspec: {egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [169.254.169.254/32]}}]}]}"},
})

var _ = add(Rule{
	ID: "k8s-listen", Title: "Opens a port to the world", Severity: palisade.High, Capability: palisade.CapListen, CWE: 284,
	Says:        "lets anyone connect",
	Description: "Whatever listens there is found and tried within minutes.",
	Remedy:      "Use an internal load balancer, or name the source ranges.",
	Bad:         []string{"apiVersion: v1\nkind: Service\nmetadata: {name: o}\nspec: {type: LoadBalancer, ports: [{port: 22}]}", "apiVersion: v1\nkind: Service\nmetadata: {name: o}\nspec: {type: NodePort, ports: [{port: 80}]}", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, ports: [{containerPort: 80, hostPort: 8080}]}]}"},
	Good:        []string{"apiVersion: v1\nkind: Service\nmetadata: {name: o}\nspec: {ports: [{port: 22}]}", "apiVersion: v1\nkind: Service\nmetadata: {name: o}\nspec: {type: LoadBalancer, loadBalancerSourceRanges: [10.0.0.0/8], ports: [{port: 22}]}"},
})

var _ = add(Rule{
	ID: "k8s-listen-web", Title: "Opens a web port to the world", Severity: palisade.Low, Capability: palisade.CapListen, CWE: 284,
	Match:       webPort,
	Says:        "lets anyone connect to a web server",
	Description: "That is what a public site is for.",
	Remedy:      "Name the source ranges, if the site is not for everyone.",
	Bad:         []string{"apiVersion: v1\nkind: Service\nmetadata: {name: o}\nspec: {type: LoadBalancer, ports: [{port: 443}]}", "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: o}\nspec: {rules: [{host: a.example}]}"},
	Good:        []string{"apiVersion: v1\nkind: Service\nmetadata: {name: o}\nspec: {type: LoadBalancer, ports: [{port: 8443}]}"},
})

var _ = add(Rule{
	ID: "k8s-target", Title: "Acts on a named system", Severity: palisade.Info, Capability: palisade.CapTarget, CWE: 0,
	Says:        "acts on a named system",
	Description: "Policy says which names are those of production.",
	Remedy:      "Use another namespace.",
	Bad:         []string{"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: prod}"},
	Good:        []string{"apiVersion: v1\nkind: ConfigMap\ndata: {a: b}"},
})

var _ = add(Rule{
	ID: "k8s-schema", Title: "Adds a kind of object to the cluster", Severity: palisade.Low, Capability: palisade.CapSchema, CWE: 0,
	Says:        "adds a kind of object to the cluster",
	Description: "Objects of the kind are taken by every namespace, and by whatever watches them.",
	Remedy:      "Let the cluster's owner install it.",
	Bad:         []string{"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: o}\nspec: {}"},
	Good:        []string{"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: o}\n"},
})

var _ = add(Rule{
	ID: "k8s-everyone-admin", Title: "Makes everyone an administrator", Severity: palisade.Critical, Capability: palisade.CapPrivilege, CWE: 284,
	Match:       everyoneAdmin,
	Says:        "makes whoever reaches the cluster its administrator",
	Description: "No name is asked for: whoever can open a connection to the cluster owns it.",
	Remedy:      "Bind a role that names verbs and resources to a user or a service account.",
	Bad:         []string{"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: o}\nroleRef: {name: cluster-admin}\nsubjects: [{kind: User, name: 'system:anonymous'}]"},
	Good:        []string{"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: o}\nroleRef: {name: cluster-admin}\nsubjects: [{kind: User, name: ann}]", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: o}\nroleRef: {name: 'system:discovery'}\nsubjects: [{kind: Group, name: 'system:unauthenticated'}]"},
})
