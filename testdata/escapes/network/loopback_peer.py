# tries: talk to a service on the host's loopback
# must: never reach it
# needs: network
# stdin: {port} {udp} {address} {socket}
# expect: status=ok
# expect: stdout~=^done$
import socket

port, udp, address, _ = input().split()
for host in ("127.0.0.1", "localhost", "127.1.2.3", "0.0.0.0", "::1", "::ffff:127.0.0.1", address, "host.docker.internal", "10.0.2.2", "172.17.0.1"):
    try:
        socket.create_connection((host, int(port)), 2)
        print("ESCAPED", host)
    except OSError as e:
        print("blocked", host, e)
print("done")
