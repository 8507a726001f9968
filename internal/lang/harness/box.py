def layers():
    """What can be seen from inside, before any byte of the program runs."""
    ids = set(posix.getresuid())
    found = {
        "uid": ids.pop().__str__() if len(ids) == 1 else "mixed",
        "python": "%d.%d.%d" % sys.version_info[:3],
    }
    ids = set(posix.getresgid()) | set(posix.getgroups())
    found["gid"] = ids.pop().__str__() if len(ids) == 1 else "mixed"
    status = {}
    try:
        fd = posix.open("/proc/self/status", posix.O_RDONLY | posix.O_CLOEXEC)
        text = posix.read(fd, STATUS)
        posix.close(fd)
    except OSError:
        return found
    for line in text.decode("ascii", "replace").splitlines():
        key, _, value = line.partition(":")
        status[key] = value.strip()
    sets = [status.get(k) for k in ("CapInh", "CapPrm", "CapEff", "CapBnd")]
    if None not in sets:
        sets.append(status.get("CapAmb", "0"))
        held = 0
        for s in sets:
            held |= int(s, 16)
        found["capabilities"] = "%x" % held if held else "none"
    if "NoNewPrivs" in status:
        found["no_new_privs"] = "yes" if status["NoNewPrivs"] == "1" else "no"
    if status.get("Seccomp") == "2":
        found["guest_seccomp"] = "filter"
    return found


def set_limits(limits):
    import resource
    for name, value in limits.items():
        which = getattr(resource, "RLIMIT_" + name.upper(), None)
        if which is None:
            continue
        try:
            resource.setrlimit(which, (value, value))
        except ValueError:  # there is a lower one already
            value = min(value, resource.getrlimit(which)[1])
            resource.setrlimit(which, (value, value))
