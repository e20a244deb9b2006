import { spawn } from "node:child_process"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { decodeMono } from "./instruments/Decode.ts"
import { hash, median, type Report } from "./instruments/Report.ts"
import { inFolder, residentMiB, type RunningStation, startStation } from "./instruments/Station.ts"

const pollMs = 10
const soundRms = 10 ** (-50 / 20)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const sinceStart = (station: RunningStation) => (performance.now() - station.startedAtMs) / 1_000

/** Seconds from the process's start until a listener's decoder returns a sample that isn't silent. */
const firstSound = async (station: RunningStation): Promise<number> => {
  for (;;) {
    const response = await fetch(`${station.base}/live.mp3`).catch(() => undefined)
    if (response?.ok !== true) {
      await response?.body?.cancel()
      await pause(pollMs)
      continue
    }
    const chunks: Array<Uint8Array> = []
    for await (const chunk of response.body!) {
      const at = sinceStart(station)
      chunks.push(chunk)
      const pcm = await decodeMono(Buffer.concat(chunks)).catch(() => new Float32Array())
      if (pcm.some((sample) => Math.abs(sample) > soundRms)) return at
    }
  }
}

const ready = async (station: RunningStation): Promise<number> => {
  for (;;) {
    const response = await fetch(`${station.base}/readyz`).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok === true) return sinceStart(station)
    await pause(pollMs)
  }
}

