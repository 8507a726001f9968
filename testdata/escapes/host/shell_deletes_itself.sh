# tries: delete the file of the text that runs, and everything else it can
# must: run on as judged, and leave nothing
# needs: isolation
# expect: status=ok
# expect: stdout~=^still here$
# expect: artifacts=
rm -f -- "$0" 2>/dev/null
touch a b .c
rm -rf /work/* /work/.[!.]* /tmp/* / --no-preserve-root 2>/dev/null
if [ -e /usr/bin/bash ] || [ -e /bin/bash ]; then echo 'still here'; fi
