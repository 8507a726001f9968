# tries: run a program that it made itself, in memory or in its scratch folder
# must: be refused
# needs: deny isolation
# deny: exec
# expect: status=ok
# expect: stdout!~=ESCAPED
import os
import sys

image = open(os.path.realpath(sys.executable), "rb").read()
arguments = ["python", "-I", "-S", "-c", "print('ESCAPED')"]
try:
    fd = os.memfd_create("x", 0)
    os.write(fd, image)
    os.execve(fd, arguments, {})
except OSError as e:
    print("blocked", e.errno)
for folder in ("/work", "/tmp"):
    try:
        path = folder + "/program"
        open(path, "wb").write(image)
        os.chmod(path, 0o755)
        os.execv(path, arguments)
    except OSError as e:
        print("blocked", e.errno)
