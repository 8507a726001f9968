# tries: replace what the harness is going to use
# must: be judged by how it ended
# expect: status=runtime_error
# expect: exit=7
# expect: artifacts=
import builtins
import os
import posix
import sys

frame = sys._getframe()
while frame is not None:
    if "send_files" in frame.f_globals:
        frame.f_globals["send_files"] = lambda *a: posix._exit(7)
        frame.f_globals["let_go"] = lambda *a: posix._exit(7)
    frame = frame.f_back
builtins.len = builtins.str = builtins.sorted = builtins.isinstance = None
