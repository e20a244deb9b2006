import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"

/** A script of package.json, and how it runs. */
interface Run {
  readonly name: string
  readonly script: string
  /** It gives way to the timed tests. */
  readonly isBeside?: boolean
}
/** The tests that compare something with the clock. They leave more than half of two cores idle, and fail if they have to wait for one. */
const timed: Run = { name: "timed tests", script: "test:timed" }
/** What computes. */
const computing: ReadonlyArray<Run> = [
  { name: "check", script: "check", isBeside: true },
  { name: "tests of sound", script: "test:sound", isBeside: true },
  { name: "tests of the inner floors", script: "test:inner", isBeside: true }
]
/** Real stations, which have to play on time. */
const stations: Run = { name: "tests of stations", script: "test:stations" }
const untimed: Run = { name: "untimed tests", script: "test:untimed" }

/** How a control group of Linux gets half of what a session gets, in each of the two versions. */
const shares = [
  { root: "/sys/fs/cgroup/cpu", file: "cpu.shares", share: "512" },
  { root: "/sys/fs/cgroup", file: "cpu.weight", share: "50" }
]
/** Moves a shell into the group that it is given. Fails where that isn't allowed. */
const enter = 'echo $$ > "$0/cgroup.procs"'
/**
 * A group of processes that together get what the timed tests leave and, so that no statement of their databases times out, a part of the rest.
 * Null where this process may not make one: that takes root. A priority doesn't do it: each connection of Postgres is a session of its own,
 * and Linux shares the processors out among sessions first, whatever the priorities inside.
 */
const makeBesideGroup = (): string | null => {
  for (const { file, root, share } of shares) {
    const group = join(root, `longwave-tests-${process.pid}`)
    try {
      mkdirSync(group)
    } catch {
      continue
    }
    try {
      // Elsewhere it would be a file like any other.
      if (existsSync(join(group, file))) {
        writeFileSync(join(group, file), share)
        if (spawnSync("sh", ["-c", enter, group]).status === 0) return group
      }
    } catch {
      // This process may make a group, but not say what it gets.
    }
    rmdirSync(group)
  }
  return null
}
const besideGroup = makeBesideGroup()

/**
 * `npm test`. A lane's runs follow each other, and lanes run side by side: all of them where the timed tests can be kept from waiting for the
 * others. Elsewhere what computes runs beside the timed tests, and all others after them.
 */
const stages: ReadonlyArray<ReadonlyArray<ReadonlyArray<Run>>> =
  besideGroup === null
    ? [[[timed], computing], [[stations, untimed]]]
    : [[[timed, stations], computing, [{ ...untimed, isBeside: true }]]]
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
/** Words before a command that runs beside others: in the group, or else on the last processor at the lowest priority. */
const beside =
  besideGroup === null
    ? [
        ...(last > 0 && has("taskset") ? ["taskset", "--cpu-list", String(last)] : []),
        ...(has("chrt") ? ["chrt", "--idle", "0"] : ["nice", "-n", "19"])
      ]
    : ["sh", "-c", `${enter} && exec "$@"`, besideGroup]

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

if (besideGroup !== null)
  try {
    rmdirSync(besideGroup)
  } catch {
    // A process in it has outlived its test. The empty group costs nothing.
  }

// What failed is said once more at the end, where a long output is read first.
for (const { code, lines, name } of ended)
  if (code !== 0) console.log(`\n---- ${name} failed ----\n${lines.slice(-lastLines).join("\n")}`)
console.log(
  ended.map(({ code, name, sec }) => `${name}: ${code === 0 ? "passed" : "failed"} after ${sec} s`).join("\n")
)
process.exitCode = isEnding || ended.some(({ code }) => code !== 0) ? 1 : 0
