import { NodeServices } from "@effect/platform-node"
import { Effect, Redacted } from "effect"
import { readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import type { ChildProcess } from "node:child_process"
import { join } from "node:path"
import { mp3BurstMs, mp3StallMs, partLateMs } from "../engine/rules/air/limits.ts"
import { embeddedPostgres } from "../engine/store/sql/EmbeddedPostgres.ts"
import type { Attacked, AttackName, Listened, Reconnected, Served, Stalled } from "./abuseClients.ts"
import { child, end, pause, nextMessage } from "./instruments/Children.ts"
import { runFfmpeg } from "./instruments/ears/Decode.ts"
import { seed, type Size } from "./instruments/data/LargeStation.ts"
import { awaitClock } from "./instruments/clients/Players.ts"
import { type Goal, hash, median, quantile, type Report, type Row } from "./instruments/Report.ts"
import {
  addStaleRegistrations,
  countStaleRegistrations,
  makeFreeingDue
} from "./instruments/data/StaleRegistrations.ts"
import { runInFolder, residentMiB, type RunningStation, startStation } from "./instruments/servers/Station.ts"

interface Plan {
  readonly size: Size
  readonly listeners: number
  /** Requests a second of honest callers, throughout. */
  readonly perSecond: number
  /**
   * Memory grows until the live window is full. Three minutes after its start the station releases what the start left, and grows to its usual size
   * again. The comparison begins only after that.
   */
  readonly warmMs: number
  readonly calmMs: number
  readonly attackMs: number
  readonly restMs: number
  /** How long memory is sampled, before and after: longer than V8 takes between two collections of the whole heap. */
  readonly sampleMs: number
  /** Time from the end of the last attack to the comparison of memory. */
  readonly laterMs: number
  readonly staleRegistrations: number
  readonly connections: Readonly<Record<AttackName, number>>
  readonly reconnecting: number
  readonly stalled: number
  readonly callSec: number
}

const plans: Readonly<Record<"whole" | "small", Plan>> = {
  whole: {
    size: { agents: 1_000, posts: 20_000, follows: 20 },
    listeners: 200,
    perSecond: 40,
    warmMs: 240_000,
    calmMs: 20_000,
    attackMs: 15_000,
    restMs: 3_000,
    sampleMs: 60_000,
    laterMs: 60_000,
    staleRegistrations: 150_000,
    connections: {
      wrongElements: 8,
      idleBodies: 256,
      unreadAnswers: 16,
      randomNames: 32,
      dryCalls: 10,
      toolLists: 32,
      nobody: 0
    },
    reconnecting: 5_000,
    stalled: 200,
    callSec: 110
  },
  small: {
    size: { agents: 50, posts: 200, follows: 5 },
    listeners: 8,
    perSecond: 20,
    warmMs: 1_000,
    calmMs: 1_000,
    attackMs: 1_000,
    restMs: 500,
    sampleMs: 400,
    laterMs: 0,
    staleRegistrations: 2_000,
    connections: {
      wrongElements: 2,
      idleBodies: 40,
      unreadAnswers: 2,
      randomNames: 4,
      dryCalls: 2,
      toolLists: 4,
      nobody: 0
    },
    reconnecting: 50,
    stalled: 4,
    callSec: 2
  }
}

const attacks: ReadonlyArray<readonly [name: AttackName, what: string]> = [
  ["wrongElements", "1: thousands of wrong elements, with Idempotency-Key"],
  ["idleBodies", "2: idle bodies from one address"],
  ["unreadAnswers", "3: pipelined, answers unread"],
  ["randomNames", "5: random names"],
  ["dryCalls", "10: dry runs of calls"],
  ["toolLists", "13: lists of MCP tools without a key"]
]

/** Maximum growth of memory, measured a minute after the attacks. Above it, the station keeps input of strangers. */
const keptMiB = 50
const othersP99Ms = 500
const firstByteP99Ms = 1_000
/** Maximum of the station's first-byte p99 over that of a bare Node server with the same crowd. */
const firstByteRatio = 1.5
/** Additional memory that 200 connections and a burst of joins may use while they last. */
const heldMiB = 256
/** A slow disk takes this long; nobody waits for it, and the other callers' p99 is the goal. */
const staleFreedMs = 240_000
const mp3BytesPerSec = 16_000
/** How long a paused MP3 reader can look alive: the kernel takes this much for it before a write waits. Then the station's own limit runs. */
const stalledShownMs = (): number => {
  const kernelBytes = Number(readFileSync("/proc/sys/net/ipv4/tcp_wmem", "utf8").trim().split(/\s+/)[2])
  return (kernelBytes / mp3BytesPerSec) * 1_000 + mp3StallMs + 60_000
}

interface Stretch {
  readonly what: string
  readonly served: Served
  readonly listened: Listened
  readonly mostMiB: number
  readonly endMiB: number
  readonly note: string
}

const describeStatuses = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} × ${status}`)
    .join(", ") || "none"

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

const ask = async <A>(clients: ChildProcess, message: string): Promise<A> => {
  clients.send(message)
  return (await nextMessage(clients)) as A
}

/** A call of this length, in the format of a browser's recorder. */
const tone = (sec: number): Promise<Uint8Array> => {
  const samples = Float32Array.from({ length: sec * 16_000 }, (_, at) => Math.sin(at / 12) / 4)
  return runFfmpeg(
    new Uint8Array(samples.buffer),
    ["-f", "f32le", "-ar", "16000", "-ac", "1"],
    ["-c:a", "libopus", "-b:a", "48k", "-f", "webm"]
  )
}

const measureUnderAttack = async (
  station: RunningStation,
  plan: Plan,
  store: Redacted.Redacted,
  call: string
): Promise<Report> => {
  const port = String(station.port)
  const children: Array<ChildProcess> = []
  const begin = (mode: string, ...args: ReadonlyArray<string | number>): ChildProcess => {
    const clients = child(1, "abuseClients.ts", [mode, port, ...args.map(String)])
    // Polled many times: the default number of listeners on a stream would print warnings.
    clients.setMaxListeners(0)
    children.push(clients)
    return clients
  }
  const resident = () => residentMiB(station.process.pid!).station
  const sampleResident = async () => {
    const samples: Array<number> = []
    for (let at = 0; at < 20; at++) samples.push((await pause(plan.sampleMs / 20), resident()))
    return median(samples)
  }
  let mostMiB = 0
  const watching = setInterval(() => (mostMiB = Math.max(mostMiB, resident())), 250)
  try {
    const listeners = begin("listen", plan.listeners)
    const callers = begin("call", plan.size.agents, plan.perSecond)
    const stretches: Array<Stretch> = []
    const resetCounts = async () => {
      await ask(listeners, "report")
      await ask(callers, "report")
      mostMiB = resident()
    }
    const stretch = async (what: string, work: () => Promise<string>) => {
      await resetCounts()
      const note = await work()
      const [listened, served] = [await ask<Listened>(listeners, "report"), await ask<Served>(callers, "report")]
      stretches.push({ what, served, listened, mostMiB, endMiB: resident(), note })
      const { served: got } = stretches.at(-1)!
      console.log(`  ${what}: other callers' p99 ${got.p99Ms.toFixed(0)} ms; ${note}`)
    }
    const calm = (what: string) => stretch(what, async () => (await pause(plan.calmMs), ""))
    // The kernel buffers unread answers first, more than four minutes of MP3: these readers start first and are counted last.
    const stalled = begin("stall", plan.stalled)
    const stalledAtMs = performance.now()
    // Code that loads at its first use isn't what strangers leave behind: each attack has a client for a moment before the comparison.
    for (const [name] of attacks) {
      const first = begin("attack", 1, name, call)
      await nextMessage(first)
      await pause(plan.restMs)
      await ask<Attacked>(first, "stop")
      await end(first)
    }
    await pause(plan.warmMs)
    await calm("no attack (anchor)")
    const beforeMiB = await sampleResident()

    for (const [name, what] of attacks) {
      await stretch(what, async () => {
        const attackers = begin("attack", plan.connections[name], name, call)
        await nextMessage(attackers)
        await pause(plan.attackMs)
        const { answers, largestAnswerBytes, sentMiB, tried } = await ask<Attacked>(attackers, "stop")
        await end(attackers)
        return `${plan.connections[name]} connections, ${tried} tries, ${sentMiB.toFixed(1)} MiB sent, largest answer ${largestAnswerBytes} bytes, answers: ${describeStatuses(answers)}`
      })
      await pause(plan.restMs)
    }
    let staleLeft = plan.staleRegistrations
    // Added in weeks by strangers, but in seconds here: they expire after that, so that the bench's own work isn't measured.
    const expireMs = await Effect.runPromise(addStaleRegistrations(store, plan.staleRegistrations))
    await pause(Math.max(0, expireMs - Date.now()))
    await stretch("9: stale registrations", async () => {
      await Effect.runPromise(makeFreeingDue(store))
      const begunMs = performance.now()
      while (staleLeft > 0 && performance.now() - begunMs < staleFreedMs) {
        await pause(plan.restMs)
        staleLeft = await Effect.runPromise(countStaleRegistrations(store))
      }
      return `${plan.staleRegistrations} added, ${staleLeft} left after ${((performance.now() - begunMs) / 1_000).toFixed(1)} s`
    })
    /** The same crowd on a bare Node server. It shows the cost of the machine and of the single client process. */
    const floor = child(0, "fanoutServer.ts", ["floor"])
    children.push(floor)
    const floorPort = String(await nextMessage(floor))
    await pause(mp3BurstMs)
    const bare = await (async () => {
      const crowd = child(1, "abuseClients.ts", ["reconnect", floorPort, String(plan.reconnecting)])
      children.push(crowd)
      await ask(crowd, "join")
      await pause(plan.restMs)
      const again = await ask<Reconnected>(crowd, "again")
      await end(crowd)
      return again
    })()
    await end(floor)
    const crowd = begin("reconnect", plan.reconnecting)
    await ask(crowd, "join")
    await pause(plan.restMs)
    let reconnected: Reconnected = { firstByteMs: [], refused: 0 }
    await stretch("F14: listeners reconnect at once", async () => {
      reconnected = await ask<Reconnected>(crowd, "again")
      await pause(plan.restMs)
      const { firstByteMs, refused } = reconnected
      return `${firstByteMs.length} of ${plan.reconnecting} receive sound, ${refused} refused, first byte p50 ${quantile(firstByteMs, 0.5)?.toFixed(0)} ms, p99 ${quantile(firstByteMs, 0.99)?.toFixed(0)} ms, including the client process's own time`
    })
    await end(crowd)
    await pause(plan.laterMs)
    const laterMiB = await sampleResident()
    await calm("after the attacks")
    if (plan.laterMs > 0) await pause(Math.max(0, stalledAtMs + stalledShownMs() - performance.now()))
    const { closed, opened } = await ask<Stalled>(stalled, "report")
    await end(stalled)

    const rows: Array<Row> = stretches.map(({ endMiB, listened, mostMiB, note, served, what }) => ({
      what,
      unit: "ms, other callers' p99",
      values: [served.p99Ms],
      note: [
        `p50 ${served.p50Ms.toFixed(1)} ms, longest ${served.mostMs.toFixed(0)} ms of ${served.answers}, failed: ${describeStatuses(served.bad)}`,
        `${listened.listening} listeners, ${listened.partsLateMs.length} parts, p99 ${quantile(listened.partsLateMs, 0.99)?.toFixed(0)} ms late, at most ${Math.max(...listened.partsLateMs).toFixed(0)} ms, dropped: ${describeStatuses(listened.dropped)}`,
        `resident at most ${mostMiB.toFixed(0)} MiB, ${endMiB.toFixed(0)} at the end`,
        note
      ]
        .filter((text) => text !== "")
        .join("; ")
    }))
    const abused = stretches.slice(1)
    const p99 = ({ firstByteMs }: Reconnected) => (firstByteMs.length === 0 ? null : quantile(firstByteMs, 0.99)!)
    const [firstByteMs, floorMs] = [p99(reconnected), p99(bare)]
    const goals: ReadonlyArray<Goal> = [
      {
        name: "parts more than 2 s late",
        direction: "at most",
        limit: 0,
        value: stretches.flatMap(({ listened }) => listened.partsLateMs).filter((ms) => ms > partLateMs).length
      },
      {
        name: "listeners dropped, refused or without sound",
        direction: "at most",
        limit: 0,
        value: stretches.reduce((total, { listened }) => total + sum(listened.dropped), 0)
      },
      {
        name: "minimum share of listeners still connected",
        direction: "at least",
        limit: plan.listeners,
        value: Math.min(...stretches.map(({ listened }) => listened.listening))
      },
      ...abused.map(({ served, what }): Goal => ({
        name: `${what}: other callers' p99 (ms)`,
        direction: "at most",
        limit: othersP99Ms,
        value: served.p99Ms
      })),
      {
        name: "failed answers to other callers",
        direction: "at most",
        limit: 0,
        value: stretches.reduce((total, { served }) => total + sum(served.bad), 0)
      },
      {
        name: "growth of resident memory a minute later (MiB)",
        direction: "at most",
        limit: keptMiB,
        value: plan.laterMs === 0 ? null : laterMiB - beforeMiB
      },
      {
        name: `${plan.reconnecting} reconnect: first byte p99 (ms)`,
        direction: "at most",
        limit: firstByteP99Ms,
        // Where a bare server is slower than that already, the machine is measured, and not the station.
        value: firstByteMs === null || (floorMs !== null && floorMs > firstByteP99Ms) ? null : firstByteMs
      },
      {
        name: `${plan.reconnecting} reconnect: first byte p99, times the bare Node server's`,
        direction: "at most",
        limit: firstByteRatio,
        value: plan.laterMs === 0 || firstByteMs === null || floorMs === null ? null : firstByteMs / floorMs
      },
      {
        name: `${plan.reconnecting} reconnect: refused or without sound`,
        direction: "at most",
        limit: 0,
        value: plan.reconnecting - reconnected.firstByteMs.length
      },
      {
        name: `stalled readers disconnected, of ${plan.stalled}`,
        direction: "at least",
        limit: plan.stalled,
        // A short run ends before the kernel's buffers are full.
        value: plan.laterMs === 0 ? null : sum(closed)
      },
      {
        name: "highest growth of resident memory (MiB)",
        direction: "at most",
        limit: heldMiB,
        value: Math.max(...abused.map(({ mostMiB }) => mostMiB)) - beforeMiB
      },
      { name: "stale registrations left", direction: "at most", limit: 0, value: staleLeft }
    ]
    return {
      bench: "abuse",
      rows: [
        ...rows,
        ...(
          [
            ["station", reconnected],
            ["node floor", bare]
          ] as const
        ).map(([who, { firstByteMs }]) => ({
          what: `F14: ${who}, ${plan.reconnecting} reconnect: first byte p99`,
          unit: "ms",
          values: firstByteMs.length === 0 ? [] : [quantile(firstByteMs, 0.99)]
        })),
        { what: "resident memory before", unit: "MiB", values: [beforeMiB] },
        { what: "resident memory later", unit: "MiB", values: [laterMiB] },
        ...(["mp3", "playlists"] as const).map((kind) => ({
          what: `F14: stalled readers, ${kind}`,
          unit: "cut off",
          values: [closed[kind]],
          note: `${opened[kind]} had started to read`
        }))
      ],
      goals,
      computed: hash(stretches.map(({ what, served }) => `${what} ${served.answers > 0}`).join("\n"))
    }
  } finally {
    clearInterval(watching)
    await Promise.all(children.map(end))
  }
}

/**
 * Attacks by strangers on a station that is on the air with 200 listeners and other callers. Each attack runs alone, beside the same
 * callers. No limit of the station is loosened. All clients are separate processes on one core; attackers have lower priority than the measuring clients.
 */
export const run = (size: "whole" | "small"): Promise<Report> =>
  runInFolder((folder) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const plan = plans[size]
          const store = yield* embeddedPostgres(join(folder, "store"))
          yield* seed(store, plan.size)
          return yield* Effect.promise(async () => {
            const call = join(folder, "call.webm")
            await writeFile(call, await tone(plan.callSec))
            const station = await startStation({
              dataDir: join(folder, "var"),
              // The house programme and script reading would be measured too. The sound passes through the whole chain without them.
              env: { DATABASE_URL: Redacted.value(store), HOUSE_READS: "off", HOUSE_PROGRAMME: "off" }
            })
            try {
              while ((await fetch(`${station.base}/readyz`).catch(() => undefined))?.ok !== true) await pause(50)
              await awaitClock(station.base)
              return await measureUnderAttack(station, plan, store, call)
            } finally {
              await station.stop()
            }
          })
        })
      ).pipe(Effect.provide(NodeServices.layer))
    )
  )
