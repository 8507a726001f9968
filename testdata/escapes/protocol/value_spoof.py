# tries: return numbers and text that write themselves as something else
# must: be encoded as what they are
# entry: solution
# expect: status=ok
# expect: value=[1.5,7,"text",{"k":1}]
class F(float):
    def __repr__(self):
        return "999"

    __str__ = __repr__


class I(int):
    def __repr__(self):
        return "999"

    __str__ = __repr__


class S(str):
    def __str__(self):
        return "spoof"

    def translate(self, table):
        return '","spoof'

    def encode(self, *a):
        return b"spoof"


def solution():
    return [F(1.5), I(7), S("text"), {S("k"): True + 0}]
