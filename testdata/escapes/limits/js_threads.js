// tries: start more threads than the limit
// must: be refused; where memory is bounded by address space, that may come first
// needs: processes
// limits: processes=24 files=1000 wall=30s cpu=30s memory=512MiB
// expect: status=process_limit|memory_limit
const { Worker } = require("worker_threads");
const started = [];
process.on("uncaughtException", () => process.exit(3));
for (let i = 0; i < 64; i++) started.push(new Worker("setInterval(() => {}, 1000)", { eval: true }));
setTimeout(() => process.exit(started.length === 64 ? 4 : 3), 5000);
