import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { stripVTControlCharacters } from "node:util"

/** A script of package.json, and how it runs. */
interface Run {
  readonly name: string
  readonly script: string
  /** It runs on the last processor only and gets no more than the time that others leave there, where Linux can do that. */
  readonly isBeside?: boolean
}
const check: Run = { name: "check", script: "check", isBeside: true }
const timed: Run = { name: "timed tests", script: "test:timed" }
const sound: Run = { name: "tests of sound", script: "test:sound", isBeside: true }
const inner: Run = { name: "tests of the inner floors", script: "test:inner", isBeside: true }
const untimed: Run = { name: "untimed tests", script: "test:untimed" }

/**
 * `npm test`. The tests that compare something with the clock leave more than half of two cores idle, and fail if they have to wait for one: beside
 * them runs what computes. All others come after them. A lane's runs follow each other, and lanes run side by side.
 */
const stages: ReadonlyArray<ReadonlyArray<ReadonlyArray<Run>>> = [[[timed], [check, sound, inner]], [[untimed]]]
/** Of a failed list: its reasons and its summary are at its end. */
const lastLines = 120

const started: Array<ChildProcess> = []
let isEnding = false
const end = () => {
  isEnding = true
  for (const child of started) child.kill("SIGTERM")
}
// The terminal sends Ctrl-C to the children as well, but SIGTERM reaches this process alone.
process.on("SIGTERM", end).on("SIGINT", end)

const has = (program: string) => existsSync(`/usr/bin/${program}`)
const last = availableParallelism() - 1
const beside = [
  ...(last > 0 && has("taskset") ? ["taskset", "--cpu-list", String(last)] : []),
  ...(has("chrt") ? ["chrt", "--idle", "0"] : ["nice", "-n", "19"])
]

const run = async ({ isBeside, name, script }: Run) => {
  const fromMs = performance.now()
  const [program, ...words] = [...(isBeside === true ? beside : []), "npm", "run", script]
  const child = spawn(program!, words, { stdio: ["ignore", "pipe", "pipe"] })
  started.push(child)
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
}

const ended: Array<Awaited<ReturnType<typeof run>>> = []
for (const lanes of stages)
  await Promise.all(
    lanes.map(async (runs) => {
      for (const each of runs) if (!isEnding) ended.push(await run(each))
    })
  )

// What failed is said once more at the end, where a long output is read first.
for (const { code, lines, name } of ended)
  if (code !== 0) console.log(`\n---- ${name} failed ----\n${lines.slice(-lastLines).join("\n")}`)
console.log(
  ended.map(({ code, name, sec }) => `${name}: ${code === 0 ? "passed" : "failed"} after ${sec} s`).join("\n")
)
process.exitCode = isEnding || ended.some(({ code }) => code !== 0) ? 1 : 0
