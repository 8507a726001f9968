# tries: open a socket when policy denies them
# must: be refused with an errno
# needs: deny
# deny: socket
# expect: status=ok
# expect: stdout!~=ESCAPED
# expect: stdout~=^blocked 1$
import socket

for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            socket.socket(family, kind)
            print("ESCAPED", family, kind)
        except OSError as e:
            print("blocked", e.errno)
try:
    import asyncio
    asyncio.run(asyncio.sleep(0))
    print("asyncio works")
except OSError as e:
    print("asyncio blocked", e.errno)
