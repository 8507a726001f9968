# The harness: the first thing that runs in a box, and the last.
#
# Until it is told to go it runs no byte of the program: it takes what was sent,
# digests it, reports, and waits. Then it runs that very thing: the tree of a
# Python program in this process, a text in an interpreter that is its child.
# From then on the program has this process in its hands, so that nothing which
# is reported later is more than the program's own word; the host knows that.
#
# It is written for CPython 3.8 to 3.14 and imports only what is built in where
# it can, because every import is paid for by each run. So is every system call, and
# in a box that was just woken it costs far more than later. Which files of this
# folder make it, and in which order, is said in the package around it.

import sys
import posix
import _io

HARNESS = __file__
CHUNK = 256 * 1024        # bytes of a file in one frame
STATUS = 16 * 1024        # what /proc/self/status has at most, by far
MAX_PIPE = 60 * 1024      # what a pipe holds without a reader
MAX_ENTRIES = 10000       # files and folders that are looked at
