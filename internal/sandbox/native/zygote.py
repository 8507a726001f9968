# The zygote: the first process of namespaces of its own, in which an interpreter
# has its modules loaded and forks boxes. It runs nobody's program: it waits for
# orders from the host, and each box is a child of it in fresh namespaces, which
# runs the harness for one program and ends.
#
# It is written for CPython 3.8 to 3.14. Its arguments are the numbers of system
# calls on this machine, two filters of system calls, the modules to load, a program to rehearse with, the
# harness, and what the harness is started with.

import sys
import posix
import builtins
import _signal

LOADED = set(sys.modules)  # what any interpreter has

HAND_OVER = 0x1600  # flags of the message by which a box hands over its channel
CONTROL = 3       # the host's orders
SPARE = 64        # descriptors that are moved out of the way go here and above
USER = 65534

# include/uapi/linux/sched.h
NEW_NAMESPACES = 0x00020000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
CLONE_NEWCGROUP = 0x02000000
CLONE_TID = 0x00200000 | 0x01000000  # CHILD_CLEARTID, CHILD_SETTID
SIGCHLD = 17
O_PATH = 0o10000000

# include/uapi/linux/mount.h
RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND = 1, 2, 4, 8, 32, 4096

# include/uapi/linux/prctl.h
SET_DUMPABLE, CAPBSET_DROP, SET_NO_NEW_PRIVS, GET_TID_ADDRESS, CAP_AMBIENT = 4, 24, 38, 40, 47


def fields(data):
    """A list of fields, as the host writes them: length and bytes in turn."""
    found = []
    at = 0
    while at < len(data):
        end = at + 4 + int.from_bytes(data[at:at + 4], "big")
        found.append(data[at + 4:end])
        at = end
    return found


class Kernel:
    """The system calls that Python has no function for."""

    def __init__(self, numbers):
        self.numbers = {k: int(v) for k, v in (pair.split("=") for pair in numbers.split(","))}
        libc = ctypes.CDLL(None, use_errno=True)
        self.raw = libc.syscall
        self.raw.restype = ctypes.c_long
        self.raw.argtypes = [ctypes.c_long] * 7
        # Where libc keeps this thread's number: a child made past libc must
        # have its own there.
        self.tid = 0
        address = ctypes.c_void_p()
        if libc.prctl(GET_TID_ADDRESS, ctypes.byref(address), 0, 0, 0) == 0 and address.value:
            self.tid = address.value
        # The answer of a query, LANDLOCK_CREATE_RULESET_VERSION; 0: there is none.
        self.landlock = max(0, self.maybe("landlock_create_ruleset", 0, 0, 1))

    def maybe(self, name, *args):
        whole = []
        for a in args:
            if isinstance(a, bytes):
                a = ctypes.cast(ctypes.c_char_p(a), ctypes.c_void_p).value
            whole.append(a)
        return self.raw(self.numbers[name], *(whole + [0] * (6 - len(whole))))

    def call(self, name, *args):
        result = self.maybe(name, *args)
        if result < 0:
            code = ctypes.get_errno()
            raise OSError(code, "%s: %s" % (name, posix.strerror(code)))
        return result

    def mount(self, source, target, kind, flags, data=b""):
        try:
            self.call("mount", source, target, kind, flags, data)
        except OSError as error:
            raise OSError(error.errno, "%s on %s" % (error, target.decode()))

    def prctl(self, *args):
        return self.call("prctl", *args)


def word(n):
    return n.to_bytes(8, sys.byteorder)


def write_file(path, data):
    fd = posix.open(path, posix.O_WRONLY)
    try:
        posix.write(fd, data)
    finally:
        posix.close(fd)


def clear_of_low(fds):
    """Moves descriptors up, so that each low number is free to be given."""
    import fcntl
    moved = []
    for fd in fds:
        moved.append(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, SPARE))
        posix.close(fd)
    return moved


