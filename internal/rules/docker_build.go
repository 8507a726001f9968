package rules

import "palisade"

var _ = add(Rule{
	ID: "docker-remote-code", Title: "Uses code from elsewhere", Severity: palisade.High, Capability: palisade.CapRemoteCode, CWE: 829,
	Says:        "takes code from elsewhere while the image is built",
	Description: "What is fetched was not read, and may be something else the next time.",
	Remedy:      "Copy it from the build's own context, or check it with ADD --checksum.",
	Bad:         []string{"FROM a.example/b:1\nADD https://e.example/x /x", "FROM a.example/b:1\nADD $URL /x", "# syntax=evil/frontend\nFROM a.example/b:1\n", "ARG BASE\nFROM $BASE"},
	Good:        []string{"FROM a.example/b:1\nADD x.tar.gz /x", "FROM a.example/b:1\nCOPY . /x", "# syntax=docker/dockerfile:1\nFROM a.example/b:1\n"},
})

var _ = add(Rule{
	ID: "docker-pinned-image", Title: "Builds on an image of a stated version", Severity: palisade.Low, Capability: palisade.CapRemoteCode, CWE: 829,
	Match:       pinned,
	Says:        "takes an image or a checked file from elsewhere, of a stated version",
	Description: "What it does was not read. Policy says which registries are approved.",
	Remedy:      "Use an approved registry.",
	Bad:         []string{"FROM golang:1.26", "FROM r.example/a@sha256:00", "FROM a.example/b:1\nADD --checksum=sha256:00 https://e.example/x /x"},
	Good:        []string{"FROM golang", "FROM scratch\nCOPY a /a"},
})

var _ = add(Rule{
	ID: "docker-newest-image", Title: "Builds on whatever image is newest", Severity: palisade.Medium, Capability: palisade.CapRemoteCode, CWE: 1357,
	Match:       newest,
	Says:        "takes whatever image is newest",
	Description: "The next build may be on something else.",
	Remedy:      "Name a tag or a digest.",
	Bad:         []string{"FROM golang", "FROM golang:latest", "FROM a.example/b:1\nCOPY --from=evil/x /a /b"},
	Good:        []string{"FROM golang:1.26", "FROM a.example/b:1 AS c\nFROM c"},
})

var _ = add(Rule{
	ID: "docker-credential", Title: "Holds a credential in clear", Severity: palisade.High, Capability: palisade.CapCredential, CWE: 798,
	Says:        "holds a credential in clear",
	Description: "Whoever can pull the image can read its variables, arguments and files, also those that a later layer removes.",
	Remedy:      "Use RUN --mount=type=secret, and give variables when the container starts.",
	Bad:         []string{"FROM a.example/b:1\nENV DB_PASSWORD=hunter22", "FROM a.example/b:1\nARG NPM_TOKEN=abcdefghijkl", "FROM a.example/b:1\nCOPY id_rsa /root/.ssh/id_rsa"},
	Good:        []string{"FROM a.example/b:1\nARG NPM_TOKEN", "FROM a.example/b:1\nENV DB_PASSWORD_FILE=/run/secrets/db", "FROM a.example/b:1\nRUN --mount=type=secret,id=npm true"},
})

var _ = add(Rule{
	ID: "docker-secret", Title: "Lends a credential to a command", Severity: palisade.Low, Capability: palisade.CapSecret, CWE: 522,
	Says:        "lends a credential to a command of the build",
	Description: "The command may send it away.",
	Remedy:      "Read what the command does.",
	Bad:         []string{"FROM a.example/b:1\nRUN --mount=type=secret,id=npm true", "FROM a.example/b:1\nRUN --mount=type=ssh true"},
	Good:        []string{"FROM a.example/b:1\nRUN --mount=type=cache,target=/c true"},
})

var _ = add(Rule{
	ID: "docker-privilege", Title: "Takes rights that a build or a container does not need", Severity: palisade.High, Capability: palisade.CapPrivilege, CWE: 269,
	Says:        "takes rights that it does not need",
	Description: "Without the builder's sandbox a build may change its host; a set-user-ID or world-writable file is a way up inside.",
	Remedy:      "Leave the flag or the mode out.",
	Bad:         []string{"FROM a.example/b:1\nRUN --security=insecure id", "FROM a.example/b:1\nRUN --network=host id", "FROM a.example/b:1\nCOPY --chmod=4755 a /b", "FROM a.example/b:1\nCOPY --chmod=777 a /b"},
	Good:        []string{"FROM a.example/b:1\nRUN --network=none id", "FROM a.example/b:1\nCOPY --chmod=755 a /b"},
})

