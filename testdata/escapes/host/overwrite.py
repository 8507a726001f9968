# tries: change the interpreter, its library or the harness
# must: be refused
# needs: isolation
# expect: status=ok
import json
import os
import sys

harness = [a for a in sys.orig_argv if a.endswith("harness.py")] if hasattr(sys, "orig_argv") else []
for path in [sys.executable, os.path.realpath(sys.executable), json.__file__, "/etc/passwd", "/lib64/ld-linux-x86-64.so.2"] + harness:
    for act in (lambda: open(path, "r+b"), lambda: os.chmod(path, 0o777), lambda: os.unlink(path), lambda: os.rename(path, path + "x"),
                lambda: os.chown(path, 65534, 65534), lambda: os.utime(path), lambda: os.link(path, "/work/linked")):
        try:
            act()
            print("ESCAPED", path)
        except OSError as e:
            print("blocked", e.errno)
