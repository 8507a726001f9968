# tries: learn the addresses of the host
# must: see loopback at most
# needs: network
# stdin: {port} {udp} {address} {socket}
# expect: status=ok
import socket

address = input().split()[2]
for index, name in socket.if_nameindex():
    print(name)
    if name != "lo":
        print("ESCAPED", name)
for path in ("/proc/net/tcp", "/proc/net/dev", "/proc/net/fib_trie", "/proc/net/if_inet6", "/etc/resolv.conf", "/etc/hosts"):
    try:
        text = open(path).read()
        if address != "127.0.0.1" and address in text:
            print("ESCAPED", path)
    except OSError as e:
        print("blocked", path, e.errno)