var _ = add(Rule{
	ID: "docker-root", Title: "Runs as root in the container", Severity: palisade.Info, Capability: palisade.CapPrivilege, CWE: 250,
	Match:       containerRoot,
	Says:        "runs as root in the container, or as the base image says",
	Description: "Whoever gets out of the container is root outside unless something else stops them.",
	Remedy:      "Set USER.",
	Bad:         []string{"FROM a.example/b:1\n", "FROM a.example/b:1\nUSER root", "FROM a.example/b:1\nUSER 0"},
	Good:        []string{"FROM a.example/b:1\nUSER app", "FROM scratch\nCOPY a /a"},
})

var _ = add(Rule{
	ID: "docker-listen", Title: "Accepts connections", Severity: palisade.Info, Capability: palisade.CapListen, CWE: 605,
	Says:        "says that the container listens",
	Description: "EXPOSE opens nothing on its own.",
	Remedy:      "Nothing, if it is meant.",
	Bad:         []string{"FROM a.example/b:1\nEXPOSE 8080"},
	Good:        []string{"FROM a.example/b:1\nENV PORT=8080"},
})

var _ = add(Rule{
	ID: "docker-environment", Title: "Sets a variable that loads code", Severity: palisade.Medium, Capability: palisade.CapEnvironment, CWE: 427,
	Says:        "sets a variable that makes programs load code",
	Description: "Every program of the container loads what it names.",
	Remedy:      "Load it where it is needed.",
	Bad:         []string{"FROM a.example/b:1\nENV LD_PRELOAD=/x.so", "FROM a.example/b:1\nENV BASH_ENV=/x"},
	Good:        []string{"FROM a.example/b:1\nENV NODE_ENV=production"},
})

var _ = add(Rule{
	ID: "docker-read", Title: "Uses the host's container socket", Severity: palisade.High, Capability: palisade.CapReadPath, CWE: 22,
	Says:        "uses the host's container socket",
	Description: "Whoever may talk to it is root on the host.",
	Remedy:      "Leave it out.",
	Bad:         []string{"FROM a.example/b:1\nVOLUME /var/run/docker.sock"},
	Good:        []string{"FROM a.example/b:1\nVOLUME /data"},
})

var _ = add(Rule{
	ID: "docker-metadata-address", Title: "Names a cloud metadata service", Severity: palisade.Critical, Capability: palisade.CapNetwork, CWE: 918,
	Says:        "names the address where a cloud hands out credentials",
	Description: "The metadata service of a cloud gives the builder's credentials to whoever asks from inside.",
	Remedy:      "No build needs this address.",
	Bad:         []string{"FROM a.example/b:1\nADD http://169.254.169.254/x /x", "FROM a.example/b:1\nRUN curl http://169.254.169.254/"},
	Good:        []string{"FROM a.example/b:1\nENV U=http://10.169.254.169/"},
})

var _ = add(Rule{
	ID: "docker-unresolved", Title: "Could not be resolved", Severity: palisade.Medium, Capability: palisade.CapUnresolved, CWE: 470,
	Says:        "holds something that could not be resolved",
	Description: "A script for a shell that is not read here may do anything.",
	Remedy:      "Use a POSIX shell.",
	Bad:         []string{"FROM a.example/b:1\nSHELL [\"pwsh\", \"-c\"]\nRUN x"},
	Good:        []string{"FROM a.example/b:1\nSHELL [\"/bin/bash\", \"-c\"]"},
})

var _ = add(Rule{
	ID: "docker-write", Title: "Writes a file into the image", Severity: palisade.Low, Capability: palisade.CapWritePath, CWE: 73,
	Says:        "writes a file that stands in the Dockerfile into the image",
	Description: "Policy says which paths may be written.",
	Remedy:      "Write below the application's own folder.",
	Bad:         []string{"FROM alpine:3\nCOPY <<E /etc/motd\nhello\nE"},
	Good:        []string{"FROM alpine:3\nCOPY motd /etc/motd"},
})
