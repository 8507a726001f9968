// tries: wait for ever
// must: be ended by the clock
// limits: wall=2s
// expect: status=wall_limit
// expect: hits=wall
// expect: within=6s
setInterval(() => {}, 1000);
await new Promise(() => {});
