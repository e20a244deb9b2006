import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"

/** A script of package.json, and how it runs. */
interface Run {
  readonly name: string
  readonly script: string
}
/** The tests that compare something with the clock. They leave more than half of two cores idle, and fail if they have to wait for one. */
const timed: Run = { name: "timed tests", script: "test:timed" }
/** What computes. */
const computing: ReadonlyArray<Run> = [
  { name: "check", script: "check" },
  { name: "tests of sound", script: "test:sound" },
  { name: "tests of the inner floors", script: "test:inner" }
]
/** Real stations, which have to play on time. */
const stations: Run = { name: "tests of stations", script: "test:stations" }
const untimed: Run = { name: "untimed tests", script: "test:untimed" }

/** How a control group of Linux gets its share of the processors, in each of the two versions: a session gets 1,024 of the first, 100 of the second. */
const groupFiles = [
  { root: "/sys/fs/cgroup/cpu", file: "cpu.shares", shareOf: (sessions: number) => 1_024 * sessions },
  { root: "/sys/fs/cgroup", file: "cpu.weight", shareOf: (sessions: number) => 100 * sessions }
]
/** Moves a shell into the group that it is given. Fails where that isn't allowed. */
const enter = 'echo $$ > "$0/cgroup.procs"'
/**
 * A group of processes that together get as much of the processors as this number of sessions. Null where this process may not make one: that
 * takes root. A priority doesn't do it: each connection of Postgres is a session of its own, and a priority counts only among processes of one
 * session.
 */
const makeGroup = (name: string, sessions: number): string | null => {
  for (const { file, root, shareOf } of groupFiles) {
    const group = join(root, `longwave-tests-${process.pid}-${name}`)
    try {
      mkdirSync(group)
    } catch {
      continue
    }
    try {
      // Elsewhere it would be a file like any other.
      if (existsSync(join(group, file))) {
        writeFileSync(join(group, file), String(shareOf(sessions)))
        if (spawnSync("sh", ["-c", enter, group]).status === 0) return group
      }
    } catch {
      // This process may make a group, but not say what it gets.
    }
    rmdirSync(group)
  }
  return null
}

/** Runs that follow each other. */
interface Lane {
  readonly runs: ReadonlyArray<Run>
  readonly group?: string
  /** Without a group, it runs on the last processor at the lowest priority. */
  readonly isBeside?: boolean
}
/**
 * Each lane in a group of its own, where neither waits long for the other: the timed tests for a processor, and the others so long that the
 * statements of their databases time out. A station's offline work, of low priority, gives way to its own lane but not to the other. What computes
 * comes before the untimed tests and not beside them: with more at once than the processors can do, everybody is late.
 */
const grouped = (
  [
    ["timed", 2, [timed, stations]],
    ["others", 1, [...computing, untimed]]
  ] as const
).flatMap(([name, sessions, runs]): ReadonlyArray<Lane & { readonly group: string }> => {
  const group = makeGroup(name, sessions)
  return group === null ? [] : [{ runs, group }]
})
const removeGroups = () => {
  for (const { group } of grouped)
    try {
      rmdirSync(group)
    } catch {
      // A process in it has outlived its test. The empty group costs nothing.
    }
}
const areGrouped = grouped.length === 2
if (!areGrouped) removeGroups()

/**
 * `npm test`. Lanes run side by side: both where the timed tests can be kept from waiting for the others. Elsewhere what computes runs
 * beside the timed tests, and all others after them.
 */
const stages: ReadonlyArray<ReadonlyArray<Lane>> = areGrouped
  ? [grouped]
  : [[{ runs: [timed] }, { runs: computing, isBeside: true }], [{ runs: [stations, untimed] }]]
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
/** Words before a command of a lane. */
const wordsBefore = ({ group, isBeside }: Lane): ReadonlyArray<string> =>
  group !== undefined
    ? ["sh", "-c", `${enter} && exec "$@"`, group]
    : isBeside === true
      ? [
          ...(last > 0 && has("taskset") ? ["taskset", "--cpu-list", String(last)] : []),
          ...(has("chrt") ? ["chrt", "--idle", "0"] : ["nice", "-n", "19"])
        ]
      : []

const run = async ({ name, script }: Run, lane: Lane) => {
  const fromMs = performance.now()
  const [program, ...words] = [...wordsBefore(lane), "npm", "run", script]
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
    lanes.map(async (lane) => {
      for (const each of lane.runs) if (!isEnding) ended.push(await run(each, lane))
    })
  )

removeGroups()

// What failed is said once more at the end, where a long output is read first.
for (const { code, lines, name } of ended)
  if (code !== 0) console.log(`\n---- ${name} failed ----\n${lines.slice(-lastLines).join("\n")}`)
console.log(
  ended.map(({ code, name, sec }) => `${name}: ${code === 0 ? "passed" : "failed"} after ${sec} s`).join("\n")
)
process.exitCode = isEnding || ended.some(({ code }) => code !== 0) ? 1 : 0
