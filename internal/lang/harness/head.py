# The harness for Python: the first thing that runs in a box, and the last.
#
# Until it is told to go it runs no byte of the program: it parses it, digests
# the tree, reports, and waits. Then it executes the code made of that very
# tree. From then on the program shares this process, so that nothing which is
# reported later is more than the program's own word; the host knows that.
#
# It is written for CPython 3.8 to 3.14 and imports only what is built in,
# because every import is paid for by each run. The function digest() stands in
# front of this text, and the other files of this folder behind it.

import sys
import posix
import _ast
import _io
import builtins
from _frozen_importlib import ModuleSpec
from time import monotonic

HARNESS = __file__
CHUNK = 256 * 1024        # bytes of a file in one frame
MAX_TEXT = 1024 * 1024    # of a value, and of an HTML or SVG form
MAX_REPR = 32 * 1024      # of a displayed value's text
MAX_PICTURE = 4000 * 1000
MAX_FIGURES = 20
MAX_PIPE = 60 * 1024      # what a pipe holds without a reader
MAX_ENTRIES = 10000       # files and folders that are looked at
