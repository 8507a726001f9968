# tries: ask the cloud's metadata service for credentials
# must: never reach it
# needs: network
# limits: wall=40s
# expect: status=ok
# expect: stdout~=^done$
import socket

for host in ("169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
             "2852039166", "0251.0376.0251.0376", "0xa9fea9fe", "metadata.google.internal"):
    try:
        socket.create_connection((host, 80), 1.5)
        print("ESCAPED", host)
    except OSError as e:
        print("blocked", host, e)
print("done")
