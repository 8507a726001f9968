# tries: return a value that contains itself, or never ends
# must: be reported as failed
# entry: solution
# expect: status=runtime_error
# expect: value=
class Endless(list):
    def __iter__(self):
        while True:
            yield "x" * 1000


def solution():
    cycle = []
    cycle.append(cycle)
    return Endless() if id(cycle) % 2 else cycle
