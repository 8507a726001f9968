// What a user of E2B's client does: create, run code once with output and a figure,
// run code that counts on the first, close. It prints what came of it as JSON.
import { Sandbox } from '@e2b/code-interpreter'

const sandbox = await Sandbox.create()
const figure = `
import matplotlib.pyplot as plt
x = [1, 2, 3]
plt.plot(x)
plt.show()
print("hello")
sum(x)
`
let first
for (let i = 0; i < 20; i++) {
  first = await sandbox.runCode(figure)
  if (!first.error?.name.endsWith('_limit')) break // a busy machine takes longer than the profile lets it
}
const second = await sandbox.runCode('print(x)')
const killed = await sandbox.kill()
let after
try {
  after = await sandbox.runCode('print(1)')
} catch (error) {
  after = { thrown: error.message }
}
console.log(JSON.stringify({
  stdout: first.logs.stdout.join(''), text: first.text, error: first.error,
  png: first.results.map((r) => r.png ?? '').join(''), second: second.error, killed, after,
}))
