# tries: reach the internet, or only resolve a name
# must: fail at once
# needs: network
# limits: wall=40s
# expect: status=ok
# expect: stdout~=^done$
import socket

for host, port in (("1.1.1.1", 53), ("8.8.8.8", 443), ("2606:4700:4700::1111", 443), ("93.184.216.34", 80)):
    try:
        socket.create_connection((host, port), 2)
        print("ESCAPED", host)
    except OSError as e:
        print("blocked", host, e)
try:
    print("ESCAPED", socket.getaddrinfo("example.com", 80))
except OSError as e:
    print("blocked", e)
print("done")
