// tries: have code from outside the text loaded: the caller's folders, NODE_PATH, a package beside it
// must: load nothing that lies outside the box
// needs: isolation
// expect: status=ok
// expect: stdout~=^none$
// expect: stdout!~=ESCAPED
const Module = require("module");
const outside = Module.globalPaths.concat(module.paths).filter((p) => !/^(\/work|\/node_modules|\/usr\/|\/opt\/)/.test(p));
if (outside.length > 0) console.log("ESCAPED", outside);
for (const name of ["npm", "typescript", "left-pad", "/usr/lib/node_modules/npm"]) {
  try {
    require(name);
    console.log("ESCAPED", name);
  } catch {}
}
console.log("none");
