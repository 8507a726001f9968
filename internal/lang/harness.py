# The harness for Python: the first thing that runs in a box, and the last.
#
# Until it is told to go it runs no byte of the program: it parses it, digests
# the tree, reports, and waits. Then it executes the code made of that very
# tree. From then on the program shares this process, so that nothing which is
# reported later is more than the program's own word; the host knows that.
#
# It is written for CPython 3.8 to 3.14 and imports only what is built in,
# because every import is paid for by each run. The function digest() stands
# in front of this text.

import sys
import posix
import _ast
import _io
import builtins
from _frozen_importlib import ModuleSpec
from time import monotonic

HARNESS = __file__
CHUNK = 256 * 1024        # bytes of a file in one frame
MAX_TEXT = 1024 * 1024    # of a value, and of an HTML or SVG form
MAX_REPR = 32 * 1024      # of a displayed value's text
MAX_PICTURE = 4000 * 1000
MAX_FIGURES = 20
MAX_PIPE = 60 * 1024      # what a pipe holds without a reader
MAX_ENTRIES = 10000       # files and folders that are looked at


class Channel:
    """The two pipes to the host."""

    def __init__(self):
        self.input = _io.open(3, "rb", closefd=True)
        try:
            # Out of the way of the program's own descriptors and their limit,
            # and closed in whatever it executes.
            self.out = posix.dup2(4, 1000, False)
            posix.close(4)
        except OSError:
            self.out = 4
            posix.set_inheritable(4, False)
        posix.set_inheritable(3, False)

    def read(self):
        head = self.input.read(5)
        if len(head) != 5:
            posix._exit(1)
        size = int.from_bytes(head[:4], "big")
        payload = self.input.read(size)
        if len(payload) != size:
            posix._exit(1)
        return head[4:], payload

    def send(self, kind, payload=b""):
        data = len(payload).to_bytes(4, "big") + kind + payload
        view = memoryview(data)
        try:
            while view:
                view = view[posix.write(self.out, view):]
        except OSError:
            pass  # the program closed it: the host goes by what it sees

    def close(self):
        try:
            posix.close(self.out)
        except OSError:
            pass
        self.out = -1


def join(*fields):
    out = []
    for field in fields:
        if isinstance(field, str):
            field = field.encode("utf-8", "backslashreplace")
        out.append(len(field).to_bytes(4, "big"))
        out.append(field)
    return b"".join(out)


def split(payload):
    fields = []
    at = 0
    while at < len(payload):
        end = at + 4 + int.from_bytes(payload[at:at + 4], "big")
        fields.append(payload[at + 4:end])
        at = end
    return fields


def read_value(data, at):
    """One argument at an offset, and the offset behind it."""
    kind = data[at:at + 1]
    at += 1
    if kind == b"z":
        return None, at
    if kind == b"t":
        return True, at
    if kind == b"f":
        return False, at
    size = int.from_bytes(data[at:at + 4], "big")
    at += 4
    if kind == b"l":
        items = []
        for _ in range(size):
            item, at = read_value(data, at)
            items.append(item)
        return items, at
    if kind == b"o":
        members = {}
        for _ in range(size):
            end = at + 4 + int.from_bytes(data[at:at + 4], "big")
            key = data[at + 4:end].decode()
            members[key], at = read_value(data, end)
        return members, at
    text = data[at:at + size].decode()
    at += size
    if kind == b"i":
        return int(text, 16), at
    if kind == b"d":
        return float(text), at
    return text, at


class Output(_io.TextIOWrapper):
    """Standard output, written out at each line, so that it survives a kill and
    is seen as it comes; but not more often than 200 times a second for long,
    since each time costs a box as much as a hundred lines."""

    def __init__(self, old):
        errors = old.errors
        super().__init__(old.detach(), "utf-8", errors, "\n")
        self.mode = "w"
        self.due = 0.0

    def write(self, text):
        size = super().write(text)
        if "\n" in text:
            now = monotonic()
            if self.due - now < 2.5:
                self.due = (self.due if self.due > now else now) + 0.005
                self.flush()
        return size


