import { Schema } from "effect"
import { rows } from "../../../engine/store/sql/rows.ts"
import { fenceHeader, fenceOf } from "../../../schema/air/Fence.ts"
import { mp3SettledAfterMs } from "../../../engine/rules/air/limits.ts"
import { partSamples } from "../../../media/encode/PartPacker.ts"
import { sampleOf, sampleRateHz } from "../../../schema/time/Samples.ts"
import { pause } from "../Children.ts"
import { decodeStretches, type LoggedRow } from "../ears/HeardAndLogged.ts"
import { compareMp3 } from "../ears/Mp3AndParts.ts"
import type { LowLatencyEar } from "../ears/LowLatencyEar.ts"
import type { Mp3Ear } from "../ears/Mp3Ear.ts"
import { type StationPair, until } from "./StationPair.ts"

export const faults = ["kill", "freeze", "cut", "stop"] as const
/** What happens to the owner of the air. A stop is in order, as in an upgrade. */
export type Fault = (typeof faults)[number]

export const faultTitles: Record<Fault, string> = {
  kill: "killed",
  freeze: "frozen, then woken",
  cut: "cut off from the database",
  stop: "stopped in order"
}

/** What two listeners heard of a takeover, and what the former owner still sent. */
export interface Takeover {
  readonly fault: Fault
  /** From the fault until another process had the air. */
  readonly tookMs: number
  /** Latest part that the player of low-latency HLS got: after the time of its last sample. */
  readonly latestPartMs: number
  readonly missingParts: number
  /** Sound that the player of MP3 did not get, got twice, or got instead, compared sample by sample with what the player of HLS heard. */
  readonly mp3MissingMs: number
  readonly mp3DoubledMs: number
  readonly mp3UnlikeMs: number
  /** Sound of MP3 that was compared. */
  readonly mp3ComparedMs: number
  /** The longest time in which the player of MP3 had nothing to play. */
  readonly mp3StallMs: number
  /** Answers of the former owner with sound, under a token it no longer had or after it could have known. */
  readonly strays: number
  /** Rows of the as-run log that an earlier owner wrote after a later one. */
  readonly lateRows: number
  /** From the former owner's return until it could take the air without a gap. */
  readonly readyMs: number
}

export interface Listeners {
  readonly parts: LowLatencyEar
  readonly mp3: Mp3Ear
}

const Holder = Schema.Struct({ owner: Schema.NullOr(Schema.String), sinceMs: Schema.Finite, fence: Schema.Finite })
const LateRows = Schema.Struct({ late: Schema.Int })
const partsAfter = 12
/** So long before a takeover, and after it, MP3 is compared: longer than the longest one, and than what its player keeps. */
const mp3LookMs = 6_000
/** How far MP3 can be behind the parts. */
const mp3BehindMs = 8_000

const msIn = (samples: number): number => (samples * 1_000) / sampleRateHz
const other = (name: "a" | "b") => (name === "a" ? "b" : "a")

