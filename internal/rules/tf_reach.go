package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "tf-network", Title: "Reaches a network peer", Severity: palisade.Medium, Capability: palisade.CapNetwork, CWE: 918,
	Says:        "reaches a network peer when it is planned or applied",
	Description: "State, answers and credentials go there; what comes back was not read.",
	Remedy:      "Keep the state where the organization keeps it; pass data as variables.",
	Bad: []string{
		"data \"http\" \"x\" {\n  url = \"http://e.example\"\n}", "terraform {\n  backend \"http\" {\n    address = \"http://e.example\"\n  }\n}",
		"provider \"vault\" {\n  address = \"http://e.example\"\n}",
	},
	Good: []string{"terraform {\n  backend \"s3\" {\n    bucket = \"state\"\n  }\n}", "output \"url\" {\n  value = \"http://e.example\"\n}"},
})

var _ = add(Rule{
	ID: "tf-metadata-address", Title: "Names a cloud metadata service", Severity: palisade.Critical, Capability: palisade.CapNetwork, CWE: 918,
	Match:       metadataService,
	Says:        "names the address where a cloud hands out credentials",
	Description: "The metadata service of a cloud gives the machine's credentials to whoever asks from inside.",
	Remedy:      "No file of infrastructure needs this address.",
	Bad:         []string{"module \"m\" {\n  source = \"git::http://169.254.169.254/x\"\n}", "locals {\n  u = \"http://metadata.google.internal/\"\n}"},
	Good:        []string{"locals {\n  u = \"http://10.169.254.169/\"\n}", "locals {\n  except = \"169.254.169.254/32\"\n}"},
})

var _ = add(Rule{
	ID: "tf-read", Title: "Reads a file", Severity: palisade.Low, Capability: palisade.CapReadPath, CWE: 22,
	Says:        "reads a file when it is planned",
	Description: "What is read becomes part of the plan and the state.",
	Remedy:      "Read files beside the module, by names that stand in it.",
	Bad:         []string{"output \"x\" {\n  value = file(\"${path.module}/a.txt\")\n}"},
	Good:        []string{"output \"x\" {\n  value = \"file(a.txt)\"\n}"},
})

var _ = add(Rule{
	ID: "tf-read-outside", Title: "Reads outside the module", Severity: palisade.High, Capability: palisade.CapReadPath, CWE: 22,
	Match:       func(f analysis.Fact) bool { return outside(f) },
	Says:        "reads or mounts something outside the module",
	Description: "Files of the machine that plans, or of the host that runs the container, go into the plan, the state or the container.",
	Remedy:      "Put the file beside the module.",
	Bad: []string{
		"output \"x\" {\n  value = file(\"/etc/passwd\")\n}", "output \"x\" {\n  value = file(\"${path.module}/../../etc/hosts\")\n}",
		"resource \"docker_container\" \"x\" {\n  volumes {\n    host_path = \"/\"\n  }\n}",
	},
	Good: []string{"output \"x\" {\n  value = file(\"a.txt\")\n}", "output \"x\" {\n  value = file(\"${path.module}/files/a.txt\")\n}"},
})

var _ = add(Rule{
	ID: "tf-read-computed", Title: "Reads a computed path", Severity: palisade.Medium, Capability: palisade.CapReadPath, CWE: 73,
	Match:       computed,
	Says:        "reads a path that is computed",
	Description: "A path that is only known when the plan is made may be any path.",
	Remedy:      "Name the file in the module.",
	Bad:         []string{"variable \"f\" {}\noutput \"x\" {\n  value = file(var.f)\n}"},
	Good:        []string{"variable \"f\" {\n  default = \"a.txt\"\n}\noutput \"x\" {\n  value = file(var.f)\n}"},
})

var _ = add(Rule{
	ID: "tf-write", Title: "Writes a file", Severity: palisade.Low, Capability: palisade.CapWritePath, CWE: 73,
	Says:        "writes a file where it is applied",
	Description: "Policy says which paths may be written.",
	Remedy:      "Write beside the module only.",
	Bad:         []string{"resource \"local_file\" \"x\" {\n  filename = \"out.txt\"\n  content  = \"x\"\n}"},
	Good:        []string{"resource \"aws_s3_object\" \"x\" {\n  key = \"out.txt\"\n}"},
})

var _ = add(Rule{
	ID: "tf-write-outside", Title: "Writes outside the module", Severity: palisade.High, Capability: palisade.CapWritePath, CWE: 73,
	Match:       func(f analysis.Fact) bool { return outside(f) },
	Says:        "writes outside the module",
	Description: "A file of the machine that applies is changed: a key, a job, a profile.",
	Remedy:      "Write beside the module only.",
	Bad:         []string{"resource \"local_file\" \"x\" {\n  filename = \"/etc/cron.d/x\"\n  content  = \"x\"\n}"},
	Good:        []string{"resource \"local_file\" \"x\" {\n  filename = \"${path.module}/out.txt\"\n  content  = \"x\"\n}"},
})

