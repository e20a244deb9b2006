import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { inFolder, type RunningStation, startStation } from "../../bench/Station.ts"
import { sampleRateHz } from "../../engine/Limits.ts"

/** The station as people run it: a process of its own, an empty folder, nothing but HTTP. */
export interface WholeStation {
  readonly folder: string
  readonly leave: () => Promise<void>
  station: RunningStation
}

/** Asks until there is an answer; how long that may take is the test's own limit. */
export const until = async <A>(ask: () => Promise<A | undefined>, everyMs = 50): Promise<A> => {
  for (;;) {
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined) return answer
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

export const isReady = (base: string) => until(async () => (await fetch(`${base}/readyz`)).ok ? true : undefined)

/** Tests ask far more often than people: the general limits are not what they are about. */
export const unhurried = { RATE_LIMIT_SCALE: "1000" }

export const enterStation = async (): Promise<WholeStation> => {
  let free = (): void => undefined
  let left: Promise<void> = Promise.resolve()
  const folder = await new Promise<string>((entered) => {
    left = inFolder((path) => new Promise<void>((resolve) => {
      free = resolve
      entered(path)
    }))
  })
  const whole: WholeStation = {
    folder,
    station: await startStation({ dataDir: join(folder, "var"), env: unhurried }),
    leave: async () => {
      await whole.station.stop()
      free()
      await left
    }
  }
  await isReady(whole.station.base)
  return whole
}

/** The HLS playlist, and the number that its next segment will have. */
export const playlist = async (base: string) => {
  const text = await (await fetch(`${base}/live/aac128/index.m3u8`)).text()
  return { text, next: Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text)?.[1]) + (text.match(/#EXTINF/g) ?? []).length }
}

/** The longest stretch below -60 dBFS. */
export const longestSilenceSec = (pcm: Float32Array): number => {
  let run = 0
  let longest = 0
  for (const sample of pcm) {
    run = Math.abs(sample) < 0.001 ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest / sampleRateHz
}

/** Running programs of a name that a process has started itself. */
export const childrenOf = (pid: number, program: RegExp): ReadonlyArray<number> =>
  readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)).flatMap((entry) => {
    try {
      const stat = /\((.*)\) . (\d+)/s.exec(readFileSync(`/proc/${entry}/stat`, "utf8"))
      return stat !== null && Number(stat[2]) === pid && program.test(stat[1]!) ? [Number(entry)] : []
    } catch {
      return []
    }
  })
