import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { runInFolder, type RunningStation, startStation } from "../../../bench/instruments/servers/Station.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { waitMs } from "../../../bench/instruments/Patience.ts"
import { stationTemplate } from "./StationTemplate.ts"

/** The station as people run it: its own process, an empty folder, only HTTP. */
export interface WholeStation {
  readonly folder: string
  readonly leave: () => Promise<void>
  station: RunningStation
}
/** Below the time limit of the waiting tests, so that a failed wait is reported with its last error. */
const inVainMs = 200_000
/** Polls until there is an answer. An error counts as no answer. */
export const askUntil = async <A>(ask: () => Promise<A | undefined>, everyMs = 50): Promise<A> => {
  const vain = new Error("Nobody answered what this waits for")
  for (const startedMs = performance.now(); ; await waitMs(everyMs)) {
    const answer = await ask().catch((met: unknown) => void (vain.cause = met))
    if (answer !== undefined) return answer
    if (performance.now() - startedMs > inVainMs) throw vain
  }
}
export const isReady = (base: string) => askUntil(async () => ((await fetch(`${base}/readyz`)).ok ? true : undefined))
/**
 * Tests send far more requests than people, so the general limits are raised. The station makes one bed and one ident of its own:
 * its whole programme would take one of two cores for minutes.
 */
export const testSettings = { RATE_LIMIT_SCALE: "1000", HOUSE_PROGRAMME: "off" }
/**
 * A station in a folder of its own, which begins with a migrated database and its first two pieces; `whole/Start` begins with nothing.
 * `env` extends the station's environment; `dataDir` is the data folder if it isn't `var` in the test's folder; `port` is for callers that need to
 * know it first.
 */
export const enterStation = async (
  env: Record<string, string> = {},
  dataDir?: string,
  port?: number
): Promise<WholeStation> => {
  let free = (): void => undefined
  let left: Promise<void> = Promise.resolve()
  const folder = await new Promise<string>((entered) => {
    left = runInFolder(
      (path) =>
        new Promise<void>((resolve) => {
          free = resolve
          entered(path)
        })
    )
  })
  if (dataDir === undefined && env["DATABASE_URL"] === undefined)
    execFileSync("cp", ["-a", await stationTemplate(testSettings), join(folder, "var")])
  const whole: WholeStation = {
    folder,
    station: await startStation({
      dataDir: dataDir ?? join(folder, "var"),
      env: { ...testSettings, ...env },
      ...(port === undefined ? {} : { port })
    }),
    leave: async () => {
      await whole.station.stop()
      free()
      await left
    }
  }
  await isReady(whole.station.base)
  return whole
}
/** A kill by the kernel or a power failure: the station ends at once, whatever it does, and is started again with the same data. */
export const killAndRestart = async (
  whole: WholeStation,
  env: Record<string, string> = {},
  meanwhile: () => Promise<unknown> = () => Promise.resolve()
): Promise<void> => {
  const { dataDir, operator, port } = whole.station
  await whole.station.stop("SIGKILL")
  await meanwhile()
  whole.station = await startStation({ dataDir, operator, port, env: { ...testSettings, ...env } })
  await isReady(whole.station.base)
}
/** The HLS playlist, and the number of its next segment. */
export const playlist = async (base: string) => {
  const text = await (await fetch(`${base}/live/aac128/index.m3u8`)).text()
  return { text, next: Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text)?.[1]) + (text.match(/#EXTINF/g) ?? []).length }
}
/** The longest stretch below -60 dBFS. */
export const findLongestSilenceSec = (pcm: Float32Array): number => {
  let run = 0
  let longest = 0
  for (const sample of pcm) {
    run = Math.abs(sample) < 0.001 ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest / sampleRateHz
}
/** One figure of the station's metrics; 0 if nothing was counted. */
export const metric = async (base: string, line: RegExp): Promise<number> => {
  const text = await (await fetch(`${base}/metrics`)).text()
  return text
    .split("\n")
    .filter((one) => !one.startsWith("#") && line.test(one))
    .reduce((sum, one) => sum + Number(one.split(" ").at(-1)), 0)
}
/** Running child processes with this name. */
export const childrenOf = (pid: number, program: RegExp): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const stat = /\((.*)\) . (\d+)/s.exec(readFileSync(`/proc/${entry}/stat`, "utf8"))
        return stat !== null && Number(stat[2]) === pid && program.test(stat[1]!) ? [Number(entry)] : []
      } catch {
        return []
      }
    })
/** The encoders among them: the other processes decode. */
export const encodersOf = (pid: number): ReadonlyArray<number> =>
  childrenOf(pid, /ffmpeg/).filter((child) => {
    try {
      return readFileSync(`/proc/${child}/cmdline`, "utf8").includes("2\0-i\0pipe:0")
    } catch {
      // A decoder that ended since the list was made.
      return false
    }
  })
