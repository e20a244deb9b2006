import { type ChildProcess, spawn } from "node:child_process"
import { constants, setPriority } from "node:os"
import { stripVTControlCharacters } from "node:util"

/**
 * `npm test`: the static checks and both lists of tests, side by side. The tests that compare something with the clock come first: everything else
 * runs at the lowest priority. What failed is said once more at the end, where a long output is read first.
 */
const runs = [
  { name: "check", script: "check", priority: constants.priority.PRIORITY_NORMAL },
  { name: "timed tests", script: "test:timed", priority: constants.priority.PRIORITY_NORMAL },
  { name: "untimed tests", script: "test:untimed", priority: constants.priority.PRIORITY_LOW }
]
/** Of a failed list: its reasons and its summary are at its end. */
const lastLines = 120

const started: Array<ChildProcess> = []
// The terminal sends Ctrl-C to the children as well, but SIGTERM reaches this process alone.
process.on("SIGTERM", () => {
  for (const child of started) child.kill("SIGTERM")
})

const ended = await Promise.all(
  runs.map(async ({ name, priority, script }) => {
    const fromMs = performance.now()
    const child = spawn("npm", ["run", script], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    started.push(child)
    setPriority(child.pid!, priority)
    const said: Array<Buffer> = []
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr]
    ] as const)
      from.on("data", (some: Buffer) => {
        said.push(some)
        to.write(some)
      })
    const code = await new Promise<number>((resolve) => child.on("close", (exit) => resolve(exit ?? 1)))
    const lines = stripVTControlCharacters(Buffer.concat(said).toString()).split("\n")
    return { name, code, lines, sec: Math.round((performance.now() - fromMs) / 1_000) }
  })
)

for (const { code, lines, name } of ended)
  if (code !== 0) console.log(`\n---- ${name} failed ----\n${lines.slice(-lastLines).join("\n")}`)
console.log(
  ended.map(({ code, name, sec }) => `${name}: ${code === 0 ? "passed" : "failed"} after ${sec} s`).join("\n")
)
process.exitCode = ended.some(({ code }) => code !== 0) ? 1 : 0
