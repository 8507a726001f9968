# tries: hold memory and descriptors in sockets that nobody reads, and in flight between them
# must: be refused or ended by a limit, and leave nothing
# limits: cpu=20s wall=20s memory=128MiB
# expect: status=ok|memory_limit|files_limit|wall_limit|runtime_error
# expect: within=21s
import socket

kept = []
try:
    for _ in range(20000):
        a, b = socket.socketpair()
        a.setblocking(False)
        try:
            socket.send_fds(a, [b"x" * 65536], [a.fileno(), b.fileno()])
            while True:
                a.send(b"x" * 65536)
        except OSError:
            pass
        a.close()
        b.close()
except OSError as error:
    print(error)
