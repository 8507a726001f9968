def write_file(name, data):
    at = name.find("/")
    while at > 0:
        try:
            posix.mkdir(name[:at], 0o755)
        except FileExistsError:
            pass
        at = name.find("/", at + 1)
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_NOFOLLOW | posix.O_CLOEXEC
    fd = posix.open(name, flags, 0o644)
    write_all(fd, data)
    return fd


def write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[posix.write(fd, view):]


def set_stdin(data):
    """Makes descriptor 0 hold data, for input() and for child processes."""
    if len(data) <= MAX_PIPE:
        fd, end = posix.pipe()
        write_all(end, data)
        posix.close(end)
    else:
        try:
            fd = posix.memfd_create("stdin", posix.MFD_CLOEXEC)
        except (AttributeError, OSError):  # a verdict may deny it
            fd = posix.open("/tmp/.stdin", posix.O_RDWR | posix.O_CREAT | posix.O_EXCL | posix.O_NOFOLLOW, 0o600)
            posix.unlink("/tmp/.stdin")
        write_all(fd, data)
        posix.lseek(fd, 0, 0)
    posix.dup2(fd, 0)
    posix.close(fd)


def scan():
    """The regular files below the working directory, and what tells a change."""
    found = {}
    folders = [("", 0)]
    seen = 0
    while folders:
        folder, depth = folders.pop()
        try:
            entries = posix.scandir(folder or ".")
        except OSError:
            continue
        with entries:
            for entry in entries:
                seen += 1
                if seen > MAX_ENTRIES:
                    return found
                name = folder + "/" + entry.name if folder else entry.name
                try:
                    if entry.is_dir(follow_symlinks=False):
                        if depth < 31:
                            folders.append((name, depth + 1))
                    elif entry.is_file(follow_symlinks=False):
                        s = entry.stat(follow_symlinks=False)
                        found[name] = (s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino)
                except OSError:
                    pass
    return found


def tell(text):
    """Says to whoever reads standard error what became of their files."""
    try:
        posix.write(2, ("[" + text + "]\n").encode())
    except OSError:
        pass


def send_files(channel, before, limits):
    count = limits.get("artifact_files", 0)
    left = limits.get("artifact_bytes", 0)
    for name, state in sorted(scan().items()):
        if before.get(name) == state:
            continue
        if count == 0:
            tell("more files than are kept of one run: %s and what follows is not" % ascii(name))
            return
        count -= 1
        try:
            fd = posix.open(name, posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC)
        except OSError:
            continue
        try:
            s = posix.fstat(fd)
            if s.st_mode & 0o170000 != 0o100000:
                continue
            channel.send(b"F", join(name.encode("utf-8", "surrogateescape"), str(s.st_size)))
            if s.st_size > left:
                # The host has its name and size, for the record.
                tell("file %s is not kept: its %d bytes are more than are left" % (ascii(name), s.st_size))
                continue
            left -= s.st_size
            rest = s.st_size
            while rest > 0:
                data = posix.read(fd, min(rest, CHUNK))
                if not data:
                    break
                rest -= len(data)
                channel.send(b"D", data)
            channel.send(b"E")
        except OSError:
            pass
        finally:
            posix.close(fd)