const playlistPath = "/live/aac128/index.m3u8"
const partsIn = (playlist: string) =>
  [...playlist.matchAll(/#EXT-X-(?:PART|PRELOAD-HINT):.*?URI="([^"]+)"/g)].map(([, uri]) => uri!)
const textAt = async (url: string): Promise<string | null> => {
  const response = await fetch(url).catch(() => undefined)
  const text = await response?.text()
  return response?.ok === true ? text! : null
}

interface Back {
  readonly connection: number
  readonly playlist: number
  readonly part: number
}
/** Seconds from the start of a station that was killed until it takes a connection, has a playlist, and a part that nobody has had before. */
const cameBack = async (station: RunningStation, before: ReadonlySet<string>): Promise<Back> => {
  let connection: number | undefined
  let playlist: number | undefined
  for (;;) {
    const url = `${station.base}${playlistPath}`
    connection ??= await fetch(url).then(
      async (response) => (await response.body?.cancel(), sinceStart(station)),
      () => undefined
    )
    const text = connection === undefined ? null : await textAt(url)
    if (text !== null) playlist ??= sinceStart(station)
    // The last one that is named is only announced.
    const parts = text === null ? [] : [...text.matchAll(/#EXT-X-PART:.*?URI="([^"]+)"/g)].map(([, uri]) => uri!)
    const fresh = parts.find((uri) => !before.has(uri))
    if (fresh !== undefined && (await textAt(new URL(fresh, url).href)) !== null)
      return { connection: connection!, playlist: playlist!, part: sinceStart(station) }
    await pause(pollMs)
  }
}

/** Every core has something else to do, too. */
const busily = async <A>(work: () => Promise<A>): Promise<A> => {
  const others = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ["-e", "for (;;);"]))
  try {
    return await work()
  } finally {
    for (const other of others) other.kill("SIGKILL")
  }
}

const killed = (folder: string): Promise<Back> => {
  const start = () =>
    startStation({ dataDir: join(folder, "var"), env: { HOUSE_PROGRAMME: "off", HOUSE_READS: "off" } })
  return (async () => {
    const first = await start()
    await ready(first)
    await pause(3_000)
    const before = new Set(partsIn((await textAt(`${first.base}${playlistPath}`)) ?? ""))
    await first.stop("SIGKILL")
    const second = await start()
    try {
      return await cameBack(second, before)
    } finally {
      await second.stop()
    }
  })()
}

const houseMaxMs = 900_000
const idleMs = 60_000

/** Waits until the house programme is complete and the workers that made it have ended. */
const houseMade = async (station: RunningStation) => {
  for (const startMs = performance.now(); !/house: made \S+ \((\d+) of \1\)/.test(station.output());) {
    if (performance.now() - startMs > houseMaxMs) throw new Error("The house programme was not complete in time.")
    await pause(1_000)
  }
  await pause(idleMs)
}

/** P9: time from process start to the first sound over HTTP and to the ready API, cold (empty folder), warm, and after SIGKILL on an idle and on a busy machine; memory with a complete house programme and no listeners. */
export const run = async (size: "whole" | "small"): Promise<Report> => {
  const rounds = size === "whole" ? 5 : 1
  const cold: Array<readonly [number, number]> = []
  const warm: Array<readonly [number, number]> = []
  const early: Array<number> = []
  const idle: Array<ReturnType<typeof residentMiB>> = []
  const back = { idle: new Array<Back>(), busy: new Array<Back>() }
  for (let round = 0; round < rounds; round++) {
    await inFolder(async (folder) => {
      for (const into of [cold, warm]) {
        const station = await startStation({
          dataDir: join(folder, "var"),
          // Work on the house programme would distort the figures of the small run.
          env: size === "small" ? { HOUSE_PROGRAMME: "off", HOUSE_READS: "off" } : {}
        })
        try {
          into.push(await Promise.all([firstSound(station), ready(station)]))
          if (into === warm) early.push(residentMiB(station.process.pid!).station)
          if (into === cold && round === 0 && size === "whole") {
            await houseMade(station)
            idle.push(residentMiB(station.process.pid!))
          }
        } finally {
          await station.stop()
        }
      }
      back.idle.push(await killed(folder))
      if (size === "whole") back.busy.push(await busily(() => killed(folder)))
    })
  }
  const backRows = (["idle", "busy"] as const).flatMap((machine) =>
    (
      [
        ["first connection", "connection"],
        ["first playlist", "playlist"],
        ["first new part", "part"]
      ] as const
    ).map(([what, of]) => ({
      what: `killed, ${machine} machine: process start to ${what}`,
      unit: "s",
      values: back[machine].map((found) => found[of])
    }))
  )
  const rows = [
    { what: "cold: process start to first sound heard", unit: "s", values: cold.map(([sound]) => sound) },
    { what: "cold: process start to API ready", unit: "s", values: cold.map(([, api]) => api) },
    { what: "warm: process start to first sound heard", unit: "s", values: warm.map(([sound]) => sound) },
    { what: "warm: process start to API ready", unit: "s", values: warm.map(([, api]) => api) },
    {
      what: "resident memory of the station when ready",
      unit: "MiB",
      values: early,
      note: "without Postgres and encoders"
    },
    { what: "idle, house programme complete: the station", unit: "MiB", values: idle.map(({ station }) => station) },
    {
      what: "idle, house programme complete: Postgres",
      unit: "MiB",
      values: idle.map(({ postgres }) => postgres),
      note: "shared pages once"
    },
    {
      what: "idle, house programme complete: encoders and probe",
      unit: "MiB",
      values: idle.map(({ ffmpeg }) => ffmpeg),
      note: "shared pages once"
    },
    ...backRows
  ]
  const value = (index: number) => median(rows[index]!.values)
  return {
    bench: "boot",
    rows,
    goals: [
      { name: "cold first sound (s)", direction: "at most", limit: 2, value: value(0) },
      { name: "warm first sound (s)", direction: "at most", limit: 2, value: value(2) },
      { name: "warm API ready (s)", direction: "at most", limit: 4, value: value(3) },
      {
        name: "killed, idle machine: first new part (s)",
        direction: "at most",
        limit: 2,
        value: median(back.idle.map(({ part }) => part))
      },
      { name: "resident memory, idle (MiB)", direction: "at most", limit: 250, value: idle[0]?.station ?? null }
    ],
    computed: hash(rows.map(({ values }) => values.length).join())
  }
}