Output.__module__ = "_io"
Output.__name__ = Output.__qualname__ = "TextIOWrapper"


class Source:
    """Finds and loads the judged modules, from their trees; knows all text."""

    def __init__(self):
        self.files = {}  # module name -> file name
        self.texts = {}  # module name -> text
        self.codes = {}  # module name -> code
        self.packages = set()

    def add(self, name, file, text):
        self.files[name] = file
        self.texts[name] = text
        while "." in name:
            name = name.rpartition(".")[0]
            self.packages.add(name)

    def find_spec(self, name, path=None, target=None):
        if name == "__main__" or not (name in self.files or name in self.packages):
            return None
        spec = ModuleSpec(name, self, origin=self.files.get(name), is_package=name in self.packages)
        spec.has_location = name in self.files
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        code = self.codes.get(module.__name__)
        if code is not None:
            exec(code, module.__dict__)

    def get_source(self, name):
        return self.texts.get(name)

    def get_code(self, name):
        return self.codes.get(name)

    def is_package(self, name):
        return name in self.packages


def parse(text, file):
    return compile(text, file, "exec", _ast.PyCF_ONLY_AST, True, 0)


def split_last(tree):
    """Takes the last expression off a tree, for its value to be displayed."""
    body = tree.body
    if not body or type(body[-1]) is not _ast.Expr:
        return None
    value = body[-1].value
    if len(body) == 1 and type(value) is _ast.Constant and type(value.value) is str:
        return None  # the documentation string
    body.pop()
    return _ast.Expression(value)


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
        with _io.open("/proc/self/status", "rb") as f:
            for line in f.read(65536).decode("ascii", "replace").splitlines():
                key, _, value = line.partition(":")
                status[key] = value.strip()
    except OSError:
        return found
    sets = [status.get(k) for k in ("CapInh", "CapPrm", "CapEff", "CapBnd")]
    if None not in sets:
        sets.append(status.get("CapAmb", "0"))
        held = 0
        for s in sets:
            held |= int(s, 16)
        found["capabilities"] = "%x" % held if held else "none"
    if "NoNewPrivs" in status:
        found["no_new_privs"] = "yes" if status["NoNewPrivs"] == "1" else "no"
    if "Seccomp" in status:
        found["guest_seccomp"] = {"0": "none", "1": "strict", "2": "filter"}.get(status["Seccomp"], "unknown")
    return found


def set_limits(limits):
    import resource
    for name, value in limits.items():
        which = getattr(resource, "RLIMIT_" + name.upper(), None)
        if which is None:
            continue
        hard = resource.getrlimit(which)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        resource.setrlimit(which, (value, value))


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


def send_files(channel, before, limits):
    count = limits.get("artifact_files", 0)
    left = limits.get("artifact_bytes", 0)
    for name, state in sorted(scan().items()):
        if before.get(name) == state:
            continue
        if count == 0:
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
                continue  # the host has its name and size, and says so
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


class NotJSON(Exception):
    pass


ESCAPES = {i: "\\u%04x" % i for i in range(32)}
ESCAPES.update({34: '\\"', 92: "\\\\", 10: "\\n", 13: "\\r", 9: "\\t"})


def quote(text):
    text = str.translate(text, ESCAPES)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = "".join("\\u%04x" % ord(c) if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)
    return '"' + text + '"'


