# tries: run another program
# must: be refused with an errno, by every way
# needs: deny isolation
# deny: exec fork
# expect: status=ok
# expect: stdout!~=ESCAPED
# expect: stdout~=^blocked (1|13)$
import os
import subprocess
import sys

program = os.path.realpath(sys.executable)
tries = [
    lambda: subprocess.run([program, "-c", "print('ESCAPED')"]),
    lambda: os.system("echo ESCAPED"),
    lambda: os.popen("echo ESCAPED").read(),
    lambda: os.posix_spawn(program, [program, "-c", "print('ESCAPED')"], {}),
    lambda: os.execv(program, [program, "-c", "print('ESCAPED')"]),
    lambda: os.execve(os.open(program, os.O_RDONLY), [program, "-c", "print('ESCAPED')"], {}),
]
for act in tries:
    try:
        print("code", act())
    except OSError as e:
        print("blocked", e.errno)
