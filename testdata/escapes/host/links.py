# tries: have a file of the host collected as its artifact
# must: have only regular files of its own collected
# needs: isolation
# expect: status=ok
# expect: artifacts=mine.txt
import os

os.symlink("/etc/passwd", "passwd.txt")
os.symlink("/proc/self", "hop")
os.symlink("/", "root")
os.symlink("mine.txt", "link.txt")
os.mkfifo("pipe.txt")
import socket
try:
    s = socket.socket(socket.AF_UNIX)
    s.bind("socket.txt")
except OSError:
    pass
open("mine.txt", "w").write("mine")
