import { join } from "node:path"
import { aacFrameSamples, mixLeadMs, segmentFrames } from "../engine/rules/air/limits.ts"
import { sampleRateHz } from "../schema/time/Samples.ts"
import { msAt } from "../media/clock/StationClock.ts"
import { chromiumPath, playInBrowser } from "./instruments/clients/BrowserPlayer.ts"
import { type ClickedAir, runOnClickedAir } from "./instruments/sounds/ClickedAir.ts"
import { playMp3, playParts, playSegments, type Played, awaitClock } from "./instruments/clients/Players.ts"
import { hash, quantile, type Report, type Row } from "./instruments/Report.ts"
import { runInFolder, startStation } from "./instruments/servers/Station.ts"
import { call } from "./instruments/clients/Stranger.ts"

/** Half an AAC frame and the decoder's delay: nearer clicks are the same click. */
const sameClickSamples = sampleRateHz / 10
/** Entries that the log doesn't have by then count as missing. */
const logPatienceMs = 30_000
/** Additional listening time while no click was heard. */
const extraSec = 50
const targetDurationSec = (segmentFrames * aacFrameSamples) / sampleRateHz

/** The earliest instant at which a sample can have been mixed. */
const mixedMs = (sample: number): number => msAt(sample) - mixLeadMs

interface Delays {
  /** Time from the mix until the decoder returns the click. */
  readonly decodedSec: ReadonlyArray<number>
  /** Time until it is heard, with continuous playback as far behind the edge as the playlist demands. */
  readonly heardSec: ReadonlyArray<number>
}

