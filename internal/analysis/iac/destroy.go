package iac

import (
	"strings"

	"palisade"
)

// destructive settings take away what keeps data: the value that does. Source:
// the references of the providers aws, google, azurerm, and of "lifecycle".
var destructive = map[string]string{
	"force_destroy": "true", "skip_final_snapshot": "true", "deletion_protection": "false", "enable_deletion_protection": "false",
	"prevent_destroy": "false", "deletion_protection_enabled": "false", "force_delete": "true", "delete_protection": "false",
	"termination_protection": "false", "disable_api_termination": "false", "recovery_window_in_days": "0",
	"delete_contents_on_destroy": "true", "force_delete_version": "true", "purge_soft_delete_on_destroy": "true",
	"purge_protection_enabled": "false", "enable_termination_protection": "false",
	"prevent_deletion_if_contains_resources": "false", "deletion_policy": "delete",
}

// destruction finds what makes a resource go, or go without a copy.
func (s spot) destruction() {
	if s.name() == "replace_triggered_by" && !s.value.absent() {
		s.add(s.where(s.value), fact{capability: palisade.CapDestroy, symbol: s.symbol(), argument: s.address, how: "it is replaced whenever another resource changes"})
		return
	}
	want, ok := destructive[s.name()]
	if !ok || !s.value.has(want) && !(want == "true" && s.value.yes()) && !(want == "false" && s.value.no()) {
		return
	}
	s.add(s.where(s.value), fact{
		capability: palisade.CapDestroy, symbol: s.symbol(), argument: s.address,
		how: strings.TrimPrefix(howOf(s.value)+"; "+s.name()+" = "+want, "; "),
	})
}

// names are settings that name a system or its environment.
var namedSystems = map[string]bool{
	"name": true, "environment": true, "env": true, "stage": true, "workspace": true, "namespace": true, "config_context": true,
	"context": true, "cluster_name": true, "cluster": true, "cluster_id": true, "project": true, "project_id": true, "account_id": true,
	"identifier": true, "cluster_identifier": true, "bucket": true, "db_name": true, "database_name": true, "app_name": true,
	"resource_group_name": true, "subscription_id": true, "profile": true, "tier": true, "kube_context": true, "key_name": true, "domain_name": true, "role_arn": true,
}

// strongSystems are those whose value decides which system it is: not to know
// it is a doubt.
var strongSystems = map[string]bool{
	"environment": true, "env": true, "stage": true, "workspace": true, "config_context": true, "kube_context": true,
}

func (s spot) names() {
	if !namedSystems[s.name()] {
		return
	}
	for t := range s.value.texts() {
		s.target(s.symbol(), t, s.where(t))
	}
}

// target reports the name of a system that is acted on. Parts that are not
// known are left out of it.
func (r *report) target(symbol string, t *value, p place) {
	name := t.text
	if t.unknown() {
		last := symbol[strings.LastIndexByte(symbol, '.')+1:]
		if strings.ReplaceAll(name, gap, "") == "" {
			if !t.isInput() || !strongSystems[last] {
				return
			}
			r.add(p, fact{capability: palisade.CapTarget, symbol: symbol, argument: gap, how: t.how})
			return
		}
		name = strings.ReplaceAll(name, gap, "…")
	}
	if strings.TrimSpace(name) == "" {
		return
	}
	r.add(p, fact{capability: palisade.CapTarget, symbol: symbol, argument: name, how: t.how})
}
