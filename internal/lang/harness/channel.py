class Channel:
    """The two pipes to the host."""

    def __init__(self):
        self.input = _io.open(3, "rb", 64 * 1024)
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
