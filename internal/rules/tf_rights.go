package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "tf-privilege", Title: "Grants wide rights", Severity: palisade.High, Capability: palisade.CapPrivilege, CWE: 269,
	Says:        "grants rights that are wider than a task needs",
	Description: "A star in a policy, an owner's role, a bucket for everyone or a privileged container gives more than anyone can watch.",
	Remedy:      "Name the actions, the resources and who may do them.",
	Bad: []string{
		"resource \"aws_iam_policy\" \"x\" {\n  policy = jsonencode({ Statement = [{ Effect = \"Allow\", Action = \"*\", Resource = \"*\" }] })\n}",
		"data \"aws_iam_policy_document\" \"x\" {\n  statement {\n    actions = [\"*\"]\n    resources = [\"*\"]\n  }\n}",
		"resource \"aws_s3_bucket_acl\" \"x\" {\n  acl = \"public-read\"\n}", "resource \"google_project_iam_member\" \"x\" {\n  role = \"roles/owner\"\n}",
		"resource \"docker_container\" \"x\" {\n  image = \"a:1\"\n  privileged = true\n}",
	},
	Good: []string{
		"resource \"aws_s3_bucket_acl\" \"x\" {\n  acl = \"private\"\n}",
		"data \"aws_iam_policy_document\" \"x\" {\n  statement {\n    actions = [\"s3:GetObject\"]\n    resources = [\"arn:aws:s3:::b/*\"]\n  }\n}",
	},
})

var _ = add(Rule{
	ID: "tf-container-root", Title: "Runs as root in a container", Severity: palisade.Info, Capability: palisade.CapPrivilege, CWE: 250,
	Match:       containerRoot,
	Says:        "runs a container as root, as nothing says otherwise",
	Description: "Whoever gets out of the container is root outside unless something else stops them.",
	Remedy:      "Set run_as_non_root.",
	Bad:         []string{"resource \"kubernetes_pod\" \"x\" {\n  spec {\n    container {\n      image = \"a:1\"\n    }\n  }\n}"},
	Good: []string{
		"resource \"kubernetes_pod\" \"x\" {\n  spec {\n    security_context {\n      run_as_non_root = true\n    }\n    container {\n      image = \"a:1\"\n    }\n  }\n}",
	},
})

var _ = add(Rule{
	ID: "tf-credential", Title: "Holds a credential in clear", Severity: palisade.High, Capability: palisade.CapCredential, CWE: 798,
	Says:        "holds a credential in clear",
	Description: "It stands in the file, in every plan and in the state, for whoever may read one of them.",
	Remedy:      "Use a sensitive variable without a default, or a secret store's data source.",
	Bad: []string{
		"resource \"aws_db_instance\" \"x\" {\n  password = \"hunter22\"\n}", "variable \"db_password\" {\n  default = \"hunter22\"\n}",
		"resource \"aws_lambda_function\" \"x\" {\n  environment {\n    variables = { API_TOKEN = \"abcdefgh\" }\n  }\n}",
	},
	Good: []string{"variable \"db_password\" {\n  sensitive = true\n}\nresource \"aws_db_instance\" \"x\" {\n  password = var.db_password\n}", "resource \"random_password\" \"x\" {\n  length = 20\n}"},
})

var _ = add(Rule{
	ID: "tf-destroy", Title: "Destroys without a way back", Severity: palisade.High, Capability: palisade.CapDestroy, CWE: 404,
	Says:        "lets something be destroyed without a way back",
	Description: "Data goes with the resource: no snapshot, no protection, no time to think again.",
	Remedy:      "Keep the protection on, and take it off by hand when it is meant.",
	Bad: []string{
		"resource \"aws_s3_bucket\" \"x\" {\n  force_destroy = true\n}", "resource \"aws_db_instance\" \"x\" {\n  skip_final_snapshot = true\n}",
		"resource \"aws_db_instance\" \"x\" {\n  deletion_protection = false\n}", "removed {\n  from = aws_instance.x\n}",
	},
	Good: []string{"resource \"aws_s3_bucket\" \"x\" {\n  force_destroy = false\n}", "resource \"aws_db_instance\" \"x\" {\n  lifecycle {\n    prevent_destroy = true\n  }\n}"},
})