/** By sample number where the format has it; otherwise the last click that can have been mixed. */
const delaysOf = (air: ClickedAir, sinceMs: number, { clicks, firstSample, start }: Played): Delays => {
  const found = clicks.flatMap((click) => {
    const mixed =
      firstSample === null
        ? air.clicks.findLast((sample) => mixedMs(sample) < click.decodedMs)
        : air.clicks.find((sample) => Math.abs(sample - firstSample - click.sample) < sameClickSamples)
    // Sound caught up with at the start was mixed long after its time.
    return mixed === undefined || mixedMs(mixed) < sinceMs ? [] : [{ mixed, decodedMs: click.decodedMs }]
  })
  return {
    decodedSec: found.map(({ decodedMs, mixed }) => (decodedMs - mixedMs(mixed)) / 1_000),
    heardSec:
      start === null
        ? []
        : found
            .filter(({ mixed }) => mixed >= start.sample)
            .map(
              ({ decodedMs, mixed }) =>
                (Math.max(decodedMs, start.atMs + ((mixed - start.sample) / sampleRateHz) * 1_000) - mixedMs(mixed)) /
                1_000
            )
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Milliseconds from sending the command to the first sample of the emergency programme in the signed log. */
const emergencies = (rounds: number): Promise<ReadonlyArray<number>> =>
  runInFolder(async (folder) => {
    const station = await startStation({ dataDir: join(folder, "var"), env: { HOUSE_PROGRAMME: "off" } })
    const order = (what: string) =>
      call(station.base, "POST", `/api/ops/playout/${what}`, { bearer: station.operator, body: { reason: "bench" } })
    try {
      while ((await fetch(`${station.base}/readyz`).catch(() => undefined))?.ok !== true) await pause(50)
      // The emergency programme plays until the first piece is made: only one that replaces a planned item can be recognised.
      const isPlanned = async () => {
        const { body } = await call(station.base, "GET", "/api/ops/rundown", { bearer: station.operator })
        return (body["rundown"] as { readonly onAir: unknown }).onAir !== null
      }
      const sentMs: Array<number> = []
      for (let round = 0; round < rounds; round++) {
        while (!(await isPlanned())) await pause(200)
        await pause(1_000)
        sentMs.push(Date.now())
        await order("emergency")
        await pause(1_000)
        await order("emergency/clear")
      }
      for (;;) {
        const days = [...new Set([sentMs[0]!, sentMs.at(-1)!].map((ms) => new Date(ms).toISOString().slice(0, 10)))]
        const logs = await Promise.all(
          days.map((day) =>
            call(station.base, "GET", `/api/ops/as-run?day=${day}&format=json`, { bearer: station.operator })
          )
        )
        const starts = logs
          .flatMap(({ body }) => body["rows"] as ReadonlyArray<{ readonly firstSample: number; readonly text: string }>)
          .filter(
            ({ text }) => (JSON.parse(text) as { readonly trace: ReadonlyArray<string> }).trace[0] === "emergency"
          )
          .map(({ firstSample }) => msAt(firstSample))
        const delays = sentMs.flatMap((sent, round) => {
          const began = starts.find((ms) => ms >= sent && ms < (sentMs[round + 1] ?? Infinity))
          return began === undefined ? [] : [began - sent]
        })
        if (delays.length === rounds || Date.now() > sentMs.at(-1)! + logPatienceMs) return delays
        await pause(200)
      }
    } finally {
      await station.stop()
    }
  })

const rowsOf = (what: string, delays: ReadonlyArray<number>, unit = "s", note?: string): ReadonlyArray<Row> =>
  (
    [
      [0.5, "p50"],
      [0.95, "p95"]
    ] as const
  ).map(([q, name]) => ({
    what: `${what}, ${name}`,
    unit,
    values: delays.length === 0 ? [] : [quantile(delays, q)],
    note: `of ${delays.length}${note === undefined ? "" : `; ${note}`}`
  }))

const p95 = (delays: ReadonlyArray<number>): number | null => (delays.length === 0 ? null : quantile(delays, 0.95))

/** P4: delay of a click from the mixer to a listener's decoder and ear, and of a command to the air. */
export const run = async (size: "whole" | "small"): Promise<Report> => {
  const plan = size === "whole" ? { listenSec: 70, everySec: 3, rounds: 10 } : { listenSec: 9, everySec: 2, rounds: 1 }
  const browser = size === "whole" ? chromiumPath() : undefined
  const { air, mixer, mp3, parts, segments, shown } = await runInFolder((folder) =>
    runOnClickedAir(folder, plan.listenSec + extraSec + 10, plan.everySec, async (air) => {
      await awaitClock(air.base)
      const sinceMs = Date.now()
      // A busy machine may need longer for the first sound. After this time, no sound will come.
      const isEnough = (played: Played) => {
        const passedSec = (Date.now() - sinceMs) / 1_000
        const { decodedSec, heardSec } = delaysOf(air, sinceMs, played)
        const heard = decodedSec.length > 0 && (played.start === null || heardSec.length > 0)
        return passedSec > plan.listenSec + (heard ? 0 : extraSec)
      }
      const [parts, segments, mp3, shown] = await Promise.all([
        playParts(air.base, isEnough),
        playSegments(air.base, isEnough),
        playMp3(air.base, isEnough),
        browser === undefined ? undefined : playInBrowser(browser, air.base, 20, plan.listenSec - 30)
      ])
      const mixer: Array<number> = []
      for (let round = 0; round < plan.rounds; round++) {
        const sentMs = Date.now()
        mixer.push(msAt(await air.emergency()) - sentMs)
        await pause(300)
      }
      return {
        air,
        mixer,
        shown,
        parts: delaysOf(air, sinceMs, parts),
        segments: delaysOf(air, sinceMs, segments),
        mp3: delaysOf(air, sinceMs, mp3)
      }
    })
  )
  // The first piece of a new station takes too long for a test.
  const emergency = size === "whole" ? await emergencies(plan.rounds) : []
  const rows = [
    ...rowsOf("LL-HLS: mix to decoded", parts.decodedSec),
    ...rowsOf("LL-HLS: mix to heard, PART-HOLD-BACK kept", parts.heardSec),
    ...rowsOf(
      "LL-HLS in hls.js: delay of the heard date",
      shown?.behindSec ?? [],
      "s",
      "the delay from the mix is longer by the mixer's lead"
    ),
    ...rowsOf("LL-HLS in hls.js: its own latency", shown?.latencySec ?? []),
    ...rowsOf("HLS: mix to decoded", segments.decodedSec),
    ...rowsOf("HLS: mix to heard, HOLD-BACK kept", segments.heardSec),
    ...rowsOf("MP3 without burst: mix to decoded", mp3.decodedSec),
    ...rowsOf("emergency: order to the air chain to its first sample", mixer, "ms"),
    ...rowsOf("emergency: API command to its first sample", emergency, "ms")
  ]
  const measured = [parts, segments, mp3].map(({ decodedSec }) => decodedSec.length > 0)
  return {
    bench: "latency",
    rows,
    goals: [
      { name: "LL-HLS heard p95 (s)", direction: "at most", limit: 1.8, value: p95(parts.heardSec) },
      { name: "MP3 without burst, decoded p95 (s)", direction: "at most", limit: 1.2, value: p95(mp3.decodedSec) },
      {
        name: "HLS delay p95, target durations",
        direction: "at most",
        limit: 3,
        value:
          segments.heardSec.length === 0
            ? null
            : (p95(segments.heardSec)! - mixLeadMs / 1_000) / Math.round(targetDurationSec)
      },
      { name: "emergency, order to sound p95 (ms)", direction: "at most", limit: 500, value: p95(mixer) },
      { name: "emergency, API command to sound p95 (ms)", direction: "at most", limit: 500, value: p95(emergency) }
    ],
    computed: hash(`${air.pcmSha256} ${measured.join()} ${mixer.length}`)
  }
}
