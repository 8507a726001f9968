// tries: find the host's variables in any process it can see
// must: see the box's own and nothing else
// needs: isolation
// expect: status=ok
// expect: stdout~="PATH":"/usr/bin:/bin"
// expect: stdout!~=CANARY|SSH|SUDO|PALISADE|TOKEN|NODE_
const fs = require("fs");
for (const pid of fs.readdirSync("/proc").filter((n) => /^[0-9]+$/.test(n))) {
  try {
    console.log(fs.readFileSync(`/proc/${pid}/environ`, "utf8").replaceAll("\0", "\n"));
  } catch {}
}
console.log(JSON.stringify(process.env), process.argv, require("os").hostname());
