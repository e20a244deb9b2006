import { Effect } from "effect"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { find } from "../../bench/instruments/ears/Correlate.ts"
import { decodeMono, soundAt } from "../../bench/instruments/ears/Decode.ts"
import { approve, reviewOf } from "../../bench/instruments/clients/Operator.ts"
import { recordHls, recordMp3 } from "../../bench/instruments/ears/Recorder.ts"
import { freePort } from "../../bench/instruments/servers/Station.ts"
import { becomeAgent, call } from "../../bench/instruments/clients/Stranger.ts"
import type { AssetId, TrackId } from "../../schema/Ids.ts"
import { channelsCount, sampleRateHz, sampleOf } from "../../schema/time/Samples.ts"
import { hang } from "../support/station/Debugger.ts"
import { testId } from "../support/air/Airables.ts"
import { plantSong } from "../support/media/PlantedSound.ts"
import { checkHeardThroughout } from "../support/media/Heard.ts"
import { awaitLoggedEmergency, readLoggedRows } from "../support/air/LoggedRows.ts"
import { inDatabaseOf } from "../support/sql/OwnDatabase.ts"
import { partsHeard, partsMade } from "../../bench/instruments/ears/PartArrivals.ts"
import { waitMs } from "../../bench/instruments/Patience.ts"
import {
  encodersOf,
  enterStation,
  findLongestSilenceSec,
  metric,
  askUntil,
  type WholeStation
} from "../support/station/WholeStation.ts"

