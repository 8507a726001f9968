# tries: open or make device files
# must: find only harmless ones
# needs: isolation
# expect: status=ok
import os
import stat

harmless = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console", "stdin", "stdout", "stderr", "fd", "pts", "shm", "mqueue", "core"}
for name in os.listdir("/dev"):
    if name not in harmless:
        print("ESCAPED", name)
for path in ("/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/sda", "/dev/vda", "/dev/loop-control", "/dev/mapper/control"):
    try:
        os.close(os.open(path, os.O_RDONLY))
        print("ESCAPED", path)
    except OSError as e:
        print("blocked", path, e.errno)
for mode, device in ((stat.S_IFBLK, os.makedev(8, 0)), (stat.S_IFCHR, os.makedev(1, 1)), (stat.S_IFCHR, os.makedev(1, 11)), (stat.S_IFCHR, os.makedev(10, 229))):
    for folder in ("/tmp", "/work", "/dev/shm"):
        try:
            os.mknod(folder + "/node", mode | 0o666, device)
            fd = os.open(folder + "/node", os.O_RDWR)
            print("ESCAPED", folder, device)
        except OSError as e:
            print("blocked", e.errno)
