# tries: send a datagram to the host
# must: never reach it
# needs: network
# stdin: {port} {udp} {address} {socket}
# expect: status=ok
# expect: stdout~=^done$
import socket
import time

port, udp, address, _ = input().split()
for host in ("127.0.0.1", address, "255.255.255.255", "224.0.0.1"):
    try:
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        s.sendto(b"hello", (host, int(udp)))
        print("sent", host)  # the suite knows whether it arrived
    except OSError as e:
        print("blocked", host, e)
time.sleep(0.3)
print("done")
