# tries: crash where the verdict denies to send signals, so that nobody can end as it did
# must: be a failure all the same, with the code by which a shell tells of the signal
# needs: deny
# deny: kill
# expect: status=runtime_error
# expect: exit=139
exec python3 -c 'import ctypes; ctypes.string_at(0)'
