package lang

import (
	"strings"
	"testing"

	"palisade"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name, source string
		want         palisade.Language
	}{
		{"a.py", "", palisade.Python}, {"dir/A.PY", "", palisade.Python}, {"a.mjs", "", palisade.JavaScript}, {"a.mts", "", palisade.TypeScript},
		{"a.sh", "#!/usr/bin/env python3", palisade.Shell}, {"x.sql", "", palisade.SQL},
		{"main.tf", "", palisade.Terraform}, {"main.tf.json", "{}", palisade.Terraform},
		{"Dockerfile", "", palisade.Dockerfile}, {"Dockerfile.dev", "", palisade.Dockerfile}, {"web.dockerfile", "", palisade.Dockerfile},
		{"pod.yaml", "apiVersion: v1\nkind: Pod\n", palisade.Kubernetes}, {"pod.yaml", "a: 1", ""}, {"pod.yml", "- {apiVersion: v1, kind: Pod}", palisade.Kubernetes},
		{"pod.json", "{\n  \"apiVersion\": \"v1\", \"kind\": \"Pod\"}", palisade.Kubernetes}, {"main.tofu", "", palisade.Terraform}, {"Dockerfile.md", "", ""},
		{"values.yaml", "kind: x\n", ""}, {"x.json", "{}", ""}, {"README.md", "#!/bin/sh", ""},
		{"tool", "#!/usr/bin/env -S python3 -u\n", palisade.Python}, {"tool", "#!/bin/bash\n", palisade.Shell},
		{"tool", "#!/usr/bin/perl\n", ""}, {"tool", "print(1)", ""}, {"tool", "", ""}, {"", "#!/usr/bin/env node\n", palisade.JavaScript}, {"-", "#!/bin/sh\n", palisade.Shell}, {"", "print(1)", ""},
	} {
		if got := Detect(c.name, []byte(c.source)); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.name, c.source, got, c.want)
		}
	}
}

func TestDetectInfrastructure(t *testing.T) {
	const tf, docker, k8s = palisade.Terraform, palisade.Dockerfile, palisade.Kubernetes
	manifest := "apiVersion: v1\nkind: Pod\n"
	for _, c := range []struct {
		name, source string
		want         palisade.Language
	}{
		{"main.tf", "", tf}, {"a/b/MAIN.TF", "", tf}, {"x.tf.json", "{}", tf}, {"x.tofu", "", tf}, {"x.tfvars", "", ""},
		{"Dockerfile", "", docker}, {"Containerfile", "", docker}, {"api.dockerfile", "", docker}, {"Dockerfile.dev", "", docker},
		{"dockerfile", "", docker}, {"Dockerfile.md", "", ""}, {"dockerfile.go", "", ""}, {"Dockerfile.dockerignore", "", ""}, {`c:\x\Dockerfile`, "", docker},
		{"a.yaml", manifest, k8s}, {"a.yml", "---\n" + manifest, k8s}, {"a.yaml", "items:\n- " + strings.ReplaceAll(manifest, "\n", "\n  "), k8s},
		{"a.json", `{"apiVersion": "v1", "kind": "Pod"}`, k8s}, {"a.yaml", `{kind: Pod, apiVersion: v1}`, k8s}, {"a.yaml", "\"apiVersion\" : v1\n'kind': x\n", k8s},
		{"a.yaml", "kind: x\n", ""}, {"a.yaml", "apiVersions: v1\nkinds: x\n", ""}, {"a.json", "{}", ""}, {"a.py", manifest, palisade.Python}, {"values.yaml", "a: b\n", ""},
	} {
		if got := Detect(c.name, []byte(c.source)); got != c.want {
			t.Errorf("Detect(%q, %q) = %q, want %q", c.name, c.source, got, c.want)
		}
	}
}
