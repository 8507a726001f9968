# tries: fill the machine with processes
# must: be refused more than the limit
# needs: processes
# limits: processes=32 wall=6s cpu=6s
# expect: status=process_limit|wall_limit|cpu_limit
# expect: hits~=processes
bomb() { bomb | bomb; }
bomb