var _ = add(Rule{
	ID: "tf-state", Title: "Changes what the state holds", Severity: palisade.Low, Capability: palisade.CapDestroy, CWE: 404,
	Match:       func(f analysis.Fact) bool { return f.Symbol == "moved" || f.Symbol == "forgotten" },
	Says:        "changes what the state holds",
	Description: "Nothing is destroyed, but what is managed changes.",
	Remedy:      "Read the plan.",
	Bad:         []string{"moved {\n  from = aws_instance.a\n  to   = aws_instance.b\n}", "removed {\n  from = aws_instance.x\n  lifecycle {\n    destroy = false\n  }\n}"},
	Good:        []string{"removed {\n  from = aws_instance.x\n}"},
})

var _ = add(Rule{
	ID: "tf-target", Title: "Acts on a named system", Severity: palisade.Info, Capability: palisade.CapTarget, CWE: 0,
	Says:        "acts on a named system",
	Description: "Policy says which names are those of production.",
	Remedy:      "Use another environment.",
	Bad:         []string{"resource \"aws_db_instance\" \"x\" {\n  identifier = \"prod-db\"\n}", "provider \"kubernetes\" {\n  config_context = \"prod\"\n}"},
	Good:        []string{"locals {\n  a = 1\n}"},
})

var _ = add(Rule{
	ID: "tf-schema", Title: "Adds a kind of object to a cluster", Severity: palisade.Low, Capability: palisade.CapSchema, CWE: 0,
	Says:        "adds a kind of object to a cluster",
	Description: "Objects of the kind are taken by every namespace, and by whatever watches them.",
	Remedy:      "Let the cluster's owner install it.",
	Bad:         []string{"resource \"kubernetes_manifest\" \"x\" {\n  manifest = {\n    apiVersion = \"apiextensions.k8s.io/v1\"\n    kind = \"CustomResourceDefinition\"\n    metadata = { name = \"a.b\" }\n  }\n}"},
	Good:        []string{"resource \"kubernetes_manifest\" \"x\" {\n  manifest = {\n    apiVersion = \"v1\"\n    kind = \"ConfigMap\"\n    metadata = { name = \"a\" }\n  }\n}"},
})

var _ = add(Rule{
	ID: "tf-host-root", Title: "Mounts all files of the node", Severity: palisade.Critical, Capability: palisade.CapPrivilege, CWE: 250,
	Match:       hostRoot,
	Says:        "mounts all files of the node",
	Description: "Whoever is in the container reads every secret of the node, and where it may write, is root on it.",
	Remedy:      "Mount the one folder that is needed, readOnly.",
	Bad:         []string{"resource \"kubernetes_pod\" \"x\" {\n  spec {\n    container {\n      image = \"a:1\"\n    }\n    volume {\n      host_path {\n        path = \"/\"\n      }\n    }\n  }\n}"},
	Good:        []string{"resource \"kubernetes_pod\" \"x\" {\n  spec {\n    container {\n      image = \"a:1\"\n    }\n    volume {\n      host_path {\n        path = \"/var/log\"\n      }\n    }\n  }\n}"},
})

var _ = add(Rule{
	ID: "tf-everyone-admin", Title: "Makes everyone an administrator", Severity: palisade.Critical, Capability: palisade.CapPrivilege, CWE: 284,
	Match:       everyoneAdmin,
	Says:        "makes whoever reaches the cluster its administrator",
	Description: "No name is asked for: whoever can open a connection to the cluster owns it.",
	Remedy:      "Bind a role that names verbs and resources to a user or a service account.",
	Bad:         []string{"resource \"kubernetes_cluster_role_binding\" \"x\" {\n  role_ref {\n    name = \"cluster-admin\"\n  }\n  subject {\n    kind = \"User\"\n    name = \"system:anonymous\"\n  }\n}"},
	Good:        []string{"resource \"kubernetes_cluster_role_binding\" \"x\" {\n  role_ref {\n    name = \"cluster-admin\"\n  }\n  subject {\n    kind = \"User\"\n    name = \"ann\"\n  }\n}"},
})