class Zygote:
    def __init__(self, kernel, harness, start, init_filter, told_filter):
        self.kernel = kernel
        self.control = _socket.socket(fileno=CONTROL)
        self.harness = harness
        self.start = start
        self.init_filter = init_filter
        self.told_filter = told_filter
        self.is_box = False

    def receive(self, socket, size):
        data, extra, flags, _ = socket.recvmsg(size, _socket.CMSG_SPACE(16 * 4))
        fds = []
        for level, kind, payload in extra:
            if level == _socket.SOL_SOCKET and kind == _socket.SCM_RIGHTS:
                fds += [int.from_bytes(payload[i:i + 4], sys.byteorder) for i in range(0, len(payload) - 3, 4)]
        return data, fds

    def serve(self):
        self.control.send(b"R")
        while True:
            data, fds = self.receive(self.control, 4096)
            if not data:
                posix._exit(0)
            try:
                self.make(fields(data), fds)
            except BaseException as error:
                if self.is_box:
                    posix._exit(1)
                self.say_failed(fds, error)
            for fd in fds:
                posix.close(fd)

    def say_failed(self, fds, error):
        """Tells a box's own channel, on which its host waits."""
        try:
            posix.write(fds[0], b"F" + str(error).encode("utf-8", "replace")[:1000])
        except (OSError, IndexError):
            pass

    def make(self, order, fds):
        """Forks one box: order is the user behind it and how many of the
        descriptors are of control groups."""
        user, groups = order[0].decode(), int(order[1])
        ready, mapped = posix.pipe()
        try:
            child = self.kernel.call("clone", NEW_NAMESPACES | CLONE_TID | SIGCHLD, 0, 0, self.kernel.tid, 0)
            if child == 0:
                self.is_box = True
                ctypes.pythonapi.PyOS_AfterFork_Child()
                posix.close(mapped)
                Box(self.kernel, self, fds, groups).live(ready)
            folder = "/proc/%d/" % child
            line = ("%d %s 1" % (USER, user)).encode()
            write_file(folder + "setgroups", b"deny")
            write_file(folder + "gid_map", line)
            write_file(folder + "uid_map", line)
            posix.write(mapped, b"1")
        finally:
            posix.close(ready)
            posix.close(mapped)


