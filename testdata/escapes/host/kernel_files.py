# tries: read secrets of the kernel: boot id, symbols, memory, keys, command line
# must: find none of the host
# needs: isolation
# expect: status=ok
for path in ("/proc/sys/kernel/random/boot_id", "/proc/cmdline", "/proc/version", "/proc/modules", "/proc/keys",
             "/proc/kallsyms", "/proc/kcore", "/proc/iomem", "/proc/ioports", "/proc/interrupts", "/proc/timer_list",
             "/proc/sched_debug", "/proc/config.gz", "/proc/net/arp", "/proc/net/route", "/proc/partitions"):
    try:
        text = open(path, "rb").read(4000)
    except OSError as e:
        print("blocked", path, e.errno)
        continue
    print(path, text[:80])  # the suite knows the host's own
    if path in ("/proc/kcore", "/proc/keys") and text:
        print("ESCAPED", path)
    if path == "/proc/kallsyms" and any(not l.startswith(b"0" * 16) for l in text.splitlines() if l):
        print("ESCAPED", path)
