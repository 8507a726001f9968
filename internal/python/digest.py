"""Digest of a syntax tree in the canonical form of Palisade, version 1.

Works in CPython 3.8 to 3.14. Imports nothing that is written in Python, and
does not recurse, so that a deep tree cannot exhaust the stack.
"""
import sys
from _ast import AST, Constant, JoinedStr

try:
    from _sha2 import sha256
except ImportError:
    try:
        from _sha256 import sha256
    except ImportError:
        from hashlib import sha256


def digest(tree):
    """Return the digest of a tree that compile() made, in hexadecimal."""
    double = bytearray(8)
    view = memoryview(double).cast("d")

    def bits(x):
        view[0] = x
        return bytes(double if sys.byteorder == "big" else double[::-1])

    def name(s):
        b = s.encode()
        return b"%d:%s" % (len(b), b)

    skip = ("ctx", "kind", "type_comment")
    known = {}
    hashed = sha256(b"palisade python tree 1\n")
    out = []
    stack = [tree]
    pop, push, write = stack.pop, stack.append, out.append
    while stack:
        v = pop()
        t = type(v)
        if t is tuple:  # the name of a field, already encoded
            write(v[0])
        elif isinstance(v, AST):
            if t.__name__ == "Index":  # Python 3.8
                push(v.value)
                continue
            shape = known.get(t)
            if shape is None:
                what, names = t.__name__, t._fields
                if what == "ExtSlice":  # Python 3.8: a tuple with slices in it
                    what = "Tuple"
                shape = known[t] = (
                    name(what),
                    [(f, (name("elts" if f == "dims" else f),)) for f in reversed(names) if f not in skip],
                )
            n = 0
            for f, coded in shape[1]:
                x = getattr(v, f, None)
                if x is None:
                    continue
                if type(x) is list:
                    if t is JoinedStr:
                        x = [e for e in x if type(e) is not Constant or e.value != ""]
                    if not x:
                        continue
                push(x)
                push(coded)
                n += 1
            write(b"n%d:" % n)
            write(shape[0])
            if len(out) > 4096:
                hashed.update(b"".join(out))
                out.clear()
        elif t is list:
            write(b"l%d:" % len(v))
            stack.extend(reversed(v))
        elif v is None:
            write(b"z0:")
        elif t is str:
            b = v.encode("utf-8", "surrogatepass")
            write(b"s%d:" % len(b))
            write(b)
        elif t is bytes:
            write(b"b%d:" % len(v))
            write(v)
        elif t is bool:
            write(b"t1:1" if v else b"t1:0")
        elif t is int:
            b = (hex(v)[2:] if v >= 0 else "-" + hex(v)[3:]).encode()
            write(b"i%d:" % len(b))
            write(b)
        elif t is float:
            write(b"f8:")
            write(bits(v))
        elif t is complex:
            write(b"c16:")
            write(bits(v.real))
            write(bits(v.imag))
        elif v is Ellipsis:
            write(b"e0:")
        else:
            raise TypeError("no canonical form: " + t.__name__)
    hashed.update(b"".join(out))
    return hashed.hexdigest()
