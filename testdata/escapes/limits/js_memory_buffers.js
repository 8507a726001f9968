// tries: take memory outside the heap
// must: be ended by the limit on memory
// needs: memory
// limits: memory=128MiB wall=30s cpu=30s
// expect: status=memory_limit
// expect: hits~=memory
const all = [];
for (;;) all.push(Buffer.alloc(4 << 20, 1));
