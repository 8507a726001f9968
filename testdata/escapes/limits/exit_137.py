# tries: look like a program that was killed
# must: be told apart
# expect: status=runtime_error
# expect: exit=137
# expect: hits=
import os

os._exit(137)
