class Run:
    """One program, from its source to its end: what is the same for every
    language. A language adds take(), load() and go()."""

    def __init__(self, channel=None):
        self.channel = channel or Channel()
        self.entry = ""
        self.args = {}
        self.limits = {}
        self.before = {}     # the files that were sent, as they then were
        self.exit = []  # what makes the way out, where there is one
        self.relay = None
        self.sealed = False  # the host has sent all that there is of the job

    def receive(self):
        stdin = []
        fd = -1
        while True:
            kind, payload = self.channel.read()
            if kind == b"S":
                self.sealed = True
                break
            if kind == b"T" or kind == b"W":
                self.ready(kind, payload)
                continue
            if kind == b"P":
                name, text = split(payload)
                self.take("__main__", name.decode(), text)
            elif kind == b"M":
                name, file, text = split(payload)
                self.take(name.decode(), file.decode(), text)
            elif kind == b"N":
                self.entry = payload.decode()
            elif kind == b"A":
                self.args = read_value(payload, 0)[0]
            elif kind == b"L":
                fields = split(payload)
                self.limits = {k.decode(): int(v) for k, v in zip(fields[::2], fields[1::2])}
            elif kind == b"F":
                if fd >= 0:
                    posix.close(fd)
                name, data = split(payload)
                fd = write_file(name.decode(), data)
            elif kind == b"C":
                write_all(fd, payload)
            elif kind == b"I":
                stdin.append(payload)
            elif kind == b"E":
                self.exit = split(payload)
            else:
                posix._exit(1)
        if fd >= 0:
            posix.close(fd)
            self.before = scan()
        if stdin:
            set_stdin(b"".join(stdin))

    def ready(self, kind, payload):
        """What a box does before it has a job; see warm.py."""
        posix._exit(1)

    def prepare(self):
        """All that can be done before go, and the report of it."""
        report = []
        try:
            self.receive()
            report += self.load()
            if self.exit:
                self.relay = open_relay(self.exit)
                report += ["layer", "network", "proxy"]
            set_limits(self.limits)
        except BaseException as error:
            report += ["error", type(error).__name__, str(error)[:1000]]
            # What is left of the job would be taken for the answer to the report.
            while not self.sealed:
                self.sealed = self.channel.read()[0] == b"S"
        for key, value in layers().items():
            report += ["layer", key, value]
        return report


def main(kind):
    run = kind()
    report = run.prepare()
    run.channel.send(b"R", join(*report))
    go, _ = run.channel.read()
    if go != b"G":
        posix._exit(1)
    run.channel.input.close()
    run.go()
