// tries: change the text that runs, by the path that it was read from
// must: fail every time
// needs: isolation
// expect: status=ok
// expect: stdout~=^refused 5 of 5$
// expect: stdout!~=ESCAPED
const fs = require("fs");
const text = "/proc/1/fd/1001";
let refused = 0;
for (const act of [
  () => fs.appendFileSync(text, "console.log('ESCAPED')"),
  () => fs.writeFileSync(text, "console.log('ESCAPED')"),
  () => fs.truncateSync(text, 0),
  () => fs.writeSync(fs.openSync(text, "r+"), "console.log('ESCAPED')", 0),
  () => fs.unlinkSync(text),
]) {
  try {
    act();
  } catch {
    refused++;
  }
}
if (fs.existsSync(__filename)) console.log("ESCAPED");
console.log(`refused ${refused} of 5`);
