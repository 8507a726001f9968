# tries: become another user by modes, capabilities and namespaces
# must: stay nobody
# needs: isolation
# expect: status=ok
# expect: stdout~=^uid 65534$
# expect: stdout!~=ESCAPED
cp "$(command -v id)" mine && chmod 6755 mine
chown 0:0 mine 2>/dev/null && echo 'ESCAPED chown'
[ "$(./mine -u)" = 65534 ] || echo 'ESCAPED mode'
mknod disk b 8 0 2>/dev/null && echo 'ESCAPED mknod'
python3 - <<'END'
import ctypes, os
libc = ctypes.CDLL(None)
for act in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.chroot("/tmp")):
    try:
        act()
        print("ESCAPED")
    except OSError:
        pass
if libc.unshare(0x10000000) == 0:  # CLONE_NEWUSER
    print("ESCAPED namespace")
END
find / -xdev -perm /6000 -not -path '/work/*' 2>/dev/null | sed 's/^/ESCAPED /'
echo "uid $(id -u)"