class Box:
    """One box, seen from inside. Descriptors: its channel to the host, output,
    errors, frames in, frames out, and of control groups."""

    def __init__(self, kernel, zygote, fds, groups):
        self.kernel = kernel
        self.zygote = zygote
        self.fds = fds[:5]
        self.groups = fds[5:5 + groups]

    def live(self, ready):
        try:
            self.enter(ready)
            confined, done = posix.pipe()
            main = posix.fork()
            if main == 0:
                posix.close(done)
                self.be_main(confined)
            posix.close(confined)
            self.be_init(main, done)
        except BaseException as error:
            self.say(b"F" + ("%s: %s" % (type(error).__name__, error)).encode("utf-8", "replace")[:1000])
        posix._exit(1)

    def be_main(self, confined):
        """The process that the program will be in. It parks when the first one
        is as confined as it will be."""
        try:
            posix.read(confined, 1)
            posix.close(confined)
            self.wait_for_job()
        except BaseException as error:
            self.say(b"F" + ("%s: %s" % (type(error).__name__, error)).encode("utf-8", "replace")[:1000])
            posix._exit(1)
        try:
            self.run()
        except BaseException:
            import traceback
            traceback.print_exc()  # no byte of a program has run
        posix._exit(1)

    def say(self, data):
        try:
            posix.write(self.fds[0], data)
        except OSError:
            pass

    def enter(self, ready):
        """Makes the namespaces this box's own."""
        _signal.signal(SIGCHLD, _signal.SIG_DFL)
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # until there is a program to interrupt
        for fd in self.groups:
            posix.write(fd, b"0")
            posix.close(fd)
        self.zygote.control.close()
        # Now, so that the box's view of control groups begins with its own.
        self.kernel.call("unshare", CLONE_NEWCGROUP)
        if posix.read(ready, 1) != b"1":
            posix._exit(1)
        posix.close(ready)
        posix.setresgid(USER, USER, USER)
        posix.setresuid(USER, USER, USER)
        k = self.kernel
        # One file system holds both scratch directories, so that its bounds are
        # those of both together. Its size comes with the job.
        k.mount(b"scratch", b"/tmp", b"tmpfs", NOSUID | NODEV, b"size=64k,nr_inodes=16,mode=755,uid=%d,gid=%d" % (USER, USER))
        for name in ("/tmp/work", "/tmp/tmp"):
            posix.mkdir(name, 0o700)
        self.scratch = posix.open("/tmp", O_PATH | posix.O_CLOEXEC)
        k.mount(b"/tmp/work", b"/work", b"", BIND)
        k.mount(b"/tmp/tmp", b"/tmp", b"", BIND)
        # Only processes, and of those only its own: not the one that this is.
        k.mount(b"proc", b"/proc", b"proc", RDONLY | NOSUID | NODEV | NOEXEC, b"hidepid=ptraceable,subset=pid")
        posix.chdir("/work")
        k.call("sethostname", b"box", 3)
        k.call("setdomainname", b"(none)", 6)
        self.loopback()
        k.prctl(SET_NO_NEW_PRIVS, 1)
        for capability in range(64):
            if k.maybe("prctl", CAPBSET_DROP, capability) < 0:
                break  # there are no more
        k.maybe("prctl", CAP_AMBIENT, 4)  # PR_CAP_AMBIENT_CLEAR_ALL

    def loopback(self):
        """Brings the box's own loopback up, as any machine has it."""
        import fcntl
        s = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
        try:  # SIOCSIFFLAGS with IFF_UP, netdevice(7)
            fcntl.ioctl(s.fileno(), 0x8914, b"lo".ljust(16, b"\0") + b"\x01\x00".ljust(24, b"\0"))
        finally:
            s.close()

    def drop(self):
        """Gives up every capability that is left."""
        # struct __user_cap_header_struct, _LINUX_CAPABILITY_VERSION_3
        self.kernel.call("capset", (0x20080522).to_bytes(4, sys.byteorder) + bytes(4), bytes(24))

    def filter(self, program, flags):
        """Loads a filter of system calls; returns what the kernel answers."""
        code = ctypes.create_string_buffer(program, len(program))
        # struct sock_fprog
        head = (len(program) // 8).to_bytes(8, sys.byteorder) + ctypes.addressof(code).to_bytes(8, sys.byteorder)
        return self.kernel.call("seccomp", 1, flags, head)  # SECCOMP_SET_MODE_FILTER

    def be_init(self, main, done):
        """The first process of the box: it waits for the program's, tells the
        host how that ended, and takes everyone with it."""
        self.kernel.prctl(SET_DUMPABLE, 0)  # the program sees nothing of it
        self.drop()
        for fd in self.fds[1:] + [self.scratch]:
            posix.close(fd)
        self.filter(self.zygote.init_filter, 0)
        posix.close(done)
        while True:
            try:
                pid, status = posix.waitpid(-1, 0)
            except InterruptedError:
                continue
            if pid == main:
                self.say(b"E" + status.to_bytes(4, "big"))
                posix._exit(0)

    def wait_for_job(self):
        """Parks: nothing happens until the host has a job. All that does not
        depend on it was done before, and from here on the host is told of the
        calls at which it looks."""
        k = self.kernel
        k.prctl(SET_DUMPABLE, 1)  # a change of user had taken it
        pids = [k.call("pidfd_open", pid, 0) for pid in (1, posix.getpid())]
        places = [posix.open(path, O_PATH | posix.O_CLOEXEC) for path in ("/", "/work", "/tmp", "/dev")]
        moved = clear_of_low(self.fds + pids + [self.scratch] + places)
        for number, fd in enumerate(moved[:5]):
            posix.dup2(fd, (number or 5), number > 0)
        self.fds[0] = 5
        # The pages that any program touches are this process's own from now on.
        rehearse = self.zygote.harness[2].get("rehearse")
        if rehearse is not None:
            rehearse(b"def f(x):\n    return [x]\n\nf(1)\n")
        socket = _socket.socket(fileno=5)
        listener = self.filter(self.zygote.told_filter, 8)  # SECCOMP_FILTER_FLAG_NEW_LISTENER
        handed = b"".join(fd.to_bytes(4, sys.byteorder) for fd in moved[5:8] + [listener])
        socket.sendmsg([b"P"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, handed)], HAND_OVER)
        places = moved[8:]
        posix.closerange(6, places[0])
        data, exit = self.zygote.receive(socket, 128 * 1024)
        if not data:
            posix._exit(0)
        self.prepare(fields(data), places)
        posix.closerange(places[0], 2 * SPARE)
        socket.close()
        # The way out, where there is one: the harness finds it at 5 and 6.
        for number, fd in enumerate(clear_of_low(exit)):
            posix.dup2(fd, 5 + number)
            posix.close(fd)

    def prepare(self, order, places):
        """Takes what the job brings: size and files of scratch, the filter."""
        size, inodes, program = order[0].decode(), order[1].decode(), order[2]
        k = self.kernel
        data = ("size=%s,nr_inodes=%s" % (size, inodes)).encode()
        k.mount(b"scratch", b"/work", b"tmpfs", REMOUNT | NOSUID | NODEV, data)
        locked = self.landlock(places)
        self.drop()
        self.filter(program, 0)
        self.say(b"S%d" % locked)

    def landlock(self, places):
        """Reads and executes what stands in the root; changes only what is in
        scratch, and the harmless devices. Returns the version that is in force."""
        k = self.kernel
        version = k.landlock
        if version < 1:
            return 0
        # include/uapi/linux/landlock.h: rights by the version that knows them.
        rights = (1 << 13) - 1
        if version >= 2:
            rights |= 1 << 13  # REFER
        if version >= 3:
            rights |= 1 << 14  # TRUNCATE
        device = 0
        if version >= 5:
            device = 1 << 15   # IOCTL_DEV
        attr = word(rights | device)
        if version >= 6:
            attr += word(0) + word(3)  # no network; scopes: abstract sockets, signals
        ruleset = k.call("landlock_create_ruleset", attr, len(attr), 0)
        read = 1 | 4 | 8  # EXECUTE, READ_FILE, READ_DIR
        change = 2 | (rights & 1 << 14)  # WRITE_FILE
        for fd, allowed in zip(places, (read, rights, rights, read | change | device)):
            k.call("landlock_add_rule", ruleset, 1, word(allowed) + fd.to_bytes(4, sys.byteorder), 0)
        k.call("landlock_restrict_self", ruleset, 0)
        posix.close(ruleset)
        return version

    def run(self):
        """Runs the harness, as if it had been started by itself."""
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        definitions, begin, namespace = self.zygote.harness
        sys.argv = self.zygote.start
        for name in FOREIGN:
            sys.modules.pop(name, None)
        exec(begin, namespace)
        posix._exit(1)  # the harness ends the process by itself


