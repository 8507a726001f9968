try:
    from _sha2 import sha256
except ImportError:
    from _sha256 import sha256

TEXT = 1001  # the descriptor of the program's text


class Text(Run):
    """A program that runs as text, in an interpreter that is a child of this
    process. sys.argv has the interpreter's command line, in which {text},
    {name} and {heap} stand for what only the run knows."""

    def take(self, name, file, text):
        if name != "__main__":
            raise ValueError("a module beside a text")
        self.name = file
        self.seal(text)

    def seal(self, text):
        """Puts the text where nobody can change it any more, and this process
        included: interpreters read as they go."""
        import fcntl
        fd = posix.memfd_create("program", posix.MFD_CLOEXEC | posix.MFD_ALLOW_SEALING)
        write_all(fd, text)
        # F_ADD_SEALS: SEAL, SHRINK, GROW and WRITE, of include/uapi/linux/fcntl.h.
        fcntl.fcntl(fd, 1033, 1 | 2 | 4 | 8)
        posix.dup2(fd, TEXT, False)
        posix.close(fd)

    def ready(self, kind, payload):
        """Answers what is asked of a box that has no job yet: it has no modules to
        import, and rehearses what comes before its interpreter."""
        answer = b""
        if kind == b"W":
            try:
                rehearse(payload)
            except BaseException as error:
                answer = ("%s: %s" % (type(error).__name__, error)).encode("utf-8", "replace")
        self.channel.send(kind, answer)

    def load(self):
        """The digest of what stands in the sealed file, read back from it."""
        hashed = sha256()
        at = 0
        while True:
            part = posix.pread(TEXT, CHUNK, at)
            if not part:
                return ["tree", "", hashed.hexdigest(), "layer", "text", "sealed"]
            hashed.update(part)
            at += len(part)

    def command(self):
        # A heap above what the host bounds, which is to be met first: one that
        # ends its process by itself looks like a crash.
        heap = str((self.limits.get("memory", 0) * 9 // 8 >> 20) + 64)
        whole = {"{text}": "/proc/%d/fd/%d" % (posix.getpid(), TEXT), "{name}": self.name}
        return [whole.get(arg) or arg.replace("{heap}", heap) for arg in sys.argv[1:]]

    def go(self):
        import _signal
        argv = self.command()
        # The program may signal this process as it may any other of its own.
        # What it is started with is what a fresh process has.
        signals = [n for n in _signal.valid_signals() if n not in (9, 17, 19)]  # SIGKILL, SIGCHLD, SIGSTOP
        for n in signals:
            _signal.signal(n, _signal.SIG_IGN)
        status = 127 << 8  # as a shell says that a program cannot be started
        try:
            child = posix.posix_spawn(argv[0], argv, posix.environ, setpgroup=0, setsigmask=(), setsigdef=signals)
            status = self.wait(child)
            self.end_rest(child)
        except OSError as error:
            tell("the interpreter cannot be started: %s" % error.strerror)
        try:
            send_files(self.channel, self.before, self.limits)
        except BaseException:
            pass
        end_as(status)

    def wait(self, child):
        """Waits for the child's end; meanwhile orphans are this process's."""
        while True:
            pid, status = posix.waitpid(-1, 0)
            if pid == child:
                return status

    def end_rest(self, child):
        """Ends what the program left running, so that its files stand still.
        Where this process is not the first of its own namespace, that is for
        the back-end to do: there -1 would be everyone."""
        try:
            while True:
                posix.kill(-1 if posix.getpid() == 1 else -child, 9)
                posix.waitpid(-1, 0)
        except OSError:
            pass  # nobody is left, or the verdict denies it


class Nowhere:
    """Stands for the channel of a rehearsal."""


def rehearse(text):
    """Takes a text the way that every text goes, up to where its interpreter would be
    started, so that the next one finds all of it in memory."""
    run = Text(Nowhere())
    run.take("__main__", "rehearsal", text)
    run.load()
    run.command()
    run.before = scan()
    layers()
    posix.close(TEXT)


def end_as(status):
    """Ends this process as the program ended; where the verdict denies to send a
    signal, with the code by which a shell tells of one."""
    if not posix.WIFSIGNALED(status):
        posix._exit(posix.WEXITSTATUS(status))
    import _signal
    number = posix.WTERMSIG(status)
    try:
        if number != 9:
            _signal.signal(number, _signal.SIG_DFL)
        posix.kill(posix.getpid(), number)
    except OSError:
        pass
    posix._exit(128 + number)


main(Text)
