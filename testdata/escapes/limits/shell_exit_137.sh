# tries: look as if it had been killed for its memory
# must: be what it is: a program that ended with a code
# expect: status=runtime_error
# expect: exit=137
# expect: hits=
exit 137
