// tries: compute for ever, and catch every signal
// must: be ended by the limit on the processor
// needs: cpu
// limits: cpu=1s wall=20s
// expect: status=cpu_limit
// expect: hits=cpu
for (const name of ["SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU"]) process.on(name, () => {});
/^(a+)+$/.test("a".repeat(40) + "!");
for (;;);
