import builtins


class Tree(Run):
    """A Python program: the code made of its judged tree runs in this process."""

    def __init__(self, channel=None):
        super().__init__(channel)
        self.source = Source()
        self.last = None
        self.child = False

    def take(self, name, file, text):
        self.source.add(name, file, text.decode())

    def load(self):
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

    def ready(self, kind, payload):
        """Answers what is asked of a box that has no job yet."""
        if kind == b"T":
            self.channel.send(b"T", join(*preload([n.decode() for n in split(payload)])))
            return
        answer = b""
        try:
            rehearse(payload)
        except BaseException as error:
            answer = ("%s: %s" % (type(error).__name__, error)).encode("utf-8", "replace")
        self.channel.send(b"W", answer)

    def forked(self):
        self.child = True
        self.channel.close()
        if self.relay is not None:
            self.relay.forked()

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
        module.__file__ = f"{posix.getcwd()}/{file}"  # programs look beside it for files
        module.__loader__ = self.source
        sys.modules["__main__"] = module
        if len(self.source.files) > 1:
            sys.meta_path.insert(0, self.source)
        renew()
        if b"NPY_DISABLE_CPU_FEATURES" in posix.environ:
            hush_numpy()
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
        posix._exit(self.leave(namespace, code))

    def leave(self, namespace, code):
        """What is left to do when the program's code has come to its end."""
        self.attempt(lambda: let_go(namespace, 1 if self.relay is None else 2))
        if not flush() and code == 0:
            code = 120
        if not self.child:
            try:
                send_files(self.channel, self.before, self.limits)
            except BaseException:
                pass
        return code

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


def hush_numpy():
    """In a deterministic box numpy is told of features of other versions and
    processors, too, and warns of them while it is imported."""
    import warnings
    for module in ("_frozen_importlib", "importlib._bootstrap"):
        warnings.filters.insert(0, ("ignore", None, RuntimeWarning, module, 0))
    warnings._filters_mutated()


class Nowhere:
    """Stands for the channel of a rehearsal."""

    def send(self, kind, payload=b""):
        join(kind, payload)


def rehearse(text):
    """Takes a program of the host's the way that every program goes, so that the
    next one finds all of it in memory. What ends threads and runs exit functions
    is left out: that is done once."""
    import atexit, resource
    run = Tree(Nowhere())
    run.take("__main__", "rehearsal.py", text)
    run.load()
    run.before = scan()
    layers()
    first = sys.modules["__main__"]
    namespace = run.namespace()
    run.execute(namespace)
    send_figures(run.channel)
    run.leave(namespace, 0)
    sys.modules["__main__"] = first
    stash.hide()


sys.path += sys.argv[1:]
main(Tree)
