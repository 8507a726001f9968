// tries: print for ever
// must: be ended, with head and tail kept
// limits: output=1MiB kept=8KiB wall=20s
// expect: status=output_limit
// expect: hits=output
const line = "x".repeat(4096);
for (;;) console.log(line);
