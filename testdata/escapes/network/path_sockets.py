# tries: reach the sockets of the host's services
# must: find none
# needs: network
# expect: status=ok
import glob
import socket

paths = ["/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/systemd/private", "/run/dbus/system_bus_socket",
         "/run/podman/podman.sock", "/tmp/.X11-unix/X0", "/run/user/0/bus", "/run/udev/control", "/dev/log"] + glob.glob("/run/**/*.sock", recursive=True)
for path in paths:
    try:
        s = socket.socket(socket.AF_UNIX)
        s.connect(path)
        print("ESCAPED", path)
    except OSError as e:
        print("blocked", path, e.errno)
