# tries: raise what breaks whoever reports it
# must: be reported as failed
# expect: status=runtime_error
# expect: exit=1
class Hostile(BaseException):
    __module__ = property(lambda self: 1 / 0)

    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__

    @property
    def __cause__(self):
        raise RuntimeError("no cause")


Hostile.__qualname__ = "H" * 100_000
raise Hostile