class Encoder:
    """Writes a value as JSON, strictly: what JSON cannot hold is an error."""

    def __init__(self):
        self.parts = []
        self.size = 0

    def put(self, text):
        self.size += len(text)
        if self.size > MAX_TEXT:
            raise NotJSON("the value is larger than %d characters" % MAX_TEXT)
        self.parts.append(text)

    def whole(self, value):
        try:
            return int.__repr__(value)
        except ValueError:  # more digits than are converted by default
            sys.set_int_max_str_digits(0)
            return int.__repr__(value)

    def value(self, value, place="$", depth=0):
        if depth > 200:
            raise NotJSON("the value is nested deeper than 200")
        if value is None:
            self.put("null")
        elif value is True or value is False:
            self.put("true" if value else "false")
        elif isinstance(value, str):
            self.put(quote(value))
        elif isinstance(value, int):
            self.put(self.whole(value))
        elif isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                raise NotJSON("%s is %s, which JSON cannot hold" % (place, float.__repr__(value)))
            self.put(float.__repr__(value))
        elif isinstance(value, dict):
            self.members(value, place, depth)
        elif isinstance(value, (list, tuple)):
            self.items(value, place, depth)
        elif isinstance(value, (set, frozenset)):
            try:
                value = sorted(value)
            except TypeError:
                value = list(value)
            self.items(value, place, depth)
        else:
            self.value(self.plain(value, place), place, depth + 1)

    def items(self, value, place, depth):
        self.put("[")
        for i, item in enumerate(value):
            if i:
                self.put(",")
            self.value(item, "%s[%d]" % (place, i), depth + 1)
        self.put("]")

    def members(self, value, place, depth):
        self.put("{")
        first = True
        for key, item in value.items():
            if not first:
                self.put(",")
            first = False
            text = self.key(key, place)
            self.put(quote(text))
            self.put(":")
            self.value(item, "%s.%s" % (place, text[:40]), depth + 1)
        self.put("}")

    def key(self, key, place):
        if isinstance(key, str):
            return key
        if key is None or key is True or key is False:
            return {None: "null", True: "true", False: "false"}[key]
        if isinstance(key, float):
            return float.__repr__(key)
        if hasattr(type(key), "__index__"):
            return self.whole(key.__index__())
        raise NotJSON("a key of %s is a %s, which JSON cannot hold" % (place, kind_of(key)))

    def plain(self, value, place):
        """What stands for a number or a table of a library."""
        kind = type(value)
        if hasattr(kind, "tolist"):  # numpy's scalars and arrays, pandas' columns
            return value.tolist()
        if hasattr(kind, "__index__"):
            return value.__index__()
        if hasattr(kind, "to_dict") and hasattr(kind, "columns"):  # pandas' tables
            return value.to_dict(orient="records")
        if getattr(value, "denominator", None) == 1:  # a fraction that is whole
            return int(value)
        if hasattr(kind, "__float__"):  # decimals, fractions, symbolic numbers
            return float(value)
        raise NotJSON("%s is a %s, which JSON cannot hold" % (place, kind_of(value)))


def kind_of(value):
    return type(value).__qualname__[:80]


def brief(value, left):
    """A bounded repr: huge lists must not cost more than they did as values."""
    kind = type(value)
    if kind in (str, bytes) and len(value) > left:
        return kind.__repr__(value[:left]) + "..."
    if kind not in (list, tuple, set, frozenset, dict) or not value:
        return repr(value)[:left + 1]
    if left < 16:
        return "..."
    parts = []
    size = 0
    for item in value:
        if size > left:
            parts.append("...")
            break
        text = brief(item, left - size)
        if kind is dict:
            text += ": " + brief(value[item], left - size)
        parts.append(text)
        size += len(text) + 2
    text = ", ".join(parts)
    if kind is tuple and len(value) == 1:
        text += ","
    marks = {list: "[]", tuple: "()", set: "{}", dict: "{}"}.get(kind)
    return marks[0] + text + marks[1] if marks else "frozenset({" + text + "})"


def display(channel, value):
    """Sends a value as a MIME bundle. A value that cannot be shown is none."""
    if value is None:
        return
    fields = []
    try:
        text = brief(value, MAX_REPR)
        if len(text) > MAX_REPR:
            text = text[:MAX_REPR] + "..."
        fields += ["text/plain", text]
    except Exception:
        pass
    if not isinstance(value, type):
        for name, mime in (("_repr_html_", "text/html"), ("_repr_markdown_", "text/markdown"),
                           ("_repr_latex_", "text/latex"), ("_repr_svg_", "image/svg+xml"),
                           ("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg")):
            try:
                form = getattr(value, name)()
            except Exception:
                continue
            if isinstance(form, str) and len(form) <= MAX_TEXT and mime[:6] != "image/":
                fields += [mime, form]
            elif isinstance(form, str) and len(form) <= MAX_TEXT and mime == "image/svg+xml":
                fields += [mime, form]
            elif isinstance(form, bytes) and len(form) <= MAX_PICTURE // 2:
                fields += [mime, form]
    if fields:
        channel.send(b"B", join(*fields))


