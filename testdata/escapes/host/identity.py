# tries: become somebody else
# must: stay uid 65534 without groups
# needs: isolation
# expect: status=ok
# expect: stdout~=^\(65534, 65534, 65534\) \(65534, 65534, 65534\)$
import os

print(os.getresuid(), os.getresgid())
if set(os.getgroups()) - {65534}:
    print("ESCAPED", os.getgroups())
for act in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgroups([0]), lambda: os.seteuid(0),
            lambda: os.setreuid(-1, 0), lambda: os.setresgid(-1, 0, -1)):
    try:
        act()
        print("ESCAPED", os.getresuid(), os.getresgid())
    except OSError as e:
        print("blocked", e.errno)
