# tries: return what breaks whoever encodes it
# must: be reported as failed, without a value
# entry: solution
# expect: status=runtime_error
# expect: value=
class Number(float):
    def __repr__(self):
        return '"}], "status": "ok'


class Strange:
    @property
    def denominator(self):
        return 1

    def __int__(self):
        raise RuntimeError("no number")


def solution():
    return [Number(1.5), Strange()]
