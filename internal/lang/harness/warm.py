class Stash:
    """Keeps modules that were imported in advance, until a program imports one of
    them itself: then all that this import brings is there at once, with what it
    did to the lists of warnings and of importers. Until then nothing of it shows
    but this importer. Modules of the interpreter's own library are not kept here:
    whether they are loaded shows in sys.modules alone."""

    def __init__(self):
        self.groups = []   # modules, filters, importers: in the order of import
        self.group = {}    # module name -> which group it is of
        self.first = None  # what there was before
        self.shown = 0     # how many groups are there for the program

    def fill(self, names):
        import warnings
        self.first = set(sys.modules), warnings.filters[:], sys.meta_path[:]
        failed = []
        for name in names:
            try:
                __import__(name)
            except Exception:
                failed.append(name)
            self.gather(True)
        self.shown = len(self.groups)
        return failed

    def gather(self, new):
        """Notes the modules that came; in a group of their own, or with the last."""
        import warnings
        library = getattr(sys, "stdlib_module_names", ())
        came = {}
        for name, module in sys.modules.items():
            top = name.partition(".")[0]
            if name in self.first[0] or name in self.group or top in library or top == "__main__":
                continue
            if not library and "-packages" not in str(getattr(sys.modules.get(top), "__path__", getattr(module, "__file__", ""))):
                continue
            came[name] = module
        if not came:
            return
        if new or not self.groups:
            self.groups.append(({}, warnings.filters[:], sys.meta_path[:]))
        self.groups[-1][0].update(came)
        for name in came:
            self.group[name] = len(self.groups) - 1

    def hide(self):
        if not self.groups:
            return
        import warnings
        self.gather(False)
        for name in self.group:
            sys.modules.pop(name, None)
        warnings.filters[:] = self.first[1]
        sys.meta_path[:] = [self] + self.first[2]
        mutated()
        self.shown = 0

    def show(self, count):
        import warnings
        while self.shown < count:
            modules, filters, importers = self.groups[self.shown]
            before = self.groups[self.shown - 1] if self.shown else self.first
            sys.modules.update(modules)
            merge(warnings.filters, before[1], filters)
            merge(sys.meta_path, before[2], importers)
            self.shown += 1
        mutated()

    def get(self, name):
        """A module, whether it shows or not."""
        at = self.group.get(name)
        return sys.modules.get(name) if at is None else self.groups[at][0][name]

    def find_spec(self, name, path=None, target=None):
        at = self.group.get(name)
        if at is None or name in sys.modules:
            return None
        real = self.groups[at][0][name]
        self.show(at + 1)
        # The import system would take a module that is there already to have
        # been found by somebody else, and load it a second time.
        sys.modules.pop(name, None)
        spec = ModuleSpec(name, self, origin=getattr(getattr(real, "__spec__", None), "origin", None))
        spec.submodule_search_locations = getattr(real, "__path__", None)
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        # A module may put another in its own place: that is what is imported.
        name = module.__spec__.name
        sys.modules[name] = self.groups[self.group[name]][0][name]
        if self.shown == len(self.groups) and self in sys.meta_path:
            sys.meta_path.remove(self)


def mutated():
    """Tells the interpreter that the list of warnings has changed."""
    import warnings
    getattr(warnings, "_filters_mutated", None) and warnings._filters_mutated()


def merge(now, before, after):
    """Gives a list what another gained between before and after, at the same end."""
    new = [item for item in after if item not in before]
    head = []
    for item in after:
        if item not in new:
            break
        head.append(item)
    now[:0] = head
    now.extend(item for item in new if item not in head)


stash = Stash()


def preload(names):
    """Imports modules into a template, and gives the names of those that cannot
    be."""
    import gc
    failed = stash.fill(names)
    stash.hide()
    for folder in ("/work", "/tmp"):  # matplotlib writes down what fonts there are
        remove_below(folder)
    gc.collect()
    gc.freeze()
    return failed


def remove_below(folder):
    for name in posix.listdir(folder):
        path = folder + "/" + name
        try:
            posix.unlink(path)
        except OSError:
            remove_below(path)
            posix.rmdir(path)


def renew():
    """Makes everything random anew. What was restored is what every box of its
    template has: no two may go on from there."""
    for name in ("random", "numpy.random"):
        module = stash.get(name)
        if module is not None:
            module.seed()
    module = stash.get("tempfile")
    if module is not None:
        module._name_sequence = None  # a generator of its own
    module = stash.get("uuid")
    if module is not None:
        module._node = module._last_timestamp = None
    module = stash.get("multiprocessing.process")
    if module is not None:
        module._current_process._config["authkey"] = module.AuthenticationString(posix.urandom(32))
    module = stash.get("_ssl")
    if module is not None:
        module.RAND_add(posix.urandom(48), 48.0)
