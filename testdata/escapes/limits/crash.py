# tries: crash the interpreter
# must: be reported as that
# expect: status=killed
# expect: signal=SIGSEGV
import ctypes

ctypes.string_at(0)
