// tries: fill the heap
// must: be ended by the limit on memory, not look like a crash
// needs: memory
// limits: memory=192MiB wall=30s cpu=30s
// expect: status=memory_limit
// expect: hits~=memory
const all = [];
for (;;) all.push(new Array(10000).fill(all.length));
