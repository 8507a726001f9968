# tries: print for ever
# must: be ended, with head and tail kept
# limits: output=1MiB kept=8KiB wall=20s
# expect: status=output_limit
# expect: hits=output
yes 0123456789abcdef
