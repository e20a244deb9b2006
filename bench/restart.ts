import { spawn } from "node:child_process"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { hash, median, type Report } from "./instruments/Report.ts"
import { runInFolder, type RunningStation, startStation } from "./instruments/servers/Station.ts"

const pollMs = 10
/** So that the journal holds some seconds of the stream. */
const settledMs = 3_000
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const secondsSinceStart = (station: RunningStation) => (performance.now() - station.startedAtMs) / 1_000

const playlistPath = "/live/aac128/index.m3u8"
/** The announced part too: it may have been written before the kill. */
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
const awaitReturn = async (station: RunningStation, before: ReadonlySet<string>): Promise<Back> => {
  let connection: number | undefined
  let playlist: number | undefined
  for (;;) {
    const url = `${station.base}${playlistPath}`
    connection ??= await fetch(url).then(
      async (response) => (await response.body?.cancel(), secondsSinceStart(station)),
      () => undefined
    )
    const text = connection === undefined ? null : await textAt(url)
    if (text !== null) playlist ??= secondsSinceStart(station)
    const parts = text === null ? [] : [...text.matchAll(/#EXT-X-PART:.*?URI="([^"]+)"/g)].map(([, uri]) => uri!)
    const fresh = parts.find((uri) => !before.has(uri))
    if (fresh !== undefined && (await textAt(new URL(fresh, url).href)) !== null)
      return { connection: connection!, playlist: playlist!, part: secondsSinceStart(station) }
    await pause(pollMs)
  }
}

/** Every core has something else to do, too. */
const runBusily = async <A>(work: () => Promise<A>): Promise<A> => {
  const others = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ["-e", "for (;;);"]))
  try {
    return await work()
  } finally {
    for (const other of others) other.kill("SIGKILL")
  }
}

const measureKill = async (folder: string): Promise<Back> => {
  const start = () =>
    startStation({ dataDir: join(folder, "var"), env: { HOUSE_PROGRAMME: "off", HOUSE_READS: "off" } })
  const first = await start()
  while ((await textAt(`${first.base}/readyz`)) === null) await pause(pollMs)
  await pause(settledMs)
  const before = new Set(partsIn((await textAt(`${first.base}${playlistPath}`)) ?? ""))
  await first.stop("SIGKILL")
  const second = await start()
  try {
    return await awaitReturn(second, before)
  } finally {
    await second.stop()
  }
}

/**
 * Row 26: from SIGKILL back to a part that nobody has had before, each step apart, on an idle machine and on one whose cores all have other
 * work. Nothing but the station's own start lies between the kill and the new process.
 */
export const run = (size: "whole" | "small"): Promise<Report> =>
  runInFolder(async (folder) => {
    const rounds = size === "whole" ? 5 : 1
    const back = { idle: new Array<Back>(), busy: new Array<Back>() }
    for (let round = 0; round < rounds; round++) {
      back.idle.push(await measureKill(folder))
      if (size === "whole") back.busy.push(await runBusily(() => measureKill(folder)))
    }
    const rows = (["idle", "busy"] as const).flatMap((machine) =>
      (
        [
          ["first connection", "connection"],
          ["first playlist", "playlist"],
          ["first new part", "part"]
        ] as const
      ).map(([what, of]) => ({
        what: `${machine} machine: process start to ${what}`,
        unit: "s",
        values: back[machine].map((found) => found[of])
      }))
    )
    return {
      bench: "restart",
      rows,
      goals: [
        {
          name: "idle machine: first new part (s)",
          direction: "at most",
          limit: 2,
          value: median(back.idle.map(({ part }) => part))
        }
      ],
      computed: hash(rows.map(({ values }) => values.length).join())
    }
  })
