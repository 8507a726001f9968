package rules

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "tf-runs-code", Title: "Runs code where it is applied", Severity: palisade.High, Capability: palisade.CapEvaluate, CWE: 78,
	Says:        "runs a command on the machine that plans or applies it, or on one that it makes",
	Description: "The external data source runs while the plan is made, provisioners when a resource comes or goes: with the rights and credentials of whoever applies the file.",
	Remedy:      "Use a provider's own resources; bake what a machine needs into its image.",
	Bad: []string{
		"data \"external\" \"x\" {\n  program = [\"sh\", \"-c\", \"id\"]\n}",
		"resource \"null_resource\" \"x\" {\n  provisioner \"local-exec\" {\n    command = \"id\"\n  }\n}",
		"resource \"aws_instance\" \"x\" {\n  provisioner \"remote-exec\" {\n    inline = [\"id\"]\n  }\n}",
		`{"resource": {"null_resource": {"x": {"provisioner": {"local-exec": {"command": "id"}}}}}}`,
		"provider \"kubernetes\" {\n  exec {\n    command = \"aws\"\n  }\n}",
	},
	Good: []string{"resource \"null_resource\" \"x\" {\n  triggers = { command = \"id\" }\n}", "data \"aws_ami\" \"x\" {\n  owners = [\"self\"]\n}"},
})

var _ = add(Rule{
	ID: "tf-run-file", Title: "Runs a file", Severity: palisade.High, Capability: palisade.CapRunFile, CWE: 78,
	Says:        "runs a script that is not in the file",
	Description: "The script is copied to a machine and run there; it was not read.",
	Remedy:      "Write the commands into the file, where they can be read.",
	Bad:         []string{"resource \"aws_instance\" \"x\" {\n  provisioner \"remote-exec\" {\n    script = \"setup.sh\"\n  }\n}"},
	Good:        []string{"resource \"aws_instance\" \"x\" {\n  ami = \"ami-1\"\n}"},
})

var _ = add(Rule{
	ID: "tf-provider", Title: "Uses a provider from elsewhere", Severity: palisade.High, Capability: palisade.CapRemoteCode, CWE: 829,
	Match:       func(f analysis.Fact) bool { return strings.HasPrefix(f.Symbol, "provider.") },
	Says:        "uses a provider that is not HashiCorp's",
	Description: "A provider is a program that terraform init fetches and runs with all credentials of whoever applies the file.",
	Remedy:      "Use a provider of an approved namespace.",
	Bad:         []string{"terraform {\n  required_providers {\n    x = { source = \"evil/x\" }\n  }\n}"},
	Good:        []string{"terraform {\n  required_providers {\n    aws = { source = \"hashicorp/aws\", version = \"~> 5.0\" }\n  }\n}"},
})

var _ = add(Rule{
	ID: "tf-remote-code", Title: "Uses code from elsewhere", Severity: palisade.High, Capability: palisade.CapRemoteCode, CWE: 829,
	Says:        "takes code from elsewhere",
	Description: "What a module, a chart, a template or a script from elsewhere does was not read, and may be something else the next time.",
	Remedy:      "Use a module beside the file, or one of an approved source with its version.",
	Bad: []string{
		"module \"m\" {\n  source = \"git::http://169.254.169.254/x\"\n}", "module \"m\" {\n  source = \"github.com/a/b\"\n}",
		"variable \"s\" {}\nmodule \"m\" {\n  source = var.s\n}", "resource \"helm_release\" \"x\" {\n  repository = \"https://e.example\"\n  chart = \"c\"\n}",
	},
	Good: []string{"module \"m\" {\n  source = \"./modules/m\"\n}", "module \"m\" {\n  source  = \"hashicorp/consul/aws\"\n  version = \"0.1.0\"\n}"},
})

var _ = add(Rule{
	ID: "tf-pinned-code", Title: "Uses a pinned version from elsewhere", Severity: palisade.Low, Capability: palisade.CapRemoteCode, CWE: 829,
	Match:       func(f analysis.Fact) bool { return pinned(f) && !strings.HasPrefix(f.Symbol, "provider.") },
	Says:        "takes code from elsewhere, of a stated version",
	Description: "What it does was not read. Policy says which sources are approved.",
	Remedy:      "Use an approved source.",
	Bad: []string{
		"module \"m\" {\n  source  = \"terraform-aws-modules/vpc/aws\"\n  version = \"5.8.1\"\n}",
		"resource \"docker_container\" \"x\" {\n  image = \"redis:7\"\n}",
	},
	Good: []string{"module \"m\" {\n  source = \"terraform-aws-modules/vpc/aws\"\n}", "module \"m\" {\n  source = \"github.com/a/b\"\n}"},
})

var _ = add(Rule{
	ID: "tf-newest-code", Title: "Uses whatever is newest elsewhere", Severity: palisade.Medium, Capability: palisade.CapRemoteCode, CWE: 1357,
	Match:       newest,
	Says:        "takes code from elsewhere, whatever is newest",
	Description: "Without a version, the next run may fetch something else.",
	Remedy:      "State the version.",
	Bad:         []string{"module \"m\" {\n  source = \"terraform-aws-modules/vpc/aws\"\n}", "resource \"docker_container\" \"x\" {\n  image = \"redis\"\n}"},
	Good:        []string{"module \"m\" {\n  source  = \"terraform-aws-modules/vpc/aws\"\n  version = \"5.8.1\"\n}"},
})

var _ = add(Rule{
	ID: "tf-install", Title: "Installs a package", Severity: palisade.Low, Capability: palisade.CapInstall, CWE: 829,
	Says:        "installs a package on a machine that it makes",
	Description: "An installer runs the code of whoever published the package.",
	Remedy:      "Bake packages into the image.",
	Bad:         []string{"resource \"aws_instance\" \"x\" {\n  user_data = \"#cloud-config\\npackages: [nginx]\\n\"\n}"},
	Good:        []string{"resource \"aws_instance\" \"x\" {\n  tags = { packages = \"nginx\" }\n}"},
})

var _ = add(Rule{
	ID: "tf-unresolved", Title: "Could not be resolved", Severity: palisade.Medium, Capability: palisade.CapUnresolved, CWE: 470,
	Says:        "holds something that could not be resolved",
	Description: "A script, a policy or a manifest that is not wholly in the file may be anything.",
	Remedy:      "Write it into the file, or use a resource that says what it means.",
	Bad: []string{
		"resource \"aws_instance\" \"x\" {\n  user_data = file(\"setup.sh\")\n}", "surprise \"x\" {\n}",
		"resource \"aws_instance\" \"x\" {\n  user_data = \"<powershell>x</powershell>\"\n}",
	},
	Good: []string{"resource \"aws_instance\" \"x\" {\n  user_data = \"#!/bin/sh\\ndate\\n\"\n}"},
})
