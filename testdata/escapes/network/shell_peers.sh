# tries: reach peers on the host and beyond by bash's own sockets and Python's
# must: reach nobody
# needs: network
# stdin: {port} {udp} {address} {socket}
# expect: status=ok
# expect: stdout~=^tried$
# expect: stdout!~=ESCAPED
read -r port udp address socket
for to in "127.0.0.1/$port" "$address/$port" 169.254.169.254/80 1.1.1.1/53; do
	(exec 3<>"/dev/tcp/$to") 2>/dev/null && echo "ESCAPED tcp $to"
done
for to in "127.0.0.1/$udp" "$address/$udp"; do
	(echo hello >"/dev/udp/$to") 2>/dev/null
done
SOCKET=$socket python3 - <<'END'
import os, socket
try:
    socket.socket(socket.AF_UNIX).connect("\0" + os.environ["SOCKET"])
    print("ESCAPED")
except OSError:
    pass
END
echo tried
