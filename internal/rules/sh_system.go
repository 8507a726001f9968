package rules

import (
	"palisade"
	"palisade/internal/analysis"
)

var _ = add(Rule{
	ID: "sh-system-info", Title: "Learns about the host", Severity: palisade.Low, Capability: palisade.CapSystemInfo, CWE: 497,
	Says:        "could learn about the host",
	Description: "A command tells of users, processes, hardware or the network of the host.",
	Remedy:      "Nothing, where it is about the box.",
	Bad:         []string{"id", "ps aux", "uname -a", "df", "ss -l"},
	Good:        []string{"echo id", "ls"},
})

var _ = add(Rule{
	ID: "sh-device", Title: "Uses a device", Severity: palisade.High, Capability: palisade.CapSystemInfo, CWE: 732,
	Match:       func(f analysis.Fact) bool { return f.Kind == analysis.KindDevice },
	Says:        "could use a device",
	Description: "Devices are the disks, memory and hardware themselves, below every file system and its rights.",
	Remedy:      "Use files.",
	Bad:         []string{"dd if=/dev/zero of=/dev/sda", "cat /dev/mem", "echo x > /dev/sda1"},
	Good:        []string{"echo x > /dev/null", "head -c 4 /dev/urandom", "cat /dev/stdin"},
})

var _ = add(Rule{
	ID: "sh-kill", Title: "Signals a process", Severity: palisade.Low, Capability: palisade.CapKill, CWE: 284,
	Says:        "could signal",
	Description: "A command sends a signal to a process.",
	Remedy:      "Use timeout for commands that should end.",
	Bad:         []string{"kill 1", "pkill x", "kill -9 -1", "killall x"},
	Good:        []string{"kill -l", "echo kill 1"},
})

var _ = add(Rule{
	ID: "sh-privilege", Title: "Gains or grants rights", Severity: palisade.Critical, Capability: palisade.CapPrivilege, CWE: 250,
	Says:        "could gain or grant rights",
	Description: "A command runs with other rights, changes owners, users or rights, mounts file systems, traces processes or starts containers.",
	Remedy:      "Work with the rights that the program has.",
	Bad: []string{
		"sudo ls", "su -c ls", "chmod u+s x", "chmod 4755 x", "chown root x", "useradd x", "mount /dev/sda /mnt", "nsenter -t 1 -m sh", "docker run -v /:/h x",
		"install -m 4755 a b", "setcap cap_setuid+ep x", "gdb -p 1", "ip link set eth0 down", "sysctl -w a=b", "echo x | passwd --stdin y",
	},
	Good: []string{"chmod +x x", "chmod 755 x", "ls -l", "id", "docker ps", "sysctl a"},
})

var _ = add(Rule{
	ID: "sh-install", Title: "Installs a package", Severity: palisade.High, Capability: palisade.CapInstall, CWE: 829,
	Says:        "could install",
	Description: "A package manager fetches code that nobody read, and its scripts run while it installs.",
	Remedy:      "Use what is installed: packages come from the operator's approved list.",
	Bad:         []string{"pip install x", "python3 -m pip install x", "apt-get install -y x", "npm i", "npx x", "go install x@latest", "cargo install x", "dpkg -i x.deb"},
	Good:        []string{"pip list", "npm ls", "apt-cache search x", "go version"},
})

var _ = add(Rule{
	ID: "sh-side-effect", Title: "Changes the state of a system", Severity: palisade.High, Capability: palisade.CapSideEffect, CWE: 284,
	Says:        "could change the state of a system",
	Description: "A command changes services, settings or resources of a host, a cluster or a cloud, beyond files.",
	Remedy:      "Leave the state of systems to those who run them.",
	Bad:         []string{"systemctl stop x", "shutdown now", "kubectl apply -f x.yaml", "terraform apply", "renice 5 1", "hostnamectl set-hostname x"},
	Good:        []string{"systemctl status x", "terraform validate", "kubectl get pods"},
})

var _ = add(Rule{
	ID: "sh-destroy", Title: "Destroys what cannot be brought back", Severity: palisade.Critical, Capability: palisade.CapDestroy, CWE: 284,
	Says:        "could destroy",
	Description: "A command overwrites disks, or deletes containers, clusters or resources of a cloud.",
	Remedy:      "Leave destruction to those who run the system.",
	Bad:         []string{"mkfs.ext4 /dev/sda", "kubectl delete ns x", "terraform destroy", "aws s3 rb s3://x --force", "docker system prune -af"},
	Good:        []string{"kubectl get ns", "docker ps", "aws s3 ls"},
})

var _ = add(Rule{
	ID: "sh-environment", Title: "Reads or changes the environment", Severity: palisade.Info, Capability: palisade.CapEnvironment, CWE: 526,
	Says:        "could use the environment",
	Description: "The environment can hold what is not meant for the program.",
	Remedy:      "Set the variables that the program needs in the program.",
	Bad:         []string{"env", "printenv X", "echo $SECRET_TOKEN", "envsubst < f"},
	Good:        []string{"x=1; echo $x", "echo $HOME", "env A=1 ls"},
})