def send_figures(channel):
    """Sends matplotlib's open figures as pictures, if it was used at all."""
    plot = sys.modules.get("matplotlib.pyplot")
    if plot is None:
        return
    for number in plot.get_fignums()[:MAX_FIGURES]:
        buffer = _io.BytesIO()
        try:
            plot.figure(number).savefig(buffer, format="png")
        except Exception as error:
            # The program came to its end: that a figure cannot be drawn is
            # worth a word, not a failure.
            sys.stderr.write("figure %s cannot be drawn: %s: %s\n" % (number, type(error).__name__, str(error)[:500]))
            continue
        if len(buffer.getvalue()) <= MAX_PICTURE:
            channel.send(b"B", join("image/png", buffer.getvalue()))


def send_exception(channel, error, files):
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = "%s.%s" % (kind.__module__, name)
    try:
        message = str(error)
    except Exception:
        message = ""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in files:
            frames.append((code.co_filename, str(trace.tb_lineno), code.co_name[:200]))
        trace = trace.tb_next
    fields = [name[:200], message[:8000]]
    for frame in frames[-50:]:
        fields += frame
    channel.send(b"X", join(*fields))


def print_exception(error, source):
    """Prints a traceback as the interpreter would, without the harness in it."""
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(type(error), error, error.__traceback__)
        return
    if sys.stderr is None:
        return
    try:
        import linecache
        import traceback
        for name, file in source.files.items():
            if file not in linecache.cache:
                text = source.texts[name]
                linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        shown = traceback.TracebackException(type(error), error, error.__traceback__)
        queue = [shown]
        done = set()
        while queue:
            one = queue.pop()
            if one is None or id(one) in done:
                continue
            done.add(id(one))
            if one.stack is not None:
                one.stack[:] = [f for f in one.stack
                                if f.filename != HARNESS and not f.filename.startswith("<frozen importlib")]
            queue += [one.__cause__, one.__context__]
            queue += getattr(one, "exceptions", None) or []
        text = "".join(shown.format())
        if not shown.stack and text.startswith("Traceback (most recent call last):\n"):
            text = text.partition("\n")[2]
    except Exception:
        text = "%s: %s\n" % (type(error).__qualname__, error)
    sys.stderr.write(text)
    sys.stderr.flush()


def exit_code(error):
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    try:
        sys.stderr.write("%s\n" % (code,))
    except Exception:
        pass
    return 1


def call(function, args):
    """Calls the entry function; one that is asynchronous is run to its end."""
    code = getattr(function, "__code__", None)
    first = []
    for name in code.co_varnames[:code.co_posonlyargcount] if code else ():
        if name not in args:
            break
        first.append(args.pop(name))
    value = function(*first, **args)
    if type(value).__name__ == "coroutine":
        import asyncio
        value = asyncio.run(value)
    return value


def end_threads():
    """What the interpreter does when a program has come to its end."""
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    atexit = sys.modules.get("atexit")
    if atexit is not None:
        atexit._run_exitfuncs()


def let_go(namespace):
    """Drops the program's objects, so that files which it left open are flushed."""
    if len(sys._current_frames()) > 1:
        # A thread still uses them: only what is buffered is written out.
        for value in list(namespace.values()):
            if isinstance(value, (_io.TextIOWrapper, _io.BufferedWriter, _io.BufferedRandom)):
                try:
                    value.flush()
                except Exception:
                    pass
        return
    names = list(namespace)
    for name in names:
        if name[:1] == "_" and name[1:2] != "_":
            namespace[name] = None
    for name in names:
        if name != "__builtins__":
            namespace[name] = None
    import gc
    gc.collect()


def flush():
    ok = True
    for stream in (sys.stdout, sys.__stdout__, sys.stderr, sys.__stderr__):
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except Exception:
            ok = False
    return ok


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
