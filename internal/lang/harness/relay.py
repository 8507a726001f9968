PROXY_IN, PROXY_OUT = 5, 6  # the two pipes to the host's proxy
MAX_STREAMS = 24            # connections at once; the rest wait to be taken
WINDOW = 256 * 1024         # bytes of one stream on their way in one direction
MAX_PART = 32 * 1024        # bytes of one frame
CERTIFICATES = "/tmp/palisade-ca.pem"


def set_variable(name, value):
    """Sets a variable for the program, whether os was loaded already or not."""
    posix.environ[name.encode()] = value.encode()
    posix.putenv(name, value)
    if "os" in sys.modules:
        sys.modules["os"].environ[name] = value


class Stream:
    """One connection of the program to the proxy."""

    def __init__(self, number, sock):
        self.number = number
        self.sock = sock
        self.fd = sock.fileno()
        self.out = bytearray()  # for the program
        self.window = WINDOW    # what may be sent to the host
        self.taken = 0          # what the program took and the host was not told of
        self.reading = True     # the program may send more
        self.ending = False     # the host sends no more
        self.events = 0


class Relay:
    """The box's end of the way out. It takes connections on a port of the
    loopback device and passes on what is in them; what that means, and what is
    allowed, only the host's proxy knows. The frames are those of
    internal/egress."""

    def __init__(self):
        import _socket
        import select
        self.socket = _socket
        self.select = select
        # Out of the way of the program's descriptors and their limit.
        self.input = posix.dup2(PROXY_IN, 1002, False)
        self.output = posix.dup2(PROXY_OUT, 1003, False)
        posix.close(PROXY_IN)
        posix.close(PROXY_OUT)
        listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        self.port = listener.getsockname()[1]
        posix.dup2(listener.fileno(), 1004, False)
        listener.close()
        self.listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM, 0, 1004)
        self.listener.setblocking(False)
        self.poll = select.poll()
        self.poll.register(self.input, select.POLLIN)
        self.poll.register(1004, select.POLLIN)
        self.listening = True
        self.heard = b""
        self.streams = {}  # by number
        self.files = {}    # by descriptor
        self.last = 0

    def start(self):
        import _thread
        _thread.start_new_thread(self.run, ())

    def forked(self):
        """A child of the program has no part in this."""
        for fd in (self.input, self.output):
            try:
                posix.close(fd)
            except OSError:
                pass

    def run(self):
        try:
            import _signal
            # The program's signals are for the program.
            _signal.pthread_sigmask(_signal.SIG_BLOCK, _signal.valid_signals())
            while self.turn():
                pass
        except BaseException:
            pass  # the way out is closed: the program sees its connections end
        try:
            self.listener.close()
            for stream in list(self.streams.values()):
                stream.sock.close()
            posix.close(self.output)
        except OSError:
            pass

    def turn(self):
        for fd, _ in self.poll.poll():
            if fd == self.input:
                if not self.hear():
                    return False
            elif fd == 1004:
                self.accept()
            else:
                stream = self.files.get(fd)
                if stream is not None:
                    self.serve(stream)
        return True

    def accept(self):
        try:
            fd, _ = self.listener._accept()
        except OSError:
            return  # it went away again, or the limit on descriptors is met
        sock = self.socket.socket(self.socket.AF_INET, self.socket.SOCK_STREAM, 0, fd)
        sock.setblocking(False)
        self.last += 1
        stream = Stream(self.last, sock)
        self.streams[stream.number] = stream
        self.files[fd] = stream
        self.send(b"O", stream.number)
        self.watch(stream)
        self.watch_listener()

    def watch_listener(self):
        free = len(self.streams) < MAX_STREAMS
        if free != self.listening:
            self.listening = free
            if free:
                self.poll.register(1004, self.select.POLLIN)
            else:
                self.poll.unregister(1004)

    def watch(self, stream):
        """Asks for what can be done now, and for nothing where there is nothing:
        a connection that is gone would be reported for ever."""
        events = 0
        if stream.reading and stream.window > 0:
            events |= self.select.POLLIN
        if stream.out:
            events |= self.select.POLLOUT
        if events == stream.events:
            return
        if not events:
            self.poll.unregister(stream.fd)
        elif stream.events:
            self.poll.modify(stream.fd, events)
        else:
            self.poll.register(stream.fd, events)
        stream.events = events

    def serve(self, stream):
        try:
            if stream.reading and stream.window > 0:
                self.read(stream)
            if stream.out or stream.ending:
                self.write(stream)
        except BlockingIOError:
            pass
        except OSError:
            self.drop(stream)
            return
        if stream.number in self.streams:
            self.watch(stream)

    def read(self, stream):
        try:
            data = stream.sock.recv(min(stream.window, MAX_PART))
        except BlockingIOError:
            return
        if data:
            stream.window -= len(data)
            self.send(b"D", stream.number, data)
        else:
            stream.reading = False
            self.send(b"E", stream.number)

    def write(self, stream):
        while stream.out:
            sent = stream.sock.send(stream.out[:65536], self.socket.MSG_NOSIGNAL)
            del stream.out[:sent]
            stream.taken += sent
            if stream.taken >= WINDOW // 4:
                self.send(b"W", stream.number, stream.taken.to_bytes(4, "big"))
                stream.taken = 0
        if stream.ending == "close":
            self.drop(stream, False)
        elif stream.ending:
            stream.ending = False
            stream.sock.shutdown(self.socket.SHUT_WR)

    def drop(self, stream, tell=True):
        if stream.events:
            self.poll.unregister(stream.fd)
        del self.streams[stream.number]
        del self.files[stream.fd]
        stream.sock.close()
        if tell:
            self.send(b"X", stream.number)
        self.watch_listener()

    def send(self, kind, number, payload=b""):
        data = memoryview(kind + number.to_bytes(4, "big") + len(payload).to_bytes(2, "big") + payload)
        while data:
            data = data[posix.write(self.output, data):]

    def hear(self):
        data = posix.read(self.input, 65536)
        if not data:
            return False
        self.heard += data
        while len(self.heard) >= 7:
            end = 7 + int.from_bytes(self.heard[5:7], "big")
            if len(self.heard) < end:
                break
            kind, number, payload = self.heard[:1], int.from_bytes(self.heard[1:5], "big"), self.heard[7:end]
            self.heard = self.heard[end:]
            stream = self.streams.get(number)
            if stream is not None:
                self.told(stream, kind, payload)
        return True

    def told(self, stream, kind, payload):
        if kind == b"D":
            stream.out += payload
        elif kind == b"W":
            stream.window += int.from_bytes(payload, "big")
        elif kind == b"E":
            stream.ending = "end"
        elif kind == b"X":
            stream.ending = "close"
            stream.reading = False
        self.serve(stream)


def open_relay(fields):
    """Makes the way out: the certificates to trust, and the program's variables
    that name the proxy."""
    relay = Relay()
    if fields[0]:
        flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_NOFOLLOW | posix.O_CLOEXEC
        fd = posix.open(CERTIFICATES, flags, 0o644)
        write_all(fd, fields[0])
        posix.close(fd)
    for name, value in zip(fields[1::2], fields[2::2]):
        value = value.decode().replace("{port}", str(relay.port)).replace("{certificates}", CERTIFICATES)
        set_variable(name.decode(), value)
    relay.start()
    return relay
