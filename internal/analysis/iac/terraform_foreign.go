package iac

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
)

// builtins are Terraform's functions, all of which only compute, or read a file
// ([readers]). Source: the reference of Terraform's language, "Functions", with
// OpenTofu's.
const builtins = ` abs ceil floor log max min parseint pow signum chomp endswith format formatlist indent join lower regex regexall
 replace split startswith strcontains strrev substr templatestring title trim trimprefix trimsuffix trimspace upper alltrue anytrue chunklist
 coalesce coalescelist compact concat contains distinct element flatten index keys length list lookup map matchkeys merge one range reverse
 setintersection setproduct setsubtract setunion slice sort sum transpose values zipmap base64decode base64encode base64gzip base64gunzip
 csvdecode jsondecode jsonencode textdecodebase64 textencodebase64 urlencode urldecode yamldecode yamlencode abspath dirname pathexpand
 basename formatdate plantimestamp timeadd timecmp timestamp base64sha256 base64sha512 bcrypt md5 rsadecrypt sha1 sha256 sha512 uuid uuidv5
 cidrhost cidrnetmask cidrsubnet cidrsubnets cidrcontains can convert defaults ephemeralasnull issensitive nonsensitive sensitive tobool
 tolist tomap tonumber toset tostring try type object tuple set optional any
 provider::terraform::encode_tfvars provider::terraform::decode_tfvars provider::terraform::encode_expr
 find_in_parent_folders path_relative_to_include path_relative_from_include get_repo_root get_path_from_repo_root get_path_to_repo_root
 get_terragrunt_dir get_working_dir get_parent_terragrunt_dir get_original_terragrunt_dir get_platform get_terraform_command
 get_terraform_commands_that_need_vars get_terraform_commands_that_need_input get_terraform_commands_that_need_locking
 get_terraform_commands_that_need_parallelism get_terraform_cli_args get_default_retryable_errors get_aws_account_id get_aws_account_alias
 get_aws_caller_identity_arn get_aws_caller_identity_user_id mark_as_read constraint_check `

// foreign reports calls of functions that are not Terraform's own: Terragrunt's,
// which read and run, and those of providers. Source: the reference of
// Terragrunt, "Built-in functions".
func (s *scope) foreign(name string, args []*value, p place) {
	switch {
	case readers[name] || strings.Contains(strings.ReplaceAll(builtins, "\n", " "), " "+name+" "):
	case name == "run_cmd":
		words := args
		for len(words) > 0 && strings.HasPrefix(words[0].first(), "--terragrunt-") {
			words = words[1:]
		}
		s.command(words, p, name, true)
	case name == "get_env":
		for _, v := range args[:min(len(args), 1)] {
			for t := range v.texts() {
				s.add(p, fact{capability: palisade.CapEnvironment, symbol: name, argument: t.text, how: t.how})
			}
		}
	case (name == "read_terragrunt_config" || name == "sops_decrypt_file" || name == "read_tfvars_file") && len(args) > 0:
		s.reads(name, args, p)
		if name == "sops_decrypt_file" {
			s.add(p, fact{capability: palisade.CapSecret, symbol: name, argument: args[0].first(), kind: analysis.KindCredentials, how: "it decrypts a file of secrets"})
		}
	default:
		s.unresolved(p, name, "a function that is not one of Terraform's own")
	}
}