def split_harness(path):
    """The harness without its last line, which starts it, and that line."""
    import _ast
    with open(path, "rb") as f:
        tree = compile(f.read(), path, "exec", _ast.PyCF_ONLY_AST, True, 0)
    last = _ast.Module(body=[tree.body.pop()], type_ignores=[])
    call = last.body[0]
    if type(call) is not _ast.Expr or type(call.value) is not _ast.Call or call.value.func.id != "main":
        raise SystemExit("the harness does not end with its start")
    return compile(tree, path, "exec", 0, True, 0), compile(last, path, "exec", 0, True, 0)


def load(names, rehearsal):
    """Has the harness import modules and rehearse, as it does in any template."""
    failed = namespace["preload"](names)
    if failed:
        raise SystemExit("modules %s cannot be imported" % failed)
    namespace["rehearse"](rehearsal.encode())


numbers, init_filter, told_filter, modules, rehearsal, path = sys.argv[1:7]
definitions, begin = split_harness(path)
namespace = {"__name__": "__main__", "__file__": path, "__builtins__": builtins}
saved, sys.argv = sys.argv, [path] + sys.argv[7:]
exec(definitions, namespace)
if modules:
    load(modules.split(","), rehearsal)
before = set(sys.modules)
import ctypes
import _socket
import fcntl
# What only the zygote needs is gone before a program runs.
FOREIGN = set(sys.modules) - before

_signal.signal(SIGCHLD, _signal.SIG_IGN)  # boxes are reaped by the kernel
zygote = Zygote(Kernel(numbers), (definitions, begin, namespace), sys.argv,
                bytes.fromhex(init_filter), bytes.fromhex(told_filter))
import gc
gc.collect()
gc.freeze()  # so that boxes share what is here
zygote.serve()