var _ = add(Rule{
	ID: "tf-secret", Title: "Reads a credential", Severity: palisade.High, Capability: palisade.CapSecret, CWE: 522,
	Says:        "reads or mounts a credential",
	Description: "Keys, tokens and password files go into the plan, the state or a workload.",
	Remedy:      "Let the provider find its credentials itself; use a secret store's data source.",
	Bad: []string{
		"output \"x\" {\n  value = file(\"~/.ssh/id_rsa\")\n}", "provider \"kubernetes\" {\n  config_path = \"~/.kube/config\"\n}",
		"resource \"kubernetes_role\" \"x\" {\n  rule {\n    resources = [\"secrets\"]\n    verbs = [\"get\"]\n  }\n}",
	},
	Good: []string{"output \"x\" {\n  value = file(\"${path.module}/id_rsa.pub\")\n}"},
})

var _ = add(Rule{
	ID: "tf-listen", Title: "Opens a port to the world", Severity: palisade.High, Capability: palisade.CapListen, CWE: 284,
	Says:        "lets anyone connect",
	Description: "Whatever listens there is found and tried within minutes.",
	Remedy:      "Name the networks that need it.",
	Bad: []string{
		"resource \"aws_security_group\" \"x\" {\n  ingress {\n    from_port = 22\n    to_port = 22\n    cidr_blocks = [\"0.0.0.0/0\"]\n  }\n}",
		"resource \"google_compute_firewall\" \"x\" {\n  source_ranges = [\"0.0.0.0/0\"]\n  allow {\n    protocol = \"tcp\"\n    ports = [\"0-65535\"]\n  }\n}",
		"resource \"aws_db_instance\" \"x\" {\n  publicly_accessible = true\n}",
	},
	Good: []string{
		"resource \"aws_security_group\" \"x\" {\n  egress {\n    from_port = 0\n    to_port = 0\n    cidr_blocks = [\"0.0.0.0/0\"]\n  }\n}",
		"resource \"aws_security_group\" \"x\" {\n  ingress {\n    from_port = 22\n    to_port = 22\n    cidr_blocks = [\"10.0.0.0/8\"]\n  }\n}",
	},
})

var _ = add(Rule{
	ID: "tf-listen-web", Title: "Opens a web port to the world", Severity: palisade.Low, Capability: palisade.CapListen, CWE: 284,
	Match:       webPort,
	Says:        "lets anyone connect to a web server",
	Description: "That is what a public site is for.",
	Remedy:      "Name the networks, if the site is not for everyone.",
	Bad:         []string{"resource \"aws_security_group\" \"x\" {\n  ingress {\n    from_port = 443\n    to_port = 443\n    cidr_blocks = [\"0.0.0.0/0\"]\n  }\n}"},
	Good:        []string{"resource \"aws_security_group\" \"x\" {\n  ingress {\n    from_port = 80\n    to_port = 8443\n    cidr_blocks = [\"0.0.0.0/0\"]\n  }\n}"},
})

var _ = add(Rule{
	ID: "tf-listen-input", Title: "Opens a port to whoever is named later", Severity: palisade.Low, Capability: palisade.CapListen, CWE: 284,
	Match:       func(f analysis.Fact) bool { return f.Unknown },
	Says:        "lets those connect whom a variable names",
	Description: "The variable has no default: who may connect is not in the file.",
	Remedy:      "Name the networks in the file.",
	Bad:         []string{"variable \"c\" {}\nresource \"aws_security_group\" \"x\" {\n  ingress {\n    from_port = 22\n    to_port = 22\n    cidr_blocks = var.c\n  }\n}"},
	Good:        []string{"resource \"aws_security_group\" \"x\" {\n  ingress {\n    from_port = 22\n    to_port = 22\n    cidr_blocks = [aws_vpc.v.cidr_block]\n  }\n}"},
})

var _ = add(Rule{
	ID: "tf-environment", Title: "Reads an environment variable", Severity: palisade.Low, Capability: palisade.CapEnvironment, CWE: 526,
	Says:        "reads an environment variable of whoever plans",
	Description: "What is read becomes part of the plan and the state.",
	Remedy:      "Declare a variable; TF_VAR_name sets it.",
	Bad:         []string{"locals {\n  x = get_env(\"TOKEN\")\n}"},
	Good:        []string{"variable \"x\" {\n  type = string\n}"},
})
