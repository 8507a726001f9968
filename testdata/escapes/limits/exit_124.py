# tries: look like a program that ran out of time
# must: be told apart
# expect: status=runtime_error
# expect: exit=124
# expect: hits=
raise SystemExit(124)
