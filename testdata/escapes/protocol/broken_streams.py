# tries: leave broken streams for the harness to flush
# must: be judged by how it ended
# expect: status=runtime_error
# expect: exit=120
import sys


class Broken:
    closed = False

    def write(self, text):
        raise ValueError("broken")

    def flush(self):
        raise ValueError("broken")


sys.stdout = Broken()
