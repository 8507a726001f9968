# tries: open raw, packet and other privileged sockets
# must: be refused
# needs: network
# expect: status=ok
# expect: stdout!~=ESCAPED
import socket

for family, kind, protocol in ((socket.AF_INET, socket.SOCK_RAW, 1), (socket.AF_INET, socket.SOCK_RAW, 255), (socket.AF_INET6, socket.SOCK_RAW, 58),
                               (socket.AF_PACKET, socket.SOCK_RAW, 0x300), (socket.AF_PACKET, socket.SOCK_DGRAM, 0x300),
                               (40, socket.SOCK_STREAM, 0), (29, socket.SOCK_RAW, 1), (38, socket.SOCK_SEQPACKET, 0), (31, socket.SOCK_RAW, 1)):
    try:
        s = socket.socket(family, kind, protocol)
        s.settimeout(1)
        if family == 40:
            s.connect((2, 22))  # the host over vsock
        print("ESCAPED", family, kind)
    except OSError as e:
        print("blocked", family, e.errno)
