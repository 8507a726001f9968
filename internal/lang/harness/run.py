class Run:
    """One program, from its source to its end."""

    def __init__(self):
        self.channel = Channel()
        self.source = Source()
        self.entry = ""
        self.args = {}
        self.limits = {}
        self.last = None
        self.child = False

    def receive(self):
        stdin = []
        fd = -1
        while True:
            kind, payload = self.channel.read()
            if kind == b"S":
                break
            if kind == b"P":
                name, text = split(payload)
                self.source.add("__main__", name.decode(), text.decode())
            elif kind == b"M":
                name, file, text = split(payload)
                self.source.add(name.decode(), file.decode(), text.decode())
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
            else:
                posix._exit(1)
        if fd >= 0:
            posix.close(fd)
        if stdin:
            set_stdin(b"".join(stdin))

    def compile(self):
        """Makes code of each tree, after its digest was taken."""
        report = []
        for name, file in self.source.files.items():
            tree = parse(self.source.texts[name], file)
            report += ["tree", "" if name == "__main__" else name, digest(tree)]
            last = split_last(tree) if name == "__main__" else None
            code = compile(tree, file, "exec", 0, True, 0)
            if last is not None:
                # 0x1FE0000: the __future__ features that the program turned on.
                self.last = compile(last, file, "eval", code.co_flags & 0x1FE0000, True, 0)
            self.source.codes[name] = code
        return report

    def prepare(self):
        """All that can be done before go, and the report of it."""
        report = []
        try:
            self.receive()
            report += self.compile()
            self.before = scan()
            set_limits(self.limits)
        except BaseException as error:
            report += ["error", type(error).__name__, str(error)[:1000]]
        for key, value in layers().items():
            report += ["layer", key, value]
        return report

    def forked(self):
        self.child = True
        self.channel.close()

    def namespace(self):
        """Makes the module in which the program runs, as a script would find it."""
        import _sitebuiltins
        builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
        builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
        builtins.help = _sitebuiltins._Helper()
        file = self.source.files["__main__"]
        sys.argv = [file]
        module = type(sys)("__main__")
        module.__builtins__ = builtins
        module.__file__ = file
        module.__loader__ = self.source
        sys.modules["__main__"] = module
        if len(self.source.files) > 1:
            sys.meta_path.insert(0, self.source)
        for name in ("random", "numpy.random"):
            if name in sys.modules:
                sys.modules[name].seed()
        sys.stdout = sys.__stdout__ = Output(sys.stdout)
        return module.__dict__

    def execute(self, namespace):
        exec(self.source.codes["__main__"], namespace)
        if self.last is not None:
            display(self.channel, eval(self.last, namespace))
        if self.entry:
            if self.entry not in namespace:
                raise NameError("the program defines no %r" % self.entry)
            value = call(namespace[self.entry], self.args)
            encoder = Encoder()
            encoder.value(value)
            self.channel.send(b"V", "".join(encoder.parts).encode())

    def go(self):
        namespace = self.namespace()
        posix.register_at_fork(after_in_child=self.forked)
        code = self.attempt(lambda: self.execute(namespace))
        if not self.child:
            code = self.attempt(lambda: send_figures(self.channel)) or code
        code = self.attempt(end_threads) or code
        self.attempt(lambda: let_go(namespace))
        if not flush() and code == 0:
            code = 120
        if not self.child:
            try:
                send_files(self.channel, self.before, self.limits)
            except BaseException:
                pass
        posix._exit(code)

    def attempt(self, step):
        """Takes a step that may run the program's code; gives its exit code."""
        try:
            step()
            return 0
        except SystemExit as error:
            return exit_code(error)
        except BaseException as error:
            try:
                if not self.child:
                    send_exception(self.channel, error, self.source.files.values())
            except BaseException:
                pass
            try:
                print_exception(error, self.source)
            except BaseException:
                pass
            return 130 if isinstance(error, KeyboardInterrupt) else 1


def main():
    sys.path += sys.argv[1:]
    run = Run()
    report = run.prepare()
    run.channel.send(b"R", join(*report))
    kind, _ = run.channel.read()
    if kind != b"G":
        posix._exit(1)
    run.channel.input.close()
    run.go()


main()