/** Does this to the owner, waits until the other process has taken over and both are in step again. Returns the new owner. */
export const takeOver = async (
  pair: StationPair,
  owner: "a" | "b",
  fault: Fault,
  { mp3, parts }: Listeners
): Promise<{ readonly owner: "a" | "b"; readonly takeover: Takeover }> => {
  const holder = async () => {
    const [found] = await pair.sql((sql) =>
      rows(Holder)(
        sql`SELECT air_owner AS owner, (extract(epoch FROM air_since) * 1000)::float8 AS since_ms, fence::float8 AS fence FROM stations`
      )
    )
    return found!
  }
  const next = other(owner)
  await pair.awaitInStep(next)
  const before = await holder()
  const fromPart = parts.parts.length
  const station = pair.station(owner)
  const isStopped = fault === "kill" || fault === "stop"
  const faultMs = performance.now()
  const faultAtMs = Date.now()
  if (fault === "kill") await station.stop("SIGKILL")
  else if (fault === "freeze") station.process.kill("SIGSTOP")
  else if (fault === "cut") pair.networkOf(owner).cut()
  else await station.stop("SIGTERM")
  if (isStopped) await pair.start(owner)
  let backMs = performance.now()
  const after = await until(
    `another process has the air after a ${fault}`,
    async () => {
      const now = await holder()
      return now.owner !== null && now.owner !== before.owner ? now : undefined
    },
    20
  )

  let strays = 0
  if (!isStopped) {
    const ask = async () => {
      const answer = await fetch(`${pair.baseOf(owner)}/live/aac128/index.m3u8`, {
        signal: AbortSignal.timeout(5_000)
      }).catch(() => null)
      await answer?.body?.cancel()
      return answer?.ok === true ? (fenceOf(answer.headers.get(fenceHeader) ?? undefined) ?? 0) : null
    }
    await until("parts of the new owner", async () => (parts.parts.length > fromPart + partsAfter ? true : undefined))
    // One that can't know it yet sends what it has, under its own token, until the next owner tells it; one that wakes knows that it may have lost the air.
    if (fault === "cut") {
      const fence = await ask()
      if (fence !== null && fence >= after.fence) strays += 1
      await until("the former owner refuses the stream", async () => ((await ask()) === null ? true : undefined))
      pair.networkOf(owner).mend()
    } else station.process.kill("SIGCONT")
    backMs = performance.now()
    const watch = new AbortController()
    const watching = (async () => {
      while (!watch.signal.aborted) if ((await ask()) !== null) strays += 1
    })()
    await pair.awaitInStep(owner)
    watch.abort()
    await watching
  }
  await pair.awaitInStep(owner)
  const readyMs = performance.now() - backMs
  await until("parts after a takeover", async () => (parts.parts.length > fromPart + partsAfter ? true : undefined))
  await until("MP3 after a takeover", async () =>
    (mp3.arrivals.at(-1)?.atMs ?? 0) > faultMs + mp3LookMs ? true : undefined
  )
  const heard = parts.parts.slice(Math.max(0, fromPart - 1))
  const [late] = await pair.sql((sql) =>
    rows(LateRows)(
      sql`SELECT count(*)::int AS late FROM as_run AS earlier WHERE EXISTS (SELECT FROM as_run AS later WHERE later.seq < earlier.seq AND later.fence > earlier.fence)`
    )
  )
  const comparedFrom = sampleOf(faultAtMs - mp3LookMs - mp3BehindMs)
  const sinceThen = parts.parts.filter(({ number }) => number * partSamples >= comparedFrom)
  const stretches = []
  for await (const stretch of decodeStretches(sinceThen)) stretches.push(stretch)
  const difference = compareMp3(await mp3.soundSince(faultMs - mp3LookMs), stretches)
  return {
    owner: next,
    takeover: {
      fault,
      tookMs: after.sinceMs - faultAtMs,
      latestPartMs: Math.max(...heard.map(({ lateMs }) => lateMs)),
      missingParts: heard.filter(({ number }, n) => n > 0 && number !== heard[n - 1]!.number + 1).length,
      mp3MissingMs: msIn(difference.missingSamples),
      mp3DoubledMs: msIn(difference.doubledSamples),
      mp3UnlikeMs: msIn(difference.unlikeSamples),
      mp3ComparedMs: msIn(difference.comparedSamples),
      mp3StallMs: Math.max(0, ...mp3.stalls.filter(({ atMs }) => atMs >= faultMs).map(({ ms }) => ms)),
      strays,
      lateRows: late!.late,
      readyMs
    }
  }
}

/** Waits until both listeners hear the station. */
export const awaitHeard = async ({ mp3, parts }: Listeners): Promise<void> => {
  await until("parts", async () => (parts.parts.length > partsAfter ? true : undefined))
  await until("MP3", async () => (mp3.arrivals.length > 2 ? true : undefined))
  // Listeners that have just come are served more often.
  await pause(mp3SettledAfterMs + mp3LookMs)
}

const LoggedRows = Schema.Struct({
  itemId: Schema.NullOr(Schema.String),
  assetId: Schema.NullOr(Schema.String),
  outcome: Schema.String,
  firstSample: Schema.Finite,
  lastSample: Schema.Finite
})
/** So long after an instant, every item that sounded then has its row. */
const loggedAfterMs = 15_000

/** Waits until the as-run log goes on past an instant, and reads it. */
export const listLogged = (pair: StationPair, atMs: number): Promise<ReadonlyArray<LoggedRow>> =>
  until(
    "rows of the as-run log",
    async () => {
      const found = await pair.sql((sql) =>
        rows(LoggedRows)(
          sql`SELECT item_id, asset_id, outcome, first_sample::float8 AS first_sample, last_sample::float8 AS last_sample FROM as_run ORDER BY as_run.seq`
        )
      )
      return (found.at(-1)?.lastSample ?? 0) > sampleOf(atMs + loggedAfterMs) ? found : undefined
    },
    1_000
  )
