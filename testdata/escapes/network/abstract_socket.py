# tries: reach an abstract socket of the host
# must: never reach it
# needs: network
# stdin: {port} {udp} {address} {socket}
# expect: status=ok
import socket

name = input().split()[3]
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
    try:
        s = socket.socket(socket.AF_UNIX, kind)
        s.connect("\0" + name)
        print("ESCAPED")
    except OSError as e:
        print("blocked", e)
try:
    print(open("/proc/net/unix").read())
except OSError as e:
    print("blocked", e)