interface Line {
  readonly id: string
  readonly role: string
  readonly segmentId: string | null
  readonly trackId: string | null
  readonly startSample: number
  readonly durationMs: number
}
/** How many windows of a sound may be missing: other voices and tones resemble it for one or two. */
const missedMax = 8
/** End of a sound in a recording that begins with it; sounds over it and after it don't resemble it. */
const lastHeardSec = (own: Float32Array, heard: Float32Array): number => {
  const windowSamples = sampleRateHz / 50
  let last = 0
  let missed = 0
  for (
    let from = 0;
    missed < missedMax && from + windowSamples <= Math.min(own.length, heard.length);
    from += windowSamples
  ) {
    const [a, b] = [own.subarray(from, from + windowSamples), heard.subarray(from, from + windowSamples)]
    const power = a.reduce((sum, value) => sum + value * value, 0)
    // Its own pauses don't count.
    if (power / windowSamples < 1e-4) continue
    const alike = a.reduce((sum, value, at) => sum + value * b[at]!, 0) / power > 0.3
    missed = alike ? 0 : missed + 1
    if (alike) last = from + windowSamples
  }
  return last / sampleRateHz
}
/** `ENCODER_KILLS=100` takes a minute. */
const encoderKills = Number(process.env["ENCODER_KILLS"] ?? 10)
/** A part lasts 341 ms: one written later than the beginning of the next would be missed. */
const madeLateMaxMs = 341
const hangMs = 2_000
/** Seconds until the listener probe must have noticed silence; its reaction is heard half a second later. */
const silenceMaxSec = 3
describe("a station under faults", () => {
  let whole: WholeStation
  let debuggerPort: number
  beforeAll(async () => {
    debuggerPort = await freePort()
    whole = await enterStation({ NODE_OPTIONS: `--inspect-port=127.0.0.1:${debuggerPort}` })
  }, 300_000)
  afterAll(() => whole.leave(), 300_000)

  const asRun = () => readLoggedRows(whole.station.base, whole.station.operator)
  const emergencyRow = (reason: string) => awaitLoggedEmergency(whole.station.base, whole.station.operator, reason)
  const operate = (path: string, body: unknown = {}) =>
    call(whole.station.base, "POST", `/api/ops/${path}`, { bearer: whole.station.operator, body })
  const health = async () => (await call(whole.station.base, "GET", "/api/station/stream-health")).body

  it("loses no sample when its encoders are killed one after the other, and stopped all at once", async () => {
    const stop = new AbortController()
    const mp3 = recordMp3(whole.station.base, stop.signal)
    await checkHeardThroughout(whole.station.base, async () => {
      for (let killed = 0; killed < encoderKills;) {
        const running = encodersOf(whole.station.process.pid!)
        const encoder = running[killed % running.length]
        if (encoder !== undefined) {
          process.kill(encoder, "SIGKILL")
          killed += 1
        }
        await waitMs(400)
      }
      for (const encoder of encodersOf(whole.station.process.pid!)) process.kill(encoder, "SIGSTOP")
      await waitMs(1_500)
    })
    stop.abort()
    const silentSec = findLongestSilenceSec(await decodeMono(Buffer.from(await mp3)))
    console.log(`${encoderKills} encoders killed and all stopped; longest silence in MP3 ${silentSec.toFixed(3)} s`)
    expect(silentSec).toBeLessThan(0.25)
    expect(await metric(whole.station.base, /^ops_alerts_total\{.*what="emergency"/)).toBe(0)
  }, 300_000)

  it(
    "plays and answers without its database, and recovers by itself",
    () =>
      checkHeardThroughout(whole.station.base, async () => {
        const { base, dataDir } = whole.station
        const agent = await becomeAgent(base, "fulmar")
        const pid = Number(readFileSync(join(dataDir, "pg", "postmaster.pid"), "utf8").split("\n")[0])
        const killedAt = performance.now()
        process.kill(pid, "SIGKILL")
        const [now, refused] = await Promise.all([
          fetch(`${base}/api/station/now-playing`),
          fetch(`${base}/api/v1/agents/register`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({
              type: "anonymous",
              agent: { handle: "petrel", displayName: "Petrel", bio: "Calls at night.", role: "hybrid" }
            })
          })
        ])
        expect(now.status).toBe(200)
        expect(refused.status).toBe(503)
        expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
        expect(refused.headers.get("content-type")).toContain("application/problem+json")
        expect(await refused.json()).toMatchObject({ status: 503, code: "BUSY", errors: [] })
        await askUntil(() => call(base, "GET", "/api/v1/agents/me", { bearer: agent.apiKey }))
        console.log(
          `the database answered again ${((performance.now() - killedAt) / 1_000).toFixed(2)} s after its SIGKILL`
        )
        await askUntil(() => becomeAgent(base, "shearwater"))
        await askUntil(() => operate("playout/hold"))
        await operate("playout/resume")
      }),
    300_000
  )

  it("changes the sound within half a second of an operator's command", async () => {
    const { base, operator } = whole.station
    const onAir = async () => {
      const { body } = await call(base, "GET", "/api/ops/rundown", { bearer: operator })
      return (body["rundown"] as { readonly onAir: Line | null }).onAir ?? undefined
    }
    const lastSamples = async () => (await asRun()).map(({ lastSample }) => lastSample)
    // In its middle: at its end the next item is on the air before the command comes, and is not what was meant.
    const before = await askUntil(async () => {
      const line = await onAir()
      if (line === undefined) return undefined
      const playedSec = (sampleOf(Date.now()) - line.startSample) / sampleRateHz
      return playedSec > 2 && playedSec < line.durationMs / 1_000 - 5 ? line : undefined
    })
    const known = new Set(await lastSamples())
    const sentMs = Date.now()
    await operate("playout/skip", { reason: "A test." })
    const answeredMs = Date.now()
    await askUntil(async () => ((await onAir())?.id === before.id ? undefined : true))
    const sent = sampleOf(sentMs)
    const ended = await askUntil(async () =>
      (await lastSamples()).find((sample) => !known.has(sample) && sample > sent - sampleRateHz / 2)
    )
    const afterMs = ((ended - sent) / sampleRateHz) * 1_000
    console.log(
      `skip: the item ended ${afterMs.toFixed(0)} ms after the command was sent, which was answered in ${answeredMs - sentMs} ms`
    )
    expect(afterMs).toBeLessThanOrEqual(500 + (answeredMs - sentMs))
  }, 300_000)

  it(
    "delays no part while its API is flooded and its main thread hangs",
    () =>
      checkHeardThroughout(whole.station.base, async () => {
        const { base, dataDir } = whole.station
        const stop = new AbortController()
        const measured = Promise.all([partsMade(dataDir, stop.signal), partsHeard(base, stop.signal)])
        const flood = Array.from({ length: 16 }, async (_, caller) => {
          for (let n = 0; !stop.signal.aborted; n++) {
            const [path, init] =
              n % 2 === 0
                ? (["/api/station/now-playing", {}] as const)
                : ([
                    "/api/v1/agents/register",
                    {
                      method: "POST",
                      headers: { "content-type": "application/json" },
                      body: JSON.stringify({
                        type: "anonymous",
                        agent: {
                          handle: `dunlin-${caller}-${n}`,
                          displayName: "Dunlin",
                          bio: "Never alone. ".repeat(50),
                          role: "hybrid"
                        }
                      })
                    }
                  ] as const)
            await (await fetch(`${base}${path}`, init)).arrayBuffer()
          }
        })
        try {
          // Longer than a segment: counting begins with the next one, and must have begun by then.
          await waitMs(4_500)
          await hang(whole.station.process.pid!, debuggerPort, hangMs)
          await waitMs(1_000)
        } finally {
          stop.abort()
        }
        const [made, heard] = await measured
        await Promise.all(flood)
        const worst = (lateMs: ReadonlyArray<number>) => Math.max(...lateMs).toFixed(0)
        console.log(
          `latest of ${made.length} parts made ${worst(made)} ms, of ${heard.length} heard ${worst(heard)} ms after its last sample's time; the main thread hung for ${hangMs} ms`
        )
        expect(made.length).toBeGreaterThan(hangMs / madeLateMaxMs)
        expect(Math.max(...made)).toBeLessThan(madeLateMaxMs)
        expect(Math.max(...heard)).toBeLessThan(hangMs + 1_000)
      }),
    300_000
  )

  it(
    "starts and ends the emergency programme by command, each a stretch of its own in a valid log",
    () =>
      checkHeardThroughout(whole.station.base, async () => {
        const reason = "A drill."
        const from = sampleOf(Date.now())
        await operate("playout/emergency", { reason })
        await askUntil(async () => ((await health())["emergency"] === true ? true : undefined))
        await expect(operate("playout/skip")).rejects.toThrow(/409.*PLAYOUT_CONFLICT/)
        await waitMs(1_000)
        const to = sampleOf(Date.now())
        await operate("playout/emergency/clear")
        const row = await emergencyRow(reason)
        // The previous sound fades out as the programme begins: the stretch begins at the requested instant.
        expect((row.firstSample - from) / sampleRateHz).toBeLessThan(0.5)
        expect((row.lastSample - to) / sampleRateHz).toBeGreaterThan(0)
      }).then(() => undefined),
    300_000
  )

  it("logs items cut by an emergency up to their last heard sample, also under an overlapping one", async () => {
    const { base, operator } = whole.station
    const rundown = async () =>
      (await call(base, "GET", "/api/ops/rundown", { bearer: operator })).body["rundown"] as {
        readonly onAir: Line | null
        readonly items: ReadonlyArray<Line>
      }
    const agent = await becomeAgent(base, "dotterel")
    const { body } = await call(base, "POST", "/api/v1/agents/me/tts/station/generate", {
      bearer: agent.apiKey,
      body: {
        category: "station_id",
        title: "Soon cut",
        scriptText:
          "This is Dotterel. I run a few steps along the shore and stop, and I look around, and then I run again until something stops me for good."
      }
    })
    const segment = body["segment"] as { readonly id: string }
    await plantSong(
      whole.station.dataDir,
      { id: testId("mas", 1) as AssetId, trackId: testId("trk", 1) as TrackId, title: "Over It" },
      60
    )
    const own = await soundAt(base, (await reviewOf(base, operator, "first_air", segment.id)).audioUrl!, operator)
    const song = await askUntil(async () =>
      (await rundown()).items.find(({ role, trackId }) => role === "music" && trackId !== null)
    )
    // Directly after the inserted item, the song begins over its end.
    const [first] = (await rundown()).items
    if (first!.id !== song.id)
      await call(base, "PATCH", `/api/ops/rundown/items/${song.id}`, { bearer: operator, body: { before: first!.id } })
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const recorded = recordHls(base, "aac128", stop.signal)
    await approve(base, operator, await reviewOf(base, operator, "first_air", segment.id))
    await operate("playout/insert-now", { segmentId: segment.id, reason: "A test." })
    const onAir = async (is: (line: Line) => boolean) =>
      askUntil(async () => {
        const { items, onAir: line } = await rundown()
        if (line !== null && is(line)) return line
        throw new Error(
          `On the air is ${JSON.stringify(line)}, and then ${JSON.stringify(items[0])}. The station said: ${whole.station.output().slice(-4_000)}`
        )
      }, 10)
    const spoken = await onAir(({ segmentId }) => segmentId === segment.id)
    const next = await onAir(({ id }) => id !== spoken.id)
    const overlapSamples = spoken.startSample + spoken.durationMs * 48 - next.startSample
    expect([next.role, overlapSamples > sampleRateHz]).toEqual(["music", true])
    await operate("playout/emergency", { reason: "A cut." })
    const rows = await askUntil(async () => {
      const log = await asRun()
      const row = log.find(({ itemId }) => itemId === spoken.id)
      const over = log.find(({ itemId }) => itemId === next.id)
      return row === undefined || over === undefined ? undefined : { row, over }
    })
    await operate("playout/emergency/clear")
    await emergencyRow("A cut.")
    await waitMs(6_000)
    stop.abort()
    const { bytes, firstSample } = await recorded
    const heard = (await decodeMono(bytes)).subarray(rows.row.firstSample - firstSample)
    const begins = find(own.subarray(0, sampleRateHz), heard.subarray(0, 2 * sampleRateHz))
    const lastsSec = lastHeardSec(own, heard.subarray(begins.offsetSamples))
    const loggedSec = (rows.row.lastSample + 1 - rows.row.firstSample) / sampleRateHz
    const history = (await call(base, "GET", "/api/station/history?types=station_id,segment&limit=50")).body[
      "items"
    ] as ReadonlyArray<{
      readonly segmentId: string
      readonly airedCompletely: boolean
      readonly durationSec: number
      readonly endedAt: string
    }>
    const aired = history.find(({ segmentId }) => segmentId === segment.id)!
    console.log(
      `of ${(own.length / sampleRateHz).toFixed(2)} s, ${(overlapSamples / sampleRateHz).toFixed(2)} s under the next item: logged ${loggedSec.toFixed(3)} s ${rows.row.outcome}, heard ${lastsSec.toFixed(3)} s`
    )
    expect([rows.row.outcome, rows.over.outcome, aired.airedCompletely]).toEqual(["cut", "cut", false])
    expect(rows.row.lastSample).toBeGreaterThan(next.startSample)
    expect(rows.row.lastSample).toBe(rows.over.lastSample)
    expect(aired.durationSec).toBeCloseTo(loggedSec, 2)
    expect(begins.correlation).toBeGreaterThan(0.6)
    expect(Math.abs(begins.offsetSamples)).toBeLessThan(0.05 * sampleRateHz)
    expect(Math.abs(lastsSec - loggedSec)).toBeLessThan(0.1)
    const { body: told } = await call(base, "GET", "/api/segments", { bearer: agent.apiKey })
    const [record] = told["segments"] as ReadonlyArray<{
      readonly status: string
      readonly airedCompletely: boolean | null
    }>
    expect([record!.status, record!.airedCompletely]).toEqual(
      loggedSec * sampleRateHz < spoken.durationMs * 24 ? ["queued", null] : ["aired", false]
    )
  }, 300_000)

  it("detects its own silence, starts the emergency programme and reports it", async () => {
    const { base, dataDir, operator } = whole.station
    const agent = await becomeAgent(base, "turnstone")
    const { body } = await call(base, "POST", "/api/v1/agents/me/tts/station/generate", {
      bearer: agent.apiKey,
      body: {
        category: "station_id",
        title: "Soon silent",
        scriptText:
          "This is Turnstone. I turn stones, one after the other, all along the shore, and under each of them there is something that nobody has heard before."
      }
    })
    const segment = body["segment"] as { readonly id: string }
    // The checks let no digital silence pass. So the test replaces the sound's file before it is planned.
    const silent = await inDatabaseOf(dataDir, (sql) =>
      Effect.gen(function* () {
        const [asset] = yield* sql<{ id: string; bytes: number }>`
        SELECT a.id, (a.length_samples * ${channelsCount * 2})::int AS bytes FROM assets a JOIN segments s ON s.asset_id = a.id WHERE s.id = ${segment.id}`
        const zeros = Buffer.alloc(asset!.bytes)
        writeFileSync(join(dataDir, "staged", `${asset!.id}.pcm`), zeros)
        const hash = createHash("sha256").update(zeros).digest("hex")
        yield* sql`UPDATE assets SET pcm_sha256 = ${hash}, body = jsonb_set(body, '{pcmSha256}', to_jsonb(${hash}::text)) WHERE id = ${asset!.id}`
        return asset!.bytes / (channelsCount * 2 * sampleRateHz)
      })
    )
    expect(silent).toBeGreaterThan(silenceMaxSec + 1)
    const { body: reviews } = await call(base, "GET", "/api/ops/reviews?kind=first_air", { bearer: operator })
    const [review] = reviews["items"] as ReadonlyArray<{ readonly id: string }>
    await operate(`reviews/${review!.id}/decision`, { decision: "approve", reason: "A test." })
    const alerts = () => metric(base, /^ops_alerts_total\{.*what="emergency"/)
    const before = await alerts()
    await checkHeardThroughout(
      base,
      async () => {
        // It may also begin by itself a moment earlier.
        await operate("playout/insert-now", { segmentId: segment.id }).catch(() => undefined)
        await askUntil(async () => {
          const { emergency, status } = await health()
          return emergency === true && status === "emergency" ? true : undefined
        })
        expect(await alerts()).toBe(before + 1)
      },
      silenceMaxSec + 0.5
    )
    await operate("playout/emergency/clear")
    await askUntil(async () => ((await health())["emergency"] === false ? true : undefined))
    const row = await emergencyRow("the listener probe hears silence")
    const silence = (await asRun()).find(({ segmentId }) => segmentId === segment.id)!
    const noticedSec = (row.firstSample - silence.firstSample) / sampleRateHz
    console.log(`the emergency programme began ${noticedSec.toFixed(2)} s after the silent item`)
    expect(noticedSec).toBeLessThan(silenceMaxSec + 0.5)
  }, 300_000)
})
