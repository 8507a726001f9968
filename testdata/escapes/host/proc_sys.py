# tries: change settings of the kernel
# must: be refused
# needs: isolation
# expect: status=ok
import glob

paths = ["/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger", "/proc/sys/kernel/modprobe",
         "/proc/sys/kernel/hostname", "/proc/sys/fs/binfmt_misc/register", "/proc/sys/kernel/hotplug", "/proc/acpi/wakeup",
         "/sys/kernel/uevent_helper", "/sys/fs/cgroup/release_agent", "/proc/1/oom_score_adj", "/proc/sys/net/ipv4/ip_forward"]
paths += glob.glob("/sys/fs/cgroup/*/release_agent")
for path in paths:
    try:
        with open(path, "r+") as f:
            f.write("1")
        if path != "/proc/1/oom_score_adj":  # its own score may be raised
            print("ESCAPED", path)
    except OSError as e:
        print("blocked", path, e.errno)
