# tries: find the host's variables in any process it can see
# must: see the box's own and nothing else
# needs: isolation
# expect: status=ok
# expect: stdout~=^PATH=/usr/bin:/bin$
# expect: stdout!~=CANARY|SSH|SUDO|PALISADE|TOKEN|KEY=
for f in /proc/[0-9]*/environ; do tr '\0' '\n' <"$f"; done 2>/dev/null
env
